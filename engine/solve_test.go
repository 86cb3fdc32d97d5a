package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ooc/engine"
	"ooc/engine/device"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/live"
	"ooc/engine/prove"
	"ooc/engine/task"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/crashtest"
	"ooc/tiles/disk"
)

// verifyAll compares every row with a search from its source.
func verifyAll(t testing.TB, p *engine.Problem) {
	t.Helper()
	rows, tiles := p.Geometry().RowCount(), p.Geometry().Tiles()
	v, err := prove.Sample(context.Background(), p, rows, 1)
	if err != nil {
		t.Fatal(err)
	}
	if v.Rows != rows || v.Tiles != tiles {
		t.Fatalf("verified %d rows and %d tiles of %d and %d", v.Rows, v.Tiles, rows, tiles)
	}
}

// TestSolve solves random graphs of every kind under random limits, and compares every distance.
func TestSolve(t *testing.T) {
	crashtest.Slow(t)
	r := seeds.New(t)
	for round := range crashtest.Repeats(4, 12) {
		for _, k := range enginetest.EveryKind {
			n := 1 + r.IntN(500)
			g := enginetest.RandomGraph(t, r, n, k.Kind, k.Negative)
			s := enginetest.RandomShape(r, n, 64*(1+r.IntN(2)))
			t.Run(fmt.Sprintf("%d/%s/negative=%v/n=%d/%+v", round, k.Kind, g.Negative, n, s), func(t *testing.T) {
				p := enginetest.Create(t, g, s.Tile)
				sum := enginetest.Solve(t, p, s.Options(t))
				if sum.AlreadySolved || sum.Relaxations < 0.99*math.Pow(float64(n), 3) {
					t.Errorf("summary %+v does not count n³ relaxations", sum)
				}
				verifyAll(t, p)
				if again := enginetest.Solve(t, p, s.Options(t)); !again.AlreadySolved {
					t.Error("solved a solved store again")
				}
			})
		}
	}
}

// TestLimitsDoNotShow demands the same bytes, in f32 too, whatever memory and streams there were.
func TestLimitsDoNotShow(t *testing.T) {
	r := seeds.New(t)
	for _, k := range enginetest.EveryKind {
		n := 200 + r.IntN(300)
		g := enginetest.RandomGraph(t, r, n, k.Kind, k.Negative)
		s := enginetest.Shape{Tile: 64, Width: 2, Slots: inCoreSlots(entry.CeilDiv(n, 64), 2), Pages: 4, Streams: 3}
		p := enginetest.Create(t, g, s.Tile)
		enginetest.Solve(t, p, s.Options(t))
		want := enginetest.MatrixFile(t, p.Dir())
		for range 3 {
			s.Slots = enginetest.MinSlots(entry.CeilDiv(n, 64), 2) + r.IntN(20)
			s.Pages, s.Streams = 2+r.IntN(20), 1+r.IntN(4)
			q := enginetest.Create(t, g, s.Tile)
			enginetest.Solve(t, q, s.Options(t))
			if !bytes.Equal(enginetest.MatrixFile(t, q.Dir()), want) {
				t.Errorf("%v with %+v: other bytes than in core", k, s)
			}
		}
	}
}

// TestInterruptAndResume stops solves at random points, over and over with other limits, and compares
// the end with an uninterrupted one: byte by byte in i32, within rounding in f32.
func TestInterruptAndResume(t *testing.T) {
	crashtest.Slow(t)
	r := seeds.New(t)
	for range crashtest.Repeats(1, 6) {
		for _, k := range enginetest.EveryKind {
			n := 300 + r.IntN(300)
			g := enginetest.RandomGraph(t, r, n, k.Kind, k.Negative)
			p := enginetest.Create(t, g, 64)
			whole := enginetest.Create(t, g, 64)
			enginetest.Solve(t, whole, enginetest.RandomShape(r, n, 64).Options(t))
			solveInPieces(t, r, p, n)
			verifyAll(t, p)
			if k.Kind == entry.KindI32 &&
				!bytes.Equal(enginetest.MatrixFile(t, p.Dir()), enginetest.MatrixFile(t, whole.Dir())) {
				t.Error("i32: interrupted and uninterrupted solves differ")
			}
		}
	}
}

