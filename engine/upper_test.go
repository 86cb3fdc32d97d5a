package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"ooc/engine"
	"ooc/engine/eliminate"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/plan"
	"ooc/engine/prove"
	"ooc/engine/rounds"
	"ooc/kernels/conformance"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/crashtest"
	"ooc/tiles/disk"
)

// sameAsSquare wants a store of one half of a matrix to be symmetric, bit for bit, and in i32 to say what one of all
// of it says. In f32 verifyAll holds both to what promises.md allows.
func sameAsSquare(t *testing.T, upper, square *engine.Problem) {
	t.Helper()
	n, kind := upper.Geometry().N, upper.Meta().Kind
	wide := kind.Wide()
	rows := make([][]byte, n)
	want := wide.Make(n)
	for u := range rows {
		rows[u] = wide.Make(n)
		column := wide.Make(n)
		if err := errors.Join(upper.Store().ReadRow(rows[u], u), upper.Store().ReadCol(column, u),
			square.Store().ReadRow(want, u)); err != nil {
			t.Fatal(err)
		}
		if !kind.Float() && !bytes.Equal(rows[u], want) {
			t.Fatalf("row %d: other distances than in layout square", u)
		}
		if !bytes.Equal(rows[u], column) {
			t.Fatalf("row %d is not column %d", u, u)
		}
		for v := range u {
			if wide.At(rows[u], v) != wide.At(rows[v], u) {
				t.Fatalf("distances (%d,%d) and (%d,%d) differ", u, v, v, u)
			}
		}
	}
	verifyAll(t, upper)
	// Whole tiles of the diagonal are symmetric in the file, too.
	g := upper.Geometry()
	tile, mirrored := kind.Make(g.T*g.T), kind.Make(g.T*g.T)
	for i := range g.Side() {
		if err := upper.Store().ReadTile(tile, i, i); err != nil {
			t.Fatal(err)
		}
		copy(mirrored, tile)
		if g.Mirror(mirrored); !bytes.Equal(tile, mirrored) {
			t.Fatalf("tile (%d,%d) is not its own transpose", i, i)
		}
	}
}

// TestUpper solves symmetric graphs into both layouts by every algorithm that can, under random limits: one tile and
// many, with padding and without, connected and not, the core in memory and in a store, expanded by the processor and
// on a device.
func TestUpper(t *testing.T) {
	crashtest.Slow(t)
	r := seeds.New(t)
	smallCores(t, 0)
	for round := range 3 {
		for _, kind := range crashtest.Some(r, 1, []entry.Kind{entry.KindI32, entry.KindF32}) {
			n := []int{1 + r.IntN(64), 64 * (1 + r.IntN(5)), 65 + r.IntN(400)}[round]
			g, tile := enginetest.SymmetricGraph(t, r, n, kind), 64*(1+r.IntN(2))
			if !g.Facts().Symmetric {
				t.Fatal("a symmetric graph is not known to be")
			}
			square := enginetest.Create(t, g, tile)
			enginetest.Solve(t, square, enginetest.RandomShape(r, n, tile).Options(t))
			for name, o := range map[string]engine.Options{
				"rounds":      enginetest.RandomShape(r, n, tile).Options(t),
				"elimination": eliminating(t),
				"device": {Device: conformance.WithLaneOps(enginetest.Device(t, 1000, tile)),
					Request: plan.Request{Algorithm: eliminate.Name}},
			} {
				t.Run(fmt.Sprintf("%d/%s/%s/n=%d", round, kind, name, n), func(t *testing.T) {
					p := enginetest.CreateUpper(t, g, tile)
					enginetest.Solve(t, p, o)
					sameAsSquare(t, p, square)
					if again := enginetest.Solve(t, p, o); !again.AlreadySolved {
						t.Error("solved a solved store again")
					}
				})
			}
		}
	}
}

// TestUpperHalves counts what one half saves: bytes on disk and relaxations.
func TestUpperHalves(t *testing.T) {
	g := enginetest.SymmetricGraph(t, seeds.New(t), 1000, entry.KindI32)
	upper, square := enginetest.CreateUpper(t, g, 64), enginetest.Create(t, g, 64)
	a := enginetest.Solve(t, upper, engine.Options{Request: plan.Request{Algorithm: rounds.Blocked.Name()}})
	b := enginetest.Solve(t, square, engine.Options{Request: plan.Request{Algorithm: rounds.Blocked.Name()}})
	if x, y := upper.Geometry().MatrixBytes(), square.Geometry().MatrixBytes(); 16*x > 17*y/2+y {
		t.Errorf("%d bytes of %d", x, y)
	}
	if share := a.Relaxations / b.Relaxations; share < 0.5 || share > 0.56 {
		t.Errorf("%g of %g relaxations", a.Relaxations, b.Relaxations)
	}
	geom := upper.Geometry() // progress is a share of these, whatever the width of rounds
	want := 1e9 * float64(geom.Tiles()) / float64(geom.Side()*geom.Side())
	for _, round := range []int{64, 512, 1024} {
		p := enginetest.CreateUpper(t, g, 64)
		if s := enginetest.Solve(t, p,
			engine.Options{Request: plan.Request{Algorithm: rounds.Blocked.Name(),
				Round: round}}); math.Abs(s.Relaxations/want-1) > 1e-9 {
			t.Errorf("%g relaxations in rounds of %d, not %g", s.Relaxations, round, want)
		}
	}
}

