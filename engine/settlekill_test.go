package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"ooc/tiles/crashtest"
)

// TestSettleKilledThenPowerCut kills a solve once it has mended predecessors, which nothing has synced, lets another run find
// nothing to mend, and cuts the power then: what is called solved is on disk.
func TestSettleKilledThenPowerCut(t *testing.T) {
	r := seeded(t)
	g := knot(t)
	dir, copies := filepath.Join(t.TempDir(), "x.ooc"), t.TempDir()
	h, err := crashtest.Watch(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	p, err := Create(dir, g, CreateOptions{Tile: 64, Predecessors: true})
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
	o := shape{tile: 64, width: 1, slots: 4, pages: 4, streams: 1, pairs: true}
	mustSolve(t, p, o.open(t))
	p.Close()
	for _, d := range dirs {
		q, err := Open(d)
		if err != nil {
			t.Fatal(err)
		}
		state, _, err := q.store.Recover()
		if err != nil {
			t.Fatal(err)
		}
		want := state.Done == 100 && !isSettled(t, q) && goesRound(t, q)
		q.Close()
		if !want {
			continue
		}
		h2, err := crashtest.Watch(d) // all that is there is durable
		if err != nil {
			t.Fatal(err)
		}
		q, err = Open(d)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := q.store.Recover(); err != nil {
			t.Fatal(err)
		}
		if _, err := q.settle(context.Background(), new(Control)); err != nil { // and then the process is killed
			t.Fatal(err)
		}
		q.Close()
		q, err = Open(d) // the same command again
		if err != nil {
			t.Fatal(err)
		}
		mustSolve(t, q, o.open(t))
		q.Close()
		bad := 0
		for i := range 40 { // the power goes
			dst := filepath.Join(t.TempDir(), fmt.Sprint(i))
			if err := h2.Cut(dst, r); err != nil {
				t.Fatal(err)
			}
			q, err := Open(dst)
			if err != nil {
				t.Fatal(err)
			}
			st, err := q.Status()
			sum := mustSolve(t, q, o.open(t))
			_, serr := q.Scrub(context.Background(), ScrubOptions{})
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

// TestSettlePauses has predecessors looked through in a pause: that waits, and goes on or is interrupted afterwards.
func TestSettlePauses(t *testing.T) {
	p, err := Create(filepath.Join(t.TempDir(), "x.ooc"), knot(t), CreateOptions{Tile: 64, Predecessors: true})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	mustSolve(t, p, shape{tile: 64, width: 1, slots: 4, pages: 4, streams: 1, pairs: true}.open(t))
	for _, interrupt := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		c, end := new(Control), make(chan error, 1)
		c.Pause()
		go func() {
			_, err := p.settle(ctx, c)
			end <- err
		}()
		for waits := false; !waits; time.Sleep(time.Millisecond) {
			select {
			case err := <-end:
				t.Fatalf("it did not wait: %v", err)
			default:
				c.mu.Lock()
				waits = c.changed != nil
				c.mu.Unlock()
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
