package engine_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"ooc/engine"
	"ooc/engine/device"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/live"
	"ooc/engine/ranks"
	"ooc/engine/rounds"
	"ooc/engine/task"
	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/tiles"
	"ooc/tiles/crashtest"
)

// solveRanks solves a store in so many ranks, each a goroutine with a device and an open store of its own. change
// changes the options of a rank. It returns the errors by rank.
func solveRanks(t *testing.T, r *rand.Rand, ctx context.Context, p *engine.Problem, size int,
	change func(rank int, o *engine.Options)) []error {
	t.Helper()
	links, down := enginetest.Links(size)
	first := partOptions(t, r, p, 1)
	var grids [][2]int
	for d := 1; d <= size; d++ {
		if size%d == 0 {
			grids = append(grids, [2]int{d, size / d})
		}
	}
	grid := append(grids, [2]int{})[r.IntN(len(grids)+1)]
	all := make([]engine.Options, size)
	for rank := range all {
		o := first
		if rank > 0 {
			o = partOptions(t, r, p, 1)
		}
		o.HostMemory = first.HostMemory * int64(size)
		o.Ranks, o.Grid, o.Control, o.Device = ranks.NewGroup(links[rank]), grid, new(live.Control),
			device.Ranked(first.Device, size, first.Device.Info().Memory)
		if rank > 0 {
			o.Device = partOptionsDevice(t, first.Device.Info().Memory)
		}
		change(rank, &o)
		all[rank] = o
	}
	errs := make([]error, size)
	var group errgroup.Group
	for rank, o := range all {
		group.Go(func() (err error) {
			if rank == 0 {
				if _, errs[0] = p.Solve(ctx, o); failed(errs[0]) {
					down() // as the end of a process ends the others
					return nil
				}
				return o.Ranks.Leave(context.Background())
			}
			beside, err := engine.OpenBeside(p.Dir(), p.Meta().ID)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, beside.Close()) }()
			if _, errs[rank] = beside.Solve(ctx, o); failed(errs[rank]) {
				down()
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	return errs
}

func failed(err error) bool {
	return err != nil && !errors.Is(err, task.ErrInterrupted) && !errors.Is(err, ranks.ErrOver)
}

// TestRanks is TestParts for processes that share a solve over a link, on grids of every shape, also where a link has
// fewer tags than there are tiles.
func TestRanks(t *testing.T) {
	r := seeds.New(t)
	defer func(were int) { rounds.Tags = were }(rounds.Tags)
	for range crashtest.Repeats(1, 10) {
		for i, k := range enginetest.AllKinds {
			n := 1 + r.IntN(600)
			rounds.Tags = 1 + r.IntN(20)
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
			whole, p := make("whole"), make("ranks")
			enginetest.Solve(t, whole, partOptions(t, r, whole, 1))
			for left := 2; ; left-- {
				ctx, cancel := context.WithCancel(t.Context())
				stop, size := r.Float64(), 1+r.IntN(5)
				errs := solveRanks(t, r, ctx, p, size, func(_ int, o *engine.Options) {
					control, paused := o.Control, false
					o.Progress = func(st live.Status) {
						if st.Progress >= stop/2 && !paused {
							paused = true
							control.Pause()
							control.Checkpoint()
							control.Resume()
						}
						if left > 0 && st.Progress >= stop {
							cancel()
						}
					}
				})
				cancel()
				for rank, err := range errs {
					if failed(err) {
						t.Fatalf("%d vertices of %s, rank %d of %d: %v", n, k.Kind, rank, size, err)
					}
				}
				if errs[0] == nil {
					break
				}
			}
			verifyAll(t, p)
			if !k.Kind.Float() && !o.Predecessors &&
				!bytes.Equal(enginetest.MatrixFile(t, p.Dir()), enginetest.MatrixFile(t, whole.Dir())) {
				t.Errorf("%d vertices of %s: one process and several differ", n, k.Kind)
			}
		}
	}
}

// TestRankFails fails an operation of the device of one rank. All ranks end, one of them with that error, and others
// go on.
func TestRankFails(t *testing.T) {
	r := seeds.New(t)
	var failures atomic.Int32
	for range crashtest.Repeats(4, 60) {
		n := 200 + r.IntN(300)
		p := enginetest.Create(t, enginetest.RandomGraph(t, r, n, "i32", false), 64)
		f := &fault{at: 20 + r.IntN(150), stays: r.IntN(2) == 0}
		size := 2 + r.IntN(2)
		bad := r.IntN(size)
		errs := solveRanks(t, r, t.Context(), p, size, func(rank int, o *engine.Options) {
			if rank == bad {
				o.Device = faulty(o.Device, f)
			}
		})
		if fell := f.failed != ""; fell != (errs[bad] != nil) || fell && !errors.Is(errs[bad], errFault) {
			t.Fatalf("%d vertices, rank %d of %d, operation %d (%s): %v", n, bad, size, f.at, f.failed, errs)
		} else if fell {
			failures.Add(1)
		}
		enginetest.Solve(t, p, partOptions(t, r, p, 1+r.IntN(3)))
		verifyAll(t, p)
	}
	if failures.Load() == 0 {
		t.Error("nothing failed")
	}
}

// partOptionsDevice opens a device for one thread, until the test ends.
func partOptionsDevice(t *testing.T, memory int64) kernels.Device {
	t.Helper()
	d, err := cpu.Open(cpu.Options{Threads: 1, Memory: memory})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}
