package cpu

import "unsafe"

// pairBytes is the size of a pair whose distance is an E.
func pairBytes[E number]() int { return 2 * sizeOf[E]() }

// distanceAt is the distance of the pair at p.
func distanceAt[E number](p *byte) *E { return (*E)(unsafe.Pointer(p)) }

// predecessorAt is the predecessor of the pair at p.
func predecessorAt[E number](p *byte) *int32 { return (*int32)(unsafe.Pointer(addr(p, sizeOf[E]()))) }

func pairStripForm[E number](inf, limit E) pairStrip {
	return pairStrip{func(c, a, b, packed *byte, ldc, lda, ldb, k, rows int) {
		panel := entries[E](packed, k*portablePanel)
		with := entries[int32](addr(packed, len(panel)*sizeOf[E]()), len(panel))
		for at := range panel {
			x := addr(b, at/portablePanel*ldb+at%portablePanel*pairBytes[E]())
			panel[at], with[at] = *distanceAt[E](x), *predecessorAt[E](x)
		}
		var left [wideDepth]E
		for i := range rows {
			for at := range k {
				left[at] = *distanceAt[E](addr(a, i*lda+at*pairBytes[E]()))
			}
			for j := 0; j < portablePanel; j += 4 {
				least, first := lowestPairs(left[:k], panel[j:], inf)
				for l, x := range least {
					y := addr(c, i*ldc+(j+l)*pairBytes[E]())
					if d := distanceAt[E](y); x < limit && x < *d {
						*d, *predecessorAt[E](y) = x, with[first[l]*portablePanel+j+l]
					}
				}
			}
		}
	}, portablePanel}
}

// lowestPairs returns the minima of one row and four columns over all of k, and the first k of each.
func lowestPairs[E number](a, b []E, inf E) ([4]E, [4]int) {
	m0, m1, m2, m3 := inf, inf, inf, inf
	k0, k1, k2, k3 := 0, 0, 0, 0
	for k, x := range a {
		q := b[k*portablePanel:][:4]
		if s := x + q[0]; s < m0 {
			m0, k0 = s, k
		}
		if s := x + q[1]; s < m1 {
			m1, k1 = s, k
		}
		if s := x + q[2]; s < m2 {
			m2, k2 = s, k
		}
		if s := x + q[3]; s < m3 {
			m3, k3 = s, k
		}
	}
	return [4]E{m0, m1, m2, m3}, [4]int{k0, k1, k2, k3}
}

func pairClimbForm[E number](_, limit E) pairClimb {
	bytes := baseEdge * pairBytes[E]()
	return pairClimb{func(src, rows, ends, weights *byte, count, stride int) {
		for k, end := range unsafe.Slice((*int32)(unsafe.Pointer(ends)), count) {
			w, row := weightAt[E](weights, k), addr(rows, int(end)*stride)
			for l := 0; l < bytes; l += pairBytes[E]() {
				x, y := addr(src, l), addr(row, l)
				if s, d := w+*distanceAt[E](x), distanceAt[E](y); s < limit && s < *d {
					*d, *predecessorAt[E](y) = s, *predecessorAt[E](x)
				}
			}
		}
	}, bytes}
}

func pairBaseForm[E number, P int32 | int64](inf, limit E) baseFunc {
	return func(block *byte) {
		d := entries[E](block, baseEdge*baseEdge)
		p := entries[P](addr(block, len(d)*sizeOf[E]()), baseEdge*baseEdge)
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
