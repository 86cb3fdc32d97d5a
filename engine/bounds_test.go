package engine_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"ooc/engine"
	"ooc/engine/eliminate"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/rounds"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/crashtest"
)

// TestUnsolvedAnswers asks stores that a power cut left on the way for distances, which they refuse, and for upper
// bounds.
func TestUnsolvedAnswers(t *testing.T) {
	crashtest.Slow(t)
	smallCores(t, 0)
	r := seeds.New(t)
	unsolved, finite := 0, 0
	for try := 0; try < 10 && finite == 0; try++ { // a cut may come before any bound is on disk
		g := enginetest.RandomGraph(t, r, 100, entry.KindI32, false)
		search, want := graph.NewSearch(g), make([][]float64, g.N)
		for u := range want {
			want[u] = append(want[u], search.From(u)...)
		}
		for _, algorithm := range []string{rounds.Blocked.Name(), eliminate.Name, rounds.Squaring.Name(),
			rounds.SingleStage.Name()} {
			for _, dir := range cutEachStep(t, r, g, smallest(t, algorithm, g.N), false) {
				p, err := engine.OpenReadOnly(dir)
				if err != nil {
					t.Fatal(err)
				}
				if bounds := compareBounds(t, r, p, want); p.Solved() != nil {
					wantUnsolved(t, p)
					unsolved++
					finite += bounds
				}
				if err := p.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if unsolved == 0 || finite == 0 {
		t.Errorf("%d stores unsolved, of which %d bounds say something", unsolved, finite)
	}
}

// TestBoundsOfRows asks a store of which an elimination has computed the first rows.
func TestBoundsOfRows(t *testing.T) {
	p := enginetest.Create(t, enginetest.RandomGraph(t, seeds.New(t), 150, entry.KindI32, false), 64)
	enginetest.Solve(t, p, eliminating(t))
	if err := errors.Join(p.Store().Reset(),
		p.Store().Checkpoint(tiles.State{Algorithm: eliminate.Name, Done: 64})); err != nil {
		t.Fatal(err)
	}
	b, err := p.Bounds()
	if err != nil {
		t.Fatal(err)
	}
	row, col := make([]float64, 150), make([]float64, 150)
	for u := range 150 {
		d, err := b.Distance(u, u)
		if err = errors.Join(err, b.Row(row, u), b.Col(col, u)); err != nil {
			t.Fatal(err)
		}
		want := 0.0
		if u >= 64 {
			want = math.Inf(1)
		}
		if d != want || row[u] != want || col[u] != want || !math.IsInf(col[149], 1) {
			t.Errorf("row %d: %v, %v, %v; want %v", u, d, row[u], col[u], want)
		}
	}
}

func wantUnsolved(t *testing.T, p *engine.Problem) {
	t.Helper()
	n := p.Geometry().N
	_, err := p.Distance(0, n-1)
	for _, err := range []error{err, p.Row(make([]float64, n), 0), p.Col(make([]float64, n), 0)} {
		if !errors.Is(err, engine.ErrUnsolved) {
			t.Errorf("an answer of an unsolved store: %v", err)
		}
	}
}

// compareBounds wants no bound below the distance, and the same ones of rows, columns and some pairs. It counts those
// of other vertices that say something.
func compareBounds(t *testing.T, r *rand.Rand, p *engine.Problem, want [][]float64) (finite int) {
	t.Helper()
	b, err := p.Bounds()
	if err != nil {
		t.Fatal(err)
	}
	n := len(want)
	row, col := make([]float64, n), make([]float64, n)
	for u := range n {
		if err := errors.Join(b.Row(row, u), b.Col(col, u)); err != nil {
			t.Fatal(err)
		}
		for v := range n {
			to, from := row[v], col[v]
			var err, ferr error
			if r.IntN(20) == 0 {
				to, err = b.Distance(u, v)
				from, ferr = b.Distance(v, u)
			}
			if err != nil || ferr != nil || to != row[v] || from != col[v] || row[v] < want[u][v] ||
				col[v] < want[v][u] {
				t.Fatalf("%d to %d: %v, in the row %v, of %v, %v; back %v, in the column %v, of %v, %v", u, v, to,
					row[v], want[u][v], err, from, col[v], want[v][u], ferr)
			}
			if u != v && !math.IsInf(to, 1) {
				finite++
			}
		}
	}
	return finite
}

// TestSolvedMeanwhile asks a store that was opened before it was solved.
func TestSolvedMeanwhile(t *testing.T) {
	r := seeds.New(t)
	p := enginetest.Create(t, enginetest.RandomGraph(t, r, 100, entry.KindI32, false), 64)
	reader, err := engine.OpenReadOnly(p.Dir())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	wantUnsolved(t, reader)
	o := enginetest.RandomShape(r, 100, 64).Options(t)
	enginetest.Solve(t, p, o)
	for _, q := range []*engine.Problem{p, reader} {
		if d, err := q.Distance(7, 7); d != 0 || err != nil {
			t.Errorf("%v, %v", d, err)
		}
	}
	if err := p.Restart(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	wantUnsolved(t, p)
}

func BenchmarkDistance(b *testing.B) {
	p := enginetest.Solved(b, seeds.New(b), enginetest.RandomGraph(b, seeds.New(b), 500, entry.KindI32, false))
	at := 0
	for b.Loop() {
		if _, err := p.Distance(at%500, at*7%500); err != nil {
			b.Fatal(err)
		}
		at++
	}
}
