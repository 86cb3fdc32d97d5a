package engine_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	"ooc/engine"
	"ooc/engine/eliminate"
	"ooc/engine/graph"
	"ooc/engine/graph/dense"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/live"
	"ooc/engine/plan"
	"ooc/engine/prove"
	"ooc/engine/rounds"
	"ooc/engine/task"
	"ooc/kernels"
	"ooc/kernels/conformance"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/crashtest"
)

// turns counts the calls of eliminating.
var turns atomic.Int64

// eliminating returns options for a solve by elimination on little, every other time on a device that expands by
// levels, where it has room.
func eliminating(t testing.TB) engine.Options {
	o := enginetest.Shape{Tile: 64, Slots: 64, Pages: 8, Streams: 2}.Options(t)
	o.Algorithm, o.Round, o.HostMemory = eliminate.Name, 0, 0
	if turns.Add(1)%2 == 0 {
		o.Device = conformance.WithLaneOps(o.Device)
		expandThere(t)
	}
	return o
}

// smallCores makes every core of more vertices a problem of its own.
func smallCores(t testing.TB, most int) {
	if most == 0 {
		most = -1
	}
	t.Cleanup(engine.ChangeElimination(func(o *eliminate.Algorithm) { o.CoreAtOnce = most }))
}

// oneOfAll makes a random graph of one of the kinds that there are.
func oneOfAll(t testing.TB, r *rand.Rand, n int) *graph.Graph {
	kind := []entry.Kind{entry.KindI32, entry.KindF32}[r.IntN(2)]
	return enginetest.RandomGraph(t, r, n, kind, r.IntN(3) == 0)
}

// TestEliminate compares solves of random graphs by elimination with a search, with cores in memory and in a
// store of their own, and wants nothing of the core left.
func TestEliminate(t *testing.T) {
	crashtest.Slow(t)
	r := seeds.New(t)
	for range crashtest.Repeats(10, 30) {
		smallCores(t, []int{0, 2048}[r.IntN(2)])
		p := enginetest.Create(t, oneOfAll(t, r, 1+r.IntN(400)), 64)
		sum := enginetest.Solve(t, p, eliminating(t))
		if sum.Algorithm != eliminate.Name || plan.Of[*eliminate.Plan](sum.Plans) == nil {
			t.Fatalf("not eliminated: %+v", sum)
		}
		verifyAll(t, p)
		if _, err := os.Stat(filepath.Join(p.Dir(), "core")); err == nil {
			t.Error("the core was left behind")
		}
		if st, err := p.Status(); err != nil || st.State != live.Solved || st.Algorithm != eliminate.Name ||
			st.RowsDone != st.Rows {
			t.Errorf("%+v, %v", st, err)
		}
		if again := enginetest.Solve(t, p, eliminating(t)); !again.AlreadySolved {
			t.Error("solved twice")
		}
	}
}

// TestEliminateSpecial solves what has no arcs, one vertex, a star, a ring, a clique and a path.
func TestEliminateSpecial(t *testing.T) {
	for name, fill := range map[string]func(add func(u, v int, w float64)) int{
		"one vertex": func(func(u, v int, w float64)) int { return 1 },
		"no arcs":    func(func(u, v int, w float64)) int { return 130 },
		"star": func(add func(u, v int, w float64)) int {
			for v := 1; v < 200; v++ {
				add(0, v, float64(v%7))
			}
			return 200
		},
		"ring": func(add func(u, v int, w float64)) int {
			for v := range 150 {
				add(v, (v+1)%150, 0)
			}
			return 150
		},
		"clique": func(add func(u, v int, w float64)) int {
			for u := range 70 {
				for v := range 70 {
					add(u, v, float64(1+(u*v)%11))
				}
			}
			return 70
		},
	} {
		for _, directed := range []bool{true, false} {
			o := []graph.BuildOption{graph.AsKind(entry.KindI32)}
			if !directed {
				o = append(o, graph.Undirected)
			}
			type arc struct {
				u, v int
				w    float64
			}
			var arcs []arc
			n := fill(func(u, v int, w float64) { arcs = append(arcs, arc{u, v, w}) })
			b := graph.New(n, o...)
			for _, a := range arcs {
				b.Add(a.u, a.v, a.w)
			}
			g, err := b.Build()
			if err != nil {
				t.Fatal(err)
			}
			p := enginetest.Create(t, g, 64)
			enginetest.Solve(t, p, eliminating(t))
			t.Run(name, func(t *testing.T) { verifyAll(t, p) })
		}
	}
}

