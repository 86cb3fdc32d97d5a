package stats

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"sync/atomic"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/internal/seeds"
	"ooc/engine/rows"
	"ooc/engine/searches"
	"ooc/kernels"
	"ooc/kernels/conformance"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
	"ooc/tiles/crashtest"
)

// counting is a device that counts by bits, as often as it does not fail.
type counting struct {
	kernels.Device
	memory   int64
	left     int // operations before it fails; -1: it never does
	searches atomic.Int64
}

func (d *counting) Info() kernels.Info {
	info := d.Device.Info()
	info.Memory = min(info.Memory, d.memory)
	return info
}

func (d *counting) Alloc(bytes int64) (kernels.Buffer, error) {
	if bytes > d.memory {
		return nil, kernels.ErrNoMemory
	}
	return d.Device.Alloc(bytes)
}

func (d *counting) ops() kernels.BitOps {
	ops, _ := kernels.As[kernels.BitOps](d.Device)
	return ops
}

func (d *counting) BitRoom(b kernels.BitSearch) int64 { return d.ops().BitRoom(b) }
func (d *counting) BitStart(s kernels.Stream, b kernels.BitSearch) error {
	if n := d.searches.Add(1); n > int64(d.left) && d.left >= 0 {
		return errBroken
	}
	return d.ops().BitStart(s, b)
}
func (d *counting) BitLevels(s kernels.Stream, b kernels.BitSearch, first, levels int, to kernels.Tile) error {
	return d.ops().BitLevels(s, b, first, levels, to)
}

func (d *counting) BitRows(s kernels.Stream, b kernels.BitSearch, r kernels.BitRows) error {
	return d.ops().BitRows(s, b, r)
}

func newCounting(t *testing.T) *counting {
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
	return &counting{Device: conformance.WithBitOps(host), memory: 1 << 30, left: -1}
}

// always is an offer of searches that devices count, however long they take.
func always(ctx context.Context, g *graph.Graph, q rows.Question) (rows.Offer, error) {
	o, err := searches.Engine{}.Offer(ctx, g, q)
	q, failed := q.Opened()
	o.Counted = q.Counts != nil || q.Sums != nil
	return o, cmp.Or(err, failed)
}

// TestCountedOnDevices wants of devices the bits of the processor, and that they search where they can.
func TestCountedOnDevices(t *testing.T) {
	r := seeds.New(t)
	for i := range crashtest.Repeats(10, 30) {
		g := leafy(t, r, 5+r.IntN(1500), entry.Kinds[i%len(entry.Kinds)])
		o := GraphOptions{Options: randomStats(r), offer: offering(searches.Engine{})}
		if i%3 > 0 {
			o.Nearest = 0
		}
		want := ofGraph(t, g, o)
		d := newCounting(t)
		if i%5 == 4 {
			d.memory = 1000
		}
		o.Open, o.offer, o.File = opened(d), always, filepath.Join(t.TempDir(), "g.stats")
		got, sum, err := OfGraph(t.Context(), g, o)
		if err != nil {
			t.Fatal(err)
		}
		sameCounts(t, got, want)
		small := o.Nearest == 0 && i%5 == 4 && g.Arcs() > 0 && g.N > 4
		if small != (sum.Alone == d.Info().Name+" has no memory for that") && g.N > 4 {
			t.Errorf("graph %d of %d vertices, %+v: the processor alone, as %q", i, g.N, o.Options, sum.Alone)
		}
		if searched := d.searches.Load() > 0; searched != (o.Nearest == 0 && i%5 != 4 && g.Arcs() > 0) && g.N > 4 {
			t.Errorf("graph %d of %d vertices, %+v: searches on the device: %v", i, g.N, o.Options, searched)
		}
	}
}

func sameCounts(t *testing.T, got, want *Result) {
	t.Helper()
	if !reflect.DeepEqual(got.columnsOf(), want.columnsOf()) ||
		!reflect.DeepEqual(got.DistanceHistogram, want.DistanceHistogram) || got.TotalDistance != want.TotalDistance {
		t.Fatal("the device has counted something else")
	}
}

// columnsOf are the numbers of all columns.
func (r *Result) columnsOf() (all [][]float64) {
	for _, c := range r.Columns() {
		var of []float64
		for v := range r.N {
			if c.Number != nil {
				of = append(of, c.Number(v))
			} else {
				of = append(of, float64(c.Vertex(v)))
			}
		}
		all = append(all, of)
	}
	return all
}

// TestCountedAlone wants to be told of a device that cannot count, and of none where the processor is asked.
func TestCountedAlone(t *testing.T) {
	g := leafy(t, seeds.New(t), 1000, entry.Kinds[0])
	host, err := cpu.Open(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	for _, shared := range []bool{false, true} {
		d := &slow{host, shared}
		o := GraphOptions{File: filepath.Join(t.TempDir(), "g.stats"), Open: opened(d), offer: offering(searches.Engine{})}
		_, sum, err := OfGraph(t.Context(), g, o)
		if err != nil {
			t.Fatal(err)
		}
		o.File, o.Values, o.Within = filepath.Join(t.TempDir(), "v.stats"), make([]float64, g.N), []float64{1}
		_, values, err := OfGraph(t.Context(), g, o)
		if err != nil {
			t.Fatal(err)
		}
		want := [2]string{"cpu cannot", "cpu adds no values up"}
		if shared {
			want = [2]string{}
		}
		if got := [2]string{sum.Alone, values.Alone}; got != want {
			t.Errorf("shared cores: %v: the processor alone, as %q; want %q", shared, got, want)
		}
	}
}

// slow is a device that only computes tiles.
type slow struct {
	kernels.Device
	shared bool
}

func (d *slow) Info() kernels.Info {
	info := d.Device.Info()
	info.SharedCores = d.shared
	return info
}

// TestCountedResume goes on, on the processor and on devices, with what a device has counted before it failed.
func TestCountedResume(t *testing.T) {
	r := seeds.New(t)
	for i := range crashtest.Repeats(3, 8) {
		g := leafy(t, r, 2500+r.IntN(500), entry.Kinds[i%len(entry.Kinds)])
		o := GraphOptions{offer: offering(searches.Engine{})}
		want := ofGraph(t, g, o)
		d := newCounting(t)
		d.memory = 1<<20 + int64(g.N)*3*1024/8 // 1,024 lanes
		d.left = 2
		o.File, o.Open, o.offer = filepath.Join(t.TempDir(), "g.stats"), opened(d), always
		_, _, err := OfGraph(t.Context(), g, o)
		failed := d.searches.Load() > 2
		if failed != errors.Is(err, errBroken) || !failed && err != nil {
			t.Fatalf("after %d searches: %v", d.searches.Load(), err)
		}
		if d.left = -1; i%2 == 0 {
			o.Open = nil
		}
		got, sum, err := OfGraph(t.Context(), g, o)
		if err != nil {
			t.Fatal(err)
		}
		if failed != (sum.Resumed > 0) {
			t.Errorf("%d searches, %d rows of an earlier call", d.searches.Load(), sum.Resumed)
		}
		sameCounts(t, got, want)
	}
}
