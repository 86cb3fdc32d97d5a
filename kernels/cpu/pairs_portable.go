package cpu

import (
	"unsafe"

	"ooc/kernels/entry"
)

// paired is a distance and its predecessor.
type paired[E number] struct {
	d E
	p int32
}

// pairsAt views n pairs from p on.
func pairsAt[E number](p *byte, n int) []paired[E] {
	return unsafe.Slice((*paired[E])(unsafe.Pointer(p)), n)
}

func pairStripForm[E number](inf, limit E) pairStripFunc {
	return func(c, a, b, packed *byte, ldc, lda, ldb, k, rows int) {
		panel := pairsAt[E](packed, k*portablePanel)
		for r := range k {
			copy(panel[r*portablePanel:][:portablePanel], pairsAt[E](addr(b, r*ldb), portablePanel))
		}
		for i := range rows {
			left, row := pairsAt[E](addr(a, i*lda), k), pairsAt[E](addr(c, i*ldc), portablePanel)
			for j := 0; j < portablePanel; j += 4 {
				m := lowestPairs(left, panel[j:], inf)
				for l, x := range m {
					if x.d < limit && x.d < row[j+l].d {
						row[j+l] = x
					}
				}
			}
		}
	}
}

// lowestPairs returns the minima of one row and four columns over all of k.
func lowestPairs[E number](a, b []paired[E], inf E) [4]paired[E] {
	m0, m1, m2, m3 := inf, inf, inf, inf
	p0, p1, p2, p3 := entry.NoVertex, entry.NoVertex, entry.NoVertex, entry.NoVertex
	for k := range a {
		x, q := a[k].d, b[k*portablePanel:][:4]
		if s := x + q[0].d; s < m0 {
			m0, p0 = s, q[0].p
		}
		if s := x + q[1].d; s < m1 {
			m1, p1 = s, q[1].p
		}
		if s := x + q[2].d; s < m2 {
			m2, p2 = s, q[2].p
		}
		if s := x + q[3].d; s < m3 {
			m3, p3 = s, q[3].p
		}
	}
	return [4]paired[E]{{m0, p0}, {m1, p1}, {m2, p2}, {m3, p3}}
}

func pairClimbForm[E number](_, limit E) climbFunc {
	return func(src, rows, ends, weights *byte, count, stride int) {
		const n = baseEdge
		from := pairsAt[E](src, n)
		targets, ws := unsafe.Slice((*int32)(unsafe.Pointer(ends)), count), entries[E](weights, count)
		for k, end := range targets {
			w := ws[k]
			row := pairsAt[E](addr(rows, int(end)*stride), n)
			for l, x := range from {
				if s := w + x.d; s < limit && s < row[l].d {
					row[l] = paired[E]{s, x.p}
				}
			}
		}
	}
}

func pairBaseForm[E number](inf, limit E) baseFunc {
	return func(block *byte) {
		d := entries[E](block, baseEdge*baseEdge)
		p := entries[int32](addr(block, len(d)*sizeOf[E]()), baseEdge*baseEdge)
		for k := range baseEdge {
			pivot, with := d[k*baseEdge:][:baseEdge], p[k*baseEdge:][:baseEdge]
			for i := range baseEdge {
				row, before := d[i*baseEdge:][:baseEdge], p[i*baseEdge:][:baseEdge]
				x := row[k]
				for j, y := range pivot {
					s := x + y
					if s >= limit {
						s = inf
					}
					if s < row[j] {
						row[j], before[j] = s, with[j]
					}
				}
			}
		}
	}
}
