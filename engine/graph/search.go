package graph

import (
	"math"
	"slices"

	"ooc/engine/internal/cancel"
	"ooc/engine/internal/heap"
)

// Search finds the shortest distances from one vertex at a time: the reference that a solve is judged by. All that it
// shares with one is the heap, and in whatever order that gave vertices back, the distances would be right. Its scratch
// memory, 17 bytes a vertex, 8 for Near, and the heap, is used again by each call. A Search is for one goroutine; any
// number of them may share a graph.
type Search struct {
	g     *Graph
	dist  []float64
	pred  []int32
	heap  heap.Heap[float64] // of Dijkstra
	queue []int32            // of the others
	waits []bool             // by vertex: it is in the queue
	only  []int32            // if not nil, a search stays among vertices with the source's number
	poll  *cancel.Poll       // if not nil, it may end a search
	err   error              // why it did; what has been found then is of no use

	fewest bool // in place of Dijkstra: lengths of paths of the fewest arcs

	ends []int32 // of Near
}

// NewSearch returns a Search over g.
func NewSearch(g *Graph) *Search {
	return &Search{g: g, dist: make([]float64, g.N), pred: make([]int32, g.N), waits: make([]bool, g.N)}
}

// From returns the distances from row src to every row, +Inf where there is no path: by Dijkstra's
// algorithm, or Bellman–Ford's if the graph has negative arcs. Distances are in stored units: exact for
// integer kinds, whose distances are below 2⁵³, and sums in float64 for others. The
// slice is valid until the next call.
func (s *Search) From(src int) []float64 {
	if s.g.Negative {
		return s.BellmanFord(src)
	}
	return s.Dijkstra(src)
}

// Pred returns, after a search, each row's predecessor on a shortest path from the source: a tree. It is
// -1 for the source and for rows that cannot be reached, and valid until the next search.
func (s *Search) Pred() []int32 { return s.pred }

func (s *Search) reset() {
	for v := range s.dist {
		s.dist[v] = math.Inf(1)
		s.pred[v] = -1
	}
	clear(s.waits)
	s.queue = s.queue[:0]
}

// Dijkstra is From for a graph without negative arcs (E. W. Dijkstra, A note on two problems in connexion with graphs,
// 1959).
func (s *Search) Dijkstra(src int) []float64 {
	s.reset()
	s.dijkstra(int32(src))
	return s.dist
}

func (s *Search) dijkstra(src int32) {
	s.dist[src] = 0
	if s.fewest { // what was reached is never reached again, as no sum is so much smaller
		for s.enqueue(src); len(s.queue) > 0 && s.err == nil; {
			s.relaxQueue(math.Inf(1), 0)
		}
		return
	}
	s.heap = s.heap[:0]
	s.heap.Push(0, src)
	offsets, targets := s.g.Offsets, s.g.Targets
	for len(s.heap) > 0 && s.err == nil {
		top := s.heap.Pop()
		u, du := top.Vertex, top.Key
		if du > s.dist[u] { // a shorter way was found since
			continue
		}
		s.err = s.poll.After(offsets[u+1] - offsets[u] + 1)
		for k := offsets[u]; k < offsets[u+1]; k++ {
			v := targets[k]
			d := du + s.g.Weight(k)
			if d < s.dist[v] && (s.only == nil || s.only[v] == s.only[src]) {
				s.dist[v], s.pred[v] = d, u
				s.heap.Push(d, v)
			}
		}
	}
}

// BellmanFord is From for a graph that may have negative arcs, but no negative cycle: with one, it stops
// after N rounds and the distances mean nothing (R. Bellman, On a routing problem, 1958). Vertices whose
// distance changed wait in a queue, so that a round costs only the arcs of these.
func (s *Search) BellmanFord(src int) []float64 {
	s.reset()
	s.dist[src] = 0
	s.enqueue(int32(src))
	slack := 0.0
	if s.g.Kind.Float() {
		slack = leastGain
	}
	for round := 0; round < s.g.N && len(s.queue) > 0; round++ {
		s.relaxQueue(0, slack)
	}
	return s.dist
}

// leastGain is how much smaller, in proportion, a sum of floating-point weights must be to count as shorter in
// BellmanFord: rounding must not make a cycle of length 0 look ever shorter.
const leastGain = 1.0 / (1 << 48)

func (s *Search) enqueue(v int32) { s.queue, s.waits[v] = append(s.queue, v), true }

// relaxQueue relaxes the arcs of the vertices in the queue, and leaves there those whose distances it has lowered:
// by more than tolerance, and by more than slack times what they were. It counts how often.
func (s *Search) relaxQueue(tolerance, slack float64) (gains int) {
	n := len(s.queue)
	for i := 0; i < n && s.err == nil; i++ {
		u := s.queue[i]
		s.waits[u] = false
		s.err = s.poll.After(s.g.Offsets[u+1] - s.g.Offsets[u] + 1)
		for k := s.g.Offsets[u]; k < s.g.Offsets[u+1]; k++ {
			v := s.g.Targets[k]
			d, was := s.dist[u]+s.g.Weight(k), s.dist[v]
			// The second is of use to finite numbers only: for +Inf it compares with NaN.
			if d >= was || d >= was-tolerance-slack*math.Abs(was) || s.only != nil && s.only[v] != s.only[u] {
				continue
			}
			s.dist[v], s.pred[v] = d, u
			gains++
			if !s.waits[v] {
				s.enqueue(v)
			}
		}
	}
	s.queue = s.queue[:copy(s.queue, s.queue[n:])]
	return gains
}

// Near is Dijkstra with a hint: numbers that the distances should be close to, +Inf where there is no path. They
// decide, in place of a heap, in which order vertices are visited. A vertex whose distance falls after its visit is
// visited again. So whatever the numbers are, the result is that of a search: no arc makes any distance shorter. If
// they are so far off that this takes long, Near gives up and calls Dijkstra.
func (s *Search) Near(src int, near []float64) []float64 {
	s.reset()
	s.queueBy(near)
	if s.dist[src] = 0; !s.waits[src] {
		s.enqueue(int32(src))
	}
	for visits := len(s.queue); len(s.queue) > 0; visits += len(s.queue) {
		if visits > 5*s.g.N {
			return s.Dijkstra(src)
		}
		s.relaxQueue(0, 0)
	}
	return s.dist
}

// queueBy makes the vertices with finite numbers of 0 and up the queue. What there is up to the largest number is cut
// into as many ranges as there are vertices. The ranges ascend; within one, vertices stand in their own order.
func (s *Search) queueBy(near []float64) {
	n, most := s.g.N, math.SmallestNonzeroFloat32
	for _, x := range near {
		if x > most && !math.IsInf(x, 1) {
			most = x
		}
	}
	s.ends = slices.Grow(s.ends[:0], n+2)[:n+2]
	clear(s.ends)
	scale := float64(n) / most
	for _, x := range near {
		if x >= 0 && x <= most {
			s.ends[int(x*scale)+1]++
		}
	}
	for i := range n + 1 {
		s.ends[i+1] += s.ends[i]
	}
	s.queue = slices.Grow(s.queue, n)[:s.ends[n+1]]
	for v, x := range near {
		if x >= 0 && x <= most {
			end := &s.ends[int(x*scale)]
			s.queue[*end], s.waits[v] = int32(v), true
			*end++
		}
	}
}
