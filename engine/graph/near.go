package graph

import (
	"math"
	"slices"
)

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
