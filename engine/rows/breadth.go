package rows

import "ooc/engine/graph"

// ByBreadth orders the vertices of a graph as searches by breadth find them, so that neighbours are near each other.
// The first search is from the vertex with the most arcs, the others are from the first vertex that is not found yet.
func ByBreadth(g *graph.Graph) []int32 {
	order, found := make([]int32, 0, g.N), make([]bool, g.N)
	find := func(v int32) {
		if !found[v] {
			found[v] = true
			order = append(order, v)
		}
	}
	hub := 0
	for v := range g.N {
		if g.Offsets[v+1]-g.Offsets[v] > g.Offsets[hub+1]-g.Offsets[hub] {
			hub = v
		}
	}
	find(int32(hub))
	next := 0
	for first := range int32(g.N) {
		for ; next < len(order); next++ {
			v := order[next]
			for _, u := range g.Targets[g.Offsets[v]:g.Offsets[v+1]] {
				find(u)
			}
		}
		find(first)
	}
	return order
}