// TestUpperOfMatrix solves a symmetric matrix in a file, and one that is not.
func TestUpperOfMatrix(t *testing.T) {
	r := seeds.New(t)
	for _, kind := range []entry.Kind{entry.KindI32, entry.KindF32} {
		g := enginetest.SymmetricGraph(t, r, 150+r.IntN(100), kind)
		path := enginetest.WriteMatrix(t, g, false)
		w, made := enginetest.OpenMatrix(t, path, kind, 64)
		if !w.Facts().Symmetric {
			t.Fatal("a symmetric matrix is not known to be")
		}
		made.Layout = tiles.Upper
		p, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "m.ooc"), w, made)
		if err != nil {
			t.Fatal(err)
		}
		enginetest.Solve(t, p, enginetest.RandomShape(r, g.N, 64).Options(t))
		square := enginetest.Solved(t, r, g)
		sameAsSquare(t, p, square)
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	w, _ := enginetest.OpenMatrix(t, enginetest.WriteMatrix(t, oneWay(t), false), entry.KindI32, 64)
	if w.Facts().Symmetric {
		t.Error("a matrix with an arc and no reverse is called symmetric")
	}
}

// oneWay is a graph of which one arc alone lacks its equal reverse.
func oneWay(t *testing.T) *graph.Graph {
	b := graph.New(200)
	for v := 1; v < 200; v++ {
		b.Add(v-1, v, 3)
		b.Add(v, v-1, 3+float64(v/199))
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestUpperRefused wants the layout refused where a matrix is not symmetric, and picked where it is.
func TestUpperRefused(t *testing.T) {
	device := enginetest.Device(t, 1000, 64)
	symmetric, not := enginetest.SymmetricGraph(t, seeds.New(t), 200, entry.KindI32), oneWay(t)
	for what, c := range map[string]struct {
		g    *graph.Graph
		l    plan.Request
		want tiles.Layout
		why  string
	}{
		"by default":    {symmetric, plan.Request{}, tiles.Upper, ""},
		"asked for":     {symmetric, plan.Request{Layout: tiles.Upper}, tiles.Upper, ""},
		"not wanted":    {symmetric, plan.Request{Layout: tiles.Square}, tiles.Square, ""},
		"not symmetric": {not, plan.Request{}, tiles.Square, ""},
		"of another":    {not, plan.Request{Layout: tiles.Upper}, "", "no reverse"},
		"sources":       {symmetric, plan.Request{Sources: tiles.RowSet{1, 2}}, tiles.Rows, ""},
		"sources, asked": {symmetric, plan.Request{Sources: tiles.RowSet{1, 2}, Layout: tiles.Upper}, "",
			"chosen sources"},
		"predecessors": {symmetric, plan.Request{Predecessors: true}, tiles.Square, ""},
		"trees, asked": {symmetric, plan.Request{Predecessors: true, Layout: tiles.Upper}, "", "predecessors"},
		"squaring":     {symmetric, plan.Request{Algorithm: rounds.Squaring.Name()}, tiles.Square, ""},
		"squared, asked": {symmetric, plan.Request{Algorithm: rounds.Squaring.Name(), Layout: tiles.Upper}, "",
			"solves every tile"},
	} {
		choice, err := engine.Choose(t.Context(), c.g, device, c.l)
		switch {
		case c.why == "" && (err != nil || choice.Layout != c.want):
			t.Errorf("%s: %+v, %v", what, choice, err)
		case c.why != "" && (!errors.Is(err, plan.ErrLayout) || !strings.Contains(err.Error(), c.why)):
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "x.ooc"), not,
		engine.CreateOptions{Layout: tiles.Upper}); !errors.Is(err, plan.ErrLayout) {
		t.Errorf("a store of one half of a matrix that is not symmetric: %v", err)
	}
	p := enginetest.CreateUpper(t, symmetric, 64)
	for _, name := range []string{rounds.Squaring.Name(), rounds.SingleStage.Name()} {
		if _, err := p.Solve(t.Context(),
			engine.Options{Device: device, Request: plan.Request{Algorithm: name}}); !errors.Is(err, plan.ErrLayout) {
			t.Errorf("%s of one half: %v", name, err)
		}
	}
}

// TestUpperInterrupted stops solves at random points, over and over with other limits, and compares the end with layout
// square.
func TestUpperInterrupted(t *testing.T) {
	r := seeds.New(t)
	for round := range crashtest.Repeats(2, 6) {
		kind := []entry.Kind{entry.KindI32, entry.KindF32}[round%2]
		g := enginetest.SymmetricGraph(t, r, 300+r.IntN(300), kind)
		p, square := enginetest.CreateUpper(t, g, 64), enginetest.Solved(t, r, g)
		solveInPieces(t, r, p, g.N)
		sameAsSquare(t, p, square)
	}
}

// TestUpperPowerCuts cuts the power of solves into layout upper, in rounds and by elimination with its core in a store.
func TestCampaignUpperPowerCuts(t *testing.T) {
	crashtest.Campaign(t)
	r := seeds.New(t)
	smallCores(t, 0)
	for cuts := 0; cuts < crashtest.Times(50, 1000); {
		kind := entry.Kinds[r.IntN(len(entry.Kinds))]
		n := 200 + r.IntN(300)
		g := enginetest.SymmetricGraph(t, r, n, kind)
		square := enginetest.Solved(t, r, g)
		options := func() engine.Options { return enginetest.RandomShape(r, g.N, 64).Of(g.Kind).Options(t) }
		if r.IntN(2) == 0 {
			options = func() engine.Options { return eliminating(t) }
		}
		for i, dir := range cutWhileSolving(t, r, g, engine.CreateOptions{Tile: 64, Layout: tiles.Upper}, options()) {
			cuts++
			p, err := engine.Open(dir)
			if err != nil {
				t.Fatalf("cut %d: %v", i, err)
			}
			enginetest.Solve(t, p, options())
			sameAsSquare(t, p, square)
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestUpperBounds asks unsolved stores of one half of a matrix for upper bounds.
func TestUpperBounds(t *testing.T) {
	crashtest.Slow(t)
	smallCores(t, 0)
	r := seeds.New(t)
	g := enginetest.SymmetricGraph(t, r, 100, entry.KindI32)
	search, want := graph.NewSearch(g), make([][]float64, g.N)
	for u := range want {
		want[u] = append(want[u], search.From(u)...)
	}
	unsolved := 0
	for _, algorithm := range []string{rounds.Blocked.Name(), eliminate.Name} {
		_, dirs := cutAtSyncs(t, r, g, engine.CreateOptions{Tile: 64, Layout: tiles.Upper}, smallest(t, algorithm, g.N))
		r.Shuffle(len(dirs), func(i, j int) { dirs[i], dirs[j] = dirs[j], dirs[i] })
		for _, dir := range dirs[:min(8, len(dirs))] {
			p, err := engine.OpenReadOnly(dir)
			if err != nil {
				t.Fatal(err)
			}
			compareBounds(t, r, p, want)
			if p.Solved() != nil {
				if unsolved < 3 { // each asks everything
					wantUnsolved(t, p)
				}
				unsolved++
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if unsolved == 0 {
		t.Error("no store was unsolved")
	}
}

// TestUpperDamage changes an entry of a solved store: proofs and scrubs name the tile that is stored, whichever row
// they read.
func TestUpperDamage(t *testing.T) {
	r := seeds.New(t)
	g := enginetest.SymmetricGraph(t, r, 300, entry.KindI32)
	p := enginetest.CreateUpper(t, g, 64)
	enginetest.Solve(t, p, eliminating(t))
	u, v := r.IntN(64), 128+r.IntN(64) // tile (0,2)
	enginetest.Change(t, p, u, v, func(was uint32) uint32 { return was ^ 1 })
	if d, err := p.Distance(v, u); err != nil || math.IsNaN(d) {
		t.Fatal(err)
	}
	_, err := prove.Scrub(t.Context(), p, prove.ScrubOptions{})
	if !errors.Is(err, disk.ErrCorrupt) || !strings.Contains(err.Error(), "tile (0,2)") {
		t.Errorf("scrub: %v", err)
	}
	_, err = prove.All(t.Context(), p, prove.Options{})
	if !errors.Is(err, engine.ErrWrong) && !errors.Is(err, disk.ErrCorrupt) ||
		!strings.Contains(fmt.Sprint(err), "tile (0,2)") {
		t.Errorf("full proof: %v", err)
	}
}

// randomUpper is a solved store of one half of a random matrix, for questions.
func randomUpper(t *testing.T, r *rand.Rand, kind entry.Kind) (upper, square *engine.Problem) {
	g := enginetest.SymmetricGraph(t, r, 65+r.IntN(300), kind)
	return upperAndSquare(t, r, g, 64)
}

// TestUpperAnswers asks both layouts for distances between random vertices.
func TestUpperAnswers(t *testing.T) {
	r := seeds.New(t)
	upper, square := randomUpper(t, r, entry.KindI32)
	n := upper.Geometry().N
	for range 500 {
		u, v := r.IntN(n), r.IntN(n)
		a, err := upper.Distance(u, v)
		b, berr := square.Distance(u, v)
		if err != nil || berr != nil || a != b {
			t.Fatalf("from %d to %d: %v and %v, %v, %v", u, v, a, b, err, berr)
		}
	}
}
