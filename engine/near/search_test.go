package near_test

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/near"
	"ooc/kernels/entry"
)

// neighbor is a vertex near another.
type neighbor struct {
	row      int
	distance float64 // in stored units
}

// plainly answers for a row from its distances: a scan and a sort.
func plainly(g *graph.Graph, dist []float64, u int, q near.Question) (list []neighbor) {
	for v, d := range dist {
		if g.Kind == entry.KindF32 {
			d = float64(float32(d))
		}
		in := d / float64(g.Scale)
		within := q.Within
		if g.Kind == entry.KindF32 {
			within = float64(float32(within))
		}
		if v != u && !math.IsInf(d, 1) && in <= within {
			list = append(list, neighbor{v, d})
		}
	}
	if q.Nearest > 0 {
		slices.SortStableFunc(list, func(a, b neighbor) int { return cmp.Compare(a.distance, b.distance) })
		list = list[:min(len(list), q.Nearest)]
		slices.SortFunc(list, func(a, b neighbor) int { return a.row - b.row })
	}
	return list
}

// graphs are graphs of every shape: random ones, many zeros, trees, a star with equal arcs, a ring, a grid, no arc,
// one vertex.
func graphs(t *testing.T, r *rand.Rand, w enginetest.Weights) map[string]*graph.Graph {
	t.Helper()
	n := 2 + r.IntN(120)
	build := func(n int, undirected bool, add func(arc func(u, v int))) *graph.Graph {
		b := graph.New(n, graph.AsKind(w.Kind))
		if undirected {
			b = graph.New(n, graph.AsKind(w.Kind), graph.Undirected)
		}
		most := 1 + min(50, 32000/n)
		add(func(u, v int) { b.Add(u, v, float64(r.IntN(most))) })
		g, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	all := map[string]*graph.Graph{
		"random": enginetest.RandomGraph(t, r, n, w.Kind, w.Negative),
		"zeros":  enginetest.ZeroLaden(t, r, n, w.Kind, w.Negative),
	}
	if w.Negative {
		return all
	}
	all["tree"] = build(n, true, func(arc func(u, v int)) {
		for v := 1; v < n; v++ {
			arc(r.IntN(v), v)
		}
	})
	all["ring"] = build(n, false, func(arc func(u, v int)) {
		for v := range n {
			arc(v, (v+1)%n)
		}
	})
	all["grid"] = build(100, true, func(arc func(u, v int)) {
		for v := range 100 {
			if v%10 < 9 {
				arc(v, v+1)
			}
			if v < 90 {
				arc(v, v+10)
			}
		}
	})
	all["no arcs"] = build(n, false, func(func(u, v int)) {})
	all["one vertex"] = build(1, false, func(func(u, v int)) {})
	b := graph.New(n, graph.AsKind(w.Kind), graph.Undirected)
	for v := 1; v < n; v++ {
		b.Add(0, v, 3)
	}
	star, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	all["star"] = star
	return all
}

// questions of every sort, most of them about a distance that the graph has.
func questions(r *rand.Rand, g *graph.Graph, dist []float64) []near.Question {
	some := dist[r.IntN(len(dist))]
	if math.IsInf(some, 1) {
		some = float64(r.IntN(1000))
	}
	return []near.Question{
		{Within: some / float64(g.Scale)}, {Within: math.Inf(1)}, {Within: float64(r.IntN(400) - 40)}, {Within: 0},
		{Within: -1},
		{Within: math.Inf(1), Nearest: 1 + r.IntN(8)}, {Within: math.Inf(1), Nearest: g.N + 3},
		{Within: some, Nearest: math.MaxInt}, {Within: some, Nearest: 1 + r.IntN(20)},
	}
}

// TestRows compares rows with a search that takes everything: integers exactly, others within the rounding of their
// kind.
func TestRows(t *testing.T) {
	r := seeds.New(t)
	for round := range 6 {
		for _, w := range enginetest.AllKinds {
			for name, g := range graphs(t, r, w) {
				search := graph.NewSearch(g)
				for _, q := range questions(r, g, search.From(r.IntN(g.N))) {
					s, err := near.NewSearcher(context.Background(), g, q)
					if err != nil {
						t.Fatal(name, w, err)
					}
					worker := s.Worker(context.Background())
					for range 1 + g.N/4 {
						u := r.IntN(g.N)
						columns, distances, err := worker.Row(u)
						if err != nil {
							t.Fatal(err)
						}
						var got []neighbor
						for i, c := range columns {
							got = append(got, neighbor{int(c), distances[i]})
						}
						want := plainly(g, search.From(u), u, q)
						if same := sameRow(g, search, u, q, got, want); same != "" {
							t.Fatalf("round %d: %s of %v, n = %d, row %d, %+v: %s\n%v\nwant %v", round, name, w, g.N, u,
								q, same, got, want)
						}
					}
				}
			}
		}
	}
}

// sameRow says how rows differ. Where sums round, those that are as far as the limit, but for rounding, may be there
// or not.
func sameRow(g *graph.Graph, search *graph.Search, u int, q near.Question, got, want []neighbor) string {
	if !g.Kind.Float() {
		if !slices.Equal(got, want) {
			return "they differ"
		}
		return ""
	}
	dist := search.From(u)
	allowed := func(d float64) float64 { return g.Kind.AllowedRounding(g.N, 4*math.Abs(d)+4000) }
	if !slices.IsSortedFunc(got, func(a, b neighbor) int { return a.row - b.row }) {
		return "columns do not ascend"
	}
	limit := q.Within
	has := map[int]bool{}
	for _, x := range got {
		if d := dist[x.row]; math.Abs(x.distance-d) > allowed(d) || x.distance > q.Within+allowed(d) || x.row == u ||
			has[x.row] {
			return "a wrong distance"
		}
		has[x.row] = true
	}
	if q.Nearest > 0 {
		if len(got) > q.Nearest {
			return "too many"
		}
		if len(got) == q.Nearest {
			limit = slices.MaxFunc(got, func(a, b neighbor) int { return cmp.Compare(a.distance, b.distance) }).distance
		}
	}
	for _, x := range want {
		if !has[x.row] && x.distance < limit-allowed(x.distance) {
			return "one is missing"
		}
	}
	return ""
}

// TestLimit compares limits with the rule itself, on both sides.
func TestLimit(t *testing.T) {
	r := seeds.New(t)
	for range 2000 {
		kind := entry.Kinds[r.IntN(len(entry.Kinds))]
		scale := []int64{1, 10, 1000, 1000000}[r.IntN(4)]
		d := []float64{r.Float64(), r.Float64() * 1000, float64(r.IntN(1000)), float64(r.IntN(1000)) / 10, 1e-300,
			0}[r.IntN(6)]
		if r.IntN(3) == 0 {
			d = -d
		}
		x := near.GreatestOf(kind, scale, d)
		up := x + 1
		rounded := d
		switch kind {
		case entry.KindF32:
			rounded = float64(float32(d*float64(scale))) / float64(scale)
			up = float64(math.Nextafter32(float32(x), entry.PosInf))
		case entry.KindF64:
			up = math.Nextafter(x, math.Inf(1))
		}
		if x/float64(scale) > rounded || up/float64(scale) <= rounded {
			t.Fatalf("%s, scale %d, %v: %v, and next is %v", kind, scale, d, x, up)
		}
	}
	for _, kind := range entry.Kinds {
		if x := near.GreatestOf(kind, 1, math.Inf(1)); math.IsInf(x, 0) || x <= 0 {
			t.Errorf("%s: all that can be reached is within %v", kind, x)
		}
		if x := near.GreatestOf(kind, 1, math.Inf(-1)); !math.IsInf(x, -1) {
			t.Errorf("%s: %v is within -Inf", kind, x)
		}
	}
}

// TestTinyWeights searches among weights of which 8 buckets each would be more than float64 can count.
func TestTinyWeights(t *testing.T) {
	b := graph.New(5, graph.AsKind(entry.KindF64))
	for v := range 4 {
		b.Add(v, v+1, 1e-310)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	s, err := near.NewSearcher(t.Context(), g, near.Question{Within: 2.5e-310})
	if err != nil {
		t.Fatal(err)
	}
	columns, _, err := s.Worker(t.Context()).Row(0)
	if err != nil || !slices.Equal(columns, []int32{1, 2}) {
		t.Errorf("near row 0 are %v: %v", columns, err)
	}
}

func TestSearcherRefuses(t *testing.T) {
	cycle, err := graph.New(2).Add(0, 1, 1).Add(1, 0, -2).Build()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := near.NewSearcher(context.Background(), cycle, near.Question{Within: 5}); !errors.Is(err,
		graph.ErrNegativeCycle) {
		t.Error(err)
	}
	for _, q := range []near.Question{{Within: math.NaN()}, {Nearest: -1}} {
		if _, err := near.NewSearcher(context.Background(), cycle, q); !errors.Is(err, graph.ErrOptions) {
			t.Errorf("%+v: %v", q, err)
		}
	}
}
