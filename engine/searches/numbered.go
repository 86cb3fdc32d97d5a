package searches

import (
	"ooc/engine/graph"
	"ooc/engine/rows"
	"ooc/kernels/cpu"
)

// arcs lead from each place to others.
type arcs struct {
	start []int64 // of each place's arcs in ends, and where all end
	ends  []int32
}

// numbered is a graph whose vertices have places: those near each other are near in memory, and sources that follow
// each other reach the same vertices at the same levels.
type numbered struct {
	order   []int32 // the vertex of each place
	place   []int32 // of each vertex
	out, in *arcs   // of a symmetric graph they are one
}

// number numbers a graph, with arcs both ways.
func number(g *graph.Graph) *numbered {
	n := numberOut(g)
	if n.in = n.out; !g.Symmetric {
		n.in = n.arcs(g.Reverse())
	}
	return n
}

// numberOut numbers a graph, without the arcs into vertices.
func numberOut(g *graph.Graph) *numbered {
	n := &numbered{order: rows.ByBreadth(g), place: make([]int32, g.N)}
	for i, v := range n.order {
		n.place[v] = int32(i)
	}
	n.out = n.arcs(g)
	return n
}

// arcs are those of a graph of the same vertices.
func (n *numbered) arcs(g *graph.Graph) *arcs {
	a := &arcs{start: make([]int64, 1, g.N+1), ends: make([]int32, 0, g.Arcs()+cpu.EndsAhead)}
	for _, v := range n.order {
		for _, u := range g.Targets[g.Offsets[v]:g.Offsets[v+1]] {
			a.ends = append(a.ends, n.place[u])
		}
		a.start = append(a.start, int64(len(a.ends)))
	}
	return a
}
