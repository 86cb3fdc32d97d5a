package dense

import "math"

// search finds the shortest distances along the lines of a matrix, from one vertex at a time: those from
// it, or those to it if the matrix is by column. It is the reference that a solve is judged by, and for one
// goroutine; any number of them may share a matrix.
type search struct {
	d         *Matrix
	potential []float64
	scratch   []byte
	weights   []float64
	dist      []float64
	hops      []int32
	length    []float64
	open      []int32 // the vertices that are not settled, ascending
}

// NewSearch returns a search. Without negative entries, potential is nil.
func (d *Matrix) NewSearch(potential []float64) *search {
	if potential == nil {
		potential = make([]float64, d.n)
	}
	return &search{d: d, potential: potential, scratch: d.newScratch(), weights: make([]float64, d.n),
		dist: make([]float64, d.n), hops: make([]int32, d.n), length: make([]float64, d.n), open: make([]int32, 0, d.n)}
}

// From returns the distances along lines from a vertex, +Inf where there is no path, in stored units: exact
// for kind i32, sums in float64 for f32. The slice is valid until the next call. It is Dijkstra's algorithm
// without a heap, of n² steps for n² arcs; where entries are negative, the next vertex is chosen by distances
// in which they are not (D. B. Johnson, Efficient algorithms for shortest paths in sparse networks, 1977).
func (s *search) From(src int) ([]float64, error) {
	s.open = s.open[:0]
	for v := range s.dist {
		s.dist[v], s.hops[v], s.length[v] = math.Inf(1), 0, 0
		s.open = append(s.open, int32(v))
	}
	s.dist[src] = 0
	for u := src; u >= 0; {
		if err := s.d.line(s.weights, u, s.scratch); err != nil {
			return nil, err
		}
		du, next, least := s.dist[u], -1, math.Inf(1) // next is the nearest of the others; -1: none can be reached
		left := s.open[:0]
		for _, v := range s.open {
			if int(v) == u {
				continue
			}
			left = append(left, v)
			if x := du + s.weights[v]; x < s.dist[v] {
				s.dist[v], s.hops[v], s.length[v] = x, s.hops[u]+1, s.length[u]+math.Abs(s.weights[v])
			}
			if x := s.dist[v] - s.potential[v]; x < least {
				least, next = x, int(v)
			}
		}
		s.open, u = left, next
	}
	return s.dist, s.d.unchanged()
}

// Path returns, after a search, the number of arcs on the path found to a vertex and the sum of the magnitudes
// of their weights. They mean nothing for a vertex that cannot be reached.
func (s *search) Path(v int) (arcs int, magnitude float64) {
	return int(s.hops[v]), s.length[v]
}
