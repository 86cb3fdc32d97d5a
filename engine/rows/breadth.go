package rows

import (
	"bytes"

	"ooc/engine/graph"
)

// ahead is how many vertices before its turn the arcs of one are looked at, and twice as many before, where they lie:
// each is a wait for memory, and these then pass together.
const ahead = 12

// ByBreadth orders the vertices of a graph as searches by breadth find them, so that neighbours are near each other.
// The first search is from the vertex with the most arcs, the others are from the first vertex that is not found yet.
func ByBreadth(g *graph.Graph) []int32 {
	order := make([]int32, g.N+1) // behind what is found, one that may be
	isNew := bytes.Repeat([]byte{1}, g.N)
	next, count := 0, 0
	find := func(v int32) { // without a branch, as nothing predicts which vertices are new
		order[count] = v
		count += int(isNew[v])
		isNew[v] = 0
	}
	hub := 0
	for v := range g.N {
		if g.Offsets[v+1]-g.Offsets[v] > g.Offsets[hub+1]-g.Offsets[hub] {
			hub = v
		}
	}
	find(int32(hub))
	last := g.Arcs() - 1
	for first := range int32(g.N) {
		for ; next < count; next++ {
			if next+2*ahead < count { // what is read is written to the free place, or the compiler would leave it out
				soon := g.Targets[min(g.Offsets[order[next+ahead]], last)]
				order[count] = soon + int32(g.Offsets[order[next+2*ahead]])
			}
			v := order[next]
			for _, u := range g.Targets[g.Offsets[v]:g.Offsets[v+1]] {
				find(u)
			}
		}
		find(first)
	}
	return order[:count]
}
