package graph_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/graphtest"
	"ooc/engine/internal/seeds"
	"ooc/kernels/entry"
)

// checkSearch compares every row of s with m, the distances.
func checkSearch(t *testing.T, g *graph.Graph, run func(s *graph.Search, src int) []float64, m [][]float64) {
	t.Helper()
	s := graph.NewSearch(g)
	for src := range m {
		got := run(s, src)
		for v, want := range m[src] {
			if got[v] != want {
				t.Fatalf("distance %d→%d is %v, not %v, in %s", src, v, got[v], want, graphtest.ArcsOf(g))
			}
			checkPred(t, g, s, got, src, v)
		}
	}
}

// checkPred walks back from v to the source.
func checkPred(t *testing.T, g *graph.Graph, s *graph.Search, dist []float64, src, v int) {
	t.Helper()
	for steps := 0; v != src; steps++ {
		u := s.Pred()[v]
		if u < 0 {
			if !math.IsInf(dist[v], 1) {
				t.Fatalf("%d can be reached and has no predecessor", v)
			}
			return
		}
		if k := g.Find(int(u), v); k < 0 || dist[u]+g.Weight(k) != dist[v] || steps > g.N {
			t.Fatalf("%d is no predecessor of %d from %d in %s", u, v, src, graphtest.ArcsOf(g))
		}
		v = int(u)
	}
	if s.Pred()[src] != -1 {
		t.Fatalf("the source has the predecessor %d", s.Pred()[src])
	}
}

func TestSearchAgainstFloydWarshall(t *testing.T) {
	r := seeds.New(t)
	for range 100 {
		n := 1 + r.IntN(40)
		unit := []float64{1, 0.125}[r.IntN(2)] // sums stay exact
		arcs := randomArcs(r, n, r.IntN(4*n+1), func() float64 { return float64(r.IntN(20)) * unit })
		for i := range arcs {
			if arcs[i].From == arcs[i].To {
				arcs[i].Weight = 0
			}
		}
		for _, direction := range []graph.BuildOption{graph.Directed, graph.Undirected} {
			g := graphtest.Build(t, n, arcs, direction)
			m := graphtest.FloydWarshall(graphtest.Entries(g))
			checkSearch(t, g, (*graph.Search).Dijkstra, m)
			checkSearch(t, g, (*graph.Search).BellmanFord, m)
			checkSearch(t, g, func(s *graph.Search, src int) []float64 { return s.Near(src, guess(r, m[src])) }, m)
		}
		g := graphtest.Build(t, n, withPotentials(r, n, arcs, unit))
		checkSearch(t, g, (*graph.Search).From, graphtest.FloydWarshall(graphtest.Entries(g)))
	}
}

func TestReverse(t *testing.T) {
	r := seeds.New(t)
	for range 50 {
		n := 1 + r.IntN(30)
		for _, direction := range []graph.BuildOption{graph.Directed, graph.Undirected} {
			g := graphtest.Build(t, n, randomArcs(r, n, 3*n, func() float64 { return float64(r.IntN(99)) / 4 }),
				direction)
			back := g.Reverse()
			if err := back.Validate(); err != nil {
				t.Fatal(err)
			}
			m, b := graphtest.Entries(g), graphtest.Entries(back)
			for u := range n {
				for v := range n {
					if m[u][v] != b[v][u] {
						t.Fatalf("%d→%d has weight %v, and back %v", u, v, m[u][v], b[v][u])
					}
				}
			}
			graphtest.SameGraph(t, back.Reverse(), g)
		}
	}
}

// TestBellmanFordEnds: with a negative cycle the distances mean nothing, but the call returns and the
// search can be used again.
func TestBellmanFordEnds(t *testing.T) {
	g := graphtest.Build(t, 4, []graph.Arc{{0, 1, 1}, {1, 0, -2}, {2, 3, 5}})
	s := graph.NewSearch(g)
	s.BellmanFord(0)
	if d := s.BellmanFord(2); d[3] != 5 || !math.IsInf(d[0], 1) {
		t.Errorf("distances %v", d)
	}
}

// guess returns numbers that distances may be said to be near to: about them, or rubbish.
func guess(r *rand.Rand, dist []float64) []float64 {
	near, rubbish := make([]float64, len(dist)), r.IntN(2) == 0
	for v, d := range dist {
		near[v] = d * (1 + 1e-6*r.NormFloat64())
		if rubbish {
			near[v] = []float64{d, -d, r.Float64() * 50, math.Inf(1), math.NaN(), math.MaxFloat64}[r.IntN(6)]
		}
	}
	return near
}

// TestNearGivesUp wants the distances of a long path from numbers that put its vertices in the worst order.
func TestNearGivesUp(t *testing.T) {
	const n = 3000
	b := graph.New(n)
	near := make([]float64, n)
	for v := range n - 1 {
		for back := 0; back < 3 && v-back >= 0; back++ {
			b.Add(v-back, v+1, float64(1+3*back*back))
		}
		near[v] = float64(n - v)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	s := graph.NewSearch(g)
	for _, src := range []int{0, 7, 1000} {
		got := append([]float64(nil), s.Near(src, near)...)
		for v, want := range s.Dijkstra(src) {
			if got[v] != want {
				t.Fatalf("distance %d→%d is %v, not %v", src, v, got[v], want)
			}
		}
	}
}

// TestBeyondNumbers: a path whose length is more than any number reaches nothing.
func TestBeyondNumbers(t *testing.T) {
	s := graph.NewSearch(graphtest.Build(t, 3, []graph.Arc{{0, 1, 1e308}, {1, 2, 1e308}}, graph.AsKind(entry.KindF64)))
	for _, run := range []func(int) []float64{s.Dijkstra, s.BellmanFord} {
		if dist := run(0); dist[1] != 1e308 || !math.IsInf(dist[2], 1) || s.Pred()[2] != -1 {
			t.Errorf("distances %v, predecessors %v", dist, s.Pred())
		}
	}
}
