package searches

import (
	"context"
	"runtime"
	"slices"

	"ooc/engine/graph"
	"ooc/engine/internal/pages"
	"ooc/engine/internal/parallel"
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
	n.together(func(i int, v int32) { n.place[v] = int32(i) })
	n.out = n.arcs(g)
	return n
}

// spread returns a first batch of count vertices that are spread evenly over the order: rows that are asked for may lie
// anywhere, and the farther from each other they are, the less work they share. A batch has at most so many.
func (n *numbered) spread(count, most int) []int32 {
	count = min(count, len(n.order))
	vertices := make([]int32, min(count, most))
	for i := range vertices {
		vertices[i] = n.order[i*(len(n.order)/count)]
	}
	return vertices
}

// reached is the share of all distances from some vertices that are finite, where arcs lead both ways. The parts of such
// a graph follow each other in the order, and only the first place of each has no arc to one before it.
func (n *numbered) reached(sources []int32) float64 {
	from := make([]float64, len(n.order)) // by place, how many sources it is
	for _, v := range sources {
		from[n.place[v]]++
	}
	pairs, sum, first := 0., 0., 0
	for i := range n.order {
		isBefore := func(end int32) bool { return int(end) < i }
		if !slices.ContainsFunc(n.out.ends[n.out.start[i]:n.out.start[i+1]], isBefore) {
			pairs, sum, first = pairs+sum*float64(i-first), 0, i
		}
		sum += from[i]
	}
	return (pairs + sum*float64(len(n.order)-first)) / float64(len(n.order)*len(sources))
}

// arcs are those of a graph of the same vertices.
func (n *numbered) arcs(g *graph.Graph) *arcs {
	a := &arcs{start: make([]int64, g.N+1), ends: pages.Make[int32](int(g.Arcs()) + cpu.EndsAhead)[:g.Arcs()]}
	n.together(func(i int, v int32) { a.start[i+1] = g.Offsets[v+1] - g.Offsets[v] })
	for i := range n.order {
		a.start[i+1] += a.start[i]
	}
	n.together(func(i int, v int32) {
		ends := a.ends[a.start[i]:]
		for k, u := range g.Targets[g.Offsets[v]:g.Offsets[v+1]] {
			ends[k] = n.place[u]
		}
	})
	return a
}

// together calls do for all places and their vertices, on all cores, in many parts, as the first places have the most
// arcs.
func (n *numbered) together(do func(i int, v int32)) {
	parts := 16 * runtime.GOMAXPROCS(0)
	_ = parallel.Do(context.Background(), parts, func() func(int) error { // there is no error
		return func(p int) error {
			first := len(n.order) * p / parts
			for i, v := range n.order[first : len(n.order)*(p+1)/parts] {
				do(first+i, v)
			}
			return nil
		}
	}, func() {})
}
