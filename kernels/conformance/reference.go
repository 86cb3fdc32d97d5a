package conformance

import (
	"math"

	"ooc/kernels/entry"
)

// numbers returns the entries as numbers, unreachable as +Inf.
func numbers(v entry.Variant, m matrix) []float64 {
	k, x := v.Kind(), make([]float64, len(m))
	for i, bits := range m {
		x[i] = k.Value(bits)
	}
	return x
}

// refMinPlus sets c to what one product leaves there.
func refMinPlus(v entry.Variant, t int, c matrix, a, b []matrix, fresh bool) {
	if fresh {
		entry.Fill(c, v.Unreachable())
	}
	d, k := numbers(v, c), v.Kind()
	for tile := range a {
		relaxAll(v, t, d, numbers(v, a[tile]), numbers(v, b[tile]))
	}
	for i, x := range d {
		if x < k.Value(c[i]) {
			c[i] = k.Bits(x)
		}
	}
}

func relaxAll(v entry.Variant, t int, c, a, b []float64) {
	narrow, limit := v == entry.F32 || v == entry.F32Signed, limit(v)
	for at, x := range a[:t*t] {
		relaxRow(c[at/t*t:][:t], x, b[at%t*t:][:t], narrow, limit)
	}
}

// relaxRow lowers entries to sums with x. Those from limit on do not count; narrow ones are rounded to float32.
func relaxRow(row []float64, x float64, from []float64, narrow bool, limit float64) {
	if math.IsInf(x, 1) {
		return
	}
	for j, y := range from {
		if s := x + y; s < row[j] { // seldom, and no rounding brings others below what is rounded itself
			if narrow {
				s = float64(float32(s))
			}
			if s < limit && s < row[j] {
				row[j] = s
			}
		}
	}
}

// refClosure returns Floyd–Warshall of the n×n matrix d in float64, where integers below 2⁵³ are exact
// too, with unreachable as +Inf and the empty walk on the diagonal.
func refClosure(v entry.Variant, n int, d matrix) []float64 {
	w := numbers(v, d)
	for i := range n {
		w[i*n+i] = min(w[i*n+i], 0)
	}
	for k := range n {
		for i := range n {
			relaxRow(w[i*n:][:n], w[i*n+k], w[k*n:][:n], false, math.Inf(1))
		}
	}
	return w
}
