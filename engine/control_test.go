package engine_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"ooc/engine"
	"ooc/engine/eliminate"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/live"
	"ooc/engine/rounds"
	"ooc/engine/task"
	"ooc/kernels/entry"
	"ooc/tiles/crashtest"
)

// steered is a solve in the background whose statuses a test sees.
type steered struct {
	t    *testing.T
	ctl  *live.Control
	seen chan live.Status
	end  chan error
}

// steer starts a solve and pauses it when want says so.
func steer(t *testing.T, ctx context.Context, p *engine.Problem, o engine.Options,
	want func(live.Status) bool) *steered {
	s := &steered{t: t, ctl: new(live.Control), seen: make(chan live.Status), end: make(chan error, 1)}
	over := make(chan struct{})
	o.Control, o.Interval = s.ctl, 50*time.Microsecond
	o.Progress = func(st live.Status) {
		if st.State == live.Running && want(st) {
			s.ctl.Pause()
		}
		select {
		case s.seen <- st:
		case <-over:
		case <-time.After(time.Millisecond): // nobody looks
		}
	}
	go func() {
		_, err := p.Solve(ctx, o)
		s.end <- err
	}()
	t.Cleanup(func() { close(over) })
	return s
}

// until returns the first status that is as wanted, false where the solve ended before.
func (s *steered) until(want func(live.Status) bool) (live.Status, bool) {
	s.t.Helper()
	limit := time.After(time.Minute)
	for {
		select {
		case st := <-s.seen:
			if want(st) {
				return st, true
			}
		case err := <-s.end:
			s.end <- err
			return live.Status{}, false
		case <-limit:
			s.t.Fatal("waited a minute for a status that never came")
		}
	}
}

// still waits until two statuses in a row show the same progress, and returns the second.
func (s *steered) still() live.Status {
	s.t.Helper()
	last := live.Status{Progress: -1}
	st, ok := s.until(func(st live.Status) bool {
		same := st.Progress == last.Progress && st.State == live.Paused
		last = st
		return same
	})
	if !ok {
		s.t.Fatal("a paused solve ended")
	}
	return st
}

