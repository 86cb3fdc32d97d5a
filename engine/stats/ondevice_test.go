package stats

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"ooc/engine"
	"ooc/engine/device"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/live"
	"ooc/engine/task"
	"ooc/kernels"
	"ooc/kernels/conformance"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
	"ooc/tiles/crashtest"
)

var errBroken = errors.New("the device is broken")

// opened is GraphOptions.Open of a device that is not closed until a test ends; nil: there is none.
func opened(d kernels.Device) func() (kernels.Device, error) {
	if d == nil {
		return func() (kernels.Device, error) { return nil, nil }
	}
	return func() (kernels.Device, error) { return kept{d}, nil }
}

type kept struct{ kernels.Device }

func (k kept) Unwrap() kernels.Device { return k.Device }

func (kept) Close() error { return nil }

// summing is a device that counts the batches whose rows it has added up, and the questions about them.
type summing struct {
	kernels.Device
	batches atomic.Int64
	asked   atomic.Int64
	memory  int64 // that it says it has; 0: as much as there is
	broken  atomic.Bool
	slow    time.Duration // that sums take beside
	full    bool          // it has no memory, and does not say so
}

func (d *summing) Alloc(bytes int64) (kernels.Buffer, error) {
	if d.full {
		return nil, kernels.ErrNoMemory
	}
	return d.Device.Alloc(bytes)
}

func (d *summing) LaneSums(s kernels.Stream, v entry.Variant, l kernels.LaneSums) error {
	if d.batches.Add(1); d.broken.Load() {
		return errBroken
	}
	time.Sleep(d.slow)
	return d.ops().LaneSums(s, v, l)
}

// onlySums is a device that answers nothing but sums.
type onlySums struct {
	kernels.Device
	kernels.LaneOps
}

func (d *summing) LaneStat(s kernels.Stream, v entry.Variant, r kernels.LaneRows, q kernels.LaneQuestion) error {
	if d.asked.Add(1); d.broken.Load() {
		return errBroken
	}
	stats, _ := kernels.As[kernels.LaneStats](d.Device)
	return stats.LaneStat(s, v, r, q)
}
func (d *summing) LaneBlocks(s kernels.Stream, v entry.Variant, b kernels.LaneBlocks) error {
	return d.ops().LaneBlocks(s, v, b)
}
func (d *summing) Level(s kernels.Stream, v entry.Variant, l kernels.Level) error {
	return d.ops().Level(s, v, l)
}
func (d *summing) LaneProduct(s kernels.Stream, v entry.Variant, p kernels.LaneProduct) error {
	return d.ops().LaneProduct(s, v, p)
}
func (d *summing) ArcProduct(s kernels.Stream, v entry.Variant, p kernels.ArcProduct) error {
	return d.ops().ArcProduct(s, v, p)
}
func (d *summing) LaneTranspose(s kernels.Stream, v entry.Variant, p kernels.LaneTranspose) error {
	return d.ops().LaneTranspose(s, v, p)
}
func (d *summing) Checksums(s kernels.Stream, dst, src kernels.Tile, bytes int64, count int) error {
	return d.ops().Checksums(s, dst, src, bytes, count)
}

func (d *summing) Info() kernels.Info {
	info := d.Device.Info()
	if d.memory > 0 {
		info.Memory = d.memory
	}
	return info
}

func (d *summing) ops() kernels.LaneOps {
	ops, _ := kernels.As[kernels.LaneOps](d.Device)
	return ops
}

