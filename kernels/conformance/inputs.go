package conformance

import (
	"fmt"
	"math"
	"math/rand/v2"

	"ooc/kernels/entry"
)

func fbits(x float32) uint32 { return math.Float32bits(x) }

func fval(b uint32) float32 { return math.Float32frombits(b) }

// infinity returns the bits of the variant's unreachable entry.
func infinity(v entry.Variant) uint32 {
	if v.Float() {
		return fbits(entry.PosInf)
	}
	return uint32(entry.Inf32)
}

func show(v entry.Variant, bits uint32) string {
	if v.Float() {
		return fmt.Sprintf("%g (%#08x)", fval(bits), bits)
	}
	return fmt.Sprintf("%d (%#08x)", int32(bits), bits)
}

// pattern makes the entries of operands.
type pattern struct {
	name        string
	randomEntry func(r *rand.Rand) uint32
}

// patterns returns the patterns that suit a variant.
func patterns(v entry.Variant) []pattern {
	inf := infinity(v)
	common := []pattern{
		{"infinite", func(*rand.Rand) uint32 { return inf }},
		{"zero", func(*rand.Rand) uint32 { return 0 }},
		{"zero or infinite", func(r *rand.Rand) uint32 { return pick(r, 0, inf) }},
	}
	switch v {
	case entry.I32:
		return append(common, unsignedInts()...)
	case entry.I32Signed:
		return append(append(common, unsignedInts()[:3]...), signedInts()...)
	case entry.F32:
		return append(common, unsignedFloats()...)
	default:
		return append(append(common, unsignedFloats()...), signedFloats()...)
	}
}

func pick(r *rand.Rand, choices ...uint32) uint32 { return choices[r.IntN(len(choices))] }

func unsignedInts() []pattern {
	inf := uint32(entry.Inf32)
	return []pattern{
		{"equal", func(*rand.Rand) uint32 { return 7 }},
		{"small", func(r *rand.Rand) uint32 { return r.Uint32N(100) }},
		{"sparse", func(r *rand.Rand) uint32 {
			if r.IntN(20) > 0 {
				return inf
			}
			return r.Uint32N(1 << 20)
		}},
		{"whole range", func(r *rand.Rand) uint32 { return r.Uint32N(inf + 1) }},
		{"near infinite", func(r *rand.Rand) uint32 { return inf - r.Uint32N(1000) }},
		{"sums near infinite", func(r *rand.Rand) uint32 { return inf/2 + r.Uint32N(1000) - 500 }},
	}
}

func signedInts() []pattern {
	inf, last := entry.Inf32, entry.Limit32-1
	bits := func(x int32) uint32 { return uint32(x) }
	return []pattern{
		{"small signed", func(r *rand.Rand) uint32 { return bits(r.Int32N(200) - 100) }},
		{"sparse signed", func(r *rand.Rand) uint32 {
			if r.IntN(20) > 0 {
				return bits(inf)
			}
			return bits(r.Int32N(1<<21) - 1<<20)
		}},
		{"near the limits", func(r *rand.Rand) uint32 {
			return pick(r, bits(last), bits(-last), bits(inf), 0, 1, bits(-1), bits(last/2), bits(-last/2), bits(last/2+1))
		}},
		// Unreachable and very negative: sums that must not count as distances.
		{"drifting", func(r *rand.Rand) uint32 {
			if r.IntN(200) > 0 {
				return bits(inf)
			}
			return bits(-last + r.Int32N(1000))
		}},
		{"whole range signed", func(r *rand.Rand) uint32 { return bits(r.Int32N(2*last+1) - last) }},
	}
}

func unsignedFloats() []pattern {
	return []pattern{
		{"equal", func(*rand.Rand) uint32 { return fbits(0.1) }},
		{"uniform", func(r *rand.Rand) uint32 { return fbits(r.Float32()) }},
		{"sparse", func(r *rand.Rand) uint32 {
			if r.IntN(20) > 0 {
				return fbits(entry.PosInf)
			}
			return fbits(r.Float32() * 1000)
		}},
		{"denormal", func(r *rand.Rand) uint32 { return r.Uint32N(1 << 24) }},
		// Every finite non-negative float: sums round, and overflow to +Inf.
		{"any magnitude", func(r *rand.Rand) uint32 { return r.Uint32N(0x7f800000) }},
		{"overflowing", func(r *rand.Rand) uint32 { return 0x7f000000 + r.Uint32N(0x800000) }},
	}
}

func signedFloats() []pattern {
	// Magnitudes whose negative sums stay finite: −Inf is no entry.
	sign := func(r *rand.Rand, bits uint32) uint32 {
		if bits != 0 && r.IntN(2) == 0 {
			return bits | 1<<31
		}
		return bits
	}
	return []pattern{
		{"uniform signed", func(r *rand.Rand) uint32 { return fbits(r.Float32()*2 - 1) }},
		{"cancelling", func(r *rand.Rand) uint32 { return sign(r, fbits(float32(r.IntN(4)))) }},
		{"denormal signed", func(r *rand.Rand) uint32 { return sign(r, r.Uint32N(1<<24)) }},
		{"any magnitude signed", func(r *rand.Rand) uint32 { return sign(r, r.Uint32N(0x7e800000)) }},
		{"negative or infinite", func(r *rand.Rand) uint32 {
			return pick(r, fbits(entry.PosInf), fbits(-r.Float32()-1))
		}},
	}
}

func (p pattern) fill(r *rand.Rand, m matrix) {
	for i := range m {
		m[i] = p.randomEntry(r)
	}
}

// worst returns bits that would win every minimum or spoil every sum: what fresh C holds before.
func worst(v entry.Variant, r *rand.Rand) uint32 {
	if v.Float() {
		return pick(r, fbits(float32(math.Inf(-1))), fbits(-math.MaxFloat32), 0x7fc00000, 0xffc00000, 1<<31)
	}
	return pick(r, 1<<31, uint32(0xffff0000))
}
