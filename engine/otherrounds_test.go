package engine_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"ooc/engine"
	"ooc/engine/device"
	"ooc/engine/eliminate"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/live"
	"ooc/engine/plan"
	"ooc/engine/rounds"
	"ooc/engine/task"
	"ooc/kernels/entry"
	"ooc/stream"
	"ooc/tiles/crashtest"
)

// TestCampaignSquaringPowerCuts is TestPowerCuts for squaring.
func TestCampaignSquaringPowerCuts(t *testing.T) {
	crashtest.Campaign(t)
	r := seeds.New(t)
	for _, k := range enginetest.EveryKind {
		n := 200 + r.IntN(200)
		g := enginetest.RandomGraph(t, r, n, k.Kind, k.Negative)
		whole := enginetest.Create(t, g, 64)
		enginetest.Solve(t, whole, enginetest.RandomShape(r, n, 64).Options(t))
		squared := func() engine.Options {
			side := entry.CeilDiv(n, 64)
			return engine.Options{Request: plan.Request{Algorithm: rounds.Squaring.Name(),
				HostMemory: int64(2+r.IntN(9)) * 64 * 64 * 4},
				Device: enginetest.Device(t, 2*side+3+r.IntN(side*side), 64)}
		}
		for i, dir := range cutWhileSolving(t, r, g, engine.CreateOptions{Tile: 64}, squared()) {
			p, err := engine.Open(dir)
			if err != nil {
				t.Fatalf("cut %d: %v", i, err)
			}
			o := squared()
			if st, err := p.Status(); err != nil {
				t.Fatal(err)
			} else if st.State == live.New { // nothing binds it to the way it was begun
				o.Algorithm = rounds.SingleStage.Name()
				o.Device = enginetest.Device(t, p.Geometry().Tiles(), 64)
			}
			enginetest.Solve(t, p, o)
			verifyAll(t, p)
			if k.Kind == entry.KindI32 &&
				!bytes.Equal(enginetest.MatrixFile(t, dir), enginetest.MatrixFile(t, whole.Dir())) {
				t.Errorf("cut %d: other bytes than without the cut", i)
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestOtherRoundsSolve solves random graphs of every kind by the other rounds, stopped now and then, and compares every
// distance; in i32 every byte with that of blocked rounds.
func TestOtherRoundsSolve(t *testing.T) {
	crashtest.Slow(t)
	r := seeds.New(t)
	for range crashtest.Repeats(1, 4) {
		for _, k := range enginetest.EveryKind {
			n := 1 + r.IntN(400)
			g := enginetest.RandomGraph(t, r, n, k.Kind, k.Negative)
			whole := enginetest.Create(t, g, 64)
			enginetest.Solve(t, whole, enginetest.RandomShape(r, n, 64).Options(t))
			for _, other := range []string{rounds.Squaring.Name(), rounds.SingleStage.Name()} {
				p := enginetest.Create(t, g, 64)
				for left := 2; ; left-- {
					_, slots, pages := otherFrames(r, other, p.Geometry().Side())
					algorithm := other
					if other == rounds.SingleStage.Name() && r.IntN(2) == 0 {
						algorithm = rounds.Blocked.Name() // which counts pivots too, and goes on
					}
					o := engine.Options{Request: plan.Request{Algorithm: algorithm,
						HostMemory: int64(pages) * p.Geometry().TileBytes(), Streams: 1 + r.IntN(3)},
						Device:     enginetest.Device(t, slots, 64),
						Checkpoint: time.Duration(1+r.IntN(20)) * time.Millisecond, Interval: 100 * time.Microsecond}
					ctx, cancel := context.WithCancel(context.Background())
					stop := r.Float64()
					o.Progress = func(st live.Status) {
						if left > 0 && st.Progress >= stop {
							cancel()
						}
					}
					sum, err := p.Solve(ctx, o)
					cancel()
					if err == nil {
						if sum.Algorithm != algorithm && !sum.AlreadySolved {
							t.Errorf("solved by %s, not %s", sum.Algorithm, algorithm)
						}
						break
					}
					if !errors.Is(err, task.ErrInterrupted) {
						t.Fatalf("%s: %v", other, err)
					}
				}
				verifyAll(t, p)
				if k.Kind == entry.KindI32 &&
					!bytes.Equal(enginetest.MatrixFile(t, p.Dir()), enginetest.MatrixFile(t, whole.Dir())) {
					t.Errorf("i32: %s and blocked rounds differ", other)
				}
			}
		}
	}
}

// TestSquaringStopsEarly wants a pass more than the paths need, and no others.
func TestSquaringStopsEarly(t *testing.T) {
	const n = 300
	b := graph.New(n)
	for v := 1; v < n; v++ {
		b.Add(0, v, 1)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	p := enginetest.Create(t, g, 64)
	var last live.Status
	sum := enginetest.Solve(t, p,
		engine.Options{Request: plan.Request{Algorithm: rounds.Squaring.Name()}, Device: enginetest.Device(t, 60, 64),
			Progress: func(s live.Status) { last = s }})
	if last.State != live.Solved || last.Progress != 1 {
		t.Errorf("%s at %.2f of all passes", last.State, last.Progress)
	}
	if cubes := sum.Relaxations / n / n / n; cubes > 1.01 {
		t.Errorf("%.1f passes over a star", cubes)
	}
	verifyAll(t, p)
}

// TestOtherRoundsRefuse wants reasons.
func TestOtherRoundsRefuse(t *testing.T) {
	g := enginetest.RandomGraph(t, seeds.New(t), 500, entry.KindI32, false)
	for _, c := range []struct {
		algorithm string
		slots     int
	}{{rounds.SingleStage.Name(), 63}, {rounds.Squaring.Name(), 9}} {
		p := enginetest.Create(t, g, 64)
		if _, err := p.Solve(context.Background(),
			engine.Options{Request: plan.Request{Algorithm: c.algorithm},
				Device: enginetest.Device(t, c.slots, 64)}); !errors.Is(err, device.ErrMemory) {
			t.Errorf("%s in %d slots: %v", c.algorithm, c.slots, err)
		}
		if _, err := p.Solve(context.Background(),
			engine.Options{Request: plan.Request{Algorithm: c.algorithm},
				Device: enginetest.Device(t, c.slots+1, 64)}); err != nil {
			t.Errorf("%s in %d slots: %v", c.algorithm, c.slots+1, err)
		}
		if _, err := p.Solve(context.Background(),
			engine.Options{Request: plan.Request{Algorithm: eliminate.Name},
				Device: enginetest.Device(t, 99, 64)}); err != nil {
			t.Errorf("a solved store: %v", err)
		}
	}
}

// TestOneStreamOverlapsNothing wants of solves with one stream a timeline in which operations of the device follow one
// another on whichever lane, and those of the host too. The two have clocks of their own.
func TestOneStreamOverlapsNothing(t *testing.T) {
	g := enginetest.RandomGraph(t, seeds.New(t), 500, entry.KindI32, false)
	for _, algorithm := range []string{rounds.Blocked.Name(), rounds.Squaring.Name(), rounds.SingleStage.Name()} {
		p := enginetest.Create(t, g, 64)
		slots := 30
		if algorithm == rounds.SingleStage.Name() {
			slots = 64
		}
		var lines bytes.Buffer
		sum := enginetest.Solve(t, p,
			engine.Options{Request: plan.Request{Algorithm: algorithm, Streams: 1,
				HostMemory: 4 * p.Geometry().TileBytes()}, Device: enginetest.Device(t, slots, 64), Timeline: &lines})
		if plan.Of[*rounds.Plan](sum.Plans).Window != 1 || plan.Of[*rounds.Plan](sum.Plans).LookAhead {
			t.Errorf("%s: plan %+v", algorithm, plan.Of[*rounds.Plan](sum.Plans))
		}
		var events []traceEvent
		if err := json.Unmarshal(lines.Bytes(), &events); err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(events, func(a, b traceEvent) int { return cmp.Compare(a.Start, b.Start) })
		spans, ends := [2]int{}, [2]float64{}
		for _, e := range events {
			if e.Phase != "X" {
				continue
			}
			clock := 0
			if s := stream.Stage(e.Stage); s == stream.In || s == stream.Kernel || s == stream.Out {
				clock = 1
			}
			if spans[clock]++; e.Start < ends[clock]-0.01 {
				t.Fatalf("%s: %+v begins before what came before it ends at %v µs", algorithm, e, ends[clock])
			}
			ends[clock] = e.Start + e.Took
		}
		if spans[0] < 128 || spans[1] < 136 {
			t.Errorf("%s: %d spans of the host and the device", algorithm, spans)
		}
	}
}
