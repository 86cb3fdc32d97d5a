package dense

import (
	"math"
	"slices"
	"strconv"

	"ooc/engine/text"
	"ooc/kernels/entry"
)

// halves handles float16, which it widens to float64 a piece at a time.
func halves() entryType {
	each := func(x *numbers, raw []byte, do func(at int, wide []float64)) {
		var wide [512]float64
		codes := entry.View[uint16](raw)
		for at := 0; at < len(codes); at += len(wide) {
			piece := codes[at:min(at+len(wide), len(codes))]
			for i, c := range piece {
				wide[i] = x.half[c]
			}
			do(at, wide[:len(piece)])
		}
	}
	return entryType{
		words: func(x *numbers, dst []uint32, raw []byte, w wordRange) {
			each(x, raw, func(at int, wide []float64) { floatWords(x, dst[at:], wide, w) })
		},
		values: func(x *numbers, dst []float64, raw []byte) {
			each(x, raw, func(at int, wide []float64) { floatValues(x, dst[at:], wide) })
		},
		survey: func(x *numbers, raw []byte, s *survey) {
			each(x, raw, func(_ int, wide []float64) { surveyFloats(x, wide, s) })
		},
		text: func(_ *numbers, raw []byte) string {
			return string(text.Float64.Append(nil, decimalOfHalf(entry.View[uint16](raw)[0])))
		},
		bits: 64,
	}
}

// halfTable returns what each float16 stands for: its value, or the decimal of the fewest digits near it.
func halfTable(decimal bool) []float64 {
	table := make([]float64, 1<<16)
	for c := range table {
		table[c] = halfValue(uint16(c))
		if decimal {
			table[c] = decimalOfHalf(uint16(c))
		}
	}
	return table
}

// halfValue is IEEE 754 binary16: a sign, 5 bits of exponent, 10 of mantissa.
func halfValue(c uint16) float64 {
	sign, exponent, mantissa := 1-2*float64(c>>15), int(c>>10&31), float64(c&1023)
	switch exponent {
	case 0:
		return sign * math.Ldexp(mantissa, -24)
	case 31:
		if mantissa != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+mantissa, exponent-25)
}

// decimalOfHalf returns the decimal with the fewest digits of which c is the nearest float16.
func decimalOfHalf(c uint16) float64 {
	x := halfValue(c)
	if c<<1 == 0 || c>>10&31 == 31 {
		return x
	}
	gap := math.Abs(halfValue(c&^0x8000+1)-math.Abs(x)) / 2
	if c>>10&31 == 30 && c&1023 == 1023 {
		gap = 16 // half of the step to 65536, were there one
	}
	below := (math.Abs(x) - halfValue(c&^0x8000-1)) / 2
	for digits := 1; ; digits++ {
		d, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', digits-1, 64), 64)
		if over := math.Abs(d) - math.Abs(x); over < gap && -over < below {
			return d
		}
	}
}

// nearestHalf returns the entry of the table that a value rounds to, as NumPy rounds it to float16.
func (x *numbers) nearestHalf(value float64) float64 {
	switch {
	case math.IsNaN(value) || math.IsInf(value, 0):
		return value
	case math.Abs(value) >= 65520:
		return math.Inf(int(math.Copysign(1, value)))
	}
	return slices.MinFunc(x.half, func(a, b float64) int {
		far := func(v float64) float64 {
			if math.IsNaN(v) {
				return math.Inf(1)
			}
			return math.Abs(v - value)
		}
		switch d := far(a) - far(b); {
		case d < 0:
			return -1
		case d > 0:
			return 1
		}
		return 0
	})
}
