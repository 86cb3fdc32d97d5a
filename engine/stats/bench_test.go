package stats

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"ooc/engine"
	"ooc/engine/factors"
	"ooc/engine/graph"
	"ooc/engine/graph/gen"
	"ooc/engine/graph/read"
	"ooc/engine/internal/seeds"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// BenchmarkStats gathers the statistics of a matrix of 1 GiB in the page cache, or of the solved store that
// OOC_STATS_STORE names. read is the same pass without anything that gathers.
func BenchmarkStats(b *testing.B) {
	if dir := os.Getenv("OOC_STATS_STORE"); dir != "" {
		p, err := engine.OpenReadOnly(dir)
		if err != nil {
			b.Fatal(err)
		}
		defer p.Close()
		benchStats(b, p)
		return
	}
	for _, kind := range []entry.Kind{entry.KindI32, entry.KindF32} {
		b.Run(string(kind), func(b *testing.B) { benchStats(b, benchProblem(b, 16384, kind)) })
	}
}

func benchStats(b *testing.B, p *engine.Problem) {
	for _, c := range []struct {
		name string
		o    Options
	}{
		{"all", Options{}},
		{"bins", Options{Bins: 50}},
		{"within", Options{Within: []float64{1000}}},
		{"nearest", Options{Nearest: 10}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(p.Geometry().MatrixBytes())
			for b.Loop() {
				if _, err := Of(context.Background(), p, c.o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("read", func(b *testing.B) {
		b.SetBytes(p.Geometry().MatrixBytes())
		for b.Loop() {
			if err := (&gathering{from: newStored(p)}).pass(context.Background()); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// benchProblem is a store that counts as solved, of distances up to 100,000.
func benchProblem(b *testing.B, n int, kind entry.Kind) *engine.Problem {
	b.Helper()
	g, err := graph.New(n, graph.AsKind(kind)).Add(0, 1, 1).Build()
	if err != nil {
		b.Fatal(err)
	}
	p, err := engine.Create(b.Context(), filepath.Join(b.TempDir(), "x.ooc"), g, engine.CreateOptions{Tile: 512})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { p.Close() })
	r := seeds.New(b)
	tile := entry.Make(512 * 512)
	for i := range p.Geometry().Side() {
		for j := range p.Geometry().Side() {
			for k := range entry.View[uint32](tile) {
				if d := 1 + r.IntN(100_000); kind == entry.KindI32 {
					entry.View[int32](tile)[k] = int32(d)
				} else {
					entry.View[float32](tile)[k] = float32(d)
				}
			}
			if err := p.Store().WriteTile(i, j, tile); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := p.Store().Checkpoint(tiles.State{Done: int64(n)}); err != nil {
		b.Fatal(err)
	}
	return p
}

// BenchmarkOfGraph gathers statistics of a road network of 100,000 vertices, from 2,048 of them. Bytes are distances.
func BenchmarkOfGraph(b *testing.B) {
	var text bytes.Buffer
	if err := gen.To(b.Context(), "road", gen.Options{N: 100_000, Seed: 1}, "g.gr", &text); err != nil {
		b.Fatal(err)
	}
	undirected := false
	g, err := read.From(&text, "g.gr", read.Options{Directed: &undirected})
	if err != nil {
		b.Fatal(err)
	}
	f, err := factors.Make(b.Context(), g, factors.Options{Steady: true})
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	sources := make(tiles.RowSet, 2048)
	for i := range sources {
		sources[i] = int32(i * (g.N / len(sources)))
	}
	for name, o := range map[string]Options{"expand": {}, "all": {}, "bins": {Bins: 50}, "within": {Within: []float64{1000}}, "nearest": {Nearest: 10}} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(sources)) * int64(g.N))
			for b.Loop() {
				x := newGathering(newExpanded(f, sources, 0), &tiles.Meta{N: g.N, Kind: g.Kind, Scale: g.Scale}, o)
				x.symmetric, x.vertices = true, f.Elimination.Vertices
				if name != "expand" {
					if err := x.makeGatherers(); err != nil {
						b.Fatal(err)
					}
				}
				if err := x.pass(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
