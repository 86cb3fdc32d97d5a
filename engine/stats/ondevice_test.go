package stats

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/live"
	"ooc/engine/task"
	"ooc/kernels"
	"ooc/kernels/conformance"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
)

var errBroken = errors.New("the device is broken")

// summing is a device that counts the batches whose rows it has added up.
type summing struct {
	kernels.Device
	batches atomic.Int64
	memory  int64 // that it says it has; 0: as much as there is
	broken  atomic.Bool
}

func (d *summing) LaneSums(s kernels.Stream, v entry.Variant, l kernels.LaneSums) error {
	if d.batches.Add(1); d.broken.Load() {
		return errBroken
	}
	return d.ops().LaneSums(s, v, l)
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

// mesh makes a graph in which elimination leaves pieces: a grid, of which some arcs are missing.
func (c statsCase) mesh(t *testing.T, r *rand.Rand, side int) *graph.Graph {
	t.Helper()
	options := []graph.BuildOption{graph.Directed, graph.AsKind(c.kind)}
	if c.undirected {
		options[0] = graph.Undirected
	}
	b := graph.New(side*side, options...)
	for v := range side * side {
		for _, step := range []int{1, side} {
			if to := v + step; to < side*side && (step > 1 || to%side > 0) && r.IntN(50) > 0 {
				b.Add(v, to, float64(r.IntN(100)))
				if !c.undirected {
					b.Add(to, v, float64(r.IntN(100)))
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

// TestOfGraphOnDevice compares sums that a device adds up with those of a store.
func TestOfGraphOnDevice(t *testing.T) {
	r, d := seeds.New(t), newSumming(t)
	for _, c := range statsCases {
		if c.negative || c.scale > 1 {
			continue
		}
		g := c.mesh(t, r, 22+r.IntN(8))
		after := g.N * 9 / 10
		o := GraphOptions{Device: d, after: &after}
		if r.IntN(2) == 0 {
			o.Sources = someRows(r, g.N)
		}
		before := d.batches.Load()
		got := ofGraph(t, g, o)
		if d.batches.Load() == before {
			t.Errorf("%+v: the device has added up nothing", c)
		}
		o.Device = nil
		want := ofGraph(t, g, o)
		if len(o.Sources) == 0 {
			p := enginetest.Create(t, g, 64)
			enginetest.Solve(t, p, engine.Options{})
			want = mustStats(t, p, o.Options)
		}
		if c.kind.Float() {
			closeStats(t, got, want)
		} else {
			sameStats(t, got, want)
		}
		before = d.batches.Load()
		d.memory = 1 << 16
		o.Device = d
		closeStats(t, ofGraph(t, g, o), got)
		d.memory = 0
		if d.batches.Load() != before {
			t.Errorf("%+v: the device has added up rows without the memory", c)
		}
		o.Device, o.Within = d, []float64{50}
		sameStats(t, ofGraph(t, g, o), ofGraph(t, g, GraphOptions{Sources: o.Sources, Options: o.Options}))
		if d.batches.Load() != before {
			t.Errorf("%+v: the device has added up rows that are wanted for more", c)
		}
	}
}

// TestOfGraphOffDevice stops sums on a device, makes them fail, and goes on with or without it.
func TestOfGraphOffDevice(t *testing.T) {
	r, d := seeds.New(t), newSumming(t)
	g := statsCases[0].mesh(t, r, 30)
	o := GraphOptions{File: filepath.Join(t.TempDir(), "g.stats"), Checkpoint: time.Hour, Interval: time.Nanosecond, after: new(int)}
	*o.after = g.N * 9 / 10
	stops := 0
	for {
		ctx, stop := context.WithCancel(t.Context())
		o.Control, o.Device = new(live.Control), nil
		d.broken.Store(false)
		if stops%2 == 0 {
			o.Device = d
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
		sameStats(t, got, ofGraph(t, g, GraphOptions{}))
		return
	}
}
