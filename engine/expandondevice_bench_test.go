package engine_test

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"ooc/engine"
	"ooc/engine/device"
	"ooc/engine/device/registry"
	"ooc/engine/eliminate"
	"ooc/engine/graph"
	"ooc/engine/graph/gen"
	"ooc/engine/graph/read"
	"ooc/engine/internal/enginetest"
	"ooc/engine/plan"
	"ooc/engine/sparse"
	"ooc/engine/task"
	"ooc/kernels"
)

// benchVertices is how many vertices BenchmarkExpandToNowhere expands, all of them as sources, unless OOC_BENCH_N says.
const benchVertices = 110000

// benchDevices are the devices of which BenchmarkExpandToNowhere takes one after another, unless OOC_BENCH_DEVICES
// says.
const benchDevices = "cuda:0"

// BenchmarkExpandToNowhere solves a graph like a road network on GPUs, but for that its rows of tiles are dropped
// where others would be written: what is left is bound by the copies from the GPU, which are timed in the same run,
// as many bytes from the page-locked memory of one GPU to page-locked memory. The store's space is reserved all the
// same, where TMPDIR says. OOC_BENCH_DEVICES="cuda:0 cuda:0,1" compares one GPU with two.
func BenchmarkExpandToNowhere(b *testing.B) {
	if enginetest.GPU(b, 1<<20) == nil {
		b.Skip("there is no GPU")
	}
	g := road(b)
	for _, name := range strings.Fields(cmp.Or(os.Getenv("OOC_BENCH_DEVICES"), benchDevices)) {
		b.Run(name, func(b *testing.B) { benchExpandToNowhere(b, g, name) })
	}
}

func benchExpandToNowhere(b *testing.B, g *graph.Graph, name string) {
	d, _, err := registry.Open(name, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			b.Error(err)
		}
	}()
	c, err := engine.Choose(b.Context(), g, d, plan.Request{Algorithm: eliminate.Name}) // as for a solve, which writes
	if err != nil {
		b.Fatal(err)
	}
	defer engine.ChangeElimination(func(o *eliminate.Algorithm) { o.Sink = func(int, []byte) error { return nil } })()
	var p *engine.Problem
	var sum task.Summary
	for range b.N {
		dir := b.TempDir()
		if p, err = engine.Create(b.Context(), filepath.Join(dir, "x.ooc"), g,
			engine.CreateOptions{Tile: c.Tile, Choice: c}); err != nil {
			b.Fatal(err)
		}
		if sum, err = p.Solve(b.Context(), engine.Options{Device: d, Checkpoint: time.Hour}); err != nil {
			b.Fatal(err)
		}
		if err := errors.Join(p.Close(), os.RemoveAll(dir)); err != nil {
			b.Fatal(err)
		}
	}
	if plan.Of[*eliminate.Plan](sum.Plans).Lanes == 0 {
		b.Fatal("the processor expanded")
	}
	bytes := int64(p.Geometry().Down()) * int64(p.Geometry().Side()) * p.Geometry().TileBytes()
	floor := linkSeconds(b, device.Each(d)[0], bytes, int64(p.Geometry().Side())*p.Geometry().TileBytes())
	b.ReportMetric(sum.EliminateSeconds, "eliminate-s")
	b.ReportMetric(sum.CoreSeconds, "core-s")
	b.ReportMetric(sum.ExpandSeconds, "expand-s")
	b.ReportMetric(sum.SetupSeconds, "setup-s")
	b.ReportMetric(floor, "link-s")
	b.ReportMetric(sum.ExpandSeconds/floor, "expand/link")
	b.ReportMetric((sum.EliminateSeconds+sum.CoreSeconds+sum.ExpandSeconds)/floor, "all/link")
	b.Logf("%d vertices, core %d, tiles of %d, %d batches of %d lanes: %.2f GB in %.3f s, link alone %.3f s (%.1f "+
		"GB/s); plan: %+v",
		g.N, plan.Of[*eliminate.Plan](sum.Plans).Core, p.Geometry().T, plan.Of[*eliminate.Plan](sum.Plans).Batches,
		plan.Of[*eliminate.Plan](sum.Plans).Lanes, float64(bytes)/1e9, sum.ExpandSeconds, floor,
		float64(bytes)/floor/1e9, *c.Plan.(*eliminate.Plan))
}

