package engine_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"ooc/engine"
	"ooc/engine/device"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/live"
	"ooc/engine/plan"
	"ooc/engine/rounds"
	"ooc/engine/task"
	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/crashtest"
)

// partOptions opens so many devices, until the test ends, each with few slots, and returns options to solve with.
func partOptions(t *testing.T, r *rand.Rand, p *engine.Problem, devices int) engine.Options {
	t.Helper()
	return partOptionsWith(t, r, p, devices, func(_ int, d kernels.Device) kernels.Device { return d })
}

// partOptionsWith is partOptions with devices that wrap makes of those that it opens.
func partOptionsWith(t *testing.T, r *rand.Rand, p *engine.Problem, devices int,
	wrap func(i int, d kernels.Device) kernels.Device) engine.Options {
	t.Helper()
	side, tileBytes := p.Geometry().Side(), p.Geometry().TileBytes()
	width := 1 + r.IntN(min(side, 3))
	slots := enginetest.MinSlots(side, width) + r.IntN(3)*r.IntN(side*side+1)
	var all []kernels.Device
	for i := range devices {
		d, err := cpu.Open(cpu.Options{Threads: 1, Memory: int64(slots)*tileBytes + 7<<18})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, wrap(i, d))
	}
	d := device.Several(all)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	pages := minPages + r.IntN(2)*r.IntN(side*side)
	return engine.Options{
		Request: plan.Request{Algorithm: rounds.Blocked.Name(), HostMemory: int64(devices) * int64(pages) * tileBytes,
			Round: 64 * width, Streams: 1 + r.IntN(3)}, Device: d,
		Checkpoint: time.Duration(1+r.IntN(20)) * time.Millisecond, Interval: 100 * time.Microsecond,
	}
}

// apart is a device whose memory no other reaches.
type apart struct {
	kernels.Device
	kernels.TileOps
}

// setApart hides the way to a device.
func setApart(_ int, d kernels.Device) kernels.Device {
	tiles, ok := kernels.As[kernels.TileOps](d)
	if !ok {
		panic("the processor has no kernels.TileOps")
	}
	return apart{d, tiles}
}

// TestPartsReach wants devices that reach each other's memory to hand over tiles without a way through pages, and the
// same matrix as others.
func TestPartsReach(t *testing.T) {
	r := seeds.New(t)
	g := enginetest.RandomGraph(t, r, 600, entry.KindI32, false)
	var out []int64
	var matrices [][]byte
	for _, wrap := range []func(int, kernels.Device) kernels.Device{setApart,
		func(_ int, d kernels.Device) kernels.Device { return d }} {
		p := enginetest.Create(t, g, 64)
		o := partOptionsWith(t, r, p, 2, wrap)
		o.HostMemory, o.Round, o.Checkpoint = 0, 64, time.Hour
		sum, err := p.Solve(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		out, matrices = append(out, sum.BytesOut), append(matrices, enginetest.MatrixFile(t, p.Dir()))
	}
	if out[1] >= out[0] || out[1] == 0 {
		t.Errorf("%d bytes went to pages where devices reach each other, %d where they do not", out[1], out[0])
	}
	if !bytes.Equal(matrices[0], matrices[1]) {
		t.Error("the matrices differ")
	}
}

// TestParts solves graphs of every kind and layout on several devices, stops them now and then, goes on with another
// number of devices, and compares with a solve on one.
func TestParts(t *testing.T) {
	r := seeds.New(t)
	for range crashtest.Repeats(1, 10) {
		for i, k := range enginetest.AllKinds {
			n := 1 + r.IntN(600)
			g, o := enginetest.RandomGraph(t, r, n, k.Kind, k.Negative), engine.CreateOptions{Tile: 64}
			if !k.Negative && i%2 == 0 {
				g, o.Layout = enginetest.SymmetricGraph(t, r, n, k.Kind), tiles.Upper
			} else if k.Kind.PairBytes() > 0 && r.IntN(2) == 0 {
				o.Predecessors = true
			}
			make := func(name string) *engine.Problem {
				p, err := engine.Create(t.Context(), t.TempDir()+"/"+name+".ooc", g, o)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { p.Close() })
				return p
			}
			whole, p := make("whole"), make("parts")
			enginetest.Solve(t, whole, partOptions(t, r, whole, 1))
			for left := 2; ; left-- {
				wrap := func(i int, d kernels.Device) kernels.Device { return d }
				if r.IntN(2) == 0 {
					wrap = setApart
				}
				o := partOptionsWith(t, r, p, 1+r.IntN(4), wrap)
				ctx, cancel := context.WithCancel(t.Context())
				stop := r.Float64()
				o.Progress = func(st live.Status) {
					if left > 0 && st.Progress >= stop {
						cancel()
					}
				}
				_, err := p.Solve(ctx, o)
				cancel()
				if err == nil {
					break
				}
				if !errors.Is(err, task.ErrInterrupted) {
					t.Fatalf("%d vertices of %s: %v", n, k.Kind, err)
				}
			}
			verifyAll(t, p)
			if !k.Kind.Float() && !o.Predecessors &&
				!bytes.Equal(enginetest.MatrixFile(t, p.Dir()), enginetest.MatrixFile(t, whole.Dir())) {
				t.Errorf("%d vertices of %s: one device and several differ", n, k.Kind)
			}
		}
	}
}

