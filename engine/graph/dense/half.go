package dense

import (
	"math"
	"strconv"

	"ooc/kernels/entry"
)

// halfWeights looks float16 up in the table.
func halfWeights(x *numbers, dst []float64, raw []byte) {
	for i, c := range entry.View[uint16](raw) {
		dst[i] = x.half[c]
	}
	weightsFrom(x, dst, dst)
}

// halfTable returns what each float16 stands for: its value, or the decimal of the fewest digits near it.
func halfTable(decimal bool) []float64 {
	table := make([]float64, 1<<16)
	for c := range table {
		table[c] = halfValue(uint16(c))
		if decimal {
			table[c] = decimalOfHalf(table[c])
		}
	}
	return table
}

// halfValue is IEEE 754 binary16: a sign, 5 bits of exponent, 10 of mantissa. With these bits in the same places of a
// float32, only the bias of the exponent differs.
func halfValue(c uint16) float64 {
	x := float64(math.Float32frombits(uint32(c&0x7fff)<<13)) * 0x1p112
	switch {
	case x == 1<<16:
		x = math.Inf(1)
	case x > 1<<16:
		x = math.NaN()
	}
	return math.Copysign(x, 0.5-float64(c>>15))
}

// nearestHalf returns the value of the float16 that a number rounds to.
func nearestHalf(x float64) float64 {
	if x == 0 || x-x != 0 {
		return x
	}
	_, exponent := math.Frexp(x)
	step := math.Ldexp(1, max(exponent-11, -24))
	if x = math.RoundToEven(x/step) * step; math.Abs(x) >= 1<<16 {
		return math.Inf(int(math.Copysign(1, x)))
	}
	return x
}

// decimalOfHalf returns the decimal with the fewest digits that a float16 of some value is the nearest to, alone.
func decimalOfHalf(x float64) float64 {
	for digits := 0; ; digits++ {
		d, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', digits, 64), 64)
		mirrored := 2*d - x // a float16 where d is halfway to it
		if x != x || nearestHalf(d) == x && (mirrored == x || nearestHalf(mirrored) != mirrored) {
			return d
		}
	}
}
