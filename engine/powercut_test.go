package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"ooc/engine"
	"ooc/engine/eliminate"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/live"
	"ooc/engine/plan"
	"ooc/engine/rounds"
	"ooc/engine/task"
	"ooc/kernels/entry"
	"ooc/tiles/crashtest"
)

// TestCampaignPowerCuts cuts the power of running solves: each page that was written since the last sync is on
// disk or not, at random. Whatever is left must solve to the same end: byte by byte in i32, within rounding
// in f32.
func TestCampaignPowerCuts(t *testing.T) {
	crashtest.Campaign(t)
	r := seeds.New(t)
	cuts := 0
	for cuts < 60 {
		for _, k := range enginetest.AllKinds {
			n := 200 + r.IntN(400)
			tile := 64 * (1 + r.IntN(2))
			g := enginetest.RandomGraph(t, r, n, k.Kind, k.Negative)
			whole := enginetest.Create(t, g, tile)
			options := func() engine.Options { return enginetest.RandomShape(r, g.N, tile).Of(g.Kind).Options(t) }
			enginetest.Solve(t, whole, options())
			for i, dir := range cutWhileSolving(t, r, g, engine.CreateOptions{Tile: tile}, options()) {
				cuts++
				p, err := engine.Open(dir)
				if err != nil {
					t.Fatalf("cut %d: %v", i, err)
				}
				enginetest.Solve(t, p, options())
				verifyAll(t, p)
				if !k.Kind.Float() && !bytes.Equal(enginetest.MatrixFile(t, dir),
					enginetest.MatrixFile(t, whole.Dir())) {
					t.Errorf("cut %d: other bytes than without the cut", i)
				}
				if err := p.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	t.Logf("%d power cuts", cuts)
}

// cutWhileSolving solves a graph and copies what a disk might hold at random moments, in the middle of
// syncs among them, into folders of their own.
func cutWhileSolving(t *testing.T, r *rand.Rand, g graph.Weights, made engine.CreateOptions,
	o engine.Options) (dirs []string) {
	t.Helper()
	dir, copies := filepath.Join(t.TempDir(), "x.ooc"), t.TempDir()
	h, err := crashtest.Watch(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	var mu sync.Mutex // the rest is used by checkpoints and by reports
	coin := rand.New(rand.NewPCG(r.Uint64(), 0))
	cut := func() {
		dst := filepath.Join(copies, fmt.Sprint(len(dirs)))
		if len(dirs) < 8 && h.Cut(dst, coin) == nil { // fails while the import is not complete: nothing to resume then
			dirs = append(dirs, dst)
		}
	}
	p, err := engine.Create(t.Context(), dir, g, made)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	o.Checkpoint, o.Interval = time.Microsecond, time.Millisecond
	points := 0
	h.OnSync = func(name string, done bool) {
		mu.Lock()
		defer mu.Unlock()
		if name != "state" || !done {
			return
		}
		if points++; points <= 2 || coin.IntN(4) == 0 { // at the first restore points for certain
			cut()
		}
	}
	next := 0.0
	o.Progress = func(st live.Status) {
		mu.Lock()
		defer mu.Unlock()
		if st.Progress >= next {
			next = st.Progress + 0.3*coin.Float64()
			cut()
		}
	}
	enginetest.Solve(t, p, o)
	return dirs
}

// TestPowerCutInCheckpoint cuts at every sync of one solve, before and after it took effect.
func TestPowerCutInCheckpoint(t *testing.T) {
	r := seeds.New(t)
	const n, tile = 300, 64
	g := enginetest.RandomGraph(t, r, n, entry.KindI32, false)
	whole := enginetest.Create(t, g, tile)
	enginetest.Solve(t, whole, enginetest.RandomShape(r, n, tile).Options(t))
	o := enginetest.Shape{Tile: tile, Width: 1, Slots: enginetest.MinSlots(5, 1) + 3, Pages: 3, Streams: 2}.Options(t)
	o.Checkpoint = time.Nanosecond
	_, dirs := cutAtSyncs(t, r, g, engine.CreateOptions{Tile: tile}, o)
	if len(dirs) < 8 {
		t.Fatalf("only %d syncs", len(dirs))
	}
	for _, d := range dirs {
		q, err := engine.Open(d)
		if err != nil {
			t.Fatalf("%s: %v", d, err)
		}
		enginetest.Solve(t, q, enginetest.RandomShape(r, n, tile).Options(t))
		if !bytes.Equal(enginetest.MatrixFile(t, d), enginetest.MatrixFile(t, whole.Dir())) {
			t.Errorf("%s: other bytes than without the cut", filepath.Base(d))
		}
		if err := q.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCampaignPower cuts the power before every operation on a file that a small solve does, in the short campaign
// every 25th, by rounds and by elimination with a core in a store of its own, each page or each sector that was not
// synced kept or dropped.
func TestCampaignPower(t *testing.T) {
	crashtest.Campaign(t)
	r := seeds.New(t)
	smallCores(t, 0)
	cuts, resumed := 0, 0
	for turn := range crashtest.Times(1, 2) {
		for i, algorithm := range []string{rounds.Blocked.Name(), eliminate.Name, searching.Name()} {
			for j, kind := range entry.Kinds {
				negative := r.IntN(2) == 0 && kind != entry.KindU16 && algorithm != searching.Name()
				g := enginetest.RandomGraph(t, r, 300+r.IntN(80), kind, negative)
				n, m := cutEverywhere(t, r, g, algorithm, (turn+i+j)%2 == 0)
				cuts, resumed = cuts+n, resumed+m
			}
		}
	}
	t.Logf("%d power cuts, %d went on from a restore point", cuts, resumed)
}

// smallest is the options of a solve that keeps little in memory, so that it reads and writes much.
func smallest(t testing.TB, algorithm string, n int) engine.Options {
	return smallestOf(t, algorithm, n, entry.KindI32)
}

// smallestOf is smallest for entries of a kind.
func smallestOf(t testing.TB, algorithm string, n int, kind entry.Kind) engine.Options {
	switch side := entry.CeilDiv(n, 64); algorithm {
	case eliminate.Name:
		return eliminating(t)
	case searching.Name():
		o := enginetest.Shape{Tile: 64, Slots: 64, Pages: 8, Streams: 2}.Options(t)
		o.Algorithm, o.Round, o.HostMemory = algorithm, 0, 0
		return o
	case rounds.Squaring.Name(), rounds.SingleStage.Name():
		return engine.Options{Request: plan.Request{Algorithm: algorithm, HostMemory: 3 * smallTile, Streams: 2},
			Device: enginetest.Device(t, side*side, 64)}
	}
	return enginetest.Shape{Tile: 64, Width: 1, Slots: enginetest.MinSlots(entry.CeilDiv(n, 64), 1) + 1, Pages: 3,
		Streams: 2, Kind: kind}.Options(t)
}

// cutEverywhere solves once, cutting before every operation, and then goes on from each cut.
func cutEverywhere(t *testing.T, r *rand.Rand, g *graph.Graph, algorithm string, sectors bool) (cuts, resumed int) {
	t.Helper()
	whole := enginetest.Create(t, g, 64)
	enginetest.Solve(t, whole, smallestOf(t, algorithm, g.N, g.Kind))
	dirs := cutEachStep(t, r, g, smallestOf(t, algorithm, g.N, g.Kind), sectors)
	if len(dirs) == 0 {
		t.Fatal("no operation came before the power cuts")
	}
	o := smallestOf(t, algorithm, g.N, g.Kind)
	for k, dir := range dirs {
		p, err := engine.Open(dir)
		if err != nil {
			t.Fatalf("%s, cut %d of %d: %v", algorithm, k, len(dirs), err)
		}
		if sum := enginetest.Solve(t, p, o); sum.ResumedFrom > 0 {
			resumed++
		}
		if g.Kind.Float() {
			verifyAll(t, p)
		} else if !bytes.Equal(enginetest.MatrixFile(t, dir), enginetest.MatrixFile(t, whole.Dir())) {
			t.Errorf("%s, cut %d of %d: other bytes than without the cut", algorithm, k, len(dirs))
		}
		if err := errors.Join(p.Close(), os.RemoveAll(dir)); err != nil {
			t.Fatal(err)
		}
	}
	return len(dirs), resumed
}

// runOps is after how many operations a solve is interrupted, which makes a restore point: so small a solve makes
// hardly any by itself.
const runOps = 30

// cutEachStep solves a graph in a few runs, and copies what a disk might hold before each operation on a file of the
// store or of the store of its core into a folder of its own.
func cutEachStep(t *testing.T, r *rand.Rand, g *graph.Graph, o engine.Options, sectors bool) (dirs []string) {
	t.Helper()
	dir, copies := filepath.Join(t.TempDir(), "x.ooc"), t.TempDir()
	h, core := watch(t, dir), watch(t, filepath.Join(dir, "core"))
	var mu sync.Mutex // operations are done by several goroutines; guards the rest
	ops, stop := 0, context.CancelFunc(func() {})
	all, every := r.IntN(25), crashtest.Times(25, 1)
	coin := rand.New(rand.NewPCG(r.Uint64(), 0))
	h.Sectors, core.Sectors = sectors, sectors
	cut := func(string, string) error {
		mu.Lock()
		defer mu.Unlock()
		if ops++; ops == runOps {
			stop()
		}
		if all++; all%every != 0 {
			return nil
		}
		dst := filepath.Join(copies, fmt.Sprint(len(dirs)))
		if h.Cut(dst, coin) != nil { // the import is not complete: nothing to go on from then
			return os.RemoveAll(dst)
		}
		dirs = append(dirs, dst)
		if sub := filepath.Join(dst, "core"); core.Cut(sub, coin) != nil { // there is none, or not yet, or no more
			if err := os.RemoveAll(sub); err != nil {
				return err
			}
			if coin.IntN(2) == 0 { // an import that died
				return errors.Join(os.Mkdir(sub, 0o777), os.WriteFile(filepath.Join(sub, "lock"), nil, 0o666))
			}
		}
		return nil
	}
	h.Step, core.Step = cut, cut
	o.Checkpoint = time.Nanosecond
	p, err := engine.Create(t.Context(), dir, g, engine.CreateOptions{Tile: 64})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for left := 5; ; left-- {
		ctx, cancel := context.WithCancel(t.Context())
		mu.Lock()
		if ops, stop = 0, cancel; left == 0 {
			stop = func() {}
		}
		mu.Unlock()
		_, err := p.Solve(ctx, o)
		cancel()
		if err == nil {
			return dirs
		} else if !errors.Is(err, task.ErrInterrupted) {
			t.Fatal(err)
		}
	}
}

func watch(t *testing.T, dir string) *crashtest.Harness {
	t.Helper()
	h, err := crashtest.Watch(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}
