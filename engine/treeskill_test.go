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
	"ooc/tiles/crashtest"
)

// TestRootTreesKilledThenPowerCut kills a solve once it has mended predecessors, which nothing has synced, lets another run find
// nothing to mend, and cuts the power then: what is called solved is on disk.
func TestRootTreesKilledThenPowerCut(t *testing.T) {
	r := seeds.New(t)
	g := knot(t)
	dir, copies := filepath.Join(t.TempDir(), "x.ooc"), t.TempDir()
	h, err := crashtest.Watch(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	p, err := engine.Create(t.Context(), dir, g, engine.CreateOptions{Tile: 64, Predecessors: true})
	if err != nil {
		t.Fatal(err)
	}
	var dirs []string
	h.OnSync = func(name string, done bool) {
		dst := filepath.Join(copies, fmt.Sprintf("%d-%s-%v", len(dirs), filepath.Base(name), done))
		if h.Cut(dst, r) == nil {
			dirs = append(dirs, dst)
		}
	}
	o := enginetest.Shape{Tile: 64, Width: 1, Slots: 4, Pages: 4, Streams: 1, Pairs: true}
	enginetest.Solve(t, p, o.Options(t))
	p.Close()
	for _, d := range dirs {
		q, err := engine.Open(d)
		if err != nil {
			t.Fatal(err)
		}
		state, _, err := q.Store().Recover()
		if err != nil {
			t.Fatal(err)
		}
		want := state.Done == 100 && !treesRooted(t, q) && goesRound(t, q)
		q.Close()
		if !want {
			continue
		}
		h2, err := crashtest.Watch(d) // all that is there is durable
		if err != nil {
			t.Fatal(err)
		}
		q, err = engine.Open(d)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := q.Store().Recover(); err != nil {
			t.Fatal(err)
		}
		if _, err := q.RootTrees(context.Background(), new(live.Control)); err != nil { // and then the process is killed
			t.Fatal(err)
		}
		q.Close()
		q, err = engine.Open(d) // the same command again
		if err != nil {
			t.Fatal(err)
		}
		enginetest.Solve(t, q, o.Options(t))
		q.Close()
		bad := 0
		for i := range 40 { // the power goes
			dst := filepath.Join(t.TempDir(), fmt.Sprint(i))
			if err := h2.Cut(dst, r); err != nil {
				t.Fatal(err)
			}
			q, err := engine.Open(dst)
			if err != nil {
				t.Fatal(err)
			}
			st, err := q.Status()
			sum := enginetest.Solve(t, q, o.Options(t))
			_, serr := prove.Scrub(context.Background(), q, prove.ScrubOptions{})
			if goesRound(t, q) || serr != nil {
				if bad++; bad == 1 {
					t.Errorf("state %q (%v), already solved %v, goes round %v, scrub: %v", st.State, err, sum.AlreadySolved, goesRound(t, q), serr)
				}
			}
			q.Close()
		}
		h2.Close()
		return
	}
	t.Fatal("no cut")
}

// TestRootTreesPauses has predecessors looked through in a pause: that waits, and goes on or is interrupted afterwards.
func TestRootTreesPauses(t *testing.T) {
	p, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "x.ooc"), knot(t), engine.CreateOptions{Tile: 64, Predecessors: true})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	enginetest.Solve(t, p, enginetest.Shape{Tile: 64, Width: 1, Slots: 4, Pages: 4, Streams: 1, Pairs: true}.Options(t))
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
