package ordering

import "ooc/engine/internal/pages"

// Pattern is the adjacency of a graph whose arcs count in both directions, in compressed rows without
// self-loops. Vertices are numbered from 0. It is not changed once made.
type Pattern struct {
	Start []int64 // n+1: where the row of each begins
	Adj   []int32 // neighbours, ascending within a row
}

func (p *Pattern) n() int { return len(p.Start) - 1 }

// Row returns the neighbours of a vertex, ascending, only for reading.
func (p *Pattern) Row(v int32) []int32 { return p.Adj[p.Start[v]:p.Start[v+1]] }

// ListEntries is how many entries the neighbours' lists of all vertices have, of those that MinimumDegree orders.
func (p *Pattern) ListEntries() (sum float64) {
	for v := range int32(p.n()) {
		if d := len(p.Row(v)); d <= denseDegree(p.n()) {
			sum += float64(d) * float64(d)
		}
	}
	return sum
}

// clone returns a pattern with neighbours in memory of its own.
func (p *Pattern) clone() *Pattern {
	q := &Pattern{p.Start, pages.Make[int32](len(p.Adj))}
	copy(q.Adj, p.Adj)
	return q
}

// Union returns the pattern with the arcs of two, such as those out of the vertices of a graph and those into them.
func (p *Pattern) Union(q *Pattern) *Pattern {
	both := &Pattern{make([]int64, len(p.Start)), make([]int32, 0, len(p.Adj)+len(q.Adj))}
	for v := range int32(p.n()) {
		both.Adj = appendUnion(both.Adj, p.Row(v), q.Row(v))
		both.Start[v+1] = int64(len(both.Adj))
	}
	return both
}

// appendUnion merges two ascending lists.
func appendUnion(dst, a, b []int32) []int32 {
	for len(a) > 0 && len(b) > 0 {
		x, y := a[0], b[0]
		dst = append(dst, min(x, y))
		if x <= y {
			a = a[1:]
		}
		if y <= x {
			b = b[1:]
		}
	}
	return append(append(dst, a...), b...)
}
