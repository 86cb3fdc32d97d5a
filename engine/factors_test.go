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
	"sync"
	"testing"

	"ooc/engine"
	"ooc/engine/export"
	"ooc/engine/graph"
	"ooc/engine/graph/gen"
	"ooc/engine/graph/read"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/live"
	"ooc/engine/path"
	"ooc/engine/plan"
	"ooc/engine/prove"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/crashtest"
	"ooc/tiles/disk"
)

// keepsFactors makes the options of a store that keeps factors, and of its solve.
func keepsFactors(t testing.TB) (engine.CreateOptions, engine.Options) {
	t.Helper()
	d, err := cpu.Open(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return engine.CreateOptions{Layout: tiles.Factors}, engine.Options{Device: d}
}

// withFactors makes a store of a graph that keeps factors, and solves it.
func withFactors(t testing.TB, g *graph.Graph) *engine.Problem {
	t.Helper()
	made, o := keepsFactors(t)
	p, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "f.ooc"), g, made)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := p.Solved(); !errors.Is(err, engine.ErrUnsolved) {
		t.Errorf("before it is solved: %v", err)
	}
	enginetest.Solve(t, p, o)
	return p
}

// TestFactorsAreWatched looks at a store from outside while its factors are made, and wants to be told the stage.
func TestFactorsAreWatched(t *testing.T) {
	g := generate(t, "road", gen.Options{N: 40_000, Seed: 1})
	made, o := keepsFactors(t)
	p, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "f.ooc"), g, made)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[live.Stage]bool{}
	o.Interval = 1
	o.Progress = func(live.Status) {
		v, err := engine.Look(p.Dir())
		if err != nil {
			t.Error(err)
		}
		seen[v.Stage] = true
	}
	enginetest.Solve(t, p, o)
	if delete(seen, ""); len(seen) == 0 {
		t.Error("nobody was told a stage")
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestFactors compares the answers of stores that keep factors with those of stores that keep rows.
func TestFactors(t *testing.T) {
	crashtest.Slow(t)
	r := seeds.New(t)
	for _, w := range enginetest.AllKinds {
		for range crashtest.Times(1, 100) {
			g := enginetest.HardGraph(t, r, 1+r.IntN(130), w.Kind, w.Negative)
			if !w.Negative && r.IntN(2) == 0 {
				g = enginetest.SymmetricGraph(t, r, 1+r.IntN(130), w.Kind)
			}
			f, rows := withFactors(t, g), enginetest.Create(t, g, 64)
			enginetest.Solve(t, rows, eliminating(t))
			sameAnswers(t, r, f, rows)
			if _, err := prove.Sample(t.Context(), f, 5, r.Uint64()); err != nil {
				t.Error(err)
			}
			if _, err := prove.All(t.Context(), f, prove.Options{}); err != nil {
				t.Error(err)
			}
			if s, err := prove.Scrub(t.Context(), f, prove.ScrubOptions{}); err != nil || s.Tiles == 0 {
				t.Errorf("scrub: %+v, %v", s, err)
			}
			if _, err := f.Store().ReadAt(0, 0); !errors.Is(err, tiles.ErrNoMatrix) {
				t.Errorf("reading a matrix that is not there: %v", err)
			}
		}
	}
}

// sameAnswers compares distances, exports and paths of two solved stores of a graph, within rounding.
func sameAnswers(t *testing.T, r *rand.Rand, a, b *engine.Problem) {
	t.Helper()
	n, kind := a.Geometry().N, a.Meta().Kind
	same := func(x, y float64) bool {
		return x == y || kind.Float() && math.Abs(x-y) <= 2*kind.AllowedRounding(n, 4e3*float64(n))
	}
	x, y := make([]float64, n), make([]float64, n)
	for range 5 {
		u, v := r.IntN(n), r.IntN(n)
		for k, read := range []func(p *engine.Problem, d []float64) error{
			func(p *engine.Problem, d []float64) error { return p.Row(d, u) },
			func(p *engine.Problem, d []float64) error { return p.Col(d, u) },
			func(p *engine.Problem, d []float64) (err error) {
				clear(d)
				d[0], err = p.Distance(u, v)
				return err
			},
		} {
			if err := errors.Join(read(a, x), read(b, y)); err != nil {
				t.Fatal(err)
			}
			for i := range x {
				if !same(x[i], y[i]) {
					t.Fatalf("%d vertices of %s, question %d around %d: %v and %v", n, kind, k, u, x[i], y[i])
				}
			}
		}
		p, err := between(a, u, v)
		q, qerr := between(b, u, v)
		if err = errors.Join(err, qerr); err != nil || !same(p.Length, q.Length) {
			t.Fatalf("paths of %v and %v: %v", p.Length, q.Length, err)
		}
	}
	for _, format := range []string{"npy", "mtx", "csv"} {
		o := export.Options{Format: format}
		if r.IntN(2) == 0 {
			o.Rows = []int{r.IntN(n), r.IntN(n), r.IntN(n)}
		}
		if r.IntN(2) == 0 {
			o.Cols = []int{r.IntN(n), r.IntN(n)}
		}
		var p, q bytes.Buffer
		if err := errors.Join(export.Write(t.Context(), a, &p, o), export.Write(t.Context(), b, &q, o)); err != nil {
			t.Fatal(err)
		}
		if !kind.Float() && !bytes.Equal(p.Bytes(), q.Bytes()) {
			t.Fatalf("%d vertices of %s: exports to .%s differ", n, kind, format)
		}
	}
}

// TestFactorsRefused wants what cannot be together to be refused before anything is there.
func TestFactorsRefused(t *testing.T) {
	r := seeds.New(t)
	g := enginetest.RandomGraph(t, r, 20, entry.KindI32, false)
	dir := filepath.Join(t.TempDir(), "x.ooc")
	for _, o := range []engine.CreateOptions{{Sources: tiles.RowSet{3}}, {Predecessors: true}} {
		o.Layout = tiles.Factors
		if _, err := engine.Create(t.Context(), dir, g, o); !errors.Is(err, plan.ErrLayout) {
			t.Errorf("%+v: %v", o, err)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Fatal("there is a store")
		}
	}
}

// factorsCase solves stores of one graph that keep factors, and compares what they answer with searches.
type factorsCase struct {
	g    *graph.Graph
	made engine.CreateOptions
	o    engine.Options
}

func newFactorsCase(t *testing.T, r *rand.Rand) *factorsCase {
	c := &factorsCase{g: enginetest.RandomGraph(t, r, 100+r.IntN(100), entry.KindI32, false)}
	c.made, c.o = keepsFactors(t)
	return c
}

// run makes a store and solves it.
func (c *factorsCase) run(ctx context.Context, dir string) error {
	p, err := engine.Create(ctx, dir, c.g, c.made)
	if err != nil {
		return err
	}
	_, err = p.Solve(ctx, c.o)
	return errors.Join(err, p.Close())
}

// goOn opens a store, solves what is left, and compares its distances.
func (c *factorsCase) goOn(t *testing.T, r *rand.Rand, dir string) {
	t.Helper()
	p, err := engine.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := p.Solve(t.Context(), c.o); err != nil {
		t.Fatal(err)
	}
	u := r.IntN(c.g.N)
	row := make([]float64, c.g.N)
	if err := p.Row(row, u); err != nil {
		t.Fatal(err)
	}
	for v, want := range graph.NewSearch(c.g).From(u) {
		if row[v] != want {
			t.Fatalf("from %d to %d %v, want %v", u, v, row[v], want)
		}
	}
}

// between finds a path by a new walk.
func between(p *engine.Problem, u, v int) (path.Route, error) {
	w, err := path.New(p)
	if err != nil {
		return path.Route{}, err
	}
	return w.Between(u, v)
}

// TestFactorsRestartRefused begins again with an algorithm that makes no factors, or cannot of this graph. That is
// refused, and what was solved stays.
func TestFactorsRestartRefused(t *testing.T) {
	r := seeds.New(t)
	for _, kind := range []entry.Kind{entry.KindI32, entry.KindF32} { // core-searches are for integers that differ
		p := withFactors(t, enginetest.SymmetricGraph(t, r, 30, kind))
		_, o := keepsFactors(t)
		for _, name := range append([]string{"eliminate", "", plan.Auto}, engine.RowEngines...) {
			o.Algorithm = name
			switch err := p.Restart(t.Context(), o); {
			case err == nil && name != "eliminate" && (name != "core-searches" || kind == entry.KindI32):
				enginetest.Solve(t, p, o)
			case !errors.Is(err, plan.ErrAlgorithm) || name != "eliminate" && name != "core-searches":
				t.Errorf("%s: it begins again by %s: %v", kind, name, err)
			}
			if err := p.Solved(); err != nil {
				t.Errorf("%s, %s: %v", kind, name, err)
			}
		}
	}
}

// TestFactorsPower cuts the power before every operation on a file, and goes on from each cut.
func TestFactorsPower(t *testing.T) {
	r := seeds.New(t)
	c := newFactorsCase(t, r)
	dir, copies := filepath.Join(t.TempDir(), "x.ooc"), t.TempDir()
	h := watch(t, dir)
	var mu sync.Mutex
	var dirs []string
	h.Step = func(string, string) error {
		mu.Lock()
		defer mu.Unlock()
		dst := filepath.Join(copies, fmt.Sprint(len(dirs)))
		if h.Cut(dst, r) != nil { // the import is not complete
			return os.RemoveAll(dst)
		}
		dirs = append(dirs, dst)
		return nil
	}
	if err := c.run(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	solved := 0
	for _, dir := range dirs {
		p, err := engine.OpenReadOnly(dir)
		if err != nil {
			t.Fatal(err)
		}
		if p.Solved() == nil {
			solved++
			if err := p.Row(make([]float64, c.g.N), r.IntN(c.g.N)); err != nil {
				t.Errorf("a store that says that it is solved: %v", err)
			}
		}
		p.Close()
		c.goOn(t, r, dir)
	}
	if len(dirs) < 5 || solved == 0 || solved == len(dirs) {
		t.Errorf("%d cuts, %d of them of a solved store", len(dirs), solved)
	}
}

// TestFactorsFaults fails each operation on a file, once or from then on: what is left goes on to the same end.
func TestFactorsFaults(t *testing.T) {
	crashtest.Slow(t)
	r := seeds.New(t)
	c := newFactorsCase(t, r)
	for k := 1; ; k++ {
		dir := filepath.Join(t.TempDir(), "x.ooc")
		h, f := watch(t, dir), &fault{at: k, stays: r.IntN(2) == 0}
		h.Step = f.ask
		err := c.run(t.Context(), dir)
		h.Close()
		switch {
		case f.failed == "":
			if k < 10 {
				t.Errorf("only %d operations", k)
			}
			return
		case !errors.Is(err, errFault):
			t.Fatalf("%s failed, and the solve with %v", f.failed, err)
		case tiles.IsStore(dir):
			c.goOn(t, r, dir)
		default:
			if err := c.run(t.Context(), dir); err != nil {
				t.Fatalf("once more after %s failed: %v", f.failed, err)
			}
		}
	}
}

// TestFactorsDamage flips bits of a file of factors: each answer is right, or an error that says so; verify finds all.
func TestFactorsDamage(t *testing.T) {
	r := seeds.New(t)
	c := newFactorsCase(t, r)
	dir := filepath.Join(t.TempDir(), "x.ooc")
	if err := c.run(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "factors")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	search := graph.NewSearch(c.g)
	for range crashtest.Times(60, 1000) {
		bad := bytes.Clone(whole)
		bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
		if err := os.WriteFile(file, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		p, err := engine.OpenReadOnly(dir)
		if err != nil {
			t.Fatal(err)
		}
		u, v := r.IntN(c.g.N), r.IntN(c.g.N)
		if d, err := p.Distance(u, v); err != nil && !errors.Is(err, disk.ErrCorrupt) || err == nil &&
			d != search.From(u)[v] {
			t.Fatalf("from %d to %d %v, %v", u, v, d, err)
		}
		if _, err := between(p, u, v); err != nil && !errors.Is(err, disk.ErrCorrupt) {
			t.Fatal(err)
		}
		if err := p.Row(make([]float64, c.g.N), u); !errors.Is(err, disk.ErrCorrupt) {
			t.Fatalf("a row of damaged factors: %v", err)
		}
		if _, err := prove.Sample(t.Context(), p, 0, 1); !errors.Is(err, disk.ErrCorrupt) {
			t.Fatalf("verify: %v", err)
		}
		if _, err := prove.Scrub(t.Context(), p, prove.ScrubOptions{}); !errors.Is(err, disk.ErrCorrupt) {
			t.Fatalf("scrub: %v", err)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCampaignFactorsLarge compares rows of a large road network with searches, and single distances with rows.
func TestCampaignFactorsLarge(t *testing.T) {
	crashtest.Campaign(t)
	r := seeds.New(t)
	n := crashtest.Times(100_000, 1_000_000)
	file := filepath.Join(t.TempDir(), "road.gr")
	if err := gen.File(t.Context(), "road", gen.Options{N: int64(n), Seed: r.Uint64()}, file); err != nil {
		t.Fatal(err)
	}
	g, _, _, err := read.Open(file, read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := withFactors(t, g)
	if v, err := prove.Sample(t.Context(), p, crashtest.Times(20, 1000), r.Uint64()); err != nil || v.Rows == 0 {
		t.Errorf("%+v, %v", v, err)
	}
	row := make([]float64, n)
	for range 5 {
		u := r.IntN(n)
		if err := p.Row(row, u); err != nil {
			t.Fatal(err)
		}
		for range 100 {
			v := r.IntN(n)
			if d, err := p.Distance(u, v); err != nil || d != row[v] {
				t.Fatalf("from %d to %d %v, and %v in the row: %v", u, v, d, row[v], err)
			}
		}
	}
}

// TestFactorsElapsed stops the clock when a solve for factors begins: then every status says the same time.
func TestFactorsElapsed(t *testing.T) {
	made, o := keepsFactors(t)
	g := enginetest.SymmetricGraph(t, seeds.New(t), 300, entry.KindI32)
	p, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "f.ooc"), g, made)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var elapsed []float64
	o.Control = new(live.Control)
	o.Progress = func(st live.Status) {
		o.Control.Pause()
		elapsed = append(elapsed, st.Elapsed)
	}
	if _, err := p.Solve(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	for _, e := range elapsed[1:] {
		if e != elapsed[len(elapsed)-1] {
			t.Errorf("the clock stood still, and statuses say %v", elapsed)
			break
		}
	}
}
