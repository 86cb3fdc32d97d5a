package conformance

import (
	"math"

	"ooc/kernels/entry"
)

// refMinPlus sets c to what one product leaves there. Float sums are exact in float64 before they round,
// once, to float32, as a device's must (double rounding is harmless: 53 ≥ 2·24+2 bits, Figueroa 1995).
func refMinPlus(v entry.Variant, t int, c matrix, a, b []matrix, fresh bool) {
	if fresh {
		for i := range c {
			c[i] = infinity(v)
		}
	}
	for tile := range a {
		if v.Float() {
			refFloat(t, c, a[tile], b[tile])
		} else {
			refInt(v, t, c, a[tile], b[tile])
		}
	}
}

func refInt(v entry.Variant, t int, c, a, b matrix) {
	reset := int64(entry.Inf32)
	if v == entry.I32Signed {
		reset = int64(entry.Limit32)
	}
	for i := range t {
		row := c[i*t:][:t]
		for k := range t {
			x := int64(int32(a[i*t+k]))
			for j, y := range b[k*t:][:t] {
				s := x + int64(int32(y))
				if s < reset && s < int64(int32(row[j])) {
					row[j] = uint32(int32(s))
				}
			}
		}
	}
}

func refFloat(t int, c, a, b matrix) {
	for i := range t {
		row := c[i*t:][:t]
		for k := range t {
			x := float64(fval(a[i*t+k]))
			for j, y := range b[k*t:][:t] {
				if s := float32(x + float64(fval(y))); s < fval(row[j]) {
					row[j] = fbits(s)
				}
			}
		}
	}
}

// refClosure returns Floyd–Warshall of the n×n matrix d in float64, where integers below 2⁵³ are exact
// too, with unreachable as +Inf and the empty walk on the diagonal.
func refClosure(v entry.Variant, n int, d matrix) []float64 {
	w := make([]float64, n*n)
	for i, bits := range d {
		switch {
		case bits == infinity(v):
			w[i] = math.Inf(1)
		case v.Float():
			w[i] = float64(fval(bits))
		default:
			w[i] = float64(int32(bits))
		}
	}
	for i := range n {
		w[i*n+i] = min(w[i*n+i], 0)
	}
	for k := range n {
		pivot := w[k*n:][:n]
		for i := range n {
			x, row := w[i*n+k], w[i*n:][:n]
			if math.IsInf(x, 1) {
				continue
			}
			for j, y := range pivot {
				if s := x + y; s < row[j] {
					row[j] = s
				}
			}
		}
	}
	return w
}
