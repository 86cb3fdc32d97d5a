package conformance

import (
	"fmt"
	"math"
	"math/rand/v2"

	"ooc/kernels/entry"
)

func fbits(x float32) uint64 { return uint64(math.Float32bits(x)) }

// encode returns the entry of a number, unreachable for what the variant has no entry for.
func encode(v entry.Variant, x float64) uint64 {
	if x >= limit(v) {
		return v.Unreachable()
	}
	return v.Kind().Bits(x + 0) // never -0
}

// limit is what lengths of walks stay below.
func limit(v entry.Variant) float64 {
	switch v {
	case entry.I32:
		return float64(entry.Inf32)
	case entry.I32Signed:
		return float64(entry.Limit32)
	case entry.U16:
		return float64(entry.Inf16)
	}
	return math.Inf(1)
}

// sum returns what a device makes of two numbers: their sum, rounded once, or +Inf. In float64 sums of integers and of
// float32 are exact before that (double rounding is harmless: 53 ≥ 2·24+2 bits, Figueroa 1995).
func sum(v entry.Variant, x, y float64) float64 {
	s := x + y
	switch {
	case s >= limit(v):
		return math.Inf(1)
	case v == entry.F32 || v == entry.F32Signed:
		return float64(float32(s))
	}
	return s
}

// lower is the judge of a relaxation: the lesser of x and the sum of y and z.
func lower(v entry.Variant, x, y, z uint64) uint64 {
	if none := v.Unreachable(); y == none || z == none {
		return x
	}
	k := v.Kind()
	if s := sum(v, k.Value(y), k.Value(z)); s < k.Value(x) {
		return k.Bits(s)
	}
	return x
}

func show(v entry.Variant, bits uint64) string {
	return fmt.Sprintf("%g (%#x)", v.Kind().Value(bits), bits)
}

// pattern makes the entries of operands.
type pattern struct {
	name        string
	randomEntry func(r *rand.Rand) uint64
}

// patterns returns the patterns that suit a variant.
func patterns(v entry.Variant) []pattern {
	inf := v.Unreachable()
	common := []pattern{
		{"infinite", func(*rand.Rand) uint64 { return inf }},
		{"zero", func(*rand.Rand) uint64 { return 0 }},
		{"zero or infinite", func(r *rand.Rand) uint64 { return pick(r, 0, inf) }},
	}
	switch v {
	case entry.I32:
		return append(common, unsignedInts()...)
	case entry.I32Signed:
		return append(append(common, unsignedInts()[:3]...), signedInts()...)
	case entry.U16:
		return append(common, shorts()...)
	case entry.F32:
		return append(common, unsignedFloats()...)
	case entry.F64:
		return append(common, doubles()...)
	default:
		return append(append(common, unsignedFloats()...), signedFloats()...)
	}
}

func pick(r *rand.Rand, choices ...uint64) uint64 { return choices[r.IntN(len(choices))] }

func unsignedInts() []pattern {
	return integers(uint64(entry.Inf32), 1<<20)
}

func shorts() []pattern { return integers(uint64(entry.Inf16), 1<<13) }

// integers returns patterns of entries from 0 to inf, of which some are less than most.
func integers(inf, most uint64) []pattern {
	return []pattern{
		{"equal", func(*rand.Rand) uint64 { return 7 }},
		{"small", func(r *rand.Rand) uint64 { return r.Uint64N(100) }},
		{"sparse", func(r *rand.Rand) uint64 {
			if r.IntN(20) > 0 {
				return inf
			}
			return r.Uint64N(most)
		}},
		{"whole range", func(r *rand.Rand) uint64 { return r.Uint64N(inf + 1) }},
		{"near infinite", func(r *rand.Rand) uint64 { return inf - r.Uint64N(1000) }},
		{"sums near infinite", func(r *rand.Rand) uint64 { return inf/2 + r.Uint64N(1000) - 500 }},
	}
}

func signedInts() []pattern {
	inf, last := entry.Inf32, entry.Limit32-1
	bits := func(x int32) uint64 { return uint64(uint32(x)) }
	return []pattern{
		{"small signed", func(r *rand.Rand) uint64 { return bits(r.Int32N(200) - 100) }},
		{"sparse signed", func(r *rand.Rand) uint64 {
			if r.IntN(20) > 0 {
				return bits(inf)
			}
			return bits(r.Int32N(1<<21) - 1<<20)
		}},
		{"near the limits", func(r *rand.Rand) uint64 {
			return pick(r, bits(last), bits(-last), bits(inf), 0, 1, bits(-1), bits(last/2), bits(-last/2), bits(last/2+1))
		}},
		// Unreachable and very negative: sums that must not count as distances.
		{"drifting", func(r *rand.Rand) uint64 {
			if r.IntN(200) > 0 {
				return bits(inf)
			}
			return bits(-last + r.Int32N(1000))
		}},
		{"whole range signed", func(r *rand.Rand) uint64 { return bits(r.Int32N(2*last+1) - last) }},
	}
}

