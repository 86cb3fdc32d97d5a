package mst

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	gonum "gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/simple"

	"ooc/engine/device"
	"ooc/engine/feed"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
)

var seeded = seeds.New

func openCPU(t testing.TB, o cpu.Options) *cpu.Device {
	t.Helper()
	d, err := cpu.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// randomGraph has many equal weights, and is often not connected.
func randomGraph(t testing.TB, r *rand.Rand, n int, kind entry.Kind) *graph.Graph {
	t.Helper()
	b := graph.New(n, graph.Undirected, graph.AsKind(kind))
	for range r.IntN(3*n + 1) {
		w := float64(r.IntN(30) - 10)
		if kind == entry.KindF32 {
			w /= 8 // so that any order of additions gives the same
		}
		b.Add(r.IntN(n), r.IntN(n), w)
	}
	g, err := b.Build()
	if errors.Is(err, graph.ErrNegativeCycle) { // a self-loop below 0
		return randomGraph(t, r, n, kind)
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// gonumTotal is Kruskal's least forest by gonum.
func gonumTotal(g *graph.Graph) (total float64, edges int) {
	theirs := simple.NewWeightedUndirectedGraph(0, 0)
	for v := range g.N {
		theirs.AddNode(simple.Node(v))
	}
	for u := range g.N {
		for k := g.Offsets[u]; k < g.Offsets[u+1]; k++ {
			if v := int(g.Targets[k]); u < v {
				theirs.SetWeightedEdge(theirs.NewWeightedEdge(simple.Node(u), simple.Node(v), g.Weight(k)))
			}
		}
	}
	tree := simple.NewWeightedUndirectedGraph(0, 0)
	total = gonum.Kruskal(tree, theirs)
	return total, tree.Edges().Len()
}

// spans checks that edges are the graph's, and make no cycle.
func spans(t *testing.T, g *graph.Graph, edges []treeEdge) {
	t.Helper()
	root := make([]int, g.N)
	for v := range root {
		root[v] = v
	}
	find := func(v int) int {
		for root[v] != v {
			v = root[v]
		}
		return v
	}
	for _, e := range edges {
		if k := g.Find(int(e.U), int(e.V)); k < 0 || g.Weight(k) != e.Weight || e.U >= e.V {
			t.Fatalf("%v is no edge of the graph", e)
		}
		a, b := find(int(e.U)), find(int(e.V))
		if a == b {
			t.Fatalf("%v closes a cycle", e)
		}
		root[a] = b
	}
}

// TestMethods compares both methods with gonum's, on graphs of all kinds that fit the device and that do not, and
// wants the same edges again from other devices.
func TestMethods(t *testing.T) {
	r := seeded(t)
	large := openCPU(t, cpu.Options{Threads: 3})
	for range 40 {
		kind := []entry.Kind{entry.KindI32, entry.KindF32}[r.IntN(2)]
		g := randomGraph(t, r, 1+r.IntN(500), kind)
		small := openCPU(t, cpu.Options{Threads: 1, Memory: large.Info().Scratch/3 + int64(g.N)*32 + 5000})
		devices := []kernels.Device{large, small}
		for _, memory := range []int64{0, int64(g.N)*40 + 50000} {
			if gpu := enginetest.GPU(t, memory); gpu != nil {
				devices = append(devices, gpu)
			}
		}
		total, edges := gonumTotal(g)
		for _, m := range Methods {
			var first *Result
			for _, d := range devices {
				res, err := Run(context.Background(), g, Options{Device: d, Method: m.Name})
				if m.Name == prim.Name && errors.Is(err, device.ErrMemory) && d.Info().Memory < 1<<24 {
					continue
				}
				if err != nil {
					t.Fatalf("%s: %v", m.Name, err)
				}
				spans(t, g, res.Edges)
				if s := res.Summary; s.Total != total || s.Edges != edges || s.Components != g.N-edges {
					t.Fatalf("%s: a total of %v in %d edges and %d components; gonum has %v in %d", m.Name, s.Total,
						s.Edges, s.Components, total, edges)
				}
				if first == nil {
					first = res
				}
				if !slices.Equal(res.Edges, first.Edges) {
					t.Fatalf("%s: other edges from another device", m.Name)
				}
			}
		}
	}
}

// TestPasses wants no more passes than components can be halved, and one that finds nothing.
func TestPasses(t *testing.T) {
	d := openCPU(t, cpu.Options{})
	b := graph.New(1024, graph.Undirected)
	for v := range 1023 { // equal weights: each takes the edge to the vertex before
		b.Add(v, v+1, 1)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	res, err := Run(context.Background(), g, Options{Device: d, Method: boruvka.Name})
	if err != nil || res.Summary.Passes > 11 || res.Summary.Components != 1 {
		t.Fatalf("%d passes, %d components: %v", res.Summary.Passes, res.Summary.Components, err)
	}
}

func TestRefusals(t *testing.T) {
	d := openCPU(t, cpu.Options{})
	directed, err := graph.New(2).Add(0, 1, 1).Build()
	if err != nil {
		t.Fatal(err)
	}
	heavy, err := graph.New(2, graph.Undirected, graph.AsKind(entry.KindI32)).Add(0, 1, float64(entry.Inf32)).Build()
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		g    *graph.Graph
		o    Options
		want error
	}{
		{directed, Options{Device: d}, errDirected},
		{heavy, Options{Device: d}, graph.ErrBadInput},
		{heavy, Options{Device: d, Method: "magic"}, feed.ErrMethod},
	} {
		if _, err := Run(context.Background(), c.g, c.o); !errors.Is(err, c.want) {
			t.Errorf("%d: %v", i, err)
		}
	}
	light := randomGraph(t, seeded(t), 50, entry.KindI32)
	stopped, stop := context.WithCancel(context.Background())
	stop()
	for _, m := range Methods {
		if _, err := Run(stopped, light, Options{Device: d, Method: m.Name}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: a context that ended: %v", m.Name, err)
		}
	}
}
