package stats

import (
	"errors"
	"path/filepath"
	"reflect"
	"sync/atomic"
	"testing"

	"ooc/engine/device"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/rows"
	"ooc/engine/searches"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles/crashtest"
)

// finding is a device that searches by lanes, as often as it does not fail.
type finding struct {
	*summing
	left     int // operations before it fails; -1: it never does
	searches atomic.Int64
	lanes    atomic.Int64 // of the last
}

func (d *finding) LaneSearch(s kernels.Stream, v entry.Variant, l kernels.LaneSearch) error {
	if n := d.searches.Add(1); n > int64(d.left) && d.left >= 0 {
		return errBroken
	}
	d.lanes.Store(int64(l.Width))
	ops, _ := kernels.As[kernels.SearchOps](d.Device)
	return ops.LaneSearch(s, v, l)
}

func newFinding(t *testing.T) *finding { return &finding{summing: newSumming(t), left: -1} }

// inLanes reports whether a graph is searched by lanes.
func inLanes(t *testing.T, g *graph.Graph, o GraphOptions) bool {
	t.Helper()
	offer, err := searches.Engine{}.Offer(t.Context(), g, rows.Question{Rows: len(o.Sources)})
	if err != nil {
		t.Fatal(err)
	}
	ready, err := offer.Prepare(t.Context())
	_, is := ready.(rows.LaneReady)
	return err == nil && is
}

// TestSearchedOnDevices wants of devices what the processor finds by searches: of one, of two, and of one that has no
// memory.
func TestSearchedOnDevices(t *testing.T) {
	r, searched := seeds.New(t), 0
	for i := range crashtest.Repeats(3, 8) {
		for _, c := range statsCases {
			if c.negative || !c.kind.Kernels() {
				continue
			}
			g := c.build(t, r, 100+r.IntN(300))
			o := GraphOptions{Options: randomStats(r), offer: offering(searches.Engine{})}
			if r.IntN(2) == 0 {
				o.Sources = someRows(r, g.N)
			}
			if !inLanes(t, g, o) {
				continue
			}
			searched++
			want := ofGraph(t, g, o)
			d, other := newFinding(t), newFinding(t)
			switch o.Open, o.offer = opened(d), always; (searched + i) % 3 {
			case 1:
				o.Open = opened(device.Several([]kernels.Device{d, other}))
			case 2:
				d.memory = 1000
			}
			o.File = filepath.Join(t.TempDir(), "g.stats")
			got, sum, err := OfGraph(t.Context(), g, o)
			if err != nil {
				t.Fatal(err)
			}
			sameStats(t, got, want)
			if !reflect.DeepEqual(got.DistanceHistogram, want.DistanceHistogram) {
				t.Errorf("%+v: %+v, want %+v", c, got.DistanceHistogram, want.DistanceHistogram)
			}
			small := d.memory == 1000
			if n := d.searches.Load() + other.searches.Load(); small != (n == 0) ||
				small != (sum.Alone == d.Info().Name+" has no memory for that") {
				t.Errorf("%+v, %d vertices, %d bytes: %d searches; the processor alone, as %q", c, g.N, d.memory, n,
					sum.Alone)
			}
		}
	}
	if searched < 4 {
		t.Errorf("%d graphs were searched by lanes", searched)
	}
}

// TestSearchedOnGPU wants of a GPU what the processor finds, in all kinds, with and without hubs.
func TestSearchedOnGPU(t *testing.T) {
	d := enginetest.GPU(t, 1<<30)
	if d == nil {
		t.Skip("there is no GPU")
	}
	r := seeds.New(t)
	for _, kind := range entry.Kinds {
		for _, direction := range []graph.BuildOption{graph.Directed, graph.Undirected} {
			n, hubs := 500+r.IntN(2000), 1+r.IntN(3)
			b := graph.New(n, direction, graph.AsKind(kind))
			for v := range n {
				for range 3 {
					b.Add(v, r.IntN(n), float64(1+r.IntN(1000)))
				}
				b.Add(r.IntN(hubs), v, float64(r.IntN(5000)))
			}
			g, err := b.Build()
			if err != nil {
				t.Fatal(err)
			}
			o := GraphOptions{Options: randomStats(r), offer: offering(searches.Engine{})}
			want := ofGraph(t, g, o)
			o.Open, o.offer = opened(d), always
			got := ofGraph(t, g, o)
			sameStats(t, got, want)
			if !reflect.DeepEqual(got.DistanceHistogram, want.DistanceHistogram) {
				t.Errorf("%s: %+v, want %+v", kind, got.DistanceHistogram, want.DistanceHistogram)
			}
		}
	}
}