// solveInPieces stops the solve of a store of n vertices up to four times, at random points and each time with other
// limits, and lets it end.
func solveInPieces(t *testing.T, r *rand.Rand, p *engine.Problem, n int) {
	t.Helper()
	for left := 4; ; left-- {
		o := enginetest.RandomShape(r, n, 64).Options(t)
		o.Checkpoint, o.Interval = time.Duration(1+r.IntN(20))*time.Millisecond, 100*time.Microsecond
		ctx, cancel := context.WithCancel(context.Background())
		first, more := -1.0, r.Float64()
		o.Progress = func(st live.Status) {
			if first < 0 {
				first = st.Progress
			}
			if left > 0 && st.Progress >= first+more*(1-first) {
				cancel()
			}
		}
		_, err := p.Solve(ctx, o)
		cancel()
		if err == nil {
			return
		}
		if !errors.Is(err, task.ErrInterrupted) {
			t.Fatal(err)
		}
	}
}

// TestInterruptKeepsRounds demands that a stopped solve goes on from the rounds it had finished.
func TestInterruptKeepsRounds(t *testing.T) {
	g := enginetest.RandomGraph(t, seeds.New(t), 640, entry.KindI32, false)
	s := enginetest.Shape{Tile: 64, Width: 1, Slots: inCoreSlots(10, 1), Pages: 4, Streams: 2}
	p := stoppedPast(t, 0.5, s.Options(t), func() *engine.Problem { return enginetest.Create(t, g, 64) })
	st, err := p.Status()
	if err != nil {
		t.Fatal(err)
	}
	if st.State != live.Unfinished || st.RestorePoint < 0.3 {
		t.Errorf("stopped past half way, status says %+v", st)
	}
	if sum := enginetest.Solve(t, p, s.Options(t)); sum.ResumedFrom != st.RestorePoint {
		t.Errorf("resumed from %v, status said %v", sum.ResumedFrom, st.RestorePoint)
	}
	verifyAll(t, p)
}

func TestRestart(t *testing.T) {
	p := enginetest.Create(t, enginetest.RandomGraph(t, seeds.New(t), 100, entry.KindI32, false), 64)
	s := enginetest.RandomShape(rand.New(rand.NewPCG(1, 1)), 100, 64)
	enginetest.Solve(t, p, s.Options(t))
	if err := p.Restart(t.Context(), engine.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := p.Solved(); !errors.Is(err, engine.ErrUnsolved) {
		t.Errorf("after a restart: %v", err)
	}
	if sum := enginetest.Solve(t, p, s.Options(t)); sum.AlreadySolved || sum.ResumedFrom != 0 {
		t.Errorf("after a restart: %+v", sum)
	}
	verifyAll(t, p)
}

// TestTruncatedMatrix cuts dist.npy under a running solve.
func TestTruncatedMatrix(t *testing.T) {
	g := enginetest.RandomGraph(t, seeds.New(t), 640, entry.KindI32, false)
	s := enginetest.Shape{Tile: 64, Width: 1, Slots: enginetest.MinSlots(10, 1) + 1, Pages: 2, Streams: 2}
	p := enginetest.Create(t, g, 64)
	o := s.Options(t)
	o.Interval = time.Millisecond
	cut := false
	o.Progress = func(st live.Status) {
		if !cut && st.Progress > 0.1 {
			cut = true
			if err := os.Truncate(filepath.Join(p.Dir(), "dist.npy"), 100_000); err != nil {
				t.Error(err)
			}
		}
	}
	_, err := p.Solve(context.Background(), o)
	var at *tiles.FaultError
	if !errors.Is(err, disk.ErrCorrupt) || !errors.As(err, &at) {
		t.Fatalf("got %v, want a fault that names a tile", err)
	}
	if off := p.Geometry().TileOffset(at.I, at.J); off+p.Geometry().TileBytes() <= 100_000 {
		t.Errorf("tile (%d,%d) is named, which is whole", at.I, at.J)
	}
}

// TestLeastMemory demands that the memory a refusal asks for is enough, and one byte less is not.
func TestLeastMemory(t *testing.T) {
	g := enginetest.RandomGraph(t, seeds.New(t), 500, entry.KindI32, false)
	p := enginetest.Create(t, g, 64)
	s := enginetest.Shape{Tile: 64, Width: 1, Slots: enginetest.MinSlots(8, 1) - 1, Pages: 2, Streams: 1}
	if _, err := p.Solve(context.Background(), s.Options(t)); !errors.Is(err, device.ErrMemory) {
		t.Fatalf("%d slots: %v", s.Slots, err)
	}
	s.Slots++
	s.Pages = 1
	if _, err := p.Solve(context.Background(), s.Options(t)); !errors.Is(err, device.ErrMemory) {
		t.Fatalf("1 page: %v", err)
	}
	s.Pages++
	enginetest.Solve(t, p, s.Options(t))
	verifyAll(t, p)
}
