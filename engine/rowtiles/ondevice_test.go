package rowtiles_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/plan"
	"ooc/engine/rowtiles"
	"ooc/engine/searches"
	"ooc/kernels"
	"ooc/kernels/conformance"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// searching is a device that searches by bits, and counts the rows of tiles that it writes.
type searching struct {
	kernels.Device
	memory int64
	left   int64 // operations before it fails
	starts atomic.Int64
	rows   atomic.Int64
}

var errBroken = errors.New("the device broke")

func (d *searching) Alloc(bytes int64) (kernels.Buffer, error) {
	if bytes > d.memory {
		return nil, kernels.ErrNoMemory
	}
	return d.Device.Alloc(bytes)
}

func (d *searching) ops() kernels.BitOps {
	ops, _ := kernels.As[kernels.BitOps](d.Device)
	return ops
}

func (d *searching) BitRoom(b kernels.BitSearch) int64 { return d.ops().BitRoom(b) }
func (d *searching) BitStart(s kernels.Stream, b kernels.BitSearch) error {
	d.starts.Add(1)
	return d.ops().BitStart(s, b)
}
func (d *searching) BitLevels(s kernels.Stream, b kernels.BitSearch, first, levels int, to kernels.Tile) error {
	return d.ops().BitLevels(s, b, first, levels, to)
}
func (d *searching) BitRows(s kernels.Stream, b kernels.BitSearch, r kernels.BitRows) error {
	if d.rows.Add(1) > d.left {
		return errBroken
	}
	return d.ops().BitRows(s, b, r)
}

// solve returns the bytes of the matrix of a store, and what solving it on a device, the processor if it is nil, says.
func solve(t *testing.T, p *engine.Problem, d kernels.Device) error {
	t.Helper()
	asked := plan.Request{Algorithm: searches.Engine{}.Name()}
	_, err := p.Solve(t.Context(), engine.Options{Device: d, Request: asked})
	return err
}

// TestOnDevice compares stores that a device has searched for with those of the processor, byte by byte: in every kind
// and layout, of chosen sources, where the device has no memory or breaks, and where there are too many levels for it.
func TestOnDevice(t *testing.T) {
	r := seeds.New(t)
	defer rowtiles.OnDevices()()
	host, err := cpu.Open(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	for i := range 2 * len(entry.Kinds) {
		kind, n := entry.Kinds[i%len(entry.Kinds)], 6+r.IntN(900)
		direction := graph.Directed
		if i%3 == 0 {
			direction = graph.Undirected
		}
		deep := i == 0
		if deep {
			n = 1300
		}
		b := graph.New(n, direction, graph.AsKind(kind))
		for v := 1; v < n; v++ {
			if deep && v < 1000 { // a star, with which the trial of levels begins, beside a path
				b.Add(0, v, 3)
			} else if deep && v > 1000 || !deep && r.IntN(20) > 0 {
				b.Add(v-1, v, 3)
			}
		}
		for range r.IntN(4 * n) {
			if !deep {
				b.Add(r.IntN(n), r.IntN(1+r.IntN(n)), 3)
			}
		}
		g, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		o := engine.CreateOptions{Tile: 64 * (1 + r.IntN(3))}
		if g.Symmetric && r.IntN(2) == 0 {
			o.Layout = tiles.Upper
		} else if !deep && r.IntN(3) == 0 { // of few rows, some in the trial would be on the path
			for v := range n {
				if v < 6 || r.IntN(3) == 0 {
					o.Sources = append(o.Sources, int32(v))
				}
			}
		}
		d := &searching{Device: conformance.WithBitOps(host), memory: 1 << 40, left: 1 << 40}
		broken, small := i%5 == 3, i%5 == 4
		if broken {
			d.left = 1
		}
		if small {
			d.memory = 1000
		}
		var all [2]*engine.Problem
		for k := range all {
			if all[k], err = engine.Create(t.Context(), filepath.Join(t.TempDir(), "s.ooc"), g, o); err != nil {
				t.Fatal(err)
			}
			defer all[k].Close()
		}
		if err := solve(t, all[0], nil); err != nil {
			t.Fatal(err)
		}
		err = solve(t, all[1], d)
		if failed := d.rows.Load() > d.left; failed != errors.Is(err, errBroken) || !failed && err != nil {
			t.Fatalf("%d vertices, rows written %d times: %v", n, d.rows.Load(), err)
		} else if failed {
			d.left = 1 << 40
			if err := solve(t, all[1], d); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(enginetest.MatrixFile(t, all[0].Dir()), enginetest.MatrixFile(t, all[1].Dir())) {
			t.Fatalf("%d vertices of %s, %+v: the device has written other bytes", n, kind, o)
		}
		starts, wrote := d.starts.Load(), d.rows.Load()
		if (wrote > 0) == small || (starts > wrote) != deep {
			t.Errorf("graph %d, %d vertices of %s, %+v: %d searches, rows written %d times", i, n, kind, o, starts,
				wrote)
		}
	}
}
