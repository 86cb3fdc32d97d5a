package graph

import (
	"math"
	"slices"

	"ooc/engine/internal/cancel"
)

// Search finds the shortest distances from one vertex at a time: the reference that a solve is judged by, which
// shares no code with it. Its scratch memory, 20 bytes a vertex and 8 for Near, is used again by each call. A Search
// is for one goroutine; any number of them may share a graph.
type Search struct {
	g    *Graph
	dist []float64
	pred []int32
	heap []int32      // Dijkstra: a 4-ary heap of vertices by dist; the others: their queue
	at   []int32      // a vertex's place in heap; -1 outside
	only []int32      // if not nil, a search stays among vertices with the source's number
	poll *cancel.Poll // if not nil, it may end a search

	fewest bool // in place of Dijkstra: lengths of paths of the fewest arcs

	ends []int32 // of Near
}

// NewSearch returns a Search over g.
func NewSearch(g *Graph) *Search {
	s := &Search{g: g, dist: make([]float64, g.N), pred: make([]int32, g.N), at: make([]int32, g.N)}
	for v := range g.N {
		s.at[v] = -1
	}
	return s
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
	s.heap = s.heap[:0]
}

// Dijkstra is From for a graph without negative arcs, with a heap that knows where its vertices are, so
// that it never holds more than N (E. W. Dijkstra, A note on two problems in connexion with graphs, 1959).
func (s *Search) Dijkstra(src int) []float64 {
	s.reset()
	_ = s.dijkstra(int32(src)) // without a poll, nothing ends it
	return s.dist
}

// dijkstra fails where s.poll ends it.
func (s *Search) dijkstra(src int32) error {
	s.dist[src] = 0
	if s.fewest { // what was reached is never reached again, as no sum is so much smaller
		s.enqueue(src)
		for len(s.heap) > 0 {
			if _, err := s.relaxQueue(math.Inf(1), 0); err != nil {
				return err
			}
		}
		return nil
	}
	s.push(src)
	offsets, targets := s.g.Offsets, s.g.Targets
	for len(s.heap) > 0 {
		u := s.pop()
		if err := s.poll.After(offsets[u+1] - offsets[u] + 1); err != nil {
			return err
		}
		du := s.dist[u]
		for k := offsets[u]; k < offsets[u+1]; k++ {
			v := targets[k]
			d := du + s.g.Weight(k)
			if d >= s.dist[v] || s.only != nil && s.only[v] != s.only[src] {
				continue
			}
			s.dist[v], s.pred[v] = d, u
			if s.at[v] < 0 {
				s.push(v)
			} else {
				s.up(int(s.at[v]), v)
			}
		}
	}
	return nil
}

// unqueue empties a queue.
func (s *Search) unqueue() {
	for _, v := range s.heap {
		s.at[v] = -1
	}
	s.heap = s.heap[:0]
}

func (s *Search) push(v int32) {
	s.heap = append(s.heap, v)
	s.up(len(s.heap)-1, v)
}

// up moves v from place i of the heap, which may be overwritten, towards the root.
func (s *Search) up(i int, v int32) {
	d := s.dist[v]
	for i > 0 {
		parent := (i - 1) / 4
		p := s.heap[parent]
		if s.dist[p] <= d {
			break
		}
		s.heap[i], s.at[p] = p, int32(i)
		i = parent
	}
	s.heap[i], s.at[v] = v, int32(i)
}

func (s *Search) pop() int32 {
	top := s.heap[0]
	s.at[top] = -1
	last := len(s.heap) - 1
	v := s.heap[last]
	s.heap = s.heap[:last]
	if last > 0 {
		s.down(v)
	}
	return top
}

// down puts v where the root was and moves it away from there.
func (s *Search) down(v int32) {
	d := s.dist[v]
	i, n := 0, len(s.heap)
	for {
		first := 4*i + 1
		if first >= n {
			break
		}
		least := first
		for c := first + 1; c < min(first+4, n); c++ {
			if s.dist[s.heap[c]] < s.dist[s.heap[least]] {
				least = c
			}
		}
		c := s.heap[least]
		if s.dist[c] >= d {
			break
		}
		s.heap[i], s.at[c] = c, int32(i)
		i = least
	}
	s.heap[i], s.at[v] = v, int32(i)
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
	for round := 0; round < s.g.N && len(s.heap) > 0; round++ {
		_, _ = s.relaxQueue(0, slack) // without a poll, nothing ends it
	}
	s.unqueue()
	return s.dist
}

// leastGain is how much smaller, in proportion, a sum of floating-point weights must be to count as shorter in
// BellmanFord: rounding must not make a cycle of length 0 look ever shorter.
const leastGain = 1.0 / (1 << 48)

func (s *Search) enqueue(v int32) { s.heap, s.at[v] = append(s.heap, v), 0 }

// relaxQueue relaxes the arcs of the vertices in the queue, and leaves there those whose distances it has lowered:
// by more than tolerance, and by more than slack times what they were. It counts how often, and fails where s.poll
// ends it.
func (s *Search) relaxQueue(tolerance, slack float64) (gains int, err error) {
	n := len(s.heap)
	for i := range n {
		u := s.heap[i]
		s.at[u] = -1
		if err := s.poll.After(s.g.Offsets[u+1] - s.g.Offsets[u] + 1); err != nil {
			return gains, err
		}
		for k := s.g.Offsets[u]; k < s.g.Offsets[u+1]; k++ {
			v := s.g.Targets[k]
			d, was := s.dist[u]+s.g.Weight(k), s.dist[v]
			// The second is of use to finite numbers only: for +Inf it compares with NaN.
			if d >= was || d >= was-tolerance-slack*math.Abs(was) || s.only != nil && s.only[v] != s.only[u] {
				continue
			}
			s.dist[v], s.pred[v] = d, u
			gains++
			if s.at[v] < 0 {
				s.enqueue(v)
			}
		}
	}
	s.heap = s.heap[:copy(s.heap, s.heap[n:])]
	return gains, nil
}

// Near is Dijkstra with a hint: numbers that the distances should be close to, +Inf where there is no path. They
// decide, in place of a heap, in which order vertices are visited. A vertex whose distance falls after its visit is
// visited again. So whatever the numbers are, the result is that of a search: no arc makes any distance shorter. If
// they are so far off that this takes long, Near gives up and calls Dijkstra.
func (s *Search) Near(src int, near []float64) []float64 {
	s.reset()
	s.queueBy(near)
	if s.dist[src] = 0; s.at[src] < 0 {
		s.enqueue(int32(src))
	}
	for visits := len(s.heap); len(s.heap) > 0; visits += len(s.heap) {
		if visits > 5*s.g.N {
			s.unqueue()
			return s.Dijkstra(src)
		}
		_, _ = s.relaxQueue(0, 0) // without a poll, nothing ends it
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
	if s.ends == nil {
		s.ends = make([]int32, n+2)
	}
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
	s.heap = slices.Grow(s.heap, n)[:s.ends[n+1]]
	for v, x := range near {
		if x >= 0 && x <= most {
			end := &s.ends[int(x*scale)]
			s.heap[*end], s.at[v] = int32(v), 0
			*end++
		}
	}
}
