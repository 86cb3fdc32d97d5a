package engine_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"testing"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/plan"
	"ooc/engine/prove"
	"ooc/engine/rows"
	"ooc/engine/stats"
	"ooc/tiles"
)

// toy is an engine of rows that searches from each source. It keeps nothing, and can do nothing else.
type toy struct {
	seconds float64 // that it offers
	open    *int    // graphs that are ready
}

func (toy) Name() string { return "toy" }

func (e toy) Offer(_ context.Context, g *graph.Graph, _ rows.Question) (rows.Offer, error) {
	return rows.Offer{Engine: e.Name(), Seconds: e.seconds, Prepare: func(context.Context) (rows.Ready, error) {
		*e.open++
		return &searched{g, e.open}, nil
	}}, nil
}

// searched is the Ready of toy.
type searched struct {
	g    *graph.Graph
	open *int
}

func (s *searched) Order() []int32 {
	order := make([]int32, s.g.N)
	for i := range order {
		order[i] = int32(s.g.N - 1 - i)
	}
	return order
}

func (s *searched) NewWorker(int) (rows.Worker, error) {
	return &searcher{s.g, graph.NewSearch(s.g)}, nil
}

func (s *searched) WorkerBytes(int) int64 { return int64(24 * s.g.N) }

func (s *searched) Reversed() (rows.Ready, error) { return &searched{s.g.Reverse(), nil}, nil }

func (s *searched) Close() error {
	*s.open--
	return nil
}

type searcher struct {
	g *graph.Graph
	s *graph.Search
}

func (w *searcher) ReadRows(dst []byte, sources []int) error {
	kind := w.g.Kind.Wide()
	if len(dst) != kind.Bytes()*w.g.N*len(sources) {
		return errors.New("another length")
	}
	for i, u := range sources {
		for v, d := range w.s.From(u) {
			bits := kind.Unreachable()
			if !math.IsInf(d, 1) {
				bits = kind.Bits(d)
			}
			kind.Put(dst, i*w.g.N+v, bits)
		}
	}
	return nil
}

func (w *searcher) Close() error { return nil }

// TestRowEngine asks stores for which an engine of the table computes rows, and compares their answers with those of
// stores that keep rows.
func TestRowEngine(t *testing.T) {
	r, open := seeds.New(t), 0
	for _, w := range enginetest.AllKinds {
		for _, name := range []string{"", "toy"} { // the one that takes least time, or by name
			seconds := -1.0 // less than any graph takes: one of a vertex takes none
			if name != "" {
				seconds = 1e300
			}
			back := engine.AddRowEngine(toy{seconds, &open})
			defer back()
			g := enginetest.HardGraph(t, r, 1+r.IntN(130), w.Kind, w.Negative)
			kept := enginetest.Create(t, g, 64)
			enginetest.Solve(t, kept, eliminating(t))
			made, o := keepsFactors(t)
			dir := filepath.Join(t.TempDir(), "f.ooc")
			p, err := engine.Create(t.Context(), dir, g, made)
			if err != nil {
				t.Fatal(err)
			}
			o.Algorithm = name
			if sum, err := p.Solve(t.Context(), o); err != nil || sum.Algorithm != "toy" || sum.EliminateSeconds != 0 {
				t.Fatalf("%+v, %v", sum, err)
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			if p, err = engine.OpenReadOnly(dir); err != nil {
				t.Fatal(err)
			}
			if st, err := p.Status(); err != nil || st.Algorithm != "toy" {
				t.Errorf("%+v, %v", st, err)
			}
			sameAnswers(t, r, p, kept)
			sameProofs(t, p)
			got, gerr := stats.Of(t.Context(), p, stats.Options{Nearest: 3})
			want, werr := stats.Of(t.Context(), kept, stats.Options{Nearest: 3})
			if err := errors.Join(gerr, werr); err != nil {
				t.Fatal(err)
			}
			exact := func(r *stats.Result) []any { // without sums of reciprocals, which are rounded row by row
				return []any{r.ReachablePairs, r.Eccentricity, r.Farthest, r.DiameterPair, r.RadiusPair, r.DistanceSum,
					r.DistanceSumIn, r.Nearest}
			}
			for i, x := range exact(got) {
				if y := exact(want)[i]; !w.Kind.Float() && !reflect.DeepEqual(x, y) {
					t.Errorf("statistic %d is %v, and of the matrix %v", i, x, y)
				}
			}
			if d := math.Abs(got.TotalDistance - want.TotalDistance); d > 1e-3*math.Abs(want.TotalDistance) {
				t.Errorf("a sum of distances of %v, and of the matrix %v", got.TotalDistance, want.TotalDistance)
			}
			if err := p.Close(); err != nil || open != 0 {
				t.Errorf("%d graphs are left open: %v", open, err)
			}
			back()
			if p, err = engine.Open(dir); err != nil {
				t.Fatal(err)
			}
			if _, err := p.Distance(0, 0); !errors.Is(err, plan.ErrAlgorithm) {
				t.Errorf("without the engine: %v", err)
			}
			if err = p.Restart(t.Context(), o); err == nil {
				_, err = p.Solve(t.Context(), o)
			}
			if name != "" && !errors.Is(err, plan.ErrAlgorithm) || name == "" && err != nil {
				t.Errorf("with --algorithm %q, once the engine is not there: %v", name, err)
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// sameProofs wants a store without a matrix to be proved right.
func sameProofs(t *testing.T, p *engine.Problem) {
	t.Helper()
	if v, err := prove.Sample(t.Context(), p, 5, 1); err != nil || v.Tiles == 0 {
		t.Errorf("%+v, %v", v, err)
	}
	if _, err := prove.All(t.Context(), p, prove.Options{}); err != nil {
		t.Error(err)
	}
	if s, err := prove.Scrub(t.Context(), p, prove.ScrubOptions{}); err != nil || s.Tiles == 0 {
		t.Errorf("scrub: %+v, %v", s, err)
	}
	if !p.Geometry().Factors || p.Store().Geometry().Tiles() != 0 {
		t.Errorf("it keeps %s, of layout %v", p.Keeps(), p.Store().Geometry().Layout() == tiles.Factors)
	}
}
