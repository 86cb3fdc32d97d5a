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

// lowerAll is lower for a row, and one of the sums' other side.
func lowerAll(v entry.Variant, x, y matrix, z uint64) {
	for i := range x {
		x[i] = lower(v, x[i], y[i], z)
	}
}

func show(v entry.Variant, bits uint64) string {
	return fmt.Sprintf("%g (%#x)", v.Kind().Value(bits), bits)
}

// named is what is called so in the names of tests.
type named string

func (n named) String() string { return string(n) }

// pattern makes the entries of operands.
type pattern struct {
	named
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
		return append(common, integers(inf, 1<<20)...)
	case entry.I32Signed:
		return append(append(common, integers(inf, 1<<20)[:3]...), signedInts()...)
	case entry.U16:
		return append(common, integers(inf, 1<<13)...)
	case entry.F64:
		return append(common, floats(v.Kind(), 1<<52)...)
	case entry.F32Signed:
		return append(common, floats(v.Kind(), 1<<23)...)
	}
	return append(common, floats(v.Kind(), 1<<23)[:6]...)
}

func pick(r *rand.Rand, choices ...uint64) uint64 { return choices[r.IntN(len(choices))] }

// rare draws entries now and then: the others are unreachable.
func rare(one int, inf uint64, draw func(r *rand.Rand) uint64) func(r *rand.Rand) uint64 {
	return func(r *rand.Rand) uint64 {
		if r.IntN(one) > 0 {
			return inf
		}
		return draw(r)
	}
}

// integers returns patterns of entries from 0 to inf, of which some are less than most.
func integers(inf, most uint64) []pattern {
	return []pattern{
		{"equal", func(*rand.Rand) uint64 { return 7 }},
		{"small", func(r *rand.Rand) uint64 { return r.Uint64N(100) }},
		{"sparse", rare(20, inf, func(r *rand.Rand) uint64 { return r.Uint64N(most) })},
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
		{"sparse signed", rare(20, bits(inf), func(r *rand.Rand) uint64 { return bits(r.Int32N(1<<21) - 1<<20) })},
		{"near the limits", func(r *rand.Rand) uint64 {
			return pick(r, bits(last), bits(-last), bits(inf), 0, 1, bits(-1), bits(last/2), bits(-last/2),
				bits(last/2+1))
		}},
		// Unreachable and very negative: sums that must not count as distances.
		{"drifting", rare(200, bits(inf), func(r *rand.Rand) uint64 { return bits(-last + r.Int32N(1000)) })},
		{"whole range signed", func(r *rand.Rand) uint64 { return bits(r.Int32N(2*last+1) - last) }},
	}
}

// floats returns patterns of floats: first six of numbers from 0 on, then others. Between the bits of two powers of
// two is one octave.
func floats(k entry.Kind, octave uint64) []pattern {
	inf := k.Bits(math.Inf(1))
	sign := func(r *rand.Rand, bits uint64) uint64 {
		if bits != 0 && r.IntN(2) == 0 {
			return bits | 1<<(8*k.Bytes()-1)
		}
		return bits
	}
	return []pattern{
		{"equal", func(*rand.Rand) uint64 { return k.Bits(0.1) }},
		{"uniform", func(r *rand.Rand) uint64 { return k.Bits(r.Float64()) }},
		{"sparse", rare(20, inf, func(r *rand.Rand) uint64 { return k.Bits(r.Float64() * 1000) })},
		{"denormal", func(r *rand.Rand) uint64 { return r.Uint64N(2 * octave) }},
		// Every finite non-negative float: sums round, and overflow to +Inf.
		{"any magnitude", func(r *rand.Rand) uint64 { return r.Uint64N(inf) }},
		{"overflowing", func(r *rand.Rand) uint64 { return inf - octave + r.Uint64N(octave) }},

		{"uniform signed", func(r *rand.Rand) uint64 { return k.Bits(r.Float64()*2 - 1) }},
		{"cancelling", func(r *rand.Rand) uint64 { return sign(r, k.Bits(float64(r.IntN(4)))) }},
		{"denormal signed", func(r *rand.Rand) uint64 { return sign(r, r.Uint64N(2*octave)) }},
		// Magnitudes whose negative sums stay finite: −Inf is no entry.
		{"any magnitude signed", func(r *rand.Rand) uint64 { return sign(r, r.Uint64N(inf-2*octave)) }},
		{"negative or infinite", func(r *rand.Rand) uint64 { return pick(r, inf, k.Bits(-r.Float64()-1)) }},
		{"sparse signed", rare(20, inf, func(r *rand.Rand) uint64 { return k.Bits(r.Float64()*2000 - 1000) })},
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