// TestPartFails fails an operation of one of several devices. The solve ends with that error, whatever the others
// wait for, and another goes on.
func TestPartFails(t *testing.T) {
	r := seeds.New(t)
	failures := 0
	for range crashtest.Repeats(4, 60) {
		n := 200 + r.IntN(300)
		g := enginetest.RandomGraph(t, r, n, entry.KindI32, false)
		p := enginetest.Create(t, g, 64)
		f := &fault{at: 20 + r.IntN(150), stays: r.IntN(2) == 0}
		devices := 2 + r.IntN(2)
		bad := r.IntN(devices)
		o := partOptionsWith(t, r, p, devices, func(i int, d kernels.Device) kernels.Device {
			if i == bad {
				return faulty(d, f)
			}
			return d
		})
		_, err := p.Solve(t.Context(), o)
		failed := f.failed != ""
		if failed {
			failures++
		}
		if failed != (err != nil) || failed && !errors.Is(err, errFault) {
			t.Fatalf("%d vertices, device %d of %d, operation %d (%s): %v", n, bad, devices, f.at, f.failed, err)
		}
		enginetest.Solve(t, p, partOptions(t, r, p, 1+r.IntN(3)))
		verifyAll(t, p)
	}
	if failures == 0 {
		t.Error("nothing failed")
	}
}

// TestCampaignPartPowerCuts is TestPowerCuts for several devices. Others go on, as many or not.
func TestCampaignPartPowerCuts(t *testing.T) {
	crashtest.Campaign(t)
	r := seeds.New(t)
	cuts := 0
	for range crashtest.Times(1, 12) {
		for _, k := range enginetest.AllKinds {
			n := 200 + r.IntN(300)
			g := enginetest.RandomGraph(t, r, n, k.Kind, k.Negative)
			whole := enginetest.Create(t, g, 64)
			enginetest.Solve(t, whole, partOptions(t, r, whole, 1))
			for i, dir := range cutWhileSolving(t, r, g, engine.CreateOptions{Tile: 64},
				partOptions(t, r, whole, 2+r.IntN(2))) {
				p, err := engine.Open(dir)
				if err != nil {
					t.Fatalf("cut %d: %v", i, err)
				}
				enginetest.Solve(t, p, partOptions(t, r, p, 1+r.IntN(3)))
				verifyAll(t, p)
				if !k.Kind.Float() && !bytes.Equal(enginetest.MatrixFile(t, dir),
					enginetest.MatrixFile(t, whole.Dir())) {
					t.Errorf("cut %d: other bytes than without the cut", i)
				}
				if err := p.Close(); err != nil {
					t.Fatal(err)
				}
				cuts++
			}
		}
	}
	if t.Logf("%d cuts", cuts); cuts == 0 {
		t.Error("nothing was cut")
	}
}