// pauseMidway starts solves until one stands still between its start and its end.
func pauseMidway(t *testing.T, ctx context.Context, p *engine.Problem, o engine.Options,
	want func(live.Status) bool) *steered {
	for try := 0; ; try++ {
		s := steer(t, ctx, p, o, want)
		st, ok := s.until(func(st live.Status) bool { return st.State == live.Paused })
		if ok && st.Progress < 1 {
			return s
		}
		s.ctl.Resume()
		if err := <-s.end; err != nil || try == 50 {
			t.Fatalf("no solve could be paused midway: %v", err)
		}
		if err := p.Restart(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
}

// pauseAndGoOn pauses a solve, takes a checkpoint in the pause and wants the rest of it to come out right.
func pauseAndGoOn(t *testing.T, p *engine.Problem, o engine.Options, want func(live.Status) bool) {
	s := pauseMidway(t, t.Context(), p, o, want)
	before := s.still()
	s.ctl.Checkpoint()
	kept, ok := s.until(func(st live.Status) bool {
		safe := int(math.Round(st.RestorePoint * float64(st.Rows))) // rows, if there are any
		if st.RestorePoint > 0 && safe < st.RowsDone && st.Stage == live.StageExpand {
			s.ctl.Checkpoint() // that one did not wait for the rows in flight; this one may
		}
		return st.RestorePoint > 0 && (st.Stage == live.StageRounds && st.Checkpoint == "" ||
			st.Stage == live.StageExpand && safe == st.RowsDone)
	})
	if !ok || kept.State != live.Paused {
		t.Fatalf("a checkpoint in a pause ended it: %+v", kept)
	}
	after := s.still()
	if after.Elapsed != before.Elapsed || after.ETA > before.ETA {
		t.Errorf("the clock went on in a pause: %v, then %v elapsed; %v, then %v left", before.Elapsed, after.Elapsed,
			before.ETA, after.ETA)
	}
	if after.Rate != 0 || after.DistanceRate != 0 {
		t.Errorf("rates in a pause: %+v", after)
	}
	if onDisk, err := p.Status(); err != nil || onDisk.RestorePoint < kept.RestorePoint {
		t.Errorf("the checkpoint is not on disk: %+v, %v", onDisk, err)
	}
	s.ctl.Resume()
	if err := <-s.end; err != nil {
		t.Fatal(err)
	}
	verifyAll(t, p)
}

func TestPauseRounds(t *testing.T) {
	crashtest.Slow(t)
	r := seeds.New(t)
	for range crashtest.Repeats(1, 4) {
		n := 1200 + r.IntN(300)
		side := entry.CeilDiv(n, 64)
		s := enginetest.Shape{Tile: 64, Width: 1, Slots: enginetest.MinSlots(side, 1) + r.IntN(side*side),
			Pages: minPages + r.IntN(40), Streams: 1 + r.IntN(3)}
		p := enginetest.Create(t, enginetest.RandomGraph(t, r, n, entry.KindI32, false), 64)
		pauseAndGoOn(t, p, s.Options(t),
			func(st live.Status) bool { return st.Round > 2 && st.Progress < 0.5 && st.RestorePoint == 0 })
	}
}

func TestPauseExpansion(t *testing.T) {
	crashtest.Slow(t)
	p := enginetest.Create(t, enginetest.RandomGraph(t, seeds.New(t), 2500, entry.KindI32, false), 64)
	o := enginetest.Shape{Tile: 64, Slots: 1000, Pages: 8}.Options(t)
	o.Algorithm, o.HostMemory = eliminate.Name, 0
	pauseAndGoOn(t, p, o, func(st live.Status) bool {
		return st.RowsDone > 0 && st.RowsDone < st.Rows/2 && st.RestorePoint == 0
	})
}

// TestEndInPause ends the context of a paused solve: it keeps what it had finished.
func TestEndInPause(t *testing.T) {
	crashtest.Slow(t)
	r := seeds.New(t)
	n := 1200 + r.IntN(300)
	began := enginetest.Shape{Tile: 64, Width: 1, Slots: inCoreSlots(entry.CeilDiv(n, 64), 1), Pages: 4,
		Streams: 2}.Options(t)
	rows := began
	rows.Algorithm, rows.Round, rows.HostMemory = eliminate.Name, 0, 0
	for _, o := range []engine.Options{began, rows} {
		p := enginetest.Create(t, enginetest.RandomGraph(t, r, n, entry.KindI32, false), 64)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := pauseMidway(t, ctx, p, o, func(st live.Status) bool {
			return st.Round > 2 && st.Progress < 0.5 || st.Stage == live.StageExpand
		})
		s.still()
		cancel()
		if err := <-s.end; !errors.Is(err, task.ErrInterrupted) {
			t.Fatalf("got %v", err)
		}
		if st, err := p.Status(); err != nil || st.RestorePoint == 0 && o.Algorithm == rounds.Blocked.Name() {
			t.Errorf("nothing was kept: %+v, %v", st, err)
		}
		enginetest.Solve(t, p, o)
		verifyAll(t, p)
	}
}

// TestCheckpointNow asks for checkpoints of solves that take none by themselves.
func TestCheckpointNow(t *testing.T) {
	crashtest.Slow(t)
	r := seeds.New(t)
	for try := 0; ; try++ {
		n := 1200 + r.IntN(300)
		p := enginetest.Create(t, enginetest.RandomGraph(t, r, n, entry.KindI32, false), 64)
		o := enginetest.Shape{Tile: 64, Width: 1, Slots: enginetest.MinSlots(entry.CeilDiv(n, 64), 1) + 20, Pages: 8,
			Streams: 2}.Options(t)
		o.Checkpoint = time.Hour
		s := steer(t, t.Context(), p, o, func(live.Status) bool { return false })
		s.ctl.Checkpoint() // before there is anything to keep
		st, ok := s.until(func(st live.Status) bool { return st.RestorePoint > 0 && st.RestorePoint < 1 })
		if err := <-s.end; err != nil {
			t.Fatal(err)
		}
		verifyAll(t, p)
		if ok {
			t.Logf("restore point %.2f", st.RestorePoint)
			return
		}
		if try == 20 {
			t.Fatal("no checkpoint was seen before the end")
		}
	}
}
