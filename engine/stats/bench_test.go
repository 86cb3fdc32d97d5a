package stats

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"ooc/engine"
	"ooc/engine/graph"
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
			if err := (&gathering{p: p}).pass(context.Background()); err != nil {
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
