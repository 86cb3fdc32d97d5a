package sparse

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/graph/gen"
	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
	"ooc/tiles/crashtest"
)

// positiveGraph draws a graph of at most n vertices with positive weights: few different ones make many paths of one
// length.
func positiveGraph(t *testing.T, r *rand.Rand, n int) *graph.Graph {
	n = 2 + r.IntN(n-1)
	kind := []entry.Kind{entry.KindI32, entry.KindU16}[r.IntN(2)]
	b := graph.New(n, graph.AsKind(kind), []graph.BuildOption{graph.Directed, graph.Undirected}[r.IntN(2)])
	name, most := r.Perm(n), 1+r.IntN(50)
	shape(r, n, func(u, v int) { b.Add(name[u], name[v], float64(1+r.IntN(most))) })
	return build(t, b)
}

// checkPath wants the arcs of a path from u to v to make its length, or none if that is infinite. back is g reversed.
func checkPath(t *testing.T, g, back *graph.Graph, s Search, u, v int32, length float64) {
	t.Helper()
	arcs, err := s.Path(g, back, v)
	if err != nil {
		t.Fatal(err)
	}
	at, got := u, 0.0
	for _, k := range arcs {
		if k < g.Offsets[at] || k >= g.Offsets[at+1] {
			t.Fatalf("arc %d on the path from %d to %d does not begin at %d", k, u, v, at)
		}
		at, got = g.Targets[k], got+g.Weight(k)
	}
	if there := !math.IsInf(length, 1); there && (at != v || got != length) || !there && len(arcs) > 0 {
		t.Fatalf("the path from %d to %d ends at %d after %v, not %v", u, v, at, got, length)
	}
}

// checkPaths checks those of an elimination from some sources to all vertices.
func checkPaths(t *testing.T, g *graph.Graph, e *Elimination, d *cpu.Device, sources []int32) {
	t.Helper()
	core, err := e.CloseCore(t.Context(), d, d, false)
	if err != nil {
		t.Fatal(err)
	}
	s, search, back := e.NewSearch(core, nil), graph.NewSearch(g), g.Reverse()
	for _, u := range sources {
		if err := s.From(u); err != nil {
			t.Fatal(err)
		}
		for v, length := range search.From(int(u)) {
			checkPath(t, g, back, s, u, int32(v), length)
		}
	}
}

// TestSearchPaths finds paths from every vertex to all, at every stopping point of small graphs, whether arcs up and
// down lead to the same ranks or not, and in larger ones.
func TestSearchPaths(t *testing.T) {
	r, d := fresh(t), openCPU(t, cpu.Options{Threads: 1})
	for range crashtest.Repeats(20, 200) {
		g := positiveGraph(t, r, 30)
		o := mustOrder(t, g, OrderOptions{})
		for stop := range o.Limit + 1 {
			e, err := eliminate(t.Context(), g, o, stop, Cutting{}, r.IntN(2) == 0,
				[]kernels.HostLaneOps{nil, d}[r.IntN(2)])
			if err != nil {
				t.Fatal(err)
			}
			checkPaths(t, g, e, d, all(g.N))
		}
	}
	for _, undirected := range []bool{false, true} {
		g := generated(t, "road", gen.Options{N: 3000, Seed: r.Uint64(), Undirected: undirected})
		o := mustOrder(t, g, OrderOptions{})
		e, err := o.EliminateAlike(t.Context(), g, o.Limit-r.IntN(100), d)
		if err != nil {
			t.Fatal(err)
		}
		checkPaths(t, g, e, d, []int32{int32(r.IntN(g.N)), e.Vertices[0], int32(r.IntN(g.N))})
	}
}

// all lists the numbers below n.
func all(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// TestSearchPathsNeed: a part that cannot be read is the error of the path that needs it, and of no other.
func TestSearchPathsNeed(t *testing.T) {
	r, d := fresh(t), openCPU(t, cpu.Options{Threads: 1})
	g := generated(t, "grid", gen.Options{N: 400, Seed: r.Uint64()})
	o := mustOrder(t, g, OrderOptions{})
	e, err := o.EliminateAlike(t.Context(), g, o.Limit-20, d)
	if err != nil {
		t.Fatal(err)
	}
	core, err := e.CloseCore(t.Context(), d, d, false)
	if err != nil {
		t.Fatal(err)
	}
	back, damaged := g.Reverse(), errors.New("damaged")
	u, v, want := e.Vertices[g.N-1], int32(0), 0.0 // which is eliminated first, and the farthest from there
	for x, far := range graph.NewSearch(g).From(int(u)) {
		if far >= want && !math.IsInf(far, 1) {
			v, want = int32(x), far
		}
	}
	failed := 0
	for fail := 0; ; fail++ {
		left := fail
		s := e.NewSearch(core, func([]byte) error {
			if left--; left < 0 {
				return damaged
			}
			return nil
		})
		err := s.From(u)
		if err == nil {
			_, err = s.Path(g, back, v)
		}
		if err == nil {
			break
		}
		if failed++; !errors.Is(err, damaged) {
			t.Fatalf("part %d cannot be read: %v", fail, err)
		}
	}
	if failed < 10 {
		t.Errorf("only %d parts were needed", failed)
	}
}

// TestSearchPathsOfForgedWeights: arcs of length 0, which no graph of positive weights makes, lead no path in a circle.
func TestSearchPathsOfForgedWeights(t *testing.T) {
	r, d := fresh(t), openCPU(t, cpu.Options{Threads: 1})
	for range crashtest.Repeats(20, 200) {
		g := positiveGraph(t, r, 30)
		o := mustOrder(t, g, OrderOptions{})
		e, err := o.EliminateAlike(t.Context(), g, r.IntN(o.Limit+1), d)
		if err != nil {
			t.Fatal(err)
		}
		core, err := e.CloseCore(t.Context(), d, d, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, weights := range [][]uint32{e.Up.Weights, e.Down.Weights, core.Matrix} {
			for i := range weights {
				if r.IntN(2) == 0 {
					weights[i] = 0
				}
			}
		}
		s, back := e.NewSearch(core, nil), g.Reverse()
		for u := range int32(g.N) {
			if err := s.From(u); err != nil {
				t.Fatal(err)
			}
			for v := range int32(g.N) {
				if arcs, err := s.Path(g, back, v); err != nil || len(arcs) > g.N {
					t.Fatalf("%d arcs from %d to %d of %d vertices: %v", len(arcs), u, v, g.N, err)
				}
			}
		}
	}
}
