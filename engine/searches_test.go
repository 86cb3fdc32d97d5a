package engine_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"ooc/engine"
	"ooc/engine/factors"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/live"
	"ooc/engine/plan"
	"ooc/engine/prove"
	"ooc/engine/rounds"
	"ooc/engine/rows"
	"ooc/engine/searches"
	"ooc/engine/task"
	"ooc/kernels/entry"
	"ooc/tiles"
)

var searching searches.Engine

// searchable makes a graph without negative weights, every other time of equal ones.
func searchable(t testing.TB, r *rand.Rand, n int, kind entry.Kind, undirected bool) *graph.Graph {
	direction, alike := graph.Directed, r.IntN(2) == 0 || !kind.Kernels()
	if undirected {
		direction = graph.Undirected
	}
	b := graph.New(n, direction, graph.AsKind(kind))
	for range r.IntN(4 * n) {
		weight := 3.0
		if !alike {
			weight = float64(r.IntN(30))
		}
		b.Add(r.IntN(n), r.IntN(1+r.IntN(n)), weight)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestSearches compares solves by searches with those in rounds, in every kind and layout, and of chosen sources.
func TestSearches(t *testing.T) {
	r := seeds.New(t)
	for i := range 24 {
		kind, n := entry.Kinds[i%len(entry.Kinds)], 1+r.IntN(500)
		g := searchable(t, r, n, kind, i%3 == 0)
		create := enginetest.Create
		if g.Symmetric && r.IntN(2) == 0 {
			create = enginetest.CreateUpper
		}
		p, whole := create(t, g, 64), create(t, g, 64)
		if sum := enginetest.Solve(t, p, smallest(t, searching.Name(), n)); sum.Algorithm != searching.Name() {
			t.Fatalf("%+v", sum)
		}
		enginetest.Solve(t, whole, smallestOf(t, rounds.Blocked.Name(), n, kind))
		if !kind.Float() && !bytes.Equal(enginetest.MatrixFile(t, p.Dir()), enginetest.MatrixFile(t, whole.Dir())) {
			t.Fatalf("%d vertices of %s: other bytes than rounds", n, kind)
		}
		verifyAll(t, p)
		st, err := p.Status()
		if err != nil || st.State != live.Solved || st.Algorithm != searching.Name() || st.RowsDone != st.Rows {
			t.Errorf("%+v, %v", st, err)
		}
		var sources tiles.RowSet
		for v := range n {
			if r.IntN(3) == 0 {
				sources = append(sources, int32(v))
			}
		}
		chosen := engine.CreateOptions{Sources: sources, Tile: 64}
		some, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "s.ooc"), g, chosen)
		if err != nil {
			t.Fatal(err)
		}
		enginetest.Solve(t, some, smallest(t, searching.Name(), n))
		if _, err := prove.Sample(t.Context(), some, n, 1); err != nil {
			t.Error(err)
		}
		if err := some.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestSearchesResume stops solves now and then, and cuts the power before every operation, and wants the same end.
func TestSearchesResume(t *testing.T) {
	r := seeds.New(t)
	g := searchable(t, r, 700+r.IntN(300), entry.KindI32, false)
	whole, p := enginetest.Create(t, g, 64), enginetest.Create(t, g, 64)
	enginetest.Solve(t, whole, smallest(t, searching.Name(), g.N))
	resumed := false
	for try := 0; ; try++ {
		ctx, cancel := context.WithCancel(t.Context())
		left, o := 1+r.IntN(6), smallest(t, searching.Name(), g.N)
		if try > 0 {
			o.Algorithm = plan.Auto // what began it goes on
		}
		o.Interval, o.HostMemory = 1, int64(g.N*(1200+r.IntN(2)*900)) // so that few rows are computed at a time
		o.Progress = func(live.Status) {
			if left--; left <= 0 && try < 6 {
				cancel()
			}
		}
		sum, err := p.Solve(ctx, o)
		cancel()
		resumed = resumed || sum.ResumedFrom > 0
		if err == nil {
			break
		}
		if !errors.Is(err, task.ErrInterrupted) {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(enginetest.MatrixFile(t, p.Dir()), enginetest.MatrixFile(t, whole.Dir())) {
		t.Error("the matrix differs after interruptions")
	}
	t.Logf("it went on from rows: %v", resumed)
	for _, kind := range []entry.Kind{entry.Kinds[r.IntN(len(entry.Kinds))], entry.KindU8} {
		g = searchable(t, r, 500+r.IntN(200), kind, false)
		cuts, _ := cutEverywhere(t, r, g, searching.Name(), true)
		t.Logf("%s: %d power cuts", kind, cuts)
	}
}

// TestOffersOfNegative wants the error of the engine that is for graphs with negative weights, where their core does not
// fit.
func TestOffersOfNegative(t *testing.T) {
	b, r := graph.New(2000, graph.Directed), seeds.New(t)
	for v := 1; v < 2000; v++ {
		for range 8 {
			b.Add(r.IntN(v), v, float64(r.IntN(10)-1))
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := engine.OffersOfRows(t.Context(), g, rows.Question{Memory: 1}); !errors.Is(err, factors.ErrDense) {
		t.Error(err)
	}
}
