package crashtest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"ooc/kernels/entry"
	"ooc/tiles"
)

const (
	vertices = 300
	edge     = 64
	top      = 1 << 20 // entries are top minus the rounds they have finished
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func seeded(t *testing.T) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

func create(t *testing.T) (*Harness, *tiles.Store) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a.ooc")
	h, err := Watch(dir)
	must(t, err)
	t.Cleanup(h.Close)
	s, err := tiles.Create(dir, tiles.Meta{N: vertices, T: edge, Kind: entry.KindI32}, nil, tiles.IDs{})
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return h, s
}

// lower writes one round into every tile, in a random order, from several
// goroutines, as a solve does.
func lower(s *tiles.Store, round int64, rng *rand.Rand) error {
	side := s.Geometry().Side()
	order := rng.Perm(side * side)
	var g errgroup.Group
	for w := range 3 {
		g.Go(func() error {
			b := make([]byte, s.Geometry().TileBytes())
			for at := 0; at < len(b); at += 4 {
				binary.LittleEndian.PutUint32(b[at:], uint32(top-round))
			}
			for k := w; k < len(order); k += 3 {
				if err := s.WriteTile(order[k]/side, order[k]%side, b); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// run solves until stop: rounds, notes between them, and checkpoints that run
// while the next round is written. It ticks within each round.
func run(s *tiles.Store, rng *rand.Rand, tick chan<- struct{}, stop <-chan struct{}) error {
	defer close(tick)
	var syncing errgroup.Group
	for round := int64(1); round < vertices; round++ {
		select {
		case tick <- struct{}{}:
		default: // the last cut still runs
		}
		if err := lower(s, round, rng); err != nil {
			return err
		}
		st := tiles.State{Algorithm: "test", Done: round}
		var err error
		if rng.IntN(2) == 0 {
			if err = syncing.Wait(); err == nil {
				syncing.Go(func() error { return s.Checkpoint(st) })
			}
		} else {
			err = s.Note(st)
		}
		if err != nil {
			return err
		}
		select {
		case <-stop:
			return syncing.Wait()
		default:
		}
	}
	return syncing.Wait()
}

// audit opens what a cut left and compares the restore point with the matrix:
// how far the worst entry is behind it, 0 if none is.
func audit(t *testing.T, dir string) (behind int64, st tiles.State, ok bool) {
	t.Helper()
	s, err := tiles.Open(dir)
	must(t, err)
	defer s.Close()
	st, ok, err = s.Recover()
	must(t, err)
	if !ok {
		return 0, st, false
	}
	row := make([]byte, 4*vertices)
	for u := range vertices {
		must(t, s.ReadRow(row, u))
		for at := 0; at < len(row); at += 4 {
			x := int64(binary.LittleEndian.Uint32(row[at:]))
			if x == 0 { // never written: as bad as it gets
				x = top
			}
			behind = max(behind, st.Done-(top-x))
		}
	}
	return behind, st, true
}

// cuts runs a solve and cuts its power n times, at random moments and within
// syncs. It gives the worst lag of any cut behind its own restore point.
func cuts(t *testing.T, lie bool, n int) (worst int64, points map[int64]bool) {
	t.Helper()
	rng := seeded(t)
	h, s := create(t)
	h.lie = lie
	base := t.TempDir()
	var dirs []string
	cutRNG := rand.New(rand.NewPCG(rng.Uint64(), 1))
	var mu sync.Mutex // guards dirs and cutRNG
	cut := func() {
		mu.Lock()
		defer mu.Unlock()
		if len(dirs) < n {
			dir := filepath.Join(base, fmt.Sprint(len(dirs)))
			if err := h.Cut(dir, cutRNG); err != nil {
				t.Error(err)
			}
			dirs = append(dirs, dir)
		}
	}
	s = again(t, h, s)
	syncRNG := rand.New(rand.NewPCG(rng.Uint64(), 2))
	var syncs sync.Mutex // guards syncRNG
	h.OnSync = func(string, bool) {
		syncs.Lock()
		now := syncRNG.IntN(4) == 0
		syncs.Unlock()
		if now {
			cut()
		}
	}
	stop, tick := make(chan struct{}), make(chan struct{})
	var g errgroup.Group
	g.Go(func() error { return run(s, rng, tick, stop) })
	for range tick {
		cut()
		mu.Lock()
		done := len(dirs) >= n
		mu.Unlock()
		if done {
			break
		}
	}
	close(stop)
	must(t, g.Wait())
	points = map[int64]bool{}
	for _, dir := range dirs {
		behind, st, ok := audit(t, dir)
		worst = max(worst, behind)
		if ok {
			points[st.Done] = true
		}
	}
	return worst, points
}

// again closes and opens the store, so that it sees a changed harness.
func again(t *testing.T, h *Harness, s *tiles.Store) *tiles.Store {
	t.Helper()
	must(t, s.Close())
	s, err := tiles.Open(s.Dir())
	must(t, err)
	t.Cleanup(func() { s.Close() })
	_, _, err = s.Recover()
	must(t, err)
	return s
}

func TestPowerCuts(t *testing.T) {
	worst, points := cuts(t, false, 60)
	if worst > 0 {
		t.Errorf("an entry is %d rounds behind its restore point", worst)
	}
	if len(points) < 2 {
		t.Errorf("only %d different restore points were cut", len(points))
	}
	t.Logf("%d different restore points", len(points))
}

// TestALyingSyncIsCaught: the harness would notice a store that recorded
// progress without syncing the matrix.
func TestALyingSyncIsCaught(t *testing.T) {
	if worst, _ := cuts(t, true, 60); worst == 0 {
		t.Error("sixty power cuts on a store that never syncs show nothing wrong")
	}
}

// TestNotesAfterPowerCut: they are trusted by the next run, not after a cut.
func TestNotesAfterPowerCut(t *testing.T) {
	rng := seeded(t)
	h, s := create(t)
	must(t, lower(s, 5, rng))
	must(t, s.Checkpoint(tiles.State{Algorithm: "test", Done: 5}))
	must(t, lower(s, 9, rng))
	must(t, s.Note(tiles.State{Algorithm: "test", Done: 9}))
	for k := range 10 {
		dst := filepath.Join(t.TempDir(), "cut")
		must(t, h.Cut(dst, rng))
		if behind, st, ok := audit(t, dst); !ok || st.Done != 5 || behind != 0 {
			t.Errorf("cut %d: %+v, %v, behind %d", k, st, ok, behind)
		}
	}
	must(t, s.Close())
	s, err := tiles.Open(s.Dir())
	must(t, err)
	defer s.Close()
	if st, ok, err := s.Recover(); !ok || err != nil || st.Done != 9 {
		t.Errorf("without a cut: %+v, %v, %v", st, ok, err)
	}
}

func TestFailAndCut(t *testing.T) {
	rng := seeded(t)
	h, s := create(t)
	must(t, lower(s, 1, rng))
	must(t, s.Checkpoint(tiles.State{Algorithm: "test", Done: 1}))
	broken := errors.New("broken")
	var fail atomic.Bool
	var syncs atomic.Int64
	h.Step = func(op, name string) error {
		if op == "sync" {
			if syncs.Add(1); name == "dist.npy" && fail.Swap(false) {
				return broken
			}
		}
		return nil
	}
	s = again(t, h, s)
	must(t, lower(s, 2, rng))
	fail.Store(true)
	before := syncs.Load()
	if err := s.Checkpoint(tiles.State{Algorithm: "test", Done: 2}); !errors.Is(err, broken) {
		t.Errorf("checkpoint: %v", err)
	}
	err := s.Checkpoint(tiles.State{Algorithm: "test", Done: 2})
	if !errors.Is(err, tiles.ErrSyncFailed) || syncs.Load() != before+1 {
		t.Errorf("checkpoint again: %v, %d syncs", err, syncs.Load()-before)
	}
	for range 10 {
		dst := filepath.Join(t.TempDir(), "cut")
		must(t, h.Cut(dst, rng))
		if behind, st, ok := audit(t, dst); !ok || st.Done != 1 || behind != 0 {
			t.Errorf("%+v, %v, behind %d", st, ok, behind)
		}
	}
}

// TestSumsInACut: a rename that was not synced may be undone, one that was
// may not.
func TestSumsInACut(t *testing.T) {
	rng := seeded(t)
	h, s := create(t)
	sums := make([]uint32, 25)
	seen := map[bool]int{}
	var cutErr error
	h.OnSync = func(name string, done bool) {
		if name != "." || done {
			return
		}
		for range 20 {
			dst := filepath.Join(t.TempDir(), "cut")
			if err := h.Cut(dst, rng); err != nil {
				cutErr = err
				return
			}
			_, err := os.Lstat(filepath.Join(dst, "sums"))
			seen[err == nil]++
		}
	}
	s = again(t, h, s)
	must(t, s.WriteSums(sums))
	must(t, cutErr)
	if seen[true] == 0 || seen[false] == 0 {
		t.Errorf("before the folder is synced: %v", seen)
	}
	dst := filepath.Join(t.TempDir(), "cut")
	must(t, h.Cut(dst, rng))
	if _, err := os.Lstat(filepath.Join(dst, "sums")); err != nil {
		t.Errorf("after: %v", err)
	}
}