func unsignedFloats() []pattern {
	return []pattern{
		{"equal", func(*rand.Rand) uint64 { return fbits(0.1) }},
		{"uniform", func(r *rand.Rand) uint64 { return fbits(r.Float32()) }},
		{"sparse", func(r *rand.Rand) uint64 {
			if r.IntN(20) > 0 {
				return fbits(entry.PosInf)
			}
			return fbits(r.Float32() * 1000)
		}},
		{"denormal", func(r *rand.Rand) uint64 { return r.Uint64N(1 << 24) }},
		// Every finite non-negative float: sums round, and overflow to +Inf.
		{"any magnitude", func(r *rand.Rand) uint64 { return r.Uint64N(0x7f800000) }},
		{"overflowing", func(r *rand.Rand) uint64 { return 0x7f000000 + r.Uint64N(0x800000) }},
	}
}

func signedFloats() []pattern {
	// Magnitudes whose negative sums stay finite: −Inf is no entry.
	sign := func(r *rand.Rand, bits uint64) uint64 {
		if bits != 0 && r.IntN(2) == 0 {
			return bits | 1<<31
		}
		return bits
	}
	return []pattern{
		{"uniform signed", func(r *rand.Rand) uint64 { return fbits(r.Float32()*2 - 1) }},
		{"cancelling", func(r *rand.Rand) uint64 { return sign(r, fbits(float32(r.IntN(4)))) }},
		{"denormal signed", func(r *rand.Rand) uint64 { return sign(r, r.Uint64N(1<<24)) }},
		{"any magnitude signed", func(r *rand.Rand) uint64 { return sign(r, r.Uint64N(0x7e800000)) }},
		{"negative or infinite", func(r *rand.Rand) uint64 {
			return pick(r, fbits(entry.PosInf), fbits(-r.Float32()-1))
		}},
	}
}

func doubles() []pattern {
	bits := math.Float64bits
	return []pattern{
		{"equal", func(*rand.Rand) uint64 { return bits(0.1) }},
		{"uniform", func(r *rand.Rand) uint64 { return bits(r.Float64()) }},
		{"sparse", func(r *rand.Rand) uint64 {
			if r.IntN(20) > 0 {
				return bits(math.Inf(1))
			}
			return bits(r.Float64()*2000 - 1000)
		}},
		{"denormal", func(r *rand.Rand) uint64 { return r.Uint64N(1 << 53) }},
		{"any magnitude", func(r *rand.Rand) uint64 { return r.Uint64N(0x7ff0 << 48) }},
		{"overflowing", func(r *rand.Rand) uint64 { return 0x7fe0<<48 + r.Uint64N(0x10<<48) }},
		{"uniform signed", func(r *rand.Rand) uint64 { return bits(r.Float64()*2 - 1) }},
		{"cancelling", func(r *rand.Rand) uint64 { return bits(float64(r.IntN(9)-4) + 0) }},
		{"any magnitude signed", func(r *rand.Rand) uint64 { return 1 + r.Uint64N(0x7fd0<<48) | r.Uint64N(2)<<63 }},
		{"negative or infinite", func(r *rand.Rand) uint64 { return pick(r, bits(math.Inf(1)), bits(-r.Float64()-1)) }},
	}
}

func (p pattern) fill(r *rand.Rand, m matrix) {
	for i := range m {
		m[i] = p.randomEntry(r)
	}
}

// worst returns bits that would win every minimum or spoil every sum: what fresh C holds before.
func worst(v entry.Variant, r *rand.Rand) uint64 {
	switch v {
	case entry.U16:
		return pick(r, 0, 0x8000, 0xffff)
	case entry.F64:
		return pick(r, math.Float64bits(math.Inf(-1)), math.Float64bits(math.NaN()), 0xfff8<<48, 1<<63)
	case entry.F32, entry.F32Signed:
		return pick(r, fbits(float32(math.Inf(-1))), fbits(-math.MaxFloat32), 0x7fc00000, 0xffc00000, 1<<31)
	}
	return pick(r, 1<<31, 0xffff0000)
}
