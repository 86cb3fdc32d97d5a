package engine

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

	"ooc/engine/graph"
	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/tiles"
)

// randomGraph makes a graph of n vertices without negative cycles. Negative arcs come from potentials:
// w + p(u) − p(v) changes no cycle's length.
func randomGraph(t testing.TB, r *rand.Rand, n int, kind graph.Kind, negative bool) *graph.Graph {
	t.Helper()
	b := graph.New(n, graph.AsKind(kind))
	potential := make([]float64, n)
	for i := range potential {
		if negative {
			potential[i] = float64(r.IntN(2000))
		}
	}
	for range r.IntN(6*n + 1) {
		u, v := r.IntN(n), r.IntN(n)
		w := float64(r.IntN(1000))
		if kind == graph.KindF32 && !negative {
			w += r.Float64()
		}
		if u != v {
			b.Add(u, v, w+potential[u]-potential[v])
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// shape is everything about a solve that must not change its result.
type shape struct {
	tile, width, slots, pages, streams int

	pairs bool // tiles of distances and predecessors
}

func (s shape) tileBytes() int64 {
	if s.pairs {
		return int64(s.tile) * int64(s.tile) * kernels.PairBytes
	}
	return int64(s.tile) * int64(s.tile) * kernels.EntryBytes
}

// randomSolve picks limits for n vertices with a given tile edge, often the least that work.
func randomSolve(r *rand.Rand, n, tile int) shape {
	side := ceilDiv(n, tile)
	s := shape{tile: tile, width: 1 + r.IntN(min(side, 3)), streams: 1 + r.IntN(4)}
	s.slots = minSlots(side, s.width) + r.IntN(2)*r.IntN(side*side+1)
	s.pages = minPages + r.IntN(2)*r.IntN(side*side+1)
	return s
}

// open opens a CPU device with just the slots of the shape, and the options that go with it.
func (s shape) open(t testing.TB) Options {
	t.Helper()
	probe, err := cpu.Open(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	scratch := probe.Info().Scratch
	if err := probe.Close(); err != nil {
		t.Fatal(err)
	}
	d, err := cpu.Open(cpu.Options{Memory: int64(s.slots)*s.tileBytes() + scratch})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return Options{Algorithm: AlgorithmBlocked, Device: d, HostMemory: int64(s.pages) * s.tileBytes(), Round: s.width * s.tile, Streams: s.streams}
}

func create(t testing.TB, g *graph.Graph, tile int) *Problem {
	t.Helper()
	p, err := Create(filepath.Join(t.TempDir(), "x.ooc"), g, CreateOptions{Tile: tile})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func mustSolve(t testing.TB, p *Problem, o Options) Summary {
	t.Helper()
	sum, err := p.Solve(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

func matrixFile(t testing.TB, dir string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "dist.npy"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// verifyAll compares every row with a search from its source.
func verifyAll(t testing.TB, p *Problem) {
	t.Helper()
	v, err := p.Verify(context.Background(), p.geom.N, 1)
	if err != nil {
		t.Fatal(err)
	}
	if v.Rows != p.geom.N || v.Tiles != p.geom.Side()*p.geom.Side() {
		t.Fatalf("verified %d rows and %d tiles of %d and %d", v.Rows, v.Tiles, p.geom.N, p.geom.Side()*p.geom.Side())
	}
}

var everyKind = []struct {
	kind     graph.Kind
	negative bool
}{{graph.KindI32, false}, {graph.KindI32, true}, {graph.KindF32, false}, {graph.KindF32, true}}

// TestSolve solves random graphs of every kind under random limits, and compares every distance.
func TestSolve(t *testing.T) {
	r := seeded(t)
	for round := range 12 {
		for _, k := range everyKind {
			n := 1 + r.IntN(500)
			g := randomGraph(t, r, n, k.kind, k.negative)
			s := randomSolve(r, n, 64*(1+r.IntN(2)))
			t.Run(fmt.Sprintf("%d/%s/negative=%v/n=%d/%+v", round, k.kind, g.Negative, n, s), func(t *testing.T) {
				p := create(t, g, s.tile)
				sum := mustSolve(t, p, s.open(t))
				if sum.AlreadySolved || sum.Relaxations < 0.99*math.Pow(float64(n), 3) {
					t.Errorf("summary %+v does not count n³ relaxations", sum)
				}
				verifyAll(t, p)
				if again := mustSolve(t, p, s.open(t)); !again.AlreadySolved {
					t.Error("solved a solved store again")
				}
			})
		}
	}
}

// TestLimitsDoNotShow demands the same bytes, in f32 too, whatever memory and streams there were.
func TestLimitsDoNotShow(t *testing.T) {
	r := seeded(t)
	for _, k := range everyKind {
		n := 200 + r.IntN(300)
		g := randomGraph(t, r, n, k.kind, k.negative)
		s := shape{tile: 64, width: 2, slots: inCoreSlots(ceilDiv(n, 64), 2), pages: 4, streams: 3}
		p := create(t, g, s.tile)
		mustSolve(t, p, s.open(t))
		want := matrixFile(t, p.Dir())
		for range 3 {
			s.slots = minSlots(ceilDiv(n, 64), 2) + r.IntN(20)
			s.pages, s.streams = 2+r.IntN(20), 1+r.IntN(4)
			q := create(t, g, s.tile)
			mustSolve(t, q, s.open(t))
			if !bytes.Equal(matrixFile(t, q.Dir()), want) {
				t.Errorf("%v with %+v: other bytes than in core", k, s)
			}
		}
	}
}

// TestInterruptAndResume stops solves at random points, over and over with other limits, and compares
// the end with an uninterrupted one: byte by byte in i32, within rounding in f32.
func TestInterruptAndResume(t *testing.T) {
	r := seeded(t)
	for range 6 {
		for _, k := range everyKind {
			n := 300 + r.IntN(300)
			g := randomGraph(t, r, n, k.kind, k.negative)
			p := create(t, g, 64)
			whole := create(t, g, 64)
			mustSolve(t, whole, randomSolve(r, n, 64).open(t))
			for left := 4; ; left-- {
				o := randomSolve(r, n, 64).open(t)
				o.Checkpoint = time.Duration(1+r.IntN(20)) * time.Millisecond
				ctx, cancel := context.WithCancel(context.Background())
				o.Interval = 100 * time.Microsecond
				first, more := -1.0, r.Float64()
				o.Progress = func(st Status) {
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
					break
				}
				if !errors.Is(err, ErrInterrupted) {
					t.Fatal(err)
				}
			}
			verifyAll(t, p)
			if k.kind == graph.KindI32 && !bytes.Equal(matrixFile(t, p.Dir()), matrixFile(t, whole.Dir())) {
				t.Error("i32: interrupted and uninterrupted solves differ")
			}
		}
	}
}

// TestInterruptKeepsRounds demands that a stopped solve goes on from the rounds it had finished.
func TestInterruptKeepsRounds(t *testing.T) {
	g := randomGraph(t, seeded(t), 640, graph.KindI32, false)
	p := create(t, g, 64)
	s := shape{tile: 64, width: 1, slots: inCoreSlots(10, 1), pages: 4, streams: 2}
	ctx, cancel := context.WithCancel(context.Background())
	o := s.open(t)
	o.Interval = time.Microsecond
	o.Progress = func(st Status) {
		if st.Progress > 0.5 {
			cancel()
		}
	}
	if _, err := p.Solve(ctx, o); !errors.Is(err, ErrInterrupted) {
		t.Skipf("the solve ended before it could be stopped: %v", err)
	}
	st, err := p.Status()
	if err != nil {
		t.Fatal(err)
	}
	if st.State != "unfinished" || st.RestorePoint < 0.3 {
		t.Errorf("stopped past half way, status says %+v", st)
	}
	if sum := mustSolve(t, p, s.open(t)); sum.ResumedFrom != st.RestorePoint {
		t.Errorf("resumed from %v, status said %v", sum.ResumedFrom, st.RestorePoint)
	}
	verifyAll(t, p)
}

func TestRestart(t *testing.T) {
	p := create(t, randomGraph(t, seeded(t), 100, graph.KindI32, false), 64)
	s := randomSolve(rand.New(rand.NewPCG(1, 1)), 100, 64)
	mustSolve(t, p, s.open(t))
	if err := p.Restart(Options{}); err != nil {
		t.Fatal(err)
	}
	if err := p.Solved(); !errors.Is(err, ErrUnsolved) {
		t.Errorf("after a restart: %v", err)
	}
	if sum := mustSolve(t, p, s.open(t)); sum.AlreadySolved || sum.ResumedFrom != 0 {
		t.Errorf("after a restart: %+v", sum)
	}
	verifyAll(t, p)
}

// TestTruncatedMatrix cuts dist.npy under a running solve.
func TestTruncatedMatrix(t *testing.T) {
	g := randomGraph(t, seeded(t), 640, graph.KindI32, false)
	s := shape{tile: 64, width: 1, slots: minSlots(10, 1) + 1, pages: 2, streams: 2}
	p := create(t, g, 64)
	o := s.open(t)
	o.Interval = time.Millisecond
	cut := false
	o.Progress = func(st Status) {
		if !cut && st.Progress > 0.1 {
			cut = true
			if err := os.Truncate(filepath.Join(p.Dir(), "dist.npy"), 100_000); err != nil {
				t.Error(err)
			}
		}
	}
	_, err := p.Solve(context.Background(), o)
	var at *tiles.FaultError
	if !errors.Is(err, tiles.ErrCorrupt) || !errors.As(err, &at) {
		t.Fatalf("got %v, want a fault that names a tile", err)
	}
	if off := p.geom.TileOffset(at.I, at.J); off+p.geom.TileBytes() <= 100_000 {
		t.Errorf("tile (%d,%d) is named, which is whole", at.I, at.J)
	}
}

// TestLeastMemory demands that the memory a refusal asks for is enough, and one byte less is not.
func TestLeastMemory(t *testing.T) {
	g := randomGraph(t, seeded(t), 500, graph.KindI32, false)
	p := create(t, g, 64)
	s := shape{tile: 64, width: 1, slots: minSlots(8, 1) - 1, pages: 2, streams: 1}
	if _, err := p.Solve(context.Background(), s.open(t)); !errors.Is(err, ErrMemory) {
		t.Fatalf("%d slots: %v", s.slots, err)
	}
	s.slots++
	s.pages = 1
	if _, err := p.Solve(context.Background(), s.open(t)); !errors.Is(err, ErrMemory) {
		t.Fatalf("1 page: %v", err)
	}
	s.pages++
	mustSolve(t, p, s.open(t))
	verifyAll(t, p)
}

// TestWrongEntryIsFound changes one distance and demands that a verification of its row names it.
func TestWrongEntryIsFound(t *testing.T) {
	g := randomGraph(t, seeded(t), 100, graph.KindI32, false)
	p := create(t, g, 64)
	mustSolve(t, p, randomSolve(rand.New(rand.NewPCG(1, 1)), 100, 64).open(t))
	f, err := os.OpenFile(filepath.Join(p.Dir(), "dist.npy"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	at := p.geom.TileOffset(1, 0) + 4*(3*64+5) // entry (67, 5)
	if _, err := f.WriteAt([]byte{1, 2, 3, 0}, at); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Verify(context.Background(), 0, 1); !errors.Is(err, tiles.ErrCorrupt) {
		t.Errorf("checksums: %v", err)
	}
	sum, err := p.store.TileSum(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	sums, err := p.store.Sums()
	if err != nil {
		t.Fatal(err)
	}
	sums[1*2+0] = sum // as if the solve itself had been wrong
	if err := p.store.WriteSums(sums); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Verify(context.Background(), 100, 1); !errors.Is(err, ErrWrong) {
		t.Errorf("rows: %v", err)
	}
}
