package path

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	gonum "gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/simple"

	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/kernels/entry"
)

// shortest is what gonum's results share with Gonum.
type shortest interface {
	Weight(uid, vid int64) float64
	Between(uid, vid int64) ([]gonum.Node, float64, bool)
}

var (
	_ shortest = (*Gonum)(nil)
	_ shortest = path.AllShortest{}
)

// randomGonum makes a graph with integer weights.
func randomGonum(r *rand.Rand, n int, directed bool, id func(i int) int64) (g gonum.Weighted, ids []int64) {
	d, u := simple.NewWeightedDirectedGraph(0, math.Inf(1)), simple.NewWeightedUndirectedGraph(0, math.Inf(1))
	for i := range n {
		ids = append(ids, id(i))
		d.AddNode(simple.Node(ids[i]))
		u.AddNode(simple.Node(ids[i]))
	}
	for range 3 * n {
		from, to := simple.Node(ids[r.IntN(n)]), simple.Node(ids[r.IntN(n)])
		if from != to {
			e := simple.WeightedEdge{F: from, T: to, W: float64(1 + r.IntN(6))}
			d.SetWeightedEdge(e)
			u.SetWeightedEdge(e)
		}
	}
	if directed {
		return d, ids
	}
	return u, ids
}

// TestGonum compares every answer with those of gonum's Floyd–Warshall.
func TestGonum(t *testing.T) {
	r := seeds.New(t)
	for _, directed := range []bool{true, false} {
		for _, kind := range []entry.Kind{entry.KindI32, entry.KindF32} {
			n := 2 + r.IntN(40)
			theirs, ids := randomGonum(r, n, directed, func(i int) int64 { return int64(3*i + r.IntN(3) - n) })
			g, err := FromGonum(theirs, graph.AsKind(kind))
			if err != nil {
				t.Fatal(err)
			}
			if g.N != n || g.Directed != directed {
				t.Fatalf("%d vertices of %d, directed %v", g.N, n, g.Directed)
			}
			ours, err := NewGonum(enginetest.Solved(t, r, g))
			if err != nil {
				t.Fatal(err)
			}
			want, ok := path.FloydWarshall(theirs)
			if !ok {
				t.Fatal("a negative cycle")
			}
			compareAllGonum(t, theirs, ours, want, ids)
			if err := ours.Err(); err != nil {
				t.Error(err)
			}
			if p, w, unique := ours.Between(1<<40, ids[0]); p != nil || !math.IsInf(w, 1) || unique ||
				!math.IsInf(ours.Weight(ids[0], -1<<40), 1) {
				t.Errorf("from nowhere: %v, %v, %v", p, w, unique)
			}
		}
	}
}

// TestGonumPredecessors does the same in stores that keep predecessors, of graphs and of matrices.
func TestGonumPredecessors(t *testing.T) {
	r := seeds.New(t)
	for round := range 12 {
		n := 2 + r.IntN(40)
		theirs, ids := randomGonum(r, n, round%2 == 0, func(i int) int64 { return int64(i) })
		g, err := FromGonum(theirs, graph.AsKind([]entry.Kind{entry.KindI32, entry.KindF32, entry.KindF64}[round/2%3]))
		if err != nil {
			t.Fatal(err)
		}
		p := enginetest.Tracked(t, r, g, 64)
		enginetest.Solve(t, p, enginetest.RandomShape(r, g.N, 64).Paired(g.Kind).Options(t))
		ours, err := NewGonum(p)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := path.FloydWarshall(theirs)
		compareAllGonum(t, theirs, ours, want, ids)
		if err := ours.Err(); err != nil {
			t.Error(err)
		}
	}
}

func compareAllGonum(t *testing.T, g gonum.Weighted, ours, want shortest, ids []int64) {
	t.Helper()
	for _, u := range ids {
		for _, v := range ids {
			compareGonum(t, g, ours, want, u, v)
		}
	}
}

func compareGonum(t *testing.T, g gonum.Weighted, ours, want shortest, u, v int64) {
	t.Helper()
	if got, want := ours.Weight(u, v), want.Weight(u, v); got != want {
		t.Fatalf("%d to %d: %v, gonum says %v", u, v, got, want)
	}
	way, weight, unique := ours.Between(u, v)
	_, wantWeight, wantUnique := want.Between(u, v)
	if weight != wantWeight || unique != wantUnique {
		t.Fatalf("%d to %d: %v, %v, gonum says %v, %v", u, v, weight, unique, wantWeight, wantUnique)
	}
	if way == nil && math.IsInf(weight, 1) {
		return
	}
	sum := 0.0
	for i := 1; i < len(way); i++ {
		w, ok := g.Weight(way[i-1].ID(), way[i].ID())
		if !ok {
			t.Fatalf("%d to %d: no edge in %v", u, v, way)
		}
		sum += w
	}
	if way[0].ID() != u || way[len(way)-1].ID() != v || sum != weight {
		t.Fatalf("%d to %d: %v of length %v, not %v", u, v, way, sum, weight)
	}
}

func TestGonumTextIDs(t *testing.T) {
	g, err := graph.New(2, graph.Named(graph.TextIDs([]string{"a", "b"}))).Add(0, 1, 1).Build()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewGonum(enginetest.Solved(t, seeds.New(t), g)); !errors.Is(err, graph.ErrNoVertex) {
		t.Error(err)
	}
}
