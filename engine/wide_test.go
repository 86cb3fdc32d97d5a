package engine

import (
	"errors"
	"path/filepath"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/sparse"
	"ooc/kernels"
	"ooc/kernels/conformance"
	"ooc/kernels/cpu"
	"ooc/tiles"
)

// TestExpandsOnDevice expands where the device can, and has room for a row of tiles, and by the processor elsewhere: the
// bytes are the same.
func TestExpandsOnDevice(t *testing.T) {
	r := seeded(t)
	expandThere(t)
	for _, k := range everyKind {
		g := randomGraph(t, r, 380+r.IntN(60), k.kind, k.negative)
		stores := map[string]*Problem{}
		for name, where := range map[string]struct {
			levels bool
			memory int64
			wide   bool
		}{
			"processor":     {false, 64 << 20, false},
			"device":        {true, 64 << 20, true},
			"little device": {true, 200 << 10, false},
		} {
			d, err := cpu.Open(cpu.Options{Memory: where.memory + cpuScratch(t)})
			if err != nil {
				t.Fatal(err)
			}
			o := Options{Device: d, Algorithm: AlgorithmEliminate}
			if where.levels {
				o.Device = conformance.WithLevels(d)
			}
			p := create(t, g, 64)
			sum := mustSolve(t, p, o)
			if (sum.Eliminate.Lanes > 0) != where.wide || sum.Eliminate.DeviceBytes > where.memory {
				t.Errorf("%s: %+v", name, *sum.Eliminate)
			}
			verifyAll(t, p)
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			stores[name] = p
		}
		if k.kind == graph.KindI32 {
			for name, p := range stores {
				if !sameBytes(t, p, stores["processor"]) {
					t.Errorf("%s: other bytes than the processor's", name)
				}
			}
		}
	}
}

// TestChangedOnTheWay changes rows of tiles between the device and host memory: scrub finds that, since they were summed
// before.
func TestChangedOnTheWay(t *testing.T) {
	r := seeded(t)
	expandThere(t)
	d := levelDevice(t)
	g := randomGraph(t, r, 380+r.IntN(60), graph.KindI32, false)
	solve := func(s *slip) *Problem {
		p := create(t, g, 64)
		mustSolve(t, p, Options{Device: s.slips(d), Algorithm: AlgorithmEliminate})
		return p
	}
	count := &slip{what: "change a sent copy", r: r}
	if _, err := solve(count).Scrub(t.Context(), ScrubOptions{}); err != nil || count.asked != 2*ceilDiv(g.N, 64) {
		t.Fatalf("%d copies of rows and their sums: %v", count.asked, err)
	}
	for k := range ceilDiv(g.N, 64) {
		at := 2*k + 1 // its sums are the next copy
		if _, err := solve(&slip{what: count.what, r: r, at: at, one: k%2 == 0}).Scrub(t.Context(), ScrubOptions{}); !errors.Is(err, tiles.ErrCorrupt) {
			t.Errorf("copy %d of %d was changed, and scrub says %v", at, count.asked, err)
		}
	}
}

// TestSourcesOnDevice expands some rows on the device, whose last row of tiles is padded there.
func TestSourcesOnDevice(t *testing.T) {
	r := seeded(t)
	expandThere(t)
	d := levelDevice(t)
	for _, k := range everyKind {
		g := randomGraph(t, r, 200+r.IntN(60), k.kind, k.negative)
		sources := tiles.RowSet{}
		for v := range g.N {
			if r.IntN(3) == 0 {
				sources = append(sources, int32(v))
			}
		}
		p, err := Create(filepath.Join(t.TempDir(), "s.ooc"), g, CreateOptions{Tile: 64, Sources: sources})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		if sum := mustSolve(t, p, Options{Device: d}); sum.Eliminate.Lanes == 0 {
			t.Errorf("the device expanded nothing: %+v", *sum.Eliminate)
		}
		v, err := p.Verify(t.Context(), len(sources), 1)
		if err != nil || v.Rows != len(sources) || v.Tiles != p.geom.Tiles() {
			t.Errorf("verified %d rows of %d and %d tiles of %d: %v", v.Rows, len(sources), v.Tiles, p.geom.Tiles(), err)
		}
	}
}

// expandThere has the device expand however slow it is: where it would take no turns otherwise, under the race detector say.
func expandThere(t testing.TB) {
	before := preferDevice
	preferDevice = 1e9
	t.Cleanup(func() { preferDevice = before })
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
	return conformance.WithLevels(d)
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

func sameBytes(t *testing.T, a, b *Problem) bool {
	t.Helper()
	return string(matrixFile(t, a.Dir())) == string(matrixFile(t, b.Dir()))
}

// TestWidely wants every shape of an expansion to fit its device, and none only where not one row of tiles does.
func TestWidely(t *testing.T) {
	r := seeded(t)
	for range 2000 {
		n := 1 + r.IntN(200000)
		s := sparse.Shape{Vertices: n, Core: r.IntN(min(n, 20000) + 1), Arcs: r.Int64N(1 << 22), Edge: 64 << r.IntN(5)}
		rows := 1 + r.IntN(ceilDiv(n, s.Edge))
		info := kernels.Info{Memory: r.Int64N(1 << (20 + r.IntN(17))), Scratch: 1 << 20}
		lanes, batches := widely(s, info, rows)
		one := s
		one.Lanes = s.Edge
		if fits := one.FixedBytes()+one.BatchBytes() <= info.Memory-info.Scratch; fits != (lanes > 0) {
			t.Fatalf("%+v on %+v: %d lanes", s, info, lanes)
		}
		if lanes == 0 {
			continue
		}
		s.Lanes = lanes
		if lanes%s.Edge != 0 || lanes > rows*s.Edge || batches < 1 || s.FixedBytes()+int64(batches)*s.BatchBytes() > info.Memory-info.Scratch {
			t.Fatalf("%+v on %+v: %d batches of %d lanes", s, info, batches, lanes)
		}
	}
}

// gpuRates are those of an H100.
var gpuRates = Rates{Kernel: 17e12, PerOperation: 30e-6, Closure: 2e-4, In: 55e9, Out: 55e9, Read: 30e9, Write: 20e9, Host: 500e9, Lock: lockRate, Levels: 600e9}

// TestChoosesForDevice: a GPU expands where it has room, the processor elsewhere; a random graph of average degree 20
// goes dense.
func TestChoosesForDevice(t *testing.T) {
	road := generate(t, "road", graph.GenerateOptions{N: 30000, Seed: 1})
	plan := func(g *graph.Graph, algorithm string, info kernels.Info, r Rates) *Choice {
		t.Helper()
		c, err := choose(g, info, r, Limits{Algorithm: algorithm}.withDefaults(info))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	gpu := kernels.Info{Memory: 80 << 30, Scratch: 16 << 20}
	on := plan(road, AlgorithmEliminate, gpu, gpuRates)
	if on.Eliminate.Lanes == 0 {
		t.Fatalf("%+v", on.Eliminate)
	}
	small := plan(road, AlgorithmEliminate, kernels.Info{Memory: 80 << 20, Scratch: 16 << 20}, gpuRates)
	if small.Eliminate == nil || small.Eliminate.Lanes != 0 {
		t.Errorf("a device without room: %+v", small.Eliminate)
	}
	if c := plan(generate(t, "random", graph.GenerateOptions{N: 4096, M: 20 * 4096, Seed: 1}), AlgorithmAuto, gpu, gpuRates); c.Algorithm != AlgorithmBlocked {
		t.Errorf("a random graph goes by %s: %+v", c.Algorithm, c.Eliminate)
	}
}