// TestSearchedMemory wants fewer lanes where there is less memory, and the same of them.
func TestSearchedMemory(t *testing.T) {
	crashtest.Slow(t)
	r := seeds.New(t)
	b := graph.New(2100, graph.Undirected, graph.AsKind(entry.KindI32))
	for v := 1; v < 2100; v++ {
		b.Add(v, r.IntN(min(v, 10)), float64(1+r.IntN(50)))
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	o := GraphOptions{Options: Options{Nearest: 2, Within: []float64{70}}, offer: offering(searches.Engine{})}
	want, d := ofGraph(t, g, o), newFinding(t)
	o.Open, o.offer = opened(d), always
	all := map[int64]bool{}
	for memory := int64(1 << 20); ; memory = memory * 6 / 10 {
		d.memory = memory
		o.File = filepath.Join(t.TempDir(), "g.stats")
		got, sum, err := OfGraph(t.Context(), g, o)
		if err != nil {
			t.Fatal(err)
		}
		sameStats(t, got, want)
		if sum.Alone != "" {
			break
		}
		all[d.lanes.Load()] = true
	}
	if !all[128] || !all[64] || len(all) != 2 {
		t.Errorf("%s: searches of so many lanes: %v", g.Kind, all)
	}
}

// TestSearchedResume goes on, on the processor and on devices, with what a device has found before it failed.
func TestSearchedResume(t *testing.T) {
	r := seeds.New(t)
	failed, resumed := 0, 0
	for i := range crashtest.Repeats(6, 12) {
		c := statsCase{kind: entry.Kinds[i%len(entry.Kinds)], undirected: i%2 == 0, scale: 1}
		g := c.build(t, r, 400)
		o := GraphOptions{offer: offering(searches.Engine{})}
		want := ofGraph(t, g, o)
		d := newFinding(t)
		d.left = 4 // which is more than a batch takes
		o.File, o.Open, o.offer = filepath.Join(t.TempDir(), "g.stats"), opened(d), always
		_, _, err := OfGraph(t.Context(), g, o)
		fails := d.searches.Load() > 4
		if fails != errors.Is(err, errBroken) || !fails && err != nil {
			t.Fatalf("after %d searches: %v", d.searches.Load(), err)
		}
		if d.left = -1; i%2 == 0 {
			o.Open = nil
		}
		got, sum, err := OfGraph(t.Context(), g, o)
		if err != nil {
			t.Fatal(err)
		}
		if fails {
			failed++
		}
		if sum.Resumed > 0 {
			resumed++
		}
		sameStats(t, got, want)
	}
	if failed > 3 && resumed == 0 {
		t.Errorf("nothing was left of any of %d calls", failed)
	}
}

// TestSearchedFewer goes on, on the processor and on a device, with what a device has found in fewer lanes.
func TestSearchedFewer(t *testing.T) {
	crashtest.Slow(t)
	r := seeds.New(t)
	b := graph.New(1300, graph.Undirected, graph.AsKind(entry.KindI32))
	for v := 1; v < 1300; v++ {
		b.Add(v, r.IntN(min(v, 10)), float64(1+r.IntN(50)))
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	o := GraphOptions{Options: Options{Nearest: 2}, offer: offering(searches.Engine{})}
	want := ofGraph(t, g, o)
	resumed := 0
	for i := range 2 {
		d := newFinding(t)
		d.memory, d.left = 450<<10, 6
		o.File, o.Open, o.offer = filepath.Join(t.TempDir(), "g.stats"), opened(d), always
		if _, _, err := OfGraph(t.Context(), g, o); !errors.Is(err, errBroken) || d.lanes.Load() >= 512 {
			t.Fatalf("%d lanes: %v", d.lanes.Load(), err)
		}
		if d.left, d.memory = -1, 1<<30; i%2 == 0 {
			o.Open = nil
		}
		got, sum, err := OfGraph(t.Context(), g, o)
		if err != nil {
			t.Fatal(err)
		}
		if sum.Resumed > 0 {
			resumed++
		}
		sameStats(t, got, want)
	}
	if resumed == 0 {
		t.Error("nothing was left of any call")
	}
}

// TestSearchedAlone wants to be told of a device that does not search by lanes.
func TestSearchedAlone(t *testing.T) {
	g := statsCase{kind: entry.KindI32, undirected: true, scale: 1}.build(t, seeds.New(t), 300)
	o := GraphOptions{File: filepath.Join(t.TempDir(), "g.stats"), offer: offering(searches.Engine{})}
	d := &slow{newSumming(t), false}
	o.Open = opened(d)
	if _, sum, err := OfGraph(t.Context(), g, o); err != nil || sum.Alone != "cpu cannot" {
		t.Errorf("the processor alone, as %q: %v", sum.Alone, err)
	}
}
