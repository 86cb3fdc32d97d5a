package engine_test

import (
	"errors"
	"path/filepath"
	"runtime"
	"testing"

	"ooc/engine"
	"ooc/engine/device"
	"ooc/engine/eliminate"
	"ooc/engine/graph"
	"ooc/engine/graph/gen"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/plan"
	"ooc/engine/prove"
	"ooc/engine/rounds"
	"ooc/kernels"
	"ooc/kernels/conformance"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/crashtest"
	"ooc/tiles/disk"
)

// TestExpandsOnDevice expands where the device can, and has room for a row of tiles, and by the processor elsewhere:
// the bytes are the same.
func TestExpandsOnDevice(t *testing.T) {
	crashtest.Slow(t)
	r := seeds.New(t)
	expandThere(t)
	for _, k := range enginetest.EveryKind {
		g := enginetest.RandomGraph(t, r, 380+r.IntN(60), k.Kind, k.Negative)
		stores := map[string]*engine.Problem{}
		for name, where := range map[string]struct {
			levels   bool
			memory   int64
			devices  int
			onDevice bool
		}{
			"processor":     {false, 64 << 20, 1, false},
			"device":        {true, 64 << 20, 1, true},
			"little device": {true, 200 << 10, 1, false},
			"three devices": {true, 64 << 20, 3, true},
		} {
			var all []kernels.Device
			for range where.devices {
				d, err := cpu.Open(cpu.Options{Memory: where.memory + cpuScratch(t)})
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, d)
				if where.levels {
					all[len(all)-1] = conformance.WithLaneOps(d)
				}
			}
			o := engine.Options{Device: device.Several(all), Request: plan.Request{Algorithm: eliminate.Name}}
			p := enginetest.Create(t, g, 64)
			sum := enginetest.Solve(t, p, o)
			if (plan.Of[*eliminate.Plan](sum.Plans).Lanes > 0) != where.onDevice ||
				plan.Of[*eliminate.Plan](sum.Plans).DeviceBytes > int64(where.devices)*where.memory ||
				where.onDevice && plan.Of[*eliminate.Plan](sum.Plans).Batches < where.devices {
				t.Errorf("%s: %+v", name, *plan.Of[*eliminate.Plan](sum.Plans))
			}
			verifyAll(t, p)
			if err := o.Device.Close(); err != nil {
				t.Fatal(err)
			}
			stores[name] = p
		}
		if k.Kind == entry.KindI32 {
			for name, p := range stores {
				if !sameBytes(t, p, stores["processor"]) {
					t.Errorf("%s: other bytes than the processor's", name)
				}
			}
		}
	}
}

// TestChangedOnTheWay changes rows of tiles between the device and host memory: scrub finds that, since they were
// summed before.
func TestChangedOnTheWay(t *testing.T) {
	crashtest.Slow(t)
	r := seeds.New(t)
	expandThere(t)
	d := levelDevice(t)
	g := enginetest.RandomGraph(t, r, 380+r.IntN(60), entry.KindI32, false)
	tile := 64 * (1 + r.IntN(3)) // of one to three strips, each with a checksum
	rows := entry.CeilDiv(g.N, tile)
	solve := func(s *slip) *engine.Problem {
		p := enginetest.Create(t, g, tile)
		enginetest.Solve(t, p, engine.Options{Device: s.slips(d), Request: plan.Request{Algorithm: eliminate.Name}})
		return p
	}
	count := &slip{what: "change a sent copy", r: r}
	if _, err := prove.Scrub(t.Context(), solve(count), prove.ScrubOptions{}); err != nil || count.asked != 2*rows {
		t.Fatalf("%d copies of rows and their sums: %v", count.asked, err)
	}
	for _, k := range r.Perm(rows)[:min(rows, crashtest.Repeats(2, rows))] {
		at := 2*k + 1 // its sums are the next copy
		if _, err := prove.Scrub(t.Context(), solve(&slip{what: count.what, r: r, at: at, one: k%2 == 0}),
			prove.ScrubOptions{}); !errors.Is(err, disk.ErrCorrupt) {
			t.Errorf("copy %d of %d was changed, and scrub says %v", at, count.asked, err)
		}
	}
}

