package between

import (
	"math"
	"math/bits"
)

// wide is a count of any size: fraction·2^exponent, where fraction is in [½, 1), or 0.
type wide struct {
	fraction float64
	exponent int
}

func (a wide) plus(b wide) wide {
	if a.exponent < b.exponent || a.fraction == 0 {
		a, b = b, a
	}
	f, e := math.Frexp(a.fraction + math.Ldexp(b.fraction, b.exponent-a.exponent))
	return wide{f, a.exponent + e}
}

// over is a/b.
func (a wide) over(b wide) float64 { return math.Ldexp(a.fraction/b.fraction, a.exponent-b.exponent) }

// addWide adds what the sources of some lanes give, which have more paths than floats count: one after another.
func (s *lanes) addWide(left uint64, q Question, to *Sums) {
	if left == 0 {
		return
	}
	n := len(s.order)
	counts, depends := make([]wide, n), make([]float64, n)
	levels, order := make([]int32, n), make([]int32, 0, n)
	for ; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros64(left)
		clear(counts)
		clear(levels)
		order = order[:0]
		level := int32(0)
		for i, r := range s.all {
			if s.tight == nil && i == s.starts[level] {
				level++
			}
			if r.lanes>>lane&1 != 0 {
				order, levels[r.place] = append(order, r.place), level
			}
		}
		ends := func(u int32, do func(arc int64, v int32)) {
			for k := s.start[u]; k < s.start[u+1]; k++ {
				if v := s.ends[k]; s.tight != nil && s.tight.lanes[k]>>lane&1 != 0 ||
					s.tight == nil && levels[v] == levels[u]+1 {
					do(s.offsets[s.order[u]]+k-s.start[u], v)
				}
			}
		}
		counts[order[0]] = wide{0.5, 1}
		for _, u := range order {
			ends(u, func(_ int64, v int32) { counts[v] = counts[v].plus(counts[u]) })
		}
		for i := len(order) - 1; i >= 0; i-- {
			u := order[i]
			depends[u] = 0
			ends(u, func(arc int64, v int32) {
				d := float64(counts[u].over(counts[v]) * (s.ending[v] + depends[v]))
				depends[u] += d
				if q.Edges {
					to.Arcs[arc] += d
				}
			})
			if q.Vertices {
				to.Vertices[s.order[u]] += q.of(depends[u], i > 0, 1)
			}
		}
	}
}
