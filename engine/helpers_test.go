package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"ooc/engine"
	"ooc/engine/device"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/live"
	"ooc/engine/rounds"
	"ooc/engine/task"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles/crashtest"
)

// smallTile is the size of a tile of edge 64.
const smallTile = 64 * 64 * entry.WordBytes

// cutAtSyncs makes a store of a graph and solves it. Before and after each sync of the solve it copies what a disk
// might hold if the power were cut. It returns the solved store, which is closed when the test ends, and the folders
// of the copies in order.
func cutAtSyncs(t testing.TB, r *rand.Rand, g graph.Weights, made engine.CreateOptions,
	o engine.Options) (p *engine.Problem, copies []string) {
	t.Helper()
	dir, into := filepath.Join(t.TempDir(), "x.ooc"), t.TempDir()
	h, err := crashtest.Watch(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	if p, err = engine.Create(t.Context(), dir, g, made); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	h.OnSync = func(name string, done bool) { // by one goroutine: checkpoints do not overlap
		dst := filepath.Join(into, fmt.Sprintf("%d-%s-%v", len(copies), filepath.Base(name), done))
		if h.Cut(dst, r) == nil {
			copies = append(copies, dst)
		}
	}
	enginetest.Solve(t, p, o)
	return p, copies
}

// campaignDevice is one device for all the solves of a campaign, since a GPU takes longer to open than they do. It is
// too small to be timed. What is still in use of it when the test ends is an error.
func campaignDevice(t *testing.T, open func(memory int64) (kernels.Device, error)) *device.Shared {
	t.Helper()
	probe, err := open(0)
	if err != nil {
		t.Fatal(err)
	}
	memory := probe.Info().Scratch + 128*smallTile
	if err := probe.Close(); err != nil {
		t.Fatal(err)
	}
	d, err := open(memory)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return &device.Shared{On: d}
}

// few is as much of a device as holds so many tiles of edge 64.
func few(s *device.Shared, tiles int) kernels.Device {
	return s.Part(s.Part(0).Info().Scratch + int64(tiles)*smallTile)
}

// inCoreSlots is the fewest slots with which every tile stays on the device.
func inCoreSlots(side, width int) int {
	m := min(width, side)
	if m == side {
		return side * side
	}
	return side*side + 2*m*m + m
}

// otherFrames picks a width, slots and pages for an algorithm over side×side tiles other than the blocked one, often
// the fewest that work.
func otherFrames(r *rand.Rand, algorithm string, side int) (width, slots, pages int) {
	width, slots = 1, side*side
	if algorithm == rounds.Squaring.Name() {
		width = 1 + r.IntN(min(side, 3))
		slots = min(width*(side+1)+1, side*side+width) + r.IntN(2)*r.IntN(side*side+1)
	}
	return width, slots, minPages + r.IntN(2)*r.IntN(side*side)
}

// upperAndSquare solves a symmetric graph twice: into a store of one half of its matrix, and into one of all of it.
func upperAndSquare(t testing.TB, r *rand.Rand, g *graph.Graph, tile int) (upper, square *engine.Problem) {
	t.Helper()
	upper, square = enginetest.CreateUpper(t, g, tile), enginetest.Create(t, g, tile)
	enginetest.Solve(t, upper, enginetest.RandomShape(r, g.N, tile).Options(t))
	enginetest.Solve(t, square, enginetest.RandomShape(r, g.N, tile).Options(t))
	return upper, square
}

// stoppedPast solves stores that create makes until one solve is stopped past the given progress with a restore
// point, and returns that store. A solve can end before it is stopped, and be stopped before there is anything to
// keep: progress counts rows as they are done, restore points count those without a gap. So it tries several, and
// ends the test if none will stop so.
func stoppedPast(t testing.TB, progress float64, o engine.Options, create func() *engine.Problem) *engine.Problem {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // with many, all rows of tiles are under way before one is done
	const tries = 200
	for range tries {
		p := create()
		ctx, cancel := context.WithCancel(t.Context())
		o.Interval = time.Microsecond
		o.Progress = func(st live.Status) {
			done := st.Progress
			if st.Rows > 0 { // what an elimination does before its rows is not kept
				done = float64(st.RowsDone) / float64(st.Rows)
			}
			if done > progress {
				cancel()
			}
		}
		_, err := p.Solve(ctx, o)
		cancel()
		if err != nil && !errors.Is(err, task.ErrInterrupted) {
			t.Fatal(err)
		}
		if state, _, serr := p.Store().State(); serr != nil {
			t.Fatal(serr)
		} else if err != nil && state.Done > 0 {
			return p
		}
	}
	t.Fatalf("none of %d solves was stopped with something to keep", tries)
	return nil
}

// minPages is the fewest pages with which anything can be solved: one for a tile that is read, one for a tile that is
// written.
const minPages = 2
