package path

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/internal/seeds"
	"ooc/engine/tree"
	"ooc/kernels/entry"
)

// TestFinder compares distances with those of a search from one end, and the paths of integers with those that
// package tree makes, in graphs with zero weights, equal weights, fractions, negative arcs, and without a path.
func TestFinder(t *testing.T) {
	r := seeds.New(t)
	for round := range 400 {
		n, least, most := 1+r.IntN(60), r.IntN(2), 1+r.IntN(3)
		if round%4 == 0 {
			most = 1000
		}
		kind := []entry.Kind{entry.KindI32, entry.KindU16, entry.KindF32, entry.KindF64}[r.IntN(4)]
		directed := r.IntN(2) == 0
		options := []graph.BuildOption{graph.AsKind(kind), graph.Undirected}
		if directed {
			options[1] = graph.Directed
		}
		height := make([]int, n) // that arcs lead down, so that some are negative, and no cycle is
		if directed && kind != entry.KindU16 && round%3 == 0 {
			for v := range height {
				height[v] = r.IntN(20)
			}
		}
		b := graph.New(n, options...)
		for range r.IntN(4 * n) {
			u, v := r.IntN(n), r.IntN(n)
			w := float64(least + r.IntN(most) + height[v] - height[u])
			if kind.Float() && most > 1 {
				w += 0.1
			}
			b.Add(u, v, w)
		}
		g, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		f, err := NewFinder(context.Background(), g)
		if err != nil {
			t.Fatal(err)
		}
		search := graph.NewSearch(g)
		maker, err := tree.NewMaker(g, g.Reverse())
		if err != nil {
			t.Fatal(err)
		}
		row, col := make([]float64, n), make([]float64, n)
		for u := range n {
			want := slices.Clone(search.From(u))
			var pred []int32
			if !kind.Float() && !g.Negative {
				preds, _, _ := maker.Of(kind.Wide().Append(nil, want), []int{u})
				pred = preds[0]
			}
			if err := f.Row(row, u); err != nil {
				t.Fatal(err)
			}
			for v, d := range want {
				compareRoute(t, g, f, u, v, d, pred)
				if !sameDistance(kind, row[v], d) {
					t.Fatalf("row %d: %v, not %v, at %d", u, row[v], d, v)
				}
			}
			if err := f.Col(col, u); err != nil {
				t.Fatal(err)
			}
			for v := range n {
				if d, _ := f.Distance(v, u); !sameDistance(kind, col[v], d) {
					t.Fatalf("column %d: %v, not %v, at %d", u, col[v], d, v)
				}
			}
		}
	}
}

func sameDistance(kind entry.Kind, got, want float64) bool {
	return got == want || kind.Float() && math.Abs(got-want) <= 1e-5*math.Abs(want)+1e-4
}

func compareRoute(t *testing.T, g *graph.Graph, f *Finder, u, v int, want float64, pred []int32) {
	t.Helper()
	got, err := f.Between(u, v)
	if err != nil || got.From != u || got.To != v || !sameDistance(g.Kind, got.Length, want) {
		t.Fatalf("%d to %d: %+v, %v; the length is %v", u, v, got, err, want)
	}
	if math.IsInf(want, 1) {
		if got.Reachable() {
			t.Fatalf("%d to %d: %v, where there is no path", u, v, got.Vertices)
		}
		return
	}
	last := len(got.Vertices) - 1
	if got.Vertices[0] != int32(u) || got.Vertices[last] != int32(v) || len(got.Weights) != last {
		t.Fatalf("%d to %d: %+v", u, v, got)
	}
	sum := 0.0
	for i, w := range got.Weights {
		k := g.Find(int(got.Vertices[i]), int(got.Vertices[i+1]))
		if k < 0 || g.Weight(k) != w {
			t.Fatalf("%d to %d: %+v has an arc that is not in the graph", u, v, got)
		}
		sum += w
	}
	if !sameDistance(g.Kind, sum, got.Length) {
		t.Fatalf("%d to %d: %+v adds up to %v", u, v, got, sum)
	}
	if pred == nil {
		return
	}
	rule := []int32{int32(v)}
	for x := int32(v); int(x) != u; rule = append(rule, x) {
		x = pred[x]
	}
	if slices.Reverse(rule); !slices.Equal(got.Vertices, rule) {
		t.Fatalf("%d to %d: %v, by the rule %v", u, v, got.Vertices, rule)
	}
}

// TestFinderScaled asks for lengths in the input's units, and for a graph whose distances cannot be.
func TestFinderScaled(t *testing.T) {
	g, err := graph.New(3, graph.Scaled(10)).Add(0, 1, 0.1).Add(1, 2, 0.2).Build()
	if err != nil {
		t.Fatal(err)
	}
	f, err := NewFinder(context.Background(), g)
	if err != nil {
		t.Fatal(err)
	}
	got, _ := f.Between(0, 2)
	if want := []float64{0.1, 0.2}; got.Length != 0.3 || !slices.Equal(got.Weights, want) {
		t.Errorf("%+v", got)
	}
	g, err = graph.New(2, graph.Directed).Add(0, 1, 1).Add(1, 0, -2).Build()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewFinder(context.Background(), g); !errors.Is(err, graph.ErrNegativeCycle) {
		t.Errorf("a negative cycle: %v", err)
	}
}
