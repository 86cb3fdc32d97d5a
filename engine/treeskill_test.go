package engine_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"ooc/engine"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/live"
	"ooc/engine/prove"
	"ooc/engine/task"
	"ooc/tiles/crashtest"
)

// TestRootTreesKilledThenPowerCut kills a solve once it has mended predecessors, which nothing has synced, lets
// another run find nothing to mend, and cuts the power then: what is called solved is on disk.
func TestRootTreesKilledThenPowerCut(t *testing.T) {
	r := seeds.New(t)
	_, cuts := cutAtSyncs(t, r, loopingGraph(t), engine.CreateOptions{Tile: 64, Predecessors: true},
		loopingShape.Options(t))
	for _, dir := range cuts {
		if !leftLooping(t, dir) {
			continue
		}
		h, err := crashtest.Watch(dir) // all that is there is on disk
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		rootTrees(t, dir) // and then the process is killed
		solveAgain(t, dir)
		for i := range 40 { // the power goes
			cut := filepath.Join(t.TempDir(), fmt.Sprint(i))
			if err := h.Cut(cut, r); err != nil {
				t.Fatal(err)
			}
			checkAfterCut(t, cut)
			if t.Failed() {
				return
			}
		}
		return
	}
	t.Fatal("no cut came between the last round and the checksums")
}

// leftLooping reports whether a folder holds final distances, and predecessors in a loop.
func leftLooping(t *testing.T, dir string) bool {
	t.Helper()
	p, err := engine.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	state, _, err := p.Store().Recover()
	if err != nil {
		t.Fatal(err)
	}
	return state.Done == 100 && !treesRooted(t, p) && hasLoop(t, p)
}

// rootTrees mends the predecessors of a store and syncs nothing.
func rootTrees(t *testing.T, dir string) {
	t.Helper()
	p, err := engine.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, _, err := p.Store().Recover(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.RootTrees(context.Background(), new(live.Control)); err != nil {
		t.Fatal(err)
	}
}

// solveAgain is the same command again.
func solveAgain(t *testing.T, dir string) task.Summary {
	t.Helper()
	p, err := engine.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	return enginetest.Solve(t, p, loopingShape.Options(t))
}

// checkAfterCut solves what the power left and looks at its predecessors and checksums.
func checkAfterCut(t *testing.T, dir string) {
	t.Helper()
	sum := solveAgain(t, dir)
	p, err := engine.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := prove.Scrub(context.Background(), p, prove.ScrubOptions{}); hasLoop(t, p) || err != nil {
		t.Errorf("already solved %v, predecessors in a loop %v, scrub: %v", sum.AlreadySolved, hasLoop(t, p), err)
	}
}

// TestRootTreesPauses has predecessors checked in a pause: the check waits, and continues or is interrupted afterwards.
func TestRootTreesPauses(t *testing.T) {
	p, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "x.ooc"), loopingGraph(t),
		engine.CreateOptions{Tile: 64, Predecessors: true})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	enginetest.Solve(t, p, loopingShape.Options(t))
	for _, interrupt := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		c, end := new(live.Control), make(chan error, 1)
		c.Pause()
		go func() {
			_, err := p.RootTrees(ctx, c)
			end <- err
		}()
		for waits := false; !waits; time.Sleep(time.Millisecond) {
			select {
			case err := <-end:
				t.Fatalf("it did not wait: %v", err)
			default:
				waits = c.Waiting()
			}
		}
		if interrupt {
			cancel()
		} else {
			c.Resume()
		}
		if err := <-end; interrupt != errors.Is(err, context.Canceled) || !interrupt && err != nil {
			t.Errorf("interrupted %v: %v", interrupt, err)
		}
	}
}