// TestSources solves for some rows only, which are those of a whole solve, bit by bit in i32.
func TestSources(t *testing.T) {
	r := seeds.New(t)
	for range 10 {
		n := 2 + r.IntN(400)
		g := enginetest.RandomGraph(t, r, n, entry.KindI32, r.IntN(2) == 0)
		var sources tiles.RowSet
		for v := range n {
			if r.IntN(3) == 0 {
				sources = append(sources, int32(v))
			}
		}
		if len(sources) == 0 {
			continue
		}
		whole := enginetest.Create(t, g, 64)
		enginetest.Solve(t, whole, enginetest.Shape{Tile: 64, Width: 1, Slots: 64, Pages: 8, Streams: 2}.Options(t))
		p, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "s.ooc"), g,
			engine.CreateOptions{Sources: sources})
		if err != nil {
			t.Fatal(err)
		}
		enginetest.Solve(t, p, eliminating(t))
		if _, err := prove.Sample(t.Context(), p, n, 1); err != nil {
			t.Fatal(err)
		}
		for u := range n {
			_, kept := sources.Index(u)
			for range 20 {
				v := r.IntN(n)
				want, _ := whole.Distance(u, v)
				got, err := p.Distance(u, v)
				if kept && (err != nil || got != want) || !kept && !errors.Is(err, graph.ErrNoVertex) {
					t.Fatalf("from %d to %d: %v, %v; want %v, kept %v", u, v, got, err, want, kept)
				}
			}
		}
		col := make([]float64, len(sources))
		if err := p.Col(col, n-1); err != nil {
			t.Fatal(err)
		}
		for i, u := range sources {
			if want, _ := whole.Distance(int(u), n-1); col[i] != want {
				t.Fatalf("column: from %d %v, want %v", u, col[i], want)
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := engine.ChooseBy(t.Context(), &dense.Matrix{}, kernels.Info{Memory: 1 << 20, SharedCores: true},
		plan.Rates{Kernel: 1}, plan.Request{Sources: tiles.RowSet{1}}); !errors.Is(err, plan.ErrAlgorithm) {
		t.Errorf("sources of a matrix: %v", err)
	}
}

// TestEliminateResumes interrupts eliminations at random moments, in every stage, and wants the same end.
func TestEliminateResumes(t *testing.T) {
	crashtest.Slow(t)
	r := seeds.New(t)
	smallCores(t, 0)
	var resumed int
	for range crashtest.Repeats(1, 6) {
		g := enginetest.RandomGraph(t, r, 300+r.IntN(300), entry.KindI32, false)
		whole := enginetest.Create(t, g, 64)
		enginetest.Solve(t, whole, eliminating(t))
		p := enginetest.Create(t, g, 64)
		for try := 0; ; try++ {
			ctx, cancel := context.WithCancel(t.Context())
			left := r.IntN(6)
			o := eliminating(t)
			o.Interval = 1
			o.Progress = func(s live.Status) {
				if left--; left <= 0 && try < 6 {
					cancel()
				}
			}
			sum, err := p.Solve(ctx, o)
			cancel()
			if err == nil {
				if sum.ResumedFrom > 0 {
					resumed++
				}
				break
			}
			if !errors.Is(err, task.ErrInterrupted) {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(enginetest.MatrixFile(t, p.Dir()), enginetest.MatrixFile(t, whole.Dir())) {
			t.Fatal("the matrix differs after interruptions")
		}
		verifyAll(t, p)
	}
	t.Logf("%d of the last runs went on from rows", resumed)
}

// TestOrderingIsShown wants a report before vertices are put in an order, which may take minutes: that says how long
// it all takes.
func TestOrderingIsShown(t *testing.T) {
	smallCores(t, 0)
	p := enginetest.Create(t, enginetest.RandomGraph(t, seeds.New(t), 60, entry.KindI32, false), 64)
	var first live.Status
	o := eliminating(t)
	o.Progress = func(s live.Status) {
		if first.Store == "" {
			first = s
		}
	}
	enginetest.Solve(t, p, o)
	if first.Stage != live.StageOrder || first.ETA != -1 || first.Rows != 60 {
		t.Errorf("the first report: %+v", first)
	}
}

// TestEmptyCore solves where an import of a core that failed has left its folder, with nothing in it.
func TestEmptyCore(t *testing.T) {
	smallCores(t, 0)
	p := enginetest.Create(t, enginetest.RandomGraph(t, seeds.New(t), 300, entry.KindI32, false), 64)
	if err := os.Mkdir(filepath.Join(p.Dir(), "core"), 0o777); err != nil {
		t.Fatal(err)
	}
	enginetest.Solve(t, p, eliminating(t))
	verifyAll(t, p)
}

// TestAlgorithmStays refuses to go on by another algorithm, and begins again with it after a restart.
func TestAlgorithmStays(t *testing.T) {
	crashtest.Slow(t)
	g := enginetest.RandomGraph(t, seeds.New(t), 1200, entry.KindI32, false)
	p := enginetest.Create(t, g, 64)
	o := enginetest.Shape{Tile: 64, Width: 1, Slots: enginetest.MinSlots(19, 1) + 2, Pages: 4, Streams: 1}.Options(t)
	o.Interval, o.Checkpoint = 1, 1
	for try := 0; ; try++ { // until one is interrupted in time
		ctx, cancel := context.WithCancel(t.Context())
		o.Progress = func(s live.Status) {
			if s.Progress > 0.2 {
				cancel()
			}
		}
		_, err := p.Solve(ctx, o)
		cancel()
		if errors.Is(err, task.ErrInterrupted) {
			break
		}
		if err != nil || try == 50 {
			t.Fatalf("after %d tries: %v", try, err)
		}
		if err := p.Restart(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.Solve(t.Context(), eliminating(t)); !errors.Is(err, plan.ErrAlgorithm) {
		t.Fatalf("got %v", err)
	}
	if err := p.Restart(t.Context(), eliminating(t)); err != nil {
		t.Fatal(err)
	}
	if sum := enginetest.Solve(t, p, eliminating(t)); sum.Algorithm != eliminate.Name {
		t.Errorf("went on by %s", sum.Algorithm)
	}
	verifyAll(t, p)
}

// leaveCore interrupts an elimination of 600 vertices in a stage in which there is a core.
func leaveCore(t *testing.T, stage live.Stage) *engine.Problem {
	t.Helper()
	const n = 600
	r, b := seeds.New(t), graph.New(n, graph.AsKind(entry.KindI32))
	for u := range n {
		for range 5 {
			b.Add(u, r.IntN(n), float64(r.IntN(1000)))
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	p := enginetest.Create(t, g, 64)
	o := eliminating(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o.Progress = func(s live.Status) {
		if s.Stage == stage {
			cancel()
		}
	}
	o.Interval = 1
	if _, err := p.Solve(ctx, o); !errors.Is(err, task.ErrInterrupted) {
		t.Fatalf("got %v", err)
	}
	if left, err := p.CoreLeft(); err != nil || !left {
		t.Fatalf("no core was left: %v", err)
	}
	return p
}

// TestForecastWithCore wants a core that is there to be counted once: a solve that goes on with it takes no more space.
func TestForecastWithCore(t *testing.T) {
	smallCores(t, 0)
	p := leaveCore(t, live.StageCore)
	there := p.Store().CoreBytes()
	f, err := p.Forecast(t.Context(), eliminating(t).Device, plan.Request{}, "")
	if err != nil || there < 64*64*entry.WordBytes || f.StoreBytes != 0 || f.BesideBytes > there/4 {
		t.Errorf("%d bytes of a core are there, and %d and %d more are planned: %v", there, f.StoreBytes, f.BesideBytes,
			err)
	}
}

// TestAlgorithmStaysWithCore refuses rounds where an elimination has left a core that is not closed yet, and
// begins by them after a restart, which removes it.
func TestAlgorithmStaysWithCore(t *testing.T) {
	smallCores(t, 0)
	p := leaveCore(t, live.StageCore)
	began := enginetest.RandomShape(seeds.New(t), 600, 64).Options(t)
	began.Algorithm = rounds.Blocked.Name()
	if _, err := p.Solve(t.Context(), began); !errors.Is(err, plan.ErrAlgorithm) {
		t.Fatalf("got %v", err)
	}
	if err := p.Restart(t.Context(), began); err != nil {
		t.Fatal(err)
	}
	if left, err := p.CoreLeft(); err != nil || left {
		t.Error("the core is still there")
	}
	if sum := enginetest.Solve(t, p, began); sum.Algorithm != rounds.Blocked.Name() {
		t.Errorf("went on by %s", sum.Algorithm)
	}
	verifyAll(t, p)
}

// TestCoreUnreadable wants an elimination to stop where its core cannot be read now, and to keep it.
func TestCoreUnreadable(t *testing.T) {
	smallCores(t, 0)
	p := leaveCore(t, live.StageCore)
	h, err := crashtest.Watch(filepath.Join(p.Dir(), "core"))
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	h.Step = func(op, _ string) error {
		if op == "read" {
			return syscall.EIO
		}
		return nil
	}
	if _, err := p.Solve(t.Context(), eliminating(t)); !errors.Is(err, syscall.EIO) {
		t.Errorf("solve: %v", err)
	}
	if _, err := p.Status(); !errors.Is(err, syscall.EIO) {
		t.Errorf("status: %v", err)
	}
	h.Step = nil
	if left, err := p.CoreLeft(); err != nil || !left {
		t.Errorf("the core is gone: %v, %v", left, err)
	}
	enginetest.Solve(t, p, eliminating(t))
	verifyAll(t, p)
}

// TestDamagedCoreIsMadeAgain flips a byte of a core's matrix that has checksums.
func TestDamagedCoreIsMadeAgain(t *testing.T) {
	smallCores(t, 0)
	p := leaveCore(t, live.StageExpand)
	dir := filepath.Join(p.Dir(), "core")
	f, err := os.OpenFile(tiles.MatrixPath(dir), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte{0x55}, 4096+5); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "sums")); err != nil {
		t.Fatal(err) // or nothing would be compared
	}
	enginetest.Solve(t, p, eliminating(t))
	verifyAll(t, p)
}

// TestCampaignEliminatePowerCuts cuts the power at random moments of eliminations, which then end with the same matrix.
func TestCampaignEliminatePowerCuts(t *testing.T) {
	crashtest.Campaign(t)
	r := seeds.New(t)
	cuts, resumed := 0, 0
	for cuts < 30 {
		for _, k := range enginetest.EveryKind {
			n := 400 + r.IntN(600)
			g := enginetest.RandomGraph(t, r, n, k.Kind, k.Negative)
			whole := enginetest.Create(t, g, 64)
			enginetest.Solve(t, whole, eliminating(t))
			for i, dir := range cutWhileSolving(t, r, g, engine.CreateOptions{Tile: 64}, eliminating(t)) {
				cuts++
				p, err := engine.Open(dir)
				if err != nil {
					t.Fatalf("cut %d: %v", i, err)
				}
				if sum := enginetest.Solve(t, p, eliminating(t)); sum.ResumedFrom > 0 {
					resumed++
				}
				verifyAll(t, p)
				if k.Kind == entry.KindI32 &&
					!bytes.Equal(enginetest.MatrixFile(t, dir), enginetest.MatrixFile(t, whole.Dir())) {
					t.Errorf("cut %d: other bytes than without the cut", i)
				}
				if err := p.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	t.Logf("%d power cuts, %d went on from rows", cuts, resumed)
	if resumed == 0 {
		t.Error("every cut fell before the first restore point: the test shows nothing")
	}
}

// TestAlgorithmsAgree wants the same bytes of both algorithms in i32.
func TestAlgorithmsAgree(t *testing.T) {
	r := seeds.New(t)
	for range crashtest.Repeats(4, 10) {
		n := 1 + r.IntN(300)
		g := enginetest.RandomGraph(t, r, n, entry.KindI32, r.IntN(2) == 0)
		a, b := enginetest.Create(t, g, 64), enginetest.Create(t, g, 64)
		enginetest.Solve(t, a, eliminating(t))
		enginetest.Solve(t, b, enginetest.RandomShape(r, n, 64).Options(t))
		if !bytes.Equal(enginetest.MatrixFile(t, a.Dir()), enginetest.MatrixFile(t, b.Dir())) {
			t.Fatalf("n = %d: another matrix by elimination than by rounds", n)
		}
	}
}
