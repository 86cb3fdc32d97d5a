package searches

import (
	"ooc/engine/graph"
	"ooc/kernels/entry"
)

// weight is the type of distances while they are computed: those of integer kinds are below 2³⁰, and one weight more
// is below 2³².
type weight interface{ uint32 | float32 | float64 }

// search finds the distances from one vertex at a time (E. W. Dijkstra, A note on two problems in connexion with
// graphs, 1959). A path's weights are added up in its order.
type search[W weight] struct {
	g       *graph.Graph
	weights []W
	equal   bool // all weights are, so that vertices come to the queue in order
	none    W    // more than all distances
	dist    []W
	queue   []found[W] // a heap with four children a node; where all weights are equal, a list
}

// found is a vertex with a length of a path to it. That of a vertex which was found again, with less, stays in the
// queue.
type found[W weight] struct {
	length W
	vertex int32
}

func newSearch[W weight](g *graph.Graph, weights []W, none W) *search[W] {
	return &search[W]{g: g, weights: weights, equal: equal(g), none: none, dist: make([]W, g.N)}
}

// searchBytes is about what a search takes for each vertex and for each arc.
func searchBytes(g *graph.Graph) int64 { return 8*int64(g.N) + 16*g.Arcs() }

// Close implements rows.Worker.
func (*search[W]) Close() error { return nil }

// ReadRows implements rows.Worker.
func (s *search[W]) ReadRows(dst []byte, sources []int) error {
	all := entry.View[W](dst)
	for i, source := range sources {
		copy(all[i*s.g.N:], s.from(int32(source)))
	}
	return nil
}

// from returns the entries of a row, of the graph's kind.Wide.
func (s *search[W]) from(source int32) []W {
	entry.Fill(s.dist, s.none)
	s.dist[source] = 0
	s.queue = append(s.queue[:0], found[W]{0, source})
	for at := 0; at < len(s.queue); {
		f := s.queue[0]
		if s.equal {
			f, at = s.queue[at], at+1
		} else {
			s.pop()
		}
		if f.length > s.dist[f.vertex] {
			continue
		}
		lo, hi := s.g.Offsets[f.vertex], s.g.Offsets[f.vertex+1]
		weights := s.weights[lo:hi]
		for k, v := range s.g.Targets[lo:hi] {
			if d := f.length + weights[k]; d < s.dist[v] {
				s.dist[v] = d
				s.push(found[W]{d, v})
			}
		}
	}
	return s.dist
}

func (s *search[W]) push(f found[W]) {
	s.queue = append(s.queue, f)
	if s.equal {
		return
	}
	q, i := s.queue, len(s.queue)-1
	for i > 0 {
		parent := (i - 1) / 4
		if q[parent].length <= f.length {
			break
		}
		q[i], i = q[parent], parent
	}
	q[i] = f
}

// pop takes the first of the heap out.
func (s *search[W]) pop() {
	last := len(s.queue) - 1
	f, q, i := s.queue[last], s.queue[:last], 0
	s.queue = q
	if last == 0 {
		return
	}
	for {
		first := 4*i + 1
		if first >= len(q) {
			break
		}
		least := first
		for c := first + 1; c < min(first+4, len(q)); c++ {
			if q[c].length < q[least].length {
				least = c
			}
		}
		if q[least].length >= f.length {
			break
		}
		q[i], i = q[least], least
	}
	q[i] = f
}
