package searches

import (
	"ooc/engine/graph"
	"ooc/engine/internal/heap"
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
	most    W    // the search ends at the first distance that is more
	dist    []W
	queue   heap.Heap[W] // by the lengths of paths; where all weights are equal, a list
}

func newSearch[W weight](g *graph.Graph, weights []W, none W) *search[W] {
	return &search[W]{g: g, weights: weights, equal: equal(g), none: none, most: none, dist: make([]W, g.N)}
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
	s.queue = append(s.queue[:0], heap.Item[W]{Vertex: source})
	for at := 0; at < len(s.queue); {
		f := s.queue[at]
		if s.equal {
			at++
		} else {
			s.queue.Pop()
		}
		if f.Key > s.dist[f.Vertex] {
			continue
		}
		if f.Key > s.most {
			break
		}
		lo, hi := s.g.Offsets[f.Vertex], s.g.Offsets[f.Vertex+1]
		weights := s.weights[lo:hi]
		for k, v := range s.g.Targets[lo:hi] {
			d := f.Key + weights[k]
			if d >= s.dist[v] {
				continue
			}
			if s.dist[v] = d; s.equal {
				s.queue = append(s.queue, heap.Item[W]{Key: d, Vertex: v})
			} else {
				s.queue.Push(d, v)
			}
		}
	}
	return s.dist
}
