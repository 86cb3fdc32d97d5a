package entry

import (
	"encoding/binary"
	"math"
)

// Kind names the type of matrix entries and of arc weights, as in store.json and on the command line.
type Kind string

// The kinds.
const (
	KindI32 Kind = "i32" // int32, unreachable is Inf32
	KindF32 Kind = "f32" // IEEE 754 binary32, unreachable is +Inf
	KindU16 Kind = "u16" // uint16, unreachable is Inf16; every entry is the lesser of a walk's length and Inf16
	KindF64 Kind = "f64" // IEEE 754 binary64, unreachable is +Inf
	KindU8  Kind = "u8"  // uint8, unreachable is 255; of arcs of one weight, and without kernels of its own
)

// kinds is the table of kinds; the last is what an unknown one is taken for.
var kinds = [...]struct {
	name        Kind
	bytes       int
	numpy       string // the array interface's typestr
	unreachable uint64 // the bits
	float       bool
	// The arithmetic where no weight is negative, and where one is.
	plain, signed Variant
}{
	{KindI32, 4, "<i4", uint64(Inf32), false, I32, I32Signed},
	{KindF32, 4, "<f4", uint64(math.Float32bits(PosInf)), true, F32, F32Signed},
	{KindU16, 2, "<u2", uint64(Inf16), false, U16, U16}, // none is negative
	{KindF64, 8, "<f8", math.Float64bits(math.Inf(1)), true, F64, F64},
	{KindU8, 1, "|u1", uint64(inf8), false, U16, U16}, // as plans count it
	{},
}

// Kinds lists the kinds that devices compute in, for flags and tests: all but KindU8.
var Kinds = []Kind{KindI32, KindF32, KindU16, KindF64}

// Kernels reports whether devices compute in entries of the kind.
func (k Kind) Kernels() bool { return k.Variant(false).Kind() == k }

// row returns the place of the kind in the table.
func (k Kind) row() int {
	for i := range kinds {
		if kinds[i].name == k {
			return i
		}
	}
	return len(kinds) - 1
}

// Valid reports whether there is such a kind.
func (k Kind) Valid() bool { return k.Bytes() != 0 }

// Bytes is the size of an entry, 0 for an unknown kind.
func (k Kind) Bytes() int { return kinds[k.row()].bytes }

// PairBytes is the size of an entry that is a pair: a distance, and right behind it the predecessor, an int32. In f64
// the last 4 of its 16 bytes are zero: with 12, some pairs would lie across two sectors, and a power cut could leave
// half of a distance. It is 0 for kinds of less than 4 bytes, of which there are no pairs.
func (k Kind) PairBytes() int {
	if k.Bytes() < WordBytes {
		return 0
	}
	return 2 * k.Bytes()
}

// NumPy is the kind's type as NumPy writes it, "" for an unknown kind.
func (k Kind) NumPy() string { return kinds[k.row()].numpy }

// Float reports whether entries are floating-point numbers.
func (k Kind) Float() bool { return kinds[k.row()].float }

// Unreachable returns the bits of the entry of two vertices without a path.
func (k Kind) Unreachable() uint64 { return kinds[k.row()].unreachable }

// Variant returns the arithmetic that entries of the kind need, where some weight is negative or none is.
func (k Kind) Variant(negative bool) Variant {
	if negative {
		return kinds[k.row()].signed
	}
	return kinds[k.row()].plain
}

// Wide is the kind in which weights are kept and distances are read: the kind itself, or the one of 4 bytes that
// holds the same numbers.
func (k Kind) Wide() Kind {
	if k == KindU16 || k == KindU8 {
		return KindI32
	}
	return k
}

// Widen makes entries of Wide, which fill dst, of narrower ones in its last part. It does nothing where there is none.
func (k Kind) Widen(dst []byte) {
	switch from := k.Narrow(dst); k {
	case KindU16:
		widen(View[int32](dst), View[uint16](from), Inf16)
	case KindU8:
		widen(View[int32](dst), from, inf8)
	}
}

func widen[E uint8 | uint16](to []int32, from []E, none E) {
	for i, x := range from { // what is written does not overtake what is read
		d := int32(x)
		if x == none {
			d = Inf32
		}
		to[i] = d
	}
}

// Narrow returns the last part of memory for entries of Wide: what as many entries of the kind take.
func (k Kind) Narrow(dst []byte) []byte {
	if k.Wide() == k {
		return dst
	}
	return dst[len(dst)-len(dst)/k.Wide().Bytes()*k.Bytes():]
}

