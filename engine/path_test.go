package engine

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"ooc/engine/graph"
	"ooc/tiles"
)

// zeroLaden makes a graph full of cycles of length 0: of arcs of weight 0, and where negative is set of arcs of
// both signs that cancel out.
func zeroLaden(t testing.TB, r *rand.Rand, n int, kind graph.Kind, negative bool) *graph.Graph {
	t.Helper()
	b := graph.New(n, graph.AsKind(kind))
	potential := make([]float64, n)
	for i := range potential {
		if negative {
			potential[i] = float64(r.IntN(50))
		}
	}
	for range 1 + r.IntN(4*n) {
		if u, v := r.IntN(n), r.IntN(n); u != v {
			b.Add(u, v, float64(r.IntN(3)*r.IntN(2))+potential[u]-potential[v])
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// solvedStore solves a graph with limits that do not matter.
func solvedStore(t testing.TB, r *rand.Rand, g *graph.Graph) *Problem {
	t.Helper()
	p := create(t, g, 64)
	mustSolve(t, p, randomSolve(r, g.N, 64).open(t))
	return p
}

// arcless opens a solved store of three vertices that keeps no arcs, as one of a matrix does.
func arcless(t testing.TB) *Problem {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "x.ooc")
	dense, err := tiles.Create(dir, tiles.Meta{N: 3, Kind: tiles.I32, T: 64}, nil, tiles.IDs{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(dense.Checkpoint(tiles.State{Done: 3}), dense.Close()); err != nil {
		t.Fatal(err)
	}
	p, err := OpenReadOnly(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// checkPath follows a path along the arcs of the graph.
func checkPath(t *testing.T, g *graph.Graph, path Path, u, v int, want float64) {
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
				t.Fatalf("%d to %d: arc %d of %v, weight %v, is none of the graph's", u, v, i, path.Vertices, path.Weights[i-1])
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
	allowed := 0.0
	if g.Kind == graph.KindF32 {
		allowed = allowedRounding(len(path.Weights), magnitude)
	}
	said := path.Length * float64(g.Scale)
	if math.Abs(sum-want) > allowed || math.Abs(said-sum) > 1e-9*magnitude {
		t.Fatalf("%d to %d: length %v, said to be %v, distance %v", u, v, sum, said, want)
	}
}

// TestPaths follows the path of every pair of random graphs, many of them full of cycles of length 0.
func TestPaths(t *testing.T) {
	r := seeded(t)
	for _, c := range everyKind {
		for round := range 6 {
			n := 2 + r.IntN(90)
			g := zeroLaden(t, r, n, c.kind, c.negative)
			if round%2 == 0 {
				g = randomGraph(t, r, n, c.kind, c.negative)
			}
			p := solvedStore(t, r, g)
			var pairs [][2]int
			for range n * n {
				pairs = append(pairs, [2]int{r.IntN(n), r.IntN(n)})
			}
			paths, err := p.Paths(context.Background(), pairs)
			if err != nil {
				t.Fatal(err)
			}
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
	r := seeded(t)
	for range 4 {
		n := 20 + r.IntN(60)
		b := graph.New(n, graph.AsKind(graph.KindF32))
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
		p := solvedStore(t, r, g)
		w, err := p.Walker()
		if err != nil {
			t.Fatal(err)
		}
		search := graph.NewSearch(g)
		for u := range n {
			want := append([]float64{}, search.From(u)...)
			for v := range n {
				path, err := w.Between(u, v)
				if err != nil {
					t.Fatal(err)
				}
				checkPath(t, g, path, u, v, want[v])
			}
		}
	}
}

func TestPathErrors(t *testing.T) {
	r := seeded(t)
	g, err := graph.New(3).Add(0, 1, 5).Add(1, 2, 2).Build()
	if err != nil {
		t.Fatal(err)
	}
	p := create(t, g, 64)
	if _, err := p.Path(0, 1); !errors.Is(err, ErrUnsolved) {
		t.Errorf("before it is solved: %v", err)
	}
	mustSolve(t, p, randomSolve(r, 3, 64).open(t))
	for _, pair := range [][2]int{{3, 0}, {0, 3}, {-1, 0}, {0, -1}} {
		if _, err := p.Path(pair[0], pair[1]); !errors.Is(err, ErrNoVertex) {
			t.Errorf("%v: %v", pair, err)
		}
	}
	if path, err := p.Path(1, 1); err != nil || len(path.Vertices) != 1 || path.Length != 0 {
		t.Errorf("from a vertex to itself: %+v, %v", path, err)
	}
	tile := entries(64 * 64)
	if err := p.store.ReadTile(tile, 0, 0); err != nil {
		t.Fatal(err)
	}
	words32(tile)[2]-- // 0 to 2
	if err := p.store.WriteTile(0, 0, tile); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Path(0, 2); !errors.Is(err, ErrWrong) || !strings.Contains(err.Error(), "from 0 to 2") {
		t.Errorf("a distance that no arcs make: %v", err)
	}
	d := arcless(t)
	if _, err := d.Path(0, 1); !errors.Is(err, tiles.ErrNoCSR) {
		t.Errorf("without arcs: %v", err)
	}
}

// TestPathScaledF32: rounding is a matter of the stored units, not of the input's.
func TestPathScaledF32(t *testing.T) {
	r := seeded(t)
	b := graph.New(200, graph.AsKind(graph.KindF32), graph.Scaled(1000))
	for v := range 199 {
		b.Add(v, v+1, float64(1+r.IntN(9999))/1000).Add(v+1, v, float64(1+r.IntN(9999))/1000)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	p := solvedStore(t, r, g)
	for range 100 {
		u, v := r.IntN(g.N), r.IntN(g.N)
		path, err := p.Path(u, v)
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
	r := seeded(b)
	p, g := romeStore(b)
	pairs := make([][2]int, 100_000)
	for i := range pairs {
		pairs[i] = [2]int{r.IntN(g.N), r.IntN(g.N)}
	}
	arcs := 0
	for b.Loop() {
		paths, err := p.Paths(context.Background(), pairs)
		if err != nil {
			b.Fatal(err)
		}
		arcs = 0
		for i := range paths {
			arcs += len(paths[i].Weights)
		}
	}
	b.ReportMetric(float64(len(pairs)*b.N)/b.Elapsed().Seconds(), "paths/s")
	b.ReportMetric(float64(arcs)/float64(len(pairs)), "arcs/path")
}

// romeStore solves the bundled road network.
func romeStore(t testing.TB) (*Problem, *graph.Graph) {
	t.Helper()
	g, _, err := graph.ReadFile(filepath.Join("graph", "testdata", "rome99.gr"), graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := create(t, g, 0)
	mustSolve(t, p, Options{Device: shape{tile: p.geom.T, slots: 4096}.open(t).Device})
	return p, g
}
