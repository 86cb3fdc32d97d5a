package ordering

import (
	"slices"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/internal/seeds"
	"ooc/engine/sparse/internal/sparsetest"
)

// TestDegreesOfPivots: what the quotient graph says of a pivot is what eliminating it leaves, and it adds up costs
// over trees.
func TestDegreesOfPivots(t *testing.T) {
	r := seeds.New(t)
	for range 300 {
		checkPivots(t, sparsetest.RandomGraph(t, r, 80), true)
	}
	for range 10 { // of which the elements, one after another, do not fit the room there is
		checkPivots(t, sparsetest.RandomOfDegree(t, r, 600, 2), false)
	}
}

// checkPivots eliminates all of g. often says to move elements together more often than is needed.
func checkPivots(t *testing.T, g *graph.Graph, often bool) {
	t.Helper()
	p := symmetric(g)
	room := len(p.Adj) + g.N // as little as is ever enough
	q := newQuotient(p, g.N, func(vertices, _ int) float64 { return float64(vertices) })
	q.arena = make([]int32, 0, room)
	var order []int32
	var degrees []int
	for q.left > 0 {
		p := q.eliminate()
		if int(p.Children)+len(p.Vertices) != p.Below {
			t.Fatalf("%d vertices on trees of %v are a tree of %d", len(p.Vertices), p.Children, p.Below)
		}
		order = append(order, p.Vertices...)
		for k := len(p.Vertices) - 1; k >= 0; k-- {
			degrees = append(degrees, p.Degree+k)
		}
		if often {
			q.compact()
		}
	}
	if cap(q.arena) != room {
		t.Fatalf("elements of a graph of %d vertices took %d entries, not %d", g.N, cap(q.arena), room)
	}
	for v, row := range sparsetest.Naive(g, order) {
		if degrees[v] != len(row) {
			t.Fatalf("position %d of %v: degree %d, not %d", v, order, degrees[v], len(row))
		}
	}
}

// TestSymmetric wants the arcs out of each vertex and those into it, also where goroutines share the vertices.
func TestSymmetric(t *testing.T) {
	r := seeds.New(t)
	for i := range 30 {
		g := sparsetest.RandomGraph(t, r, 50)
		if i < 3 {
			g = sparsetest.RandomOfDegree(t, r, 20000, 3)
		}
		got, back := symmetric(g), g.Reverse()
		for v := range g.N {
			want := slices.Concat(g.Targets[g.Offsets[v]:g.Offsets[v+1]], back.Targets[back.Offsets[v]:back.Offsets[v+1]])
			slices.Sort(want)
			if row := got.Row(int32(v)); !slices.Equal(row, slices.Compact(want)) {
				t.Fatalf("vertex %d has neighbours %v, not %v", v, row, slices.Compact(want))
			}
		}
	}
}
