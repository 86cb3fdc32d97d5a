package enginetest

import (
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/task"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// Create makes the store of a graph, which is closed when the test ends.
func Create(t testing.TB, g *graph.Graph, tile int) *engine.Problem {
	t.Helper()
	return create(t, g, engine.CreateOptions{Tile: tile})
}

// CreateUpper makes the store of one half of a symmetric graph's matrix, which is closed when the test ends.
func CreateUpper(t testing.TB, g *graph.Graph, tile int) *engine.Problem {
	t.Helper()
	return create(t, g, engine.CreateOptions{Tile: tile, Layout: tiles.Upper})
}

func create(t testing.TB, g graph.Weights, o engine.CreateOptions) *engine.Problem {
	t.Helper()
	p, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "x.ooc"), g, o)
	return untilEnd(t, p, err)
}

// untilEnd returns what was opened, which is closed when the test ends, or ends the test.
func untilEnd[C io.Closer](t testing.TB, c C, err error) C {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// Solve solves a store, or ends the test.
func Solve(t testing.TB, p *engine.Problem, o engine.Options) task.Summary {
	t.Helper()
	sum, err := p.Solve(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// Solved solves a graph with limits that do not matter.
func Solved(t testing.TB, r *rand.Rand, g *graph.Graph) *engine.Problem {
	t.Helper()
	p := Create(t, g, 64)
	Solve(t, p, RandomShape(r, g.N, 64).Of(g.Kind).Options(t))
	return p
}

// Tracked makes a store that keeps predecessors: of a graph, or of its matrix.
func Tracked(t testing.TB, r *rand.Rand, g *graph.Graph, tile int) *engine.Problem {
	t.Helper()
	o, w := engine.CreateOptions{Tile: tile}, graph.Weights(g)
	if r.IntN(2) == 0 {
		w, o = OpenMatrix(t, WriteMatrix(t, g, r.IntN(2) == 0), g.Kind, tile)
	}
	o.Predecessors = true
	return create(t, w, o)
}

// Open opens a store until the test ends.
func Open(t testing.TB, dir string) *engine.Problem {
	t.Helper()
	p, err := engine.Open(dir)
	return untilEnd(t, p, err)
}

// Arcless opens a solved store of three vertices that keeps no arcs, as one of a matrix does.
func Arcless(t testing.TB) *engine.Problem {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "x.ooc")
	matrix, err := tiles.Create(dir, tiles.Meta{N: 3, Kind: entry.KindI32, T: 64}, nil, tiles.IDs{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(matrix.Checkpoint(tiles.State{Done: 3}), matrix.Close()); err != nil {
		t.Fatal(err)
	}
	p, err := engine.OpenReadOnly(dir)
	return untilEnd(t, p, err)
}

// Filled makes a store that counts as solved and holds random entries of every sort, and returns them in
// the input's units. Its graph has one arc.
func Filled(t *testing.T, r *rand.Rand, n, tile int, kind entry.Kind, scale int64, ids graph.IDs) (*engine.Problem,
	[][]float64) {
	t.Helper()
	options := []graph.BuildOption{graph.AsKind(kind), graph.Named(ids)}
	if scale > 1 {
		options = append(options, graph.Scaled(scale))
	}
	p := Create(t, built(t, graph.New(n, options...).Add(0, min(1, n-1), 1)), tile)
	want := make([][]float64, n)
	for u := range want {
		want[u] = make([]float64, n)
	}
	side := p.Geometry().Side()
	for i := range side {
		for j := range side {
			data := kind.Make(tile * tile)
			kind.Fill(data, 0xa5a5a5a5a5a5a5a5) // what is padding must not show
			for u := i * tile; u < min((i+1)*tile, n); u++ {
				for v := j * tile; v < min((j+1)*tile, n); v++ {
					bits, d := randomEntry(r, kind)
					kind.Put(data, u%tile*tile+v%tile, bits)
					want[u][v] = d / float64(scale)
				}
			}
			if err := p.Store().WriteTile(i, j, data); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := p.Store().Checkpoint(tiles.State{Done: int64(n)}); err != nil {
		t.Fatal(err)
	}
	return p, want
}

func randomEntry(r *rand.Rand, kind entry.Kind) (bits uint64, value float64) {
	var x float64
	switch kind {
	case entry.KindI32:
		x = float64([]int32{0, r.Int32N(1000), r.Int32N(entry.Inf32), -r.Int32N(1 << 29), entry.Inf32 - 1}[r.IntN(5)])
	case entry.KindU16:
		x = float64([]int32{0, r.Int32N(1000), r.Int32N(int32(entry.Inf16)), int32(entry.Inf16) - 1}[r.IntN(4)])
	default:
		x = []float64{0, float64(r.IntN(1000)), r.Float64(), 1000 * r.Float64(), -r.Float64(),
			r.Float64() * 1e-30, r.Float64() * 1e30, 1e-45, math.MaxFloat32, 1 << 24, 0.1}[r.IntN(11)]
	}
	if r.IntN(8) == 0 {
		x = math.Inf(1)
	}
	bits = kind.Bits(x)
	return bits, kind.Value(bits)
}

// MatrixFile reads the file of distances in a folder.
func MatrixFile(t testing.TB, dir string) []byte {
	t.Helper()
	b, err := os.ReadFile(tiles.MatrixPath(dir))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Change writes an entry, and returns what it was.
func Change(t *testing.T, p *engine.Problem, u, v int, to func(was uint32) uint32) uint32 {
	t.Helper()
	edge := p.Geometry().T
	tile := entry.Make(edge * edge)
	if err := p.Store().ReadTile(tile, u/edge, v/edge); err != nil {
		t.Fatal(err)
	}
	at := &entry.View[uint32](tile)[u%edge*edge+v%edge]
	was := *at
	*at = to(was)
	if err := p.Store().WriteTile(u/edge, v/edge, tile); err != nil {
		t.Fatal(err)
	}
	return was
}
