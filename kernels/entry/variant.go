package entry

import "math"

// Inf32 is "unreachable" in the integer variants. Twice Inf32 does not wrap an int32.
const Inf32 int32 = 0x3f3f3f3f

// Limit32 is the magnitude that every real distance of an I32Signed problem stays below, and the value
// from which I32Signed kernels reset an entry to Inf32. It is half of Inf32: a sum of Inf32 and any
// negative distance stays at or above it, so that an unreachable entry cannot drift into a distance.
const Limit32 int32 = Inf32 / 2

// Inf16 is "unreachable" in U16. Twice Inf16 does not wrap a uint16, so a minimum with an entry caps every sum.
const Inf16 uint16 = 0x7f7f

// inf8 is "unreachable" in entries of a byte.
const inf8 uint8 = 255

// PosInf is "unreachable" in the float32 variants.
var PosInf = float32(math.Inf(1))

// WordBytes is the size of an entry of the variants in Words, of a vertex's number and of a checksum.
const WordBytes = 4

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
	F64                      // float64, negative entries allowed
	U16                      // uint16, entries ≤ Inf16, and sums that are more become Inf16
	VariantCount
)

// Variants lists every variant, for tables and tests.
var Variants = []Variant{I32, I32Signed, F32, F32Signed, F64, U16}

// Words lists the variants whose entries have 4 bytes. Vectors have no others.
var Words = Variants[:F32Signed+1]

// Paired lists the variants that there are pairs of. U16 is none of them: beside a predecessor its 2 bytes save little.
var Paired = Variants[:F64+1]

// variants is the table of variants.
var variants = [VariantCount]struct {
	name   string
	kind   Kind
	signed bool
}{
	I32:       {"i32", KindI32, false},
	I32Signed: {"i32-signed", KindI32, true},
	F32:       {"f32", KindF32, false},
	F32Signed: {"f32-signed", KindF32, true},
	F64:       {"f64", KindF64, true},
	U16:       {"u16", KindU16, false},
}

// String returns the variant's name as printed by the command.
func (v Variant) String() string { return variants[v].name }

// MarshalText returns the name.
func (v Variant) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// rowOf is the place of each variant's kind in the table of kinds, which loops over entries ask for.
var rowOf = func() (rows [VariantCount]int) {
	for v := range variants {
		rows[v] = variants[v].kind.row()
	}
	return rows
}()

// Float reports whether entries are floating-point numbers.
func (v Variant) Float() bool { return kinds[rowOf[v]].float }

// Signed reports whether negative entries are allowed.
func (v Variant) Signed() bool { return variants[v].signed }

// Kind returns the kind of the variant's entries.
func (v Variant) Kind() Kind { return variants[v].kind }

// Bytes returns the size of an entry.
func (v Variant) Bytes() int { return kinds[rowOf[v]].bytes }

// WeightBytes returns the size of the weight of an arc: that of an entry, but 4 bytes at least.
func (v Variant) WeightBytes() int { return max(WordBytes, v.Bytes()) }

// Weights writes entries as weights of arcs, WeightBytes each.
func (v Variant) Weights(dst []uint32, entries []byte) {
	if v.Bytes() == WordBytes/2 {
		for i, x := range View[uint16](entries) {
			dst[i] = uint32(x)
		}
		return
	}
	copy(Bytes(dst), entries)
}

// Entries returns weights of arcs as entries, in the same memory if both have the same size.
func (v Variant) Entries(weights []uint32) []byte {
	if v.Bytes() == v.WeightBytes() {
		return Bytes(weights)
	}
	out := v.Kind().Make(len(weights))
	for i, w := range weights {
		v.Kind().Put(out, i, uint64(w))
	}
	return out
}

// Unreachable returns the bits of the entry of two vertices without a path.
func (v Variant) Unreachable() uint64 { return kinds[rowOf[v]].unreachable }
