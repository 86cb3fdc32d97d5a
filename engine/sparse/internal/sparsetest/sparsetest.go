// Package sparsetest has the graphs on which elimination and orders are tested, and an elimination that is slow and
// plain.
package sparsetest

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/graph/gen"
	"ooc/engine/graph/read"
	"ooc/kernels/entry"
)

// Build makes a graph of what was added to b.
func Build(t testing.TB, b *graph.Builder) *graph.Graph {
	t.Helper()
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Generated is a graph of one of gen.Kinds.
func Generated(t testing.TB, kind string, o gen.Options) *graph.Graph {
	t.Helper()
	var text bytes.Buffer
	if err := gen.To(context.Background(), kind, o, "g.gr", &text); err != nil {
		t.Fatal(err)
	}
	directed := !o.Undirected
	g, err := read.From(&text, "g.gr", read.Options{Directed: &directed})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Shape draws the arcs of one of the shapes that elimination must cope with; add gets each arc once.
func Shape(r *rand.Rand, n int, add func(u, v int)) {
	random := func(m int) {
		for range m {
			if u, v := r.IntN(n), r.IntN(n); u != v {
				add(u, v)
			}
		}
	}
	near := func(are func(u, v int) bool) { // pairs that are near each other, both ways
		for v := range n {
			for u := range v {
				if are(u, v) {
					add(u, v)
					add(v, u)
				}
			}
		}
	}
	switch r.IntN(9) {
	case 0: // a tree, and a few more
		for v := 1; v < n; v++ {
			add(r.IntN(v), v)
		}
		random(r.IntN(3))
	case 1: // a star, or a few
		hubs := 1 + r.IntN(min(n, 3))
		for v := hubs; v < n; v++ {
			add(v%hubs, v)
			add(v, r.IntN(hubs))
		}
	case 2: // a clique
		near(func(_, _ int) bool { return true })
	case 3: // cliques with few arcs between
		size := 1 + r.IntN(7)
		near(func(u, v int) bool { return u/size == v/size })
		random(r.IntN(n + 1))
	case 4: // a path or a cycle
		near(func(u, v int) bool { return v == u+1 })
		if n > 2 && r.IntN(2) > 0 {
			add(n-1, 0)
		}
	case 5: // no arcs, or few
		random(r.IntN(3))
	case 6: // dense
		random(n * n / 2)
	case 7: // complete between parts, whose vertices have the same neighbours
		parts := 2 + r.IntN(3)
		near(func(u, v int) bool { return u%parts != v%parts })
	default:
		random(r.IntN(3*n + 1))
	}
}

// RandomGraph draws a graph of at most n vertices, of either kind, with or without negative arcs. Sums of
// its weights are exact in float32.
func RandomGraph(t testing.TB, r *rand.Rand, n int) *graph.Graph {
	n = 1 + r.IntN(n)
	kind := []entry.Kind{entry.KindI32, entry.KindF32}[r.IntN(2)]
	unit := map[entry.Kind]float64{entry.KindI32: 1, entry.KindF32: 0.25}[kind]
	direction, potential, least := graph.Directed, make([]float64, n), r.IntN(2)
	switch r.IntN(3) {
	case 0:
		direction = graph.Undirected
	case 1: // negative arcs, no negative cycle; distances may come close to what i32 can hold
		most := []int{1000, int(entry.Limit32) - 10000}[r.IntN(2)]
		if kind == entry.KindF32 {
			most = 1000
		}
		for v := range potential {
			potential[v] = float64(r.IntN(most))
		}
	}
	b := graph.New(n, graph.AsKind(kind), direction)
	name := r.Perm(n)
	Shape(r, n, func(u, v int) {
		b.Add(name[u], name[v], unit*(float64(least*r.IntN(100))+potential[u]-potential[v]))
	})
	return Build(t, b)
}

// RandomOfDegree draws a directed graph of n vertices, with so many arcs a vertex.
func RandomOfDegree(t testing.TB, r *rand.Rand, n, degree int) *graph.Graph {
	b := graph.New(n)
	for range n * degree {
		b.Add(r.IntN(n), r.IntN(n), float64(r.IntN(1000)))
	}
	return Build(t, b)
}

// Naive eliminates all vertices on sets of neighbours. It returns, for each position of an order, the positions above
// that it has arcs to, ascending.
func Naive(g *graph.Graph, order []int32) [][]int32 {
	near := make([]map[int32]bool, g.N)
	for v := range near {
		near[v] = map[int32]bool{}
	}
	for u := range int32(g.N) {
		for _, v := range g.Targets[g.Offsets[u]:g.Offsets[u+1]] {
			near[u][v], near[v][u] = true, true
		}
	}
	position := make([]int32, g.N)
	for i, v := range order {
		position[v] = int32(i)
	}
	rows := make([][]int32, g.N)
	for i, v := range order {
		for u := range near[v] {
			rows[i] = append(rows[i], position[u])
			delete(near[u], v)
			for x := range near[v] {
				if x != u {
					near[u][x] = true
				}
			}
		}
		slices.Sort(rows[i])
	}
	return rows
}
