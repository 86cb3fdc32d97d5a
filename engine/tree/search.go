package tree

import (
	"math"

	"ooc/engine/graph"
)

// Search finds shortest paths from one vertex after another and measures them. It is for one goroutine.
type Search struct {
	g      *graph.Graph
	search *graph.Search
	back   []int32   // vertices from the end of a path back to a known one
	hops   []int32   // arcs on the path; -1: none known
	length []float64 // of it
	sum    []float64 // of the magnitudes of its weights
}

// NewSearch returns a Search of a graph.
func NewSearch(g *graph.Graph) *Search {
	return &Search{g: g, search: graph.NewSearch(g), hops: make([]int32, g.N), length: make([]float64, g.N),
		sum: make([]float64, g.N)}
}

// From searches from a vertex and returns its distances to all, in stored units, until the next search. It does not
// fail.
func (s *Search) From(u int) ([]float64, error) {
	dist := s.search.From(u)
	s.found(u, dist)
	return dist, nil
}

// Near is From for one who knows what the distances should be near to, which makes it faster.
func (s *Search) Near(u int, near []float64) ([]float64, error) {
	if s.g.Negative {
		return s.From(u)
	}
	dist := s.search.Near(u, near)
	s.found(u, dist)
	return dist, nil
}

// Pred returns the vertex before each one on the paths that the last search found; -1: none.
func (s *Search) Pred() []int32 { return s.search.Pred() }

// Path returns, of what was searched or measured last in a graph of a floating kind, the arcs on the path to a
// vertex, and the sum of the magnitudes of their weights. arcs is -1 where there is no path.
func (s *Search) Path(v int) (arcs int, magnitude float64) { return int(s.hops[v]), s.sum[v] }

// Length returns the length of that path, where there is one.
func (s *Search) Length(v int) float64 { return s.length[v] }

// found measures what a search from u has found, where there is rounding to allow for.
func (s *Search) found(u int, dist []float64) {
	switch {
	case !s.g.Kind.Float():
	case s.g.Negative:
		s.Measure(u, s.search.Pred())
	default: // magnitudes are the lengths
		s.walk(u, s.search.Pred(), func(y, p int32) { s.length[y], s.sum[y] = dist[y], dist[y] })
		s.length[u], s.sum[u] = 0, 0
	}
}

// Measure measures, for Path and Length, the paths from u that pred, by vertex, leads back on.
func (s *Search) Measure(u int, pred []int32) {
	s.length[u], s.sum[u] = 0, 0
	s.walk(u, pred, func(y, p int32) {
		w := s.g.Weight(s.g.Find(int(p), int(y)))
		s.length[y], s.sum[y] = s.length[p]+w, s.sum[p]+math.Abs(w)
	})
}

// walk sets hops, and calls each with every vertex that pred leads back to u from and the one before it, which it
// has been called with before, if that is not u.
func (s *Search) walk(u int, pred []int32, each func(y, p int32)) {
	for v := range s.hops {
		s.hops[v] = -1
	}
	s.hops[u] = 0
	for v := range pred {
		s.back = s.back[:0]
		x := int32(v)
		for s.hops[x] < 0 && pred[x] >= 0 && len(s.back) <= len(pred) {
			s.back = append(s.back, x)
			x = pred[x]
		}
		if len(s.back) > len(pred) { // a cycle: what pred says is no tree
			return
		}
		if s.hops[x] < 0 {
			continue // unreachable
		}
		for i := len(s.back) - 1; i >= 0; i-- {
			y := s.back[i]
			s.hops[y] = s.hops[pred[y]] + 1
			each(y, pred[y])
		}
	}
}
