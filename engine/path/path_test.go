package path

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/graph/read"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// checkPath follows a path along the arcs of the graph.
func checkPath(t *testing.T, g *graph.Graph, path Route, u, v int, want float64) {
	t.Helper()
	if math.IsInf(want, 1) {
		if path.Reachable() || !math.IsInf(path.Length, 1) {
			t.Fatalf("%d to %d: %+v, though there is none", u, v, path)
		}
		return
	}
	x, sum, magnitude, seen := u, 0.0, 0.0, map[int32]bool{}
	for i, y := range path.Vertices {
		if seen[y] {
			t.Fatalf("%d to %d: vertex %d twice in %v", u, v, y, path.Vertices)
		}
		seen[y] = true
		if i > 0 {
			k := g.Find(x, int(y))
			if k < 0 || g.Weight(k)/float64(g.Scale) != path.Weights[i-1] {
				t.Fatalf("%d to %d: arc %d of %v, weight %v, is none of the graph's", u, v, i, path.Vertices,
					path.Weights[i-1])
			}
			sum += g.Weight(k)
			magnitude += math.Abs(g.Weight(k))
		} else if int(y) != u {
			t.Fatalf("%d to %d: begins at %d", u, v, y)
		}
		x = int(y)
	}
	if x != v || len(path.Weights) != len(path.Vertices)-1 {
		t.Fatalf("%d to %d: %d vertices, %d weights, ends at %d", u, v, len(path.Vertices), len(path.Weights), x)
	}
	allowed := g.Kind.AllowedRounding(len(path.Weights), magnitude)
	said := path.Length * float64(g.Scale)
	if math.Abs(sum-want) > allowed || math.Abs(said-sum) > 1e-9*magnitude {
		t.Fatalf("%d to %d: length %v, said to be %v, distance %v", u, v, sum, said, want)
	}
}

// TestPaths follows the path of every pair of random graphs, many of them full of cycles of length 0.
func TestPaths(t *testing.T) {
	r := seeds.New(t)
	for _, c := range enginetest.EveryKind {
		for round := range 6 {
			n := 2 + r.IntN(90)
			g := enginetest.ZeroLaden(t, r, n, c.Kind, c.Negative)
			if round%2 == 0 {
				g = enginetest.RandomGraph(t, r, n, c.Kind, c.Negative)
			}
			p := enginetest.Solved(t, r, g)
			var pairs [][2]int
			for range n * n {
				pairs = append(pairs, [2]int{r.IntN(n), r.IntN(n)})
			}
			paths := walked(t, p, pairs)
			search, from := graph.NewSearch(g), make([][]float64, n)
			for i, pair := range pairs {
				if u := pair[0]; from[u] == nil {
					from[u] = append([]float64{}, search.From(u)...)
				}
				checkPath(t, g, paths[i], pair[0], pair[1], from[pair[0]][pair[1]])
			}
		}
	}
}

// TestPathRounding has f32 weights so small beside the distances that additions lose them: what is tight then is
// not what is shortest.
func TestPathRounding(t *testing.T) {
	r := seeds.New(t)
	for range 4 {
		n := 20 + r.IntN(60)
		b := graph.New(n, graph.AsKind(entry.KindF32))
		for i := range n - 1 {
			b.Add(i, i+1, math.Exp(20*r.Float64()-10))
		}
		for range 3 * n {
			if u, v := r.IntN(n), r.IntN(n); u != v {
				b.Add(u, v, math.Exp(30*r.Float64()-20))
			}
		}
		g, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		p := enginetest.Solved(t, r, g)
		w, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		for u := range n {
			for v := range n {
				path, err := w.Between(u, v)
				if err != nil {
					t.Fatal(err)
				}
				// The stored distance, which a path is near to. That may itself be so far from what a search in
				// float64 finds.
				stored, err := p.Distance(u, v)
				if err != nil {
					t.Fatal(err)
				}
				checkPath(t, g, path, u, v, stored*float64(g.Scale))
			}
		}
	}
}

// between finds a path by a new walk.
func between(p *engine.Problem, u, v int) (Route, error) {
	w, err := New(p)
	if err != nil {
		return Route{}, err
	}
	return w.Between(u, v)
}

