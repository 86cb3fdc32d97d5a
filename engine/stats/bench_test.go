package stats

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"ooc/engine"
	"ooc/engine/factors"
	"ooc/engine/graph"
	"ooc/engine/graph/gen"
	"ooc/engine/graph/read"
	"ooc/engine/internal/seeds"
	"ooc/engine/rows"
	"ooc/engine/sparse"
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
			x := newGathering(p.Meta(), Options{})
			x.reads(newStored(p))
			if err := x.pass(context.Background()); err != nil {
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

// roadFactors are those of a road network of 100,000 vertices, and some of its vertices.
func roadFactors(b *testing.B, directed bool, sources int) (*graph.Graph, *factors.Factors, tiles.RowSet) {
	b.Helper()
	var text bytes.Buffer
	if err := gen.To(b.Context(), "road", gen.Options{N: 100_000, Seed: 1}, "g.gr", &text); err != nil {
		b.Fatal(err)
	}
	g, err := read.From(&text, "g.gr", read.Options{Directed: &directed})
	if err != nil {
		b.Fatal(err)
	}
	o, err := factors.Engine{}.Offer(b.Context(), g, rows.Question{Rows: sources})
	if err != nil {
		b.Fatal(err)
	}
	ready, err := o.Prepare(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	f := ready.(*factors.Factors)
	b.Cleanup(func() { f.Close() })
	rows := make(tiles.RowSet, sources)
	for i := range rows {
		rows[i] = int32(i * g.N / sources)
	}
	return g, f, rows
}

// gatherRows takes rows of a graph through the gatherers, or through none.
func gatherRows(b *testing.B, g *graph.Graph, f *factors.Factors, sources tiles.RowSet, o *Options) {
	b.Helper()
	var none Options
	meta := &tiles.Meta{N: g.N, Kind: g.Kind, Scale: g.Scale, Directed: g.Directed, Sources: sources}
	x := newGathering(meta, *cmp.Or(o, &none))
	from, err := newComputed(f, g.Kind, sources, false, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer from.close()
	x.symmetric = !g.Directed
	x.reads(from)
	if o != nil {
		if err := x.makeGatherers(); err != nil {
			b.Fatal(err)
		}
	}
	if err := x.pass(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkOfGraph gathers statistics from 2,048 vertices. Bytes are distances.
func BenchmarkOfGraph(b *testing.B) {
	for _, directed := range []bool{false, true} {
		g, f, sources := roadFactors(b, directed, 2048)
		for name, o := range map[string]*Options{"expand": nil, "all": {}, "bins": {Bins: 50},
			"within": {Within: []float64{1000}}, "nearest": {Nearest: 10}} {
			b.Run(fmt.Sprintf("directed=%t/%s", directed, name), func(b *testing.B) {
				b.SetBytes(int64(len(sources)) * int64(g.N))
				for b.Loop() {
					gatherRows(b, g, f, sources, o)
				}
			})
		}
	}
}

// BenchmarkAgainstRows alternates statistics from 8,192 vertices with rows from them that are written to memory, as
// solves write them.
func BenchmarkAgainstRows(b *testing.B) {
	for _, directed := range []bool{false, true} {
		b.Run(fmt.Sprintf("directed=%t", directed), func(b *testing.B) {
			g, f, sources := roadFactors(b, directed, 8192)
			var took [3]time.Duration
			for b.Loop() {
				for i, do := range []func(){
					func() { writeRows(b, f, sources) },
					func() { gatherRows(b, g, f, sources, nil) },
					func() { gatherRows(b, g, f, sources, new(Options)) },
				} {
					began := time.Now()
					do()
					took[i] += time.Since(began)
				}
			}
			b.ReportMetric(float64(b.N*len(sources)*g.N)/took[2].Seconds()/1e9, "Gdist/s")
			b.ReportMetric(took[0].Seconds()/took[1].Seconds(), "times-expansion")
			b.ReportMetric(took[0].Seconds()/took[2].Seconds(), "times-all")
		})
	}
}

// writeRows writes rows to memory, as tiles: 512 at a time for each processor.
func writeRows(b *testing.B, f *factors.Factors, sources tiles.RowSet) {
	b.Helper()
	const tile = 512
	e := f.Elimination
	sources = slices.Clone(sources)
	slices.SortFunc(sources, func(u, v int32) int { return cmp.Compare(e.Rank[u], e.Rank[v]) })
	var g errgroup.Group
	for part := range slices.Chunk(sources, entry.CeilDiv(len(sources), runtime.GOMAXPROCS(0))) {
		g.Go(func() error {
			w, err := f.NewWorker(e.BatchLanes())
			if err != nil {
				return err
			}
			x := w.(*factors.Expander)
			defer x.Close()
			to := sparse.Target{Width: tile, Stride: tile * tile * entry.WordBytes, Past: true}
			to.Data = entry.Make(entry.CeilDiv(len(e.Vertices), tile) * tile * tile)
			for i := range tile {
				to.Places = append(to.Places, int64(i*tile*entry.WordBytes))
			}
			for rows := range slices.Chunk(part, tile) {
				some := to
				some.Places = to.Places[:len(rows)]
				if err := x.Rows(rows, some); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		b.Fatal(err)
	}
}
