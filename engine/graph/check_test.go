package graph_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/graphtest"
	"ooc/engine/internal/seeds"
	"ooc/kernels/entry"
)

func TestRangeOfI32(t *testing.T) {
	const limit = float64(entry.Inf32)
	cases := []struct {
		what string
		n    int
		arcs []graph.Arc
		ok   bool
	}{
		{"just below", 2, []graph.Arc{{0, 1, limit - 1}}, true},
		{"just there", 2, []graph.Arc{{0, 1, limit}}, false},
		{"many small", 1001, ring(1001, 1061109), true},
		{"too many", 1001, ring(1001, 1061110), false},
		{"sum of the largest", 4, []graph.Arc{{0, 1, limit - 1}}, true},
		// Every vertex has a long arc, but short ones join them all.
		{"by Dijkstra", 100, append(ring(100, 1), ring2(100, 1e9)...), true},
		{"longer than the sentinel, never used", 3, append(ring(3, 5), graph.Arc{0, 2, math.MaxInt32}), true},
		{"two components", 200, append(append(ring(100, 1), ring2(100, 1e9)...),
			shift(append(ring(100, 1), ring2(100, 1e9)...), 100)...), true},
		{"a bridge that is just short enough", 4,
			[]graph.Arc{{0, 1, 5}, {1, 0, 1e9}, {1, 2, 1e6}, {2, 3, 1e9}, {3, 2, 5}}, false},
		{"a chain of components", 4, []graph.Arc{{0, 1, 5}, {1, 0, 5}, {1, 2, 1e9}, {0, 2, 1e9}, {2, 3, 5}, {3, 2, 5}},
			true},
		{"a chain too long", 3, []graph.Arc{{0, 1, 1e9}, {1, 2, 1e8}}, false},
	}
	for _, c := range cases {
		g := graphtest.Build(t, c.n, c.arcs)
		err := g.Check(t.Context())
		if c.ok && err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
		if !c.ok {
			graphtest.WantError(t, err, graph.ErrBadInput, "--kind f64", "1061109567")
			if !errors.As(err, new(*graph.RangeError)) {
				t.Errorf("%s: %T", c.what, err)
			}
		}
	}
}

// ring joins each vertex with the one after it.
func ring(n int, w float64) []graph.Arc { return skip(n, 1, w) }

// skip joins each vertex with the one so many places after it.
func skip(n, by int, w float64) []graph.Arc {
	var arcs []graph.Arc
	for i := range n {
		arcs = append(arcs, graph.Arc{int32(i), int32((i + by) % n), w})
	}
	return arcs
}

// ring2 joins each vertex with the one before it.
func ring2(n int, w float64) []graph.Arc {
	var arcs []graph.Arc
	for i := range n {
		arcs = append(arcs, graph.Arc{int32((i + 1) % n), int32(i), w})
	}
	return arcs
}

func shift(arcs []graph.Arc, by int32) []graph.Arc {
	var out []graph.Arc
	for _, a := range arcs {
		out = append(out, graph.Arc{a.From + by, a.To + by, a.Weight})
	}
	return out
}

func TestRangeWithNegativeArcs(t *testing.T) {
	const limit = float64(entry.Limit32)
	if err := graphtest.Build(t, 2, []graph.Arc{{0, 1, -limit + 1}}).Check(t.Context()); err != nil {
		t.Error(err)
	}
	graphtest.WantError(t, graphtest.Build(t, 2, []graph.Arc{{0, 1, -limit}}).Check(t.Context()), graph.ErrBadInput,
		"530554783", "--kind f64")
	graphtest.WantError(t, graphtest.Build(t, 3, []graph.Arc{{0, 1, -1}, {1, 2, limit}}).Check(t.Context()),
		graph.ErrBadInput)
	if 2*int64(entry.Limit32) > int64(entry.Inf32) || int64(entry.Inf32)-int64(entry.Limit32) < int64(entry.Limit32) {
		t.Error("the sum of Unreachable and a negative distance passes for a distance")
	}
}

func TestRangeOfF32(t *testing.T) {
	g := graphtest.Build(t, 3, []graph.Arc{{0, 1, 2e38}, {1, 2, 2e38}}, graph.AsKind(entry.KindF32))
	graphtest.WantError(t, g.Check(t.Context()), graph.ErrBadInput, "--kind f64")
}

