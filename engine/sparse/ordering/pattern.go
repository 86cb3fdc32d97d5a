package ordering

import (
	"slices"
	"sync/atomic"

	"ooc/engine/internal/pages"
	"ooc/engine/internal/parallel"
)

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
	parallel.Ranges(len(p.Adj), func(first, end int) { copy(q.Adj[first:end], p.Adj[first:end]) })
	return q
}

// Symmetric returns the pattern with all arcs in both directions, of one that may have some in one only. Goroutines
// share its vertices. They write arcs back in any order, and sort the rows after that.
func (p *Pattern) Symmetric() *Pattern {
	n := p.n()
	both, single := &Pattern{Start: make([]int64, n+1)}, make([]bool, len(p.Adj)) // arcs without one back
	parallel.Ranges(n, func(first, last int) {
		for v := int32(first); v < int32(last); v++ {
			for k, u := range p.Row(v) {
				if _, is := slices.BinarySearch(p.Row(u), v); !is {
					single[p.Start[v]+int64(k)] = true
					atomic.AddInt64(&both.Start[u+1], 1)
				}
			}
		}
	})
	end := make([]int64, n) // of each row, as far as it is written
	for v := range n {
		end[v] = both.Start[v] + p.Start[v+1] - p.Start[v]
		both.Start[v+1] += end[v]
	}
	both.Adj = pages.Make[int32](int(both.Start[n]))
	parallel.Ranges(n, func(first, last int) {
		for v := int32(first); v < int32(last); v++ {
			copy(both.Adj[both.Start[v]:], p.Row(v))
			for k, u := range p.Row(v) {
				if single[p.Start[v]+int64(k)] {
					both.Adj[atomic.AddInt64(&end[u], 1)-1] = v
				}
			}
		}
	})
	parallel.Ranges(n, func(first, last int) {
		for v := int32(first); v < int32(last); v++ {
			if len(both.Row(v)) > len(p.Row(v)) {
				slices.Sort(both.Row(v))
			}
		}
	})
	return both
}