// BenchmarkBatch times a batch on the GPU, copies left out, with cores and batches of several sizes.
func BenchmarkBatch(b *testing.B) {
	d := enginetest.GPU(b, 0)
	if d == nil {
		b.Skip("there is no GPU")
	}
	g := road(b)
	order, err := sparse.NewOrder(b.Context(), g, sparse.OrderOptions{})
	if err != nil {
		b.Fatal(err)
	}
	for _, core := range []int{0, 1024, 2048, 4096, 8192} {
		e, err := order.Eliminate(b.Context(), g, g.N-core)
		if err != nil {
			b.Fatal(err)
		}
		w, err := e.NewDeviceExpander(d,
			&sparse.DenseCore{Variant: e.Variant, Size: core, Pitch: core, Matrix: make([]uint32, core*core)}, 128)
		if err != nil {
			b.Fatal(err)
		}
		for _, lanes := range []int{512, 1024, 2048, 4096} {
			b.Run(fmt.Sprintf("core=%d/lanes=%d", core, lanes), func(b *testing.B) { benchBatch(b, w, e, lanes) })
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func benchBatch(b *testing.B, w *sparse.DeviceExpander, e *sparse.Elimination, lanes int) {
	batch, err := w.NewBatch(lanes)
	if err != nil {
		b.Fatal(err)
	}
	defer batch.Close()
	n := len(e.Vertices)
	sources := make([]int32, lanes)
	for i := range sources {
		sources[i] = int32(i * (n / lanes))
	}
	for b.Loop() {
		if err := batch.Rows(sources); err != nil {
			b.Fatal(err)
		}
		if err := batch.Sync(); err != nil {
			b.Fatal(err)
		}
	}
	seconds := b.Elapsed().Seconds() / float64(b.N)
	core := float64(e.Core())
	b.ReportMetric(float64(lanes*n)/seconds/1e9, "Gdist/s")
	b.ReportMetric(float64(lanes)*(float64(len(e.Up.Ends)+len(e.Down.Ends))+core*core)/seconds/1e9, "Grelax/s")
}

// road generates a graph like a road network.
func road(b *testing.B) *graph.Graph {
	b.Helper()
	n := benchVertices
	if s := os.Getenv("OOC_BENCH_N"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			b.Fatal(err)
		}
	}
	return generate(b, "road", gen.Options{N: int64(n), Seed: 1})
}

// generate makes a graph by way of its text.
func generate(t testing.TB, kind string, o gen.Options) *graph.Graph {
	t.Helper()
	path := filepath.Join(t.TempDir(), "g.gr")
	if err := gen.File(t.Context(), kind, o, path); err != nil {
		t.Fatal(err)
	}
	g, _, _, err := read.Open(path, read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// linkSeconds times copies of so many bytes from the device, piece by piece, round and round in page-locked memory.
func linkSeconds(b *testing.B, d kernels.Device, bytes, piece int64) float64 {
	b.Helper()
	const pieces = 8
	buf, err := d.Alloc(piece)
	if err != nil {
		b.Fatal(err)
	}
	host, err := d.AllocHost(pieces * piece)
	if err != nil {
		b.Fatal(err)
	}
	s, err := d.NewStream()
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		for _, err := range []error{s.Close(), d.FreeHost(host), buf.Free()} {
			if err != nil {
				b.Error(err)
			}
		}
	}()
	began := time.Now()
	for i := range bytes / piece {
		at := i % pieces * piece
		if err := s.CopyOut(host[at:at+piece], kernels.Tile{Buf: buf}); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Sync(); err != nil {
		b.Fatal(err)
	}
	return time.Since(began).Seconds()
}