// TestRangeOfF64: sums of weights that are more than any number, in graphs in which many arcs lead to a vertex.
func TestRangeOfF64(t *testing.T) {
	const n, w = 50, 1e308
	round := append(append(ring(n, w), skip(n, 2, w)...), skip(n, 7, w)...)
	short := append(append(ring(n, 1), ring2(n, w)...), skip(n, 7, w)...)
	for _, direction := range []graph.BuildOption{graph.Directed, graph.Undirected} {
		err := graphtest.Build(t, n, round, graph.AsKind(entry.KindF64), direction).Check(t.Context())
		graphtest.WantError(t, err, graph.ErrBadInput, "kind f64", "divide the weights by a power of two")
		var less []graph.Arc
		for _, a := range round {
			less = append(less, graph.Arc{a.From, a.To, a.Weight / 64})
		}
		if err := graphtest.Build(t, n, less, graph.AsKind(entry.KindF64), direction).Check(t.Context()); err != nil {
			t.Error(err)
		}
		// Paths of the fewest arcs are longer than any number, and shortest ones are not.
		if err := graphtest.Build(t, n, short, graph.AsKind(entry.KindF64), direction).Check(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// TestNegativeCycleOfF64 has cycles so long that sums reach -Inf before there are as many gains as vertices.
func TestNegativeCycleOfF64(t *testing.T) {
	for _, w := range []float64{-4e307, -8e307} {
		g := graphtest.Build(t, 50, []graph.Arc{{0, 1, w}, {1, 0, w}, {2, 3, 1}}, graph.AsKind(entry.KindF64))
		checkCycle(t, g, g.Check(t.Context()))
	}
	// No cycle, but a path beyond the kind.
	path := []graph.Arc{{0, 1, -1e308}, {1, 2, -1e308}, {3, 0, 5}}
	g := graphtest.Build(t, 50, path, graph.AsKind(entry.KindF64))
	graphtest.WantError(t, g.Check(t.Context()), graph.ErrBadInput, "kind f64")
	// A cycle through it that is negative.
	g = graphtest.Build(t, 50, append(path, graph.Arc{2, 0, math.MaxFloat64}), graph.AsKind(entry.KindF64))
	checkCycle(t, g, g.Check(t.Context()))
}

// TestLongestPath compares the last bound with the true longest distance.
func TestLongestPath(t *testing.T) {
	r := seeds.New(t)
	for range 300 {
		n := 1 + r.IntN(12)
		g := graphtest.Build(t, n, randomArcs(r, n, r.IntN(3*n+1), func() float64 { return float64(r.IntN(100)) }))
		longest := 0.0
		for _, row := range graphtest.FloydWarshall(graphtest.Entries(g)) {
			for _, d := range row {
				if !math.IsInf(d, 1) {
					longest = max(longest, d)
				}
			}
		}
		for _, fewest := range []bool{true, false} {
			if bound := g.LongestPath(fewest); bound < longest {
				t.Fatalf("bound %v (paths of the fewest arcs: %t) is below the distance %v in %s", bound, fewest,
					longest, graphtest.ArcsOf(g))
			}
		}
	}
}

func TestStronglyConnected(t *testing.T) {
	r := seeds.New(t)
	for range 300 {
		n := 1 + r.IntN(12)
		g := graphtest.Build(t, n, randomArcs(r, n, r.IntN(2*n+1), func() float64 { return 1 }))
		reach := graphtest.FloydWarshall(graphtest.Entries(g))
		of := graph.ComponentsOf(g)
		for u := range n {
			for v := range n {
				both := !math.IsInf(reach[u][v]+reach[v][u], 1)
				if (of[u] == of[v]) != both {
					t.Fatalf("%d and %d in components %d, %d of %s", u, v, of[u], of[v], graphtest.ArcsOf(g))
				}
				if !math.IsInf(reach[u][v], 1) && of[v] > of[u] {
					t.Fatalf("an arc leads up from component %d to %d", of[u], of[v])
				}
			}
		}
	}
}

// withPotentials turns non-negative arcs into ones of any sign whose cycles keep their lengths.
func withPotentials(r *rand.Rand, n int, arcs []graph.Arc, unit float64) []graph.Arc {
	p := make([]float64, n)
	for i := range p {
		p[i] = float64(r.IntN(1000)) * unit
	}
	var out []graph.Arc
	for _, a := range arcs {
		out = append(out, graph.Arc{a.From, a.To, a.Weight + p[a.From] - p[a.To]})
	}
	return out
}

func TestNoNegativeCycle(t *testing.T) {
	r := seeds.New(t)
	for range 200 {
		n := 2 + r.IntN(60)
		arcs := randomArcs(r, n, 4*n, func() float64 { return float64(r.IntN(3)) })
		for _, unit := range []float64{1, 0.125} {
			g := graphtest.Build(t, n, withPotentials(r, n, arcs, unit))
			if err := g.Check(t.Context()); err != nil {
				t.Fatalf("%v in %s", err, graphtest.ArcsOf(g))
			}
		}
	}
}

func TestPlantedNegativeCycles(t *testing.T) {
	r := seeds.New(t)
	for range 200 {
		n := 4 + r.IntN(200)
		arcs := withPotentials(r, n, randomArcs(r, n, 4*n, func() float64 { return float64(r.IntN(100)) }), 1)
		order := r.Perm(n)[:2+r.IntN(n-2)]
		sum := 0.0
		for i, u := range order {
			w := float64(r.IntN(1000) - 400)
			if i == len(order)-1 {
				w = -sum - 1
			}
			sum += w
			arcs = append(arcs, graph.Arc{int32(u), int32(order[(i+1)%len(order)]), w})
		}
		for _, kind := range []entry.Kind{entry.KindI32, entry.KindF32} {
			g := graphtest.Build(t, n, arcs, graph.AsKind(kind), graph.Named(graph.IDs{Base: 7}))
			checkCycle(t, g, g.Check(t.Context()))
		}
	}
}

// checkCycle follows the cycle that err names through the graph.
func checkCycle(t *testing.T, g *graph.Graph, err error) {
	t.Helper()
	var e *graph.NegativeCycleError
	if !errors.As(err, &e) || !errors.Is(err, graph.ErrNegativeCycle) {
		t.Fatalf("error %v", err)
	}
	sum := 0.0
	for i, name := range e.Cycle {
		u, ok := g.Row(name)
		v, ok2 := g.Row(e.Cycle[(i+1)%len(e.Cycle)])
		if !ok || !ok2 || g.Find(u, v) < 0 {
			t.Fatalf("no arc %s → %s", name, e.Cycle[(i+1)%len(e.Cycle)])
		}
		sum += g.Weight(g.Find(u, v))
	}
	if sum >= 0 || math.Abs(sum/float64(g.Scale)-e.Length) > 1e-9*math.Abs(sum) {
		t.Fatalf("the cycle %v has length %v, not %v", e.Cycle, sum, e.Length)
	}
}

func TestNegativeEdge(t *testing.T) {
	g := graphtest.Build(t, 4, []graph.Arc{{0, 1, 5}, {2, 3, -0.5}}, graph.Undirected, graph.Scaled(10))
	err := g.Check(t.Context())
	checkCycle(t, g, err)
	graphtest.WantError(t, err, graph.ErrNegativeCycle, "length -1: 2 → 3 → 2")
}

// TestRoundedCycle: in decimals the cycle has length 0, in the nearest float32 numbers not.
func TestRoundedCycle(t *testing.T) {
	arcs := []graph.Arc{{0, 1, 0.1}, {1, 2, 0.2}, {2, 0, -0.3}}
	graphtest.WantError(t, graphtest.Build(t, 3, arcs).Check(t.Context()), graph.ErrNegativeCycle, "--scale")
	if err := graphtest.Build(t, 3, arcs, graph.Scaled(10)).Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestRoundingIsNoCycle: sums of these weights do not fit a float64, but no cycle is negative.
func TestRoundingIsNoCycle(t *testing.T) {
	r := seeds.New(t)
	for range 50 {
		n := 3 + r.IntN(20)
		var arcs []graph.Arc
		for i := range n {
			big := float64(float32(math.Ldexp(r.Float64(), 30+r.IntN(60))))
			arcs = append(arcs, graph.Arc{int32(i), int32((i + 1) % n), big},
				graph.Arc{int32((i + 1) % n), int32(i), -big})
		}
		// One pair, larger than all others together, keeps the way round the ring from being negative.
		arcs[2*n-2].Weight, arcs[2*n-1].Weight = 1e32, 1e32
		g := graphtest.Build(t, n, arcs, graph.AsKind(entry.KindF32))
		if _, err := g.Potentials(t.Context()); err != nil {
			t.Fatalf("%v in %s", err, graphtest.ArcsOf(g))
		}
	}
}

func TestLongCycleIsShortened(t *testing.T) {
	var e graph.NegativeCycleError
	for i := range 1000 {
		e.Cycle = append(e.Cycle, fmt.Sprint(i))
	}
	if text := e.Error(); len(text) > 300 || !strings.Contains(text, "(985 more)") || !strings.HasSuffix(text, "→ 0") {
		t.Error(text)
	}
}

// TestPotentials wants numbers that no arc contradicts, and the cycle where there are none.
func TestPotentials(t *testing.T) {
	r := seeds.New(t)
	for range 50 {
		n := 2 + r.IntN(60)
		b, at := graph.New(n), make([]int, n)
		for v := range at {
			at[v] = r.IntN(500)
		}
		for range 4 * n {
			if u, v := r.IntN(n), r.IntN(n); u != v {
				b.Add(u, v, float64(r.IntN(100)+at[u]-at[v]))
			}
		}
		g, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		h, err := g.Potentials(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for u := range n {
			for k := g.Offsets[u]; k < g.Offsets[u+1]; k++ {
				if v := g.Targets[k]; h[v] > h[u]+g.Weight(k) || h[v] > 0 {
					t.Fatalf("arc %d→%d of %v: %v and %v", u, v, g.Weight(k), h[u], h[v])
				}
			}
		}
	}
	g, err := graph.New(2).Add(0, 1, 1).Add(1, 0, -2).Build()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Potentials(context.Background()); !errors.Is(err, graph.ErrNegativeCycle) {
		t.Error(err)
	}
}
