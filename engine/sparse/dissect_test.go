package sparse

import (
	"slices"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/graph/gen"
	"ooc/engine/sparse/ordering"
	"ooc/kernels/cpu"
)

func mustDissect(t *testing.T, g *graph.Graph) []int32 {
	t.Helper()
	order, err := ordering.Dissect(t.Context(), symmetric(g))
	if err != nil {
		t.Fatal(err)
	}
	return order
}

// fillOf counts the arcs up that an order of all vertices leaves. It fails unless each vertex is in the order once.
func fillOf(t *testing.T, g *graph.Graph, vertices []int32) int64 {
	t.Helper()
	for v, got := range slices.Sorted(slices.Values(vertices)) {
		if len(vertices) != g.N || int(got) != v {
			t.Fatalf("the order of %d vertices has %d, and is no permutation", g.N, len(vertices))
		}
	}
	o := &Order{Vertices: slices.Clone(vertices), Limit: g.N, sources: g.N}
	o.appendRest(g.N)
	if err := o.structure(t.Context(), symmetric(g), DefaultMaxFill); err != nil {
		t.Fatal(err)
	}
	return o.At(g.N).Fill
}

// TestDissect: on graphs with thin separators, dissection leaves about as few arcs as minimum degrees, also where the
// graph is in pieces.
func TestDissect(t *testing.T) {
	road := generated(t, "road", gen.Options{N: 12000, Seed: fresh(t).Uint64()})
	for name, g := range map[string]*graph.Graph{
		"road":     road,
		"grid":     generated(t, "grid", gen.Options{N: 12000, Undirected: true, Seed: 1}),
		"ring":     generated(t, "ring", gen.Options{N: 8000, Seed: 1}),
		"together": beside(t, road, road),
	} {
		order := mustDissect(t, g)
		if order == nil {
			t.Errorf("%s: not dissected", name)
			continue
		}
		got, by := fillOf(t, g, order), mustOrder(t, g, OrderOptions{}).At(g.N).Fill
		if float64(got) > 1.25*float64(by) {
			t.Errorf("%s: dissection leaves %d arcs, minimum degrees %d", name, got, by)
		}
	}
}

// beside returns a graph of two graphs without arcs between them, and some vertices without arcs.
func beside(t *testing.T, a, b *graph.Graph) *graph.Graph {
	n := a.N + b.N + 2000
	both := graph.New(n)
	at := 0
	for _, g := range []*graph.Graph{a, b} {
		for u := range g.N {
			for k := g.Offsets[u]; k < g.Offsets[u+1]; k++ {
				both.Add(at+u, at+int(g.Targets[k]), float64(g.I32[k]))
			}
		}
		at += g.N + 1000
	}
	return build(t, both)
}

// TestDissectedDistances asks an elimination in an order by dissection for distances and paths.
func TestDissectedDistances(t *testing.T) {
	r := fresh(t)
	g := generated(t, "road", gen.Options{N: dissectFrom, Seed: r.Uint64(), Undirected: r.IntN(2) == 0})
	o := mustOrder(t, g, OrderOptions{Dissect: true})
	if !slices.Equal(o.Vertices, mustDissect(t, g)) {
		t.Fatal("the order is not that of dissection")
	}
	e, err := o.Eliminate(t.Context(), g, g.N-r.IntN(1500))
	if err != nil {
		t.Fatal(err)
	}
	d := openCPU(t, cpu.Options{})
	core, err := e.CloseCore(t.Context(), d, d, false)
	if err != nil {
		t.Fatal(err)
	}
	s, search, back := e.NewSearch(core, nil), graph.NewSearch(g), g.Reverse()
	for range 3 {
		u := int32(r.IntN(g.N))
		if err := s.From(u); err != nil {
			t.Fatal(err)
		}
		want := search.From(int(u))
		for range 300 {
			v := int32(r.IntN(g.N))
			bits, err := s.To(v)
			if err != nil {
				t.Fatal(err)
			}
			if got := decode(e.Variant, uint32(bits)); got != want[v] {
				t.Fatalf("the distance from %d to %d is %v, not %v", u, v, got, want[v])
			}
			checkPath(t, g, back, s, u, v, want[v])
		}
	}
}
