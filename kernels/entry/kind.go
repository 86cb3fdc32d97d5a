package entry

import "math"

// Kind names the type of matrix entries and of arc weights, as in store.json and on the command line.
type Kind string

// The kinds.
const (
	KindI32 Kind = "i32" // int32, unreachable is Inf32
	KindF32 Kind = "f32" // IEEE 754 binary32, unreachable is +Inf
)

// kinds is the table of kinds, by name.
var kinds = map[Kind]struct {
	bytes       int
	numpy       string // the array interface's typestr
	unreachable uint32 // the bits
	float       bool
	// The arithmetic where no weight is negative, and where one is.
	plain, signed Variant
}{
	KindI32: {4, "<i4", uint32(Inf32), false, I32, I32Signed},
	KindF32: {4, "<f4", math.Float32bits(PosInf), true, F32, F32Signed},
}

// Valid reports whether there is such a kind.
func (k Kind) Valid() bool { return k.Bytes() != 0 }

// Bytes is the size of an entry, 0 for an unknown kind.
func (k Kind) Bytes() int { return kinds[k].bytes }

// NumPy is the kind's type as NumPy writes it, "" for an unknown kind.
func (k Kind) NumPy() string { return kinds[k].numpy }

// Unreachable returns the bits of the entry of two vertices without a path.
func (k Kind) Unreachable() uint32 { return kinds[k].unreachable }

// Variant returns the arithmetic that entries of the kind need, where some weight is negative or none is.
func (k Kind) Variant(negative bool) Variant {
	if negative {
		return kinds[k].signed
	}
	return kinds[k].plain
}

// Value returns an entry as a number in stored units, unreachable as +Inf.
func (k Kind) Value(bits uint32) float64 {
	if k == KindF32 {
		return float64(math.Float32frombits(bits))
	}
	if int32(bits) == Inf32 {
		return math.Inf(1)
	}
	return float64(int32(bits))
}

// Distance returns an entry as a number in the input's units, the stored ones divided by scale; unreachable is +Inf.
func (k Kind) Distance(bits uint32, scale int64) float64 { return k.Value(bits) / float64(scale) }