// Make returns memory for n entries, aligned for them.
func (k Kind) Make(n int) []byte { return Bytes(make([]uint64, CeilDiv(n*k.Bytes(), 8)))[:n*k.Bytes()] }

// At returns the bits of entry i of memory.
func (k Kind) At(memory []byte, i int) uint64 {
	switch k.Bytes() {
	case 1:
		return uint64(memory[i])
	case 2:
		return uint64(binary.LittleEndian.Uint16(memory[2*i:]))
	case 4:
		return uint64(binary.LittleEndian.Uint32(memory[4*i:]))
	}
	return binary.LittleEndian.Uint64(memory[8*i:])
}

// Put sets entry i of memory to bits.
func (k Kind) Put(memory []byte, i int, bits uint64) {
	switch k.Bytes() {
	case 1:
		memory[i] = uint8(bits)
	case 2:
		binary.LittleEndian.PutUint16(memory[2*i:], uint16(bits))
	case 4:
		binary.LittleEndian.PutUint32(memory[4*i:], uint32(bits))
	default:
		binary.LittleEndian.PutUint64(memory[8*i:], bits)
	}
}

// Fill sets all entries of memory to bits.
func (k Kind) Fill(memory []byte, bits uint64) {
	switch k.Bytes() {
	case 1:
		Fill(memory, uint8(bits))
	case 2:
		Fill(View[uint16](memory), uint16(bits))
	case 4:
		Fill(View[uint32](memory), uint32(bits))
	default:
		Fill(View[uint64](memory), bits)
	}
}

// Append appends the entries of numbers in stored units. Those of unreachable or more are unreachable.
func (k Kind) Append(memory []byte, numbers []float64) []byte {
	at, size := len(memory), k.Bytes()
	memory = append(memory, make([]byte, size*len(numbers))...)
	to := memory[at:]
	switch k {
	case KindI32:
		for i, x := range numbers {
			bits := uint32(Inf32)
			if x < float64(Inf32) {
				bits = uint32(int32(x))
			}
			binary.LittleEndian.PutUint32(to[4*i:], bits)
		}
	case KindF32:
		for i, x := range numbers {
			binary.LittleEndian.PutUint32(to[4*i:], math.Float32bits(float32(x)))
		}
	case KindF64:
		copy(to, Bytes(numbers))
	case KindU16:
		for i, x := range numbers {
			binary.LittleEndian.PutUint16(to[2*i:], uint16(min(x, float64(Inf16))))
		}
	case KindU8:
		for i, x := range numbers {
			to[i] = uint8(min(x, float64(inf8)))
		}
	}
	return memory
}

// Value returns an entry as a number in stored units, unreachable as +Inf.
func (k Kind) Value(bits uint64) float64 {
	switch k {
	case KindF32:
		return float64(math.Float32frombits(uint32(bits)))
	case KindF64:
		return math.Float64frombits(bits)
	case KindU16, KindU8:
		if bits == k.Unreachable() {
			return math.Inf(1)
		}
		return float64(bits)
	}
	if int32(bits) == Inf32 {
		return math.Inf(1)
	}
	return float64(int32(bits))
}

// Values writes entries as numbers, as Value does.
func (k Kind) Values(dst []float64, memory []byte) {
	switch k {
	case KindF32:
		for i, x := range View[float32](memory) {
			dst[i] = float64(x)
		}
	case KindF64:
		copy(dst, View[float64](memory))
	case KindI32:
		for i, x := range View[int32](memory) {
			dst[i] = float64(x)
			if x == Inf32 {
				dst[i] = math.Inf(1)
			}
		}
	default:
		for i := range dst {
			dst[i] = k.Value(k.At(memory, i))
		}
	}
}

// Bits returns the entry of a number in stored units, which the kind has, +Inf for unreachable. It is the inverse of
// Value; a float that is not one of the kind's is rounded.
func (k Kind) Bits(x float64) uint64 {
	switch {
	case math.IsInf(x, 1):
		return k.Unreachable()
	case k == KindF32:
		return uint64(math.Float32bits(float32(x)))
	case k == KindF64:
		return math.Float64bits(x)
	case k == KindU16:
		return uint64(uint16(x))
	}
	return uint64(uint32(int32(x)))
}

// Distance returns an entry as a number in the input's units, the stored ones divided by scale; unreachable is +Inf.
func (k Kind) Distance(bits uint64, scale int64) float64 { return k.Value(bits) / float64(scale) }
