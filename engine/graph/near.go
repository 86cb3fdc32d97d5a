package graph

import "math"

// Near is Dijkstra with a hint: numbers that the distances should be close to, +Inf where there is no path. They
// decide, in place of a heap, in which order vertices are visited. A vertex whose distance falls after its visit is
// visited again. So whatever the numbers are, the result is that of a search: no arc makes any distance shorter. If
// they are so far off that this takes long, Near gives up and calls Dijkstra.
func (s *Search) Near(src int, near []float64) []float64 {
	if !s.inOrder(int32(src), near) {
		return s.Dijkstra(src)
	}
	return s.dist
}

// What at holds of vertices that wait for nothing, and of those that are in the order, further on.
const (
	lookedAt = -2
	toLookAt = -1
	inQueue  = 0
)

// inOrder returns false if it gives up.
func (s *Search) inOrder(src int32, near []float64) bool {
	s.reset()
	order := s.orderBy(near)
	for v := range s.at {
		s.at[v] = lookedAt
	}
	for _, v := range order {
		s.at[v] = toLookAt
	}
	s.dist[src] = 0
	if s.at[src] == lookedAt {
		s.at[src], s.heap = inQueue, append(s.heap, src)
	}
	for _, u := range order {
		s.at[u] = lookedAt
		s.relaxOut(u)
	}
	next := 0
	for ; next < len(s.heap) && next < 4*s.g.N; next++ {
		u := s.heap[next]
		s.at[u] = lookedAt
		s.relaxOut(u)
	}
	done := next == len(s.heap)
	s.heap = s.heap[:0]
	for v := range s.at {
		s.at[v] = -1
	}
	return done
}

// relaxOut relaxes the arcs from u. Vertices that were visited before are put into the queue.
func (s *Search) relaxOut(u int32) {
	du := s.dist[u]
	if math.IsInf(du, 1) {
		return
	}
	for k := s.g.Offsets[u]; k < s.g.Offsets[u+1]; k++ {
		v := s.g.Targets[k]
		d := du + s.g.Weight(k)
		if d >= s.dist[v] {
			continue
		}
		s.dist[v], s.pred[v] = d, u
		if s.at[v] == lookedAt {
			s.at[v] = inQueue
			s.heap = append(s.heap, v)
		}
	}
}

// keyBits of a float32 are sorted by, in two steps.
const keyBits = 22

// orderBy returns the vertices with finite numbers, of 0 and up, in ascending order but for about the last part in
// 2¹⁴ of them.
func (s *Search) orderBy(near []float64) []int32 {
	if s.order[0] == nil {
		for i := range s.order {
			s.order[i] = make([]int32, s.g.N)
		}
		s.keys = make([]uint32, s.g.N)
	}
	const half = 1 << (keyBits / 2)
	var low, high [half + 1]int32
	for v, x := range near {
		s.keys[v] = math.MaxUint32
		if x >= 0 && !math.IsInf(x, 1) {
			key := math.Float32bits(float32(math.Abs(x))) >> (31 - keyBits) // the sign, of −0 too, is gone
			s.keys[v] = key
			low[key%half+1]++
			high[key/half+1]++
		}
	}
	for i := range half {
		low[i+1] += low[i]
		high[i+1] += high[i]
	}
	n := low[half]
	by, order := s.order[0][:n], s.order[1][:n]
	for v, key := range s.keys {
		if key != math.MaxUint32 {
			by[low[key%half]] = int32(v)
			low[key%half]++
		}
	}
	for _, v := range by {
		d := s.keys[v] / half
		order[high[d]] = v
		high[d]++
	}
	return order
}