func TestPathErrors(t *testing.T) {
	r := seeds.New(t)
	g, err := graph.New(3).Add(0, 1, 5).Add(1, 2, 2).Build()
	if err != nil {
		t.Fatal(err)
	}
	p := enginetest.Create(t, g, 64)
	if _, err := between(p, 0, 1); !errors.Is(err, engine.ErrUnsolved) {
		t.Errorf("before it is solved: %v", err)
	}
	enginetest.Solve(t, p, enginetest.RandomShape(r, 3, 64).Options(t))
	for _, pair := range [][2]int{{3, 0}, {0, 3}, {-1, 0}, {0, -1}} {
		if _, err := between(p, pair[0], pair[1]); !errors.Is(err, graph.ErrNoVertex) {
			t.Errorf("%v: %v", pair, err)
		}
	}
	if path, err := between(p, 1, 1); err != nil || len(path.Vertices) != 1 || path.Length != 0 {
		t.Errorf("from a vertex to itself: %+v, %v", path, err)
	}
	tile := entry.Make(64 * 64)
	if err := p.Store().ReadTile(tile, 0, 0); err != nil {
		t.Fatal(err)
	}
	entry.View[uint32](tile)[2]-- // 0 to 2
	if err := p.Store().WriteTile(0, 0, tile); err != nil {
		t.Fatal(err)
	}
	if _, err := between(p, 0, 2); !errors.Is(err, engine.ErrWrong) || !strings.Contains(err.Error(), "from 0 to 2") {
		t.Errorf("a distance that no arcs make: %v", err)
	}
	d := enginetest.Arcless(t)
	if _, err := between(d, 0, 1); !errors.Is(err, tiles.ErrNoCSR) {
		t.Errorf("without arcs: %v", err)
	}
}

// TestPathScaledF32: rounding is a matter of the stored units, not of the input's.
func TestPathScaledF32(t *testing.T) {
	r := seeds.New(t)
	b := graph.New(200, graph.AsKind(entry.KindF32), graph.Scaled(1000))
	for v := range 199 {
		b.Add(v, v+1, float64(1+r.IntN(9999))/1000).Add(v+1, v, float64(1+r.IntN(9999))/1000)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	p := enginetest.Solved(t, r, g)
	for range 100 {
		u, v := r.IntN(g.N), r.IntN(g.N)
		path, err := between(p, u, v)
		if err != nil {
			t.Fatal(err)
		}
		want, err := p.Distance(u, v)
		if err != nil {
			t.Fatal(err)
		}
		if len(path.Weights) != max(u-v, v-u) || math.Abs(path.Length-want) > 1e-5*want {
			t.Fatalf("%d to %d: %d arcs of length %v, want %v", u, v, len(path.Weights), path.Length, want)
		}
	}
}

// BenchmarkPathsRome answers 100,000 path queries of the bundled road network an operation.
func BenchmarkPathsRome(b *testing.B) {
	r := seeds.New(b)
	p, g := romeStore(b)
	pairs := make([][2]int, 100_000)
	for i := range pairs {
		pairs[i] = [2]int{r.IntN(g.N), r.IntN(g.N)}
	}
	arcs := 0
	for b.Loop() {
		paths := walked(b, p, pairs)
		arcs = 0
		for i := range paths {
			arcs += len(paths[i].Weights)
		}
	}
	b.ReportMetric(float64(len(pairs)*b.N)/b.Elapsed().Seconds(), "paths/s")
	b.ReportMetric(float64(arcs)/float64(len(pairs)), "arcs/path")
}

// romeStore solves the bundled road network.
func romeStore(t testing.TB) (*engine.Problem, *graph.Graph) {
	t.Helper()
	g, _, _, err := read.Open(filepath.Join("..", "graph", "testdata", "rome99.gr"), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := enginetest.Create(t, g, 0)
	enginetest.Solve(t, p, engine.Options{Device: enginetest.Shape{Tile: p.Geometry().T,
		Slots: 4096}.Options(t).Device})
	return p, g
}

// TestFactorPaths finds paths in stores that keep factors, several from each source: from their arcs where all
// weights are positive integers, and by a walk over the graph's where some are 0. Small weights make many shortest
// paths between two vertices.
func TestFactorPaths(t *testing.T) {
	r := seeds.New(t)
	for round := range 8 {
		n := 200 + r.IntN(300)
		options := []graph.BuildOption{}
		if round%2 == 0 {
			options = append(options, graph.Undirected)
		}
		least := 1
		if round >= 6 {
			least = 0
		}
		b := graph.New(n, options...)
		for u := range n {
			for range 2 {
				if v := r.IntN(n); v != u {
					b.Add(u, v, float64(least+r.IntN(1+round)))
				}
			}
			b.Add(u, (u+1)%n, float64(1+r.IntN(9)))
		}
		g, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		d, err := cpu.Open(cpu.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "f.ooc"), g,
			engine.CreateOptions{Layout: tiles.Factors})
		if err != nil {
			t.Fatal(err)
		}
		enginetest.Solve(t, p, engine.Options{Device: d})
		w, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		search := graph.NewSearch(g)
		for range 50 {
			u := r.IntN(n)
			from := search.From(u)
			for range 3 {
				v := r.IntN(n)
				path, err := w.Between(u, v)
				if err != nil {
					t.Fatal(err)
				}
				checkPath(t, g, path, u, v, from[v])
			}
		}
		if walked := w.walk > 0; walked != (least == 0) {
			t.Errorf("weights from %d: walked over the graph: %t", least, walked)
		}
		if err := errors.Join(p.Close(), d.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// walked returns a shortest path for each pair of rows.
func walked(t testing.TB, p *engine.Problem, pairs [][2]int) []Route {
	t.Helper()
	w, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	paths, err := w.All(context.Background(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	return paths
}
