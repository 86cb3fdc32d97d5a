package searches

import "math/bits"

// fallen are vertices whose lanes have fallen, in about the order of the least of these: a radix heap (R. K. Ahuja,
// K. Mehlhorn, J. Orlin and R. E. Tarjan, Faster algorithms for the shortest path problem, 1990). Vertices are places.
type fallen struct {
	first  uint32 // no rank is lower
	levels [33][]fall
	next   int      // of levels[0]
	rank   []uint32 // by vertex; notFallen: it is not here
}

// fall is a vertex with its rank when it came. If the rank has fallen since, or the vertex has gone, it counts for
// nothing.
type fall struct {
	rank   uint32
	vertex int32
}

// notFallen is more than all ranks.
const notFallen = ^uint32(0)

// add notes that a vertex has fallen.
func (f *fallen) add(vertex int32, rank uint32) {
	rank = max(rank, f.first)
	if rank < f.rank[vertex] {
		f.rank[vertex] = rank
		level := bits.Len32(rank ^ f.first)
		f.levels[level] = append(f.levels[level], fall{rank, vertex})
	}
}

// take takes out a vertex of the least rank, that which came first.
func (f *fallen) take() (vertex int32, ok bool) {
	for {
		for f.next < len(f.levels[0]) {
			x := f.levels[0][f.next]
			f.next++
			if f.rank[x.vertex] == x.rank {
				f.rank[x.vertex] = notFallen
				return x.vertex, true
			}
		}
		f.levels[0], f.next = f.levels[0][:0], 0
		if !f.spread() {
			return 0, false
		}
	}
}

// likely returns the vertex that is most likely taken next, or another where there is none to tell.
func (f *fallen) likely(other int32) int32 {
	if f.next < len(f.levels[0]) {
		return f.levels[0][f.next].vertex
	}
	return other
}

// spread spreads the first level that has any vertices over those before it.
func (f *fallen) spread() bool {
	for level := 1; level < len(f.levels); level++ {
		all := f.levels[level]
		least := notFallen
		for _, x := range all {
			if f.rank[x.vertex] == x.rank {
				least = min(least, x.rank)
			}
		}
		f.levels[level] = all[:0]
		if least == notFallen {
			continue
		}
		f.first = least
		for _, x := range all {
			if f.rank[x.vertex] == x.rank {
				to := bits.Len32(x.rank ^ least)
				f.levels[to] = append(f.levels[to], x)
			}
		}
		return true
	}
	return false
}