// TestSourcesOnDevice expands some rows on the device, whose last row of tiles is padded there.
func TestSourcesOnDevice(t *testing.T) {
	r := seeds.New(t)
	expandThere(t)
	d := levelDevice(t)
	for _, k := range enginetest.EveryKind {
		g := enginetest.RandomGraph(t, r, 200+r.IntN(60), k.Kind, k.Negative)
		sources := tiles.RowSet{}
		for v := range g.N {
			if r.IntN(3) == 0 {
				sources = append(sources, int32(v))
			}
		}
		p, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "s.ooc"), g,
			engine.CreateOptions{Tile: 64, Sources: sources})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		o := engine.Options{Device: d, Request: plan.Request{Algorithm: eliminate.Name}}
		if sum := enginetest.Solve(t, p, o); plan.Of[*eliminate.Plan](sum.Plans).Lanes == 0 {
			t.Errorf("the device expanded nothing: %+v", *plan.Of[*eliminate.Plan](sum.Plans))
		}
		v, err := prove.Sample(t.Context(), p, len(sources), 1)
		if err != nil || v.Rows != len(sources) || v.Tiles != p.Geometry().Tiles() {
			t.Errorf("verified %d rows of %d and %d tiles of %d: %v", v.Rows, len(sources), v.Tiles,
				p.Geometry().Tiles(), err)
		}
	}
}

// expandThere has the device expand however slow it is: where it would take no turns otherwise, under the race
// detector say.
func expandThere(t testing.TB) {
	t.Cleanup(engine.ChangeElimination(func(o *eliminate.Algorithm) { o.PreferDevice = 1e9 }))
}

// levelDevice opens a processor that expands as a device with memory of its own does.
func levelDevice(t *testing.T) kernels.Device {
	t.Helper()
	d, err := cpu.Open(cpu.Options{Memory: 64<<20 + cpuScratch(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return conformance.WithLaneOps(d)
}

// cpuScratch is what the processor, as a device, takes for itself.
func cpuScratch(t *testing.T) int64 {
	d, err := cpu.Open(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	return d.Info().Scratch
}

func sameBytes(t *testing.T, a, b *engine.Problem) bool {
	t.Helper()
	return string(enginetest.MatrixFile(t, a.Dir())) == string(enginetest.MatrixFile(t, b.Dir()))
}

// gpuRates are those of an H100.
var gpuRates = plan.Rates{Kernel: 17e12, PerOperation: 30e-6, Closure: 2e-4, In: 55e9, Out: 55e9, Read: 30e9,
	Write: 20e9, Host: 500e9, Lock: 16e9, Levels: 600e9}

// TestChoosesForRoom: where the volume lacks room for the tiles of the fastest algorithm, the next is taken, and that
// is said.
func TestChoosesForRoom(t *testing.T) {
	g := generate(t, "road", gen.Options{N: 3353, Seed: 1})
	info := kernels.Info{Memory: 8 << 30, SharedCores: true}
	rates := plan.Rates{Kernel: 7e9, PerOperation: 1e-6, Closure: 1e-3, In: 20e9, Out: 20e9, Read: 20e9, Write: 20e9,
		Host: 7e9}
	// Searches are counted by the threads that there are: on many, they are the fastest.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	best, err := engine.ChooseBy(t.Context(), g, info, rates, plan.Request{})
	if err != nil || best.Algorithm != eliminate.Name || best.Lacks != nil {
		t.Fatalf("%v, %+v", err, best)
	}
	l := plan.Request{Layout: best.Layout}
	l.Room = l.StoreBytesOf(graph.Extent{N: g.N, Arcs: int64(len(g.Targets)), IDs: g.IDs}, best.Tile) - 1
	second, err := engine.ChooseBy(t.Context(), g, info, rates, l)
	if err != nil || second.Algorithm != rounds.Blocked.Name() || !errors.Is(second.Lacks, disk.ErrNoSpace) {
		t.Errorf("%v, %+v", err, second)
	}
}

// TestChoosesForDevice: a GPU expands where it has room, the processor elsewhere; a random graph of average degree 20
// goes dense.
func TestChoosesForDevice(t *testing.T) {
	road := generate(t, "road", gen.Options{N: 30000, Seed: 1})
	planned := func(g *graph.Graph, algorithm string, info kernels.Info, r plan.Rates) *plan.Choice {
		t.Helper()
		c, err := engine.ChooseBy(t.Context(), g, info, r, plan.Request{Algorithm: algorithm})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	gpu := kernels.Info{Memory: 80 << 30, Scratch: 16 << 20}
	on := planned(road, eliminate.Name, gpu, gpuRates).Plan.(*eliminate.Plan)
	if on.Lanes == 0 {
		t.Fatalf("%+v", on)
	}
	small := planned(road, eliminate.Name, kernels.Info{Memory: 80 << 20, Scratch: 16 << 20},
		gpuRates).Plan.(*eliminate.Plan)
	if small.Lanes != 0 {
		t.Errorf("a device without room: %+v", small)
	}
	if c := planned(generate(t, "random", gen.Options{N: 4096, M: 20 * 4096, Seed: 1}), plan.Auto, gpu,
		gpuRates); c.Algorithm != rounds.Blocked.Name() {
		t.Errorf("a random graph goes by %s: %+v", c.Algorithm, c.Plan)
	}
}
