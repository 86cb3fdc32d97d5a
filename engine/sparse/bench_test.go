package sparse

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"ooc/engine/graph"
	"ooc/engine/graph/gen"
	"ooc/kernels"
	"ooc/kernels/cpu"
)

// benchGraphs are the graphs that the benchmarks run on, the same in every run.
var benchGraphs = []struct {
	name string
	make func(b *testing.B) *graph.Graph
}{
	{"cal", func(b *testing.B) *graph.Graph { return california(b, 0) }},
	{"road100k", func(b *testing.B) *graph.Graph {
		return generated(b, "road", gen.Options{N: 100000, Seed: 1})
	}},
	{"road100k-undirected", func(b *testing.B) *graph.Graph {
		return generated(b, "road", gen.Options{N: 100000, Seed: 1, Undirected: true})
	}},
	{"road1M", func(b *testing.B) *graph.Graph {
		return generated(b, "road", gen.Options{N: 1000000, Seed: 1})
	}},
	{"road1M-undirected", func(b *testing.B) *graph.Graph {
		return generated(b, "road", gen.Options{N: 1000000, Seed: 1, Undirected: true})
	}},
}

func BenchmarkOrder(b *testing.B) {
	for _, in := range benchGraphs {
		b.Run(in.name, func(b *testing.B) {
			g := in.make(b)
			var o *Order
			for b.Loop() {
				o = mustOrder(b, g, OrderOptions{})
			}
			b.ReportMetric(float64(o.At(g.N).Fill)/float64(g.N), "arcs/vertex")
		})
	}
}

func BenchmarkEliminate(b *testing.B) {
	for _, in := range benchGraphs {
		b.Run(in.name, func(b *testing.B) {
			g := in.make(b)
			o := mustOrder(b, g, OrderOptions{Seconds: estimate})
			w := mustBest(b, o)
			for b.Loop() {
				if _, err := o.Eliminate(b.Context(), g, w.Eliminated); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(w.Core), "core")
			b.ReportMetric(w.Eliminate*float64(b.N)/b.Elapsed().Seconds()/1e9, "Grelax/s")
		})
	}
}

// BenchmarkRows expands 512 sources, a row of tiles, per thread and operation.
func BenchmarkRows(b *testing.B) {
	for _, in := range benchGraphs[:3] {
		b.Run(in.name, func(b *testing.B) {
			g := in.make(b)
			d := openCPU(b, cpu.Options{})
			o := mustOrder(b, g, OrderOptions{Seconds: estimate})
			e, err := o.Eliminate(b.Context(), g, mustBest(b, o).Eliminated)
			if err != nil {
				b.Fatal(err)
			}
			core, err := e.CloseCore(b.Context(), d, d, false)
			if err != nil {
				b.Fatal(err)
			}
			for _, lanes := range []int{16, batchLanes} {
				for _, threads := range []int{1, 2} {
					b.Run(fmt.Sprintf("lanes=%d/threads=%d", lanes, threads),
						func(b *testing.B) { benchRows(b, e, core, d, lanes, threads) })
				}
			}
		})
	}
}

func benchRows(b *testing.B, e *Elimination, core coreRows, d *cpu.Device, lanes, threads int) {
	expand := expansion(b, e, core, d, lanes, threads, false)
	for b.Loop() {
		expand()
	}
	b.ReportMetric(float64(len(e.Vertices)*benchTile*threads*b.N)/b.Elapsed().Seconds()/1e6, "Mdist/s")
}

// BenchmarkLanes alternates rows by vertex, written to memory, with the same rows in lanes, by rank, which are not
// moved.
func BenchmarkLanes(b *testing.B) {
	for _, in := range benchGraphs[:3] {
		b.Run(in.name, func(b *testing.B) {
			g := in.make(b)
			d := openCPU(b, cpu.Options{})
			o := mustOrder(b, g, OrderOptions{Seconds: estimate})
			e, err := o.Eliminate(b.Context(), g, mustBest(b, o).Eliminated)
			if err != nil {
				b.Fatal(err)
			}
			core, err := e.CloseCore(b.Context(), d, d, false)
			if err != nil {
				b.Fatal(err)
			}
			threads := runtime.GOMAXPROCS(0)
			byVertex := expansion(b, e, core, d, batchLanes, threads, false)
			byRank := expansion(b, e, core, d, batchLanes, threads, true)
			var took [2]time.Duration
			for b.Loop() {
				for i, expand := range []func(){byVertex, byRank} {
					began := time.Now()
					expand()
					took[i] += time.Since(began)
				}
			}
			b.ReportMetric(float64(g.N*benchTile*threads*b.N)/took[1].Seconds()/1e6, "Mdist/s")
			b.ReportMetric(took[0].Seconds()/took[1].Seconds(), "times")
		})
	}
}

const benchTile = 512

// expansion returns a function that expands 512 sources in each of some threads, to rows or in lanes.
func expansion(b *testing.B, e *Elimination, core coreRows, d *cpu.Device, lanes, threads int, inLanes bool) func() {
	n := len(e.Vertices)
	memory := func(bytes int64) []byte {
		m, err := d.AllocHost(bytes)
		if err != nil {
			b.Fatal(err)
		}
		clear(m)
		b.Cleanup(func() { _ = d.FreeHost(m) })
		return m
	}
	var run []func() error
	for thread := range threads {
		x, err := e.NewExpander(d, core, lanes, memory(e.ScratchBytes(lanes)))
		if err != nil {
			b.Fatal(err)
		}
		to := Target{Width: benchTile, Stride: benchTile * benchTile * 4, Past: true}
		if !inLanes {
			to.Data = memory(int64((n+benchTile-1)/benchTile) * to.Stride)
		}
		sources := make([]int32, benchTile)
		for i := range sources {
			sources[i] = int32((thread*n/2 + i) % n)
			to.Places = append(to.Places, int64(i*benchTile*4))
		}
		run = append(run, func() error {
			if inLanes {
				return x.Lanes(sources, func([]int32, int, kernels.Lanes) error { return nil })
			}
			return x.Rows(sources, to)
		})
	}
	return func() {
		var g errgroup.Group
		for _, f := range run {
			g.Go(f)
		}
		if err := g.Wait(); err != nil {
			b.Fatal(err)
		}
	}
}
