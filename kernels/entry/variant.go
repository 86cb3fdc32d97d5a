package entry

import "math"

// Inf32 is "unreachable" in the integer variants. Twice Inf32 does not wrap an int32.
const Inf32 int32 = 0x3f3f3f3f

// Limit32 is the magnitude that every real distance of an I32Signed problem stays below, and the value
// from which I32Signed kernels reset an entry to Inf32. It is half of Inf32: a sum of Inf32 and any
// negative distance stays at or above it, so that an unreachable entry cannot drift into a distance.
const Limit32 int32 = Inf32 / 2

// PosInf is "unreachable" in the float variants.
var PosInf = float32(math.Inf(1))

// EntryBytes is the size of a matrix entry of every variant.
const EntryBytes = 4

// PairBytes is the size of an entry that is a pair: 4 bytes of distance, as the variant has it, and behind
// them the predecessor, an int32.
const PairBytes = 8

// NoVertex stands where a vertex would be named and there is none. As a predecessor it marks an entry that is
// unreachable, or that stands for the walk without arcs from a vertex to itself.
const NoVertex int32 = -1

// SciPyNoVertex is what SciPy writes where there is no predecessor.
const SciPyNoVertex int32 = -9999

// Variant names the arithmetic of an operation.
type Variant uint8

// The variants.
const (
	I32       Variant = iota // int32, entries ≥ 0 or Inf32
	I32Signed                // int32, negative entries allowed; entries ≥ Limit32 are reset to Inf32
	F32                      // float32, entries ≥ 0 or +Inf
	F32Signed                // float32, negative entries allowed
	VariantCount
)

// Variants lists every variant, for tables and tests.
var Variants = []Variant{I32, I32Signed, F32, F32Signed}

// String returns the variant's name as printed by the command.
func (v Variant) String() string {
	return [VariantCount]string{"i32", "i32-signed", "f32", "f32-signed"}[v]
}

// MarshalText returns the name.
func (v Variant) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// Float reports whether entries are float32.
func (v Variant) Float() bool { return v == F32 || v == F32Signed }

// Signed reports whether negative entries are allowed.
func (v Variant) Signed() bool { return v == I32Signed || v == F32Signed }

// Kind returns the kind of the variant's entries.
func (v Variant) Kind() Kind {
	if v.Float() {
		return KindF32
	}
	return KindI32
}

// Unreachable returns the bits of the entry of two vertices without a path.
func (v Variant) Unreachable() uint32 { return v.Kind().Unreachable() }