func newSumming(t *testing.T) *summing {
	t.Helper()
	host, err := cpu.Open(cpu.Options{Threads: 1, Memory: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
	return &summing{Device: conformance.WithLaneOps(host)}
}

// mesh makes a graph in which elimination leaves pieces: a grid, of which some arcs are missing. Floats have integers
// for weights, so that distances are the same in whatever order arcs are added up.
func (c statsCase) mesh(t *testing.T, r *rand.Rand, side int) *graph.Graph {
	t.Helper()
	options := []graph.BuildOption{graph.Directed, graph.AsKind(c.kind)}
	if c.undirected {
		options[0] = graph.Undirected
	}
	if c.scale > 1 {
		options = append(options, graph.Scaled(c.scale))
	}
	b := graph.New(side*side, options...)
	potential := make([]int, side*side)
	for v := range potential {
		if c.negative {
			potential[v] = r.IntN(60)
		}
	}
	add := func(u, v int) { b.Add(u, v, float64(r.IntN(100))+float64(potential[u]-potential[v])) }
	for v := range side * side {
		for _, step := range []int{1, side} {
			if to := v + step; to < side*side && (step > 1 || to%side > 0) && r.IntN(50) > 0 {
				add(v, to)
				if !c.undirected {
					add(to, v)
				}
			}
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestOfGraphOnDevice compares what a device finds with what there is in a store.
func TestOfGraphOnDevice(t *testing.T) {
	r, d := seeds.New(t), newSumming(t)
	for _, c := range crashtest.Some(r, 3, statsCases) {
		g := c.mesh(t, r, 22+r.IntN(8))
		after := g.N * 9 / 10
		o := GraphOptions{Options: randomStats(r), Open: opened(d), after: &after}
		o.Within = append(o.Within, 100)
		for i := range o.Edges { // some are distances
			o.Edges[i] = math.Round(o.Edges[i])
		}
		if c.negative && o.Bins > 0 { // a device does not know the range of negative distances
			o.Bins, o.Edges = 0, []float64{-20.5, 0, 33, 40}
		}
		if r.IntN(2) == 0 {
			o.Sources = someRows(r, g.N)
		}
		before, asked := d.batches.Load(), d.asked.Load()
		got := ofGraph(t, g, o)
		questions := int64(2)
		if o.Nearest > 0 {
			questions++
		}
		if n := d.batches.Load() - before; n == 0 || d.asked.Load()-asked != n*questions {
			t.Errorf("%+v: the device has added up %d batches, and answered %d questions", c, n, d.asked.Load()-asked)
		}
		o.Open = nil
		want := ofGraph(t, g, o)
		if len(o.Sources) == 0 {
			p := enginetest.Create(t, g, 64)
			enginetest.Solve(t, p, engine.Options{})
			want = mustStats(t, p, o.Options)
		}
		sameStats(t, got, want)
		if !reflect.DeepEqual(got.DistanceHistogram, want.DistanceHistogram) ||
			!reflect.DeepEqual(got.EccentricityHistogram, want.EccentricityHistogram) {
			t.Errorf("%+v: %+v, want %+v", c, got.DistanceHistogram, want.DistanceHistogram)
		}
		before = d.batches.Load()
		d.memory = 1 << 16
		o.Open = opened(d)
		closeStats(t, ofGraph(t, g, o), got)
		d.memory = 0
		if d.batches.Load() != before {
			t.Errorf("%+v: the device has added up rows without the memory", c)
		}
	}
}

// TestOfGraphOnDevices demands the bits of one device of several, of which some lack the memory, break, or have no
// sums.
func TestOfGraphOnDevices(t *testing.T) {
	r := seeds.New(t)
	for _, i := range r.Perm(len(statsCases))[:crashtest.Repeats(1, 3)] {
		c := statsCases[i]
		g := c.mesh(t, r, 26)
		after := g.N * 9 / 10
		asked := Options{Nearest: 3, Within: []float64{100}, Edges: []float64{0, 10, 50, 200}}
		o := GraphOptions{Options: asked, after: &after}
		one := newSumming(t)
		o.Open = opened(one)
		want := asJSON(t, ofGraph(t, g, o))
		var list []kernels.Device
		var all []*summing
		for range 2 + r.IntN(3) {
			d := newSumming(t)
			d.slow = time.Duration(1+r.IntN(4)) * time.Millisecond
			all, list = append(all, d), append(list, d)
		}
		list = append(list, all[0].Device.(interface{ Unwrap() kernels.Device }).Unwrap()) // has no sums
		o.Open = opened(device.Several(list))
		if got := asJSON(t, ofGraph(t, g, o)); !bytes.Equal(got, want) {
			t.Errorf("%+v: %d devices find other numbers than one", c, len(all))
		}
		batches := int64(0)
		for i, d := range all {
			if batches += d.batches.Load(); d.batches.Load() == 0 {
				t.Errorf("%+v: device %d of %d has added up nothing", c, i, len(all))
			}
		}
		if batches != one.batches.Load() {
			t.Errorf("%+v: %d devices have added up %d batches, one %d", c, len(all), batches, one.batches.Load())
		}
		last := all[len(all)-1]
		last.full = true
		before := last.batches.Load()
		if got := asJSON(t, ofGraph(t, g, o)); !bytes.Equal(got, want) || last.batches.Load() != before {
			t.Errorf("%+v: the device that is full has added up %d batches", c, last.batches.Load()-before)
		}
		last.full = false
		last.broken.Store(true)
		o.File = filepath.Join(t.TempDir(), "g.stats")
		if _, _, err := OfGraph(t.Context(), g, o); !errors.Is(err, errBroken) {
			t.Errorf("%+v: one of the devices is broken: %v", c, err)
		}
		last.broken.Store(false)
		if got := asJSON(t, ofGraph(t, g, o)); !bytes.Equal(got, want) {
			t.Errorf("%+v: another result after a device was broken", c)
		}
	}
}

// TestOfGraphBesideDevice asks for what a device does not find.
func TestOfGraphBesideDevice(t *testing.T) {
	r, d := seeds.New(t), newSumming(t)
	g := statsCases[0].mesh(t, r, 24)
	negative := statsCase{kind: entry.KindI32, negative: true, scale: 1}.mesh(t, r, 24)
	after := g.N * 9 / 10
	for name, c := range map[string]struct {
		g      *graph.Graph
		device kernels.Device
		o      Options
	}{
		"more neighbors than it lists": {g, d, Options{Nearest: kernels.MostLaneNear}},
		"negative distances":           {negative, d, Options{Bins: 20}},
		"no questions":                 {g, onlySums{d.Device, d}, Options{Within: []float64{20}}},
	} {
		before := d.batches.Load()
		got := ofGraph(t, c.g, GraphOptions{Options: c.o, Open: opened(c.device), after: &after})
		if sameStats(t, got, ofGraph(t, c.g, GraphOptions{Options: c.o, after: &after})); d.batches.Load() != before {
			t.Errorf("%s: the device has added up rows", name)
		}
	}
	before := d.batches.Load()
	ofGraph(t, g, GraphOptions{Open: opened(onlySums{d.Device, d}), after: &after})
	ofGraph(t, g, GraphOptions{Options: Options{Nearest: kernels.MostLaneNear - 1}, Open: opened(d), after: &after})
	if d.batches.Load() == before {
		t.Error("the device has added up nothing")
	}
}

// TestOfGraphOffDevice stops sums on a device, makes them fail, and goes on with or without it.
func TestOfGraphOffDevice(t *testing.T) {
	r, d := seeds.New(t), newSumming(t)
	defer func(was int) { deviceBatches = was }(deviceBatches)
	deviceBatches = 4 // fewer than there are bands
	g := statsCases[0].mesh(t, r, 30)
	asked := Options{Nearest: 3, Within: []float64{50}, Bins: 30}
	o := GraphOptions{Options: asked, File: filepath.Join(t.TempDir(), "g.stats"), Checkpoint: time.Hour,
		Interval: time.Nanosecond, after: new(int)}
	*o.after = g.N * 9 / 10
	stops := 0
	for {
		ctx, stop := context.WithCancel(t.Context())
		o.Control, o.Open = new(live.Control), nil
		d.broken.Store(false)
		if stops%2 == 0 {
			o.Open = opened(d)
		}
		bands := 0
		o.each = func() {
			if bands++; bands > 2 && stops%4 == 0 {
				d.broken.Store(true)
			} else if bands > 2 {
				stop()
			}
		}
		got, sum, err := OfGraph(ctx, g, o)
		stop()
		if errors.Is(err, task.ErrInterrupted) || errors.Is(err, errBroken) {
			stops++
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		const rows = 3 * leastHeight // that each has gathered at least
		if stops < 3 || sum.Resumed < stops*rows || d.batches.Load() == 0 {
			t.Errorf("stopped %d times, %d rows resumed, %d batches", stops, sum.Resumed, d.batches.Load())
		}
		want := ofGraph(t, g, GraphOptions{Options: asked})
		if sameStats(t, got, want); !reflect.DeepEqual(got.DistanceHistogram, want.DistanceHistogram) {
			t.Errorf("%+v, want %+v", got.DistanceHistogram, want.DistanceHistogram)
		}
		return
	}
}

// TestAddColumns adds what a device says of more columns than one goroutine adds up, of two bands.
func TestAddColumns(t *testing.T) {
	const n = 1<<16 + 1
	all := cpu.NewColumnSums[int64, uint32](n)
	w := &sumsWorker[int64, uint32]{distanceSums: &distanceSums[int64, uint32]{x: &gathering{}, cols: &all}}
	for band := range 2 {
		columns := make([]kernels.LaneSum, n)
		for i := range columns {
			columns[i] = kernels.LaneSum{Sum: uint64(i), Inverse: float64(band + i), Missing: int32(i % 5)}
		}
		w.begin(nil)
		w.addSums(nil, columns)
		w.end()
	}
	for i := range n {
		if all.Sum[i] != int64(2*i) || all.Inverse[i] != float64(1+2*i) || all.Missing[i] != uint32(2*(i%5)) {
			t.Fatalf("column %d has %d, %v and %d", i, all.Sum[i], all.Inverse[i], all.Missing[i])
		}
	}
}

// closing is a device that notes how its Close ends.
type closing struct {
	kept
	ends *[]error
}

func (c closing) Close() error {
	*c.ends = append(*c.ends, c.Device.Close())
	return nil
}

// TestDeviceIsClosed wants a device closed once, when nothing of it is left, at the end of a call that computes by an
// elimination or by searches, and of one that fails.
func TestDeviceIsClosed(t *testing.T) {
	r, after := seeds.New(t), 200
	g := statsCase{kind: entry.KindI32, undirected: true}.mesh(t, r, 16)
	for _, broken := range []bool{false, true} {
		for _, o := range []GraphOptions{
			{after: &after}, {offer: always}, {offer: always, Options: Options{Values: make([]float64, g.N)}},
		} {
			host, err := cpu.Open(cpu.Options{Threads: 1, Memory: 1 << 30})
			if err != nil {
				t.Fatal(err)
			}
			d := &finding{summing: &summing{Device: conformance.WithLaneOps(host)}, left: -1}
			d.broken.Store(broken)
			var ends []error
			o.File = filepath.Join(t.TempDir(), "g.stats")
			o.Open = func() (kernels.Device, error) { return closing{kept{d}, &ends}, nil }
			_, _, err = OfGraph(t.Context(), g, o)
			if (broken && o.Values == nil) != errors.Is(err, errBroken) {
				t.Errorf("of a broken device: %v", err)
			}
			if len(ends) != 1 || ends[0] != nil {
				t.Errorf("the device was closed %d times: %v", len(ends), ends)
			}
		}
	}
}
