package engine

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"ooc/engine/graph"
	"ooc/tiles"
)

// BenchmarkStats gathers the statistics of a matrix of 1 GiB in the page cache, or of the solved store that
// OOC_STATS_STORE names. read is the same pass without anything that gathers.
func BenchmarkStats(b *testing.B) {
	if dir := os.Getenv("OOC_STATS_STORE"); dir != "" {
		p, err := OpenReadOnly(dir)
		if err != nil {
			b.Fatal(err)
		}
		defer p.Close()
		benchStats(b, p)
		return
	}
	for _, kind := range []graph.Kind{graph.KindI32, graph.KindF32} {
		b.Run(string(kind), func(b *testing.B) { benchStats(b, benchProblem(b, 16384, kind)) })
	}
}

func benchStats(b *testing.B, p *Problem) {
	for _, c := range []struct {
		name string
		o    StatsOptions
	}{
		{"all", StatsOptions{}},
		{"bins", StatsOptions{Bins: 50}},
		{"within", StatsOptions{Within: []float64{1000}}},
		{"nearest", StatsOptions{Nearest: 10}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(p.geom.MatrixBytes())
			for b.Loop() {
				if _, err := p.Stats(context.Background(), c.o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("read", func(b *testing.B) {
		b.SetBytes(p.geom.MatrixBytes())
		for b.Loop() {
			if err := (&gathering{p: p}).pass(context.Background()); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// benchProblem is a store that counts as solved, of distances up to 100,000.
func benchProblem(b *testing.B, n int, kind graph.Kind) *Problem {
	b.Helper()
	g, err := graph.New(n, graph.AsKind(kind)).Add(0, 1, 1).Build()
	if err != nil {
		b.Fatal(err)
	}
	p, err := Create(filepath.Join(b.TempDir(), "x.ooc"), g, CreateOptions{Tile: 512})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { p.Close() })
	r := seeded(b)
	tile := entries(512 * 512)
	for i := range p.geom.Side() {
		for j := range p.geom.Side() {
			for k := range words32(tile) {
				if d := 1 + r.IntN(100_000); kind == graph.KindI32 {
					words[int32](tile)[k] = int32(d)
				} else {
					words[float32](tile)[k] = float32(d)
				}
			}
			if err := p.store.WriteTile(i, j, tile); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := p.store.Checkpoint(tiles.State{Done: int64(n)}); err != nil {
		b.Fatal(err)
	}
	return p
}
