package factors_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"ooc/engine/device"
	"ooc/engine/factors"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/rows"
	"ooc/engine/sparse"
	"ooc/kernels/entry"
)

// graphOf makes a graph of one of the shapes that tests of solves use.
func graphOf(t *testing.T, r *rand.Rand, n int, w enginetest.Weights) *graph.Graph {
	switch {
	case r.IntN(3) == 0 && !w.Negative:
		return enginetest.SymmetricGraph(t, r, n, w.Kind)
	case r.IntN(2) == 0:
		return enginetest.ZeroLaden(t, r, n, w.Kind, w.Negative)
	}
	return enginetest.RandomGraph(t, r, n, w.Kind, w.Negative)
}

// prepared makes the factors of a graph.
func prepared(ctx context.Context, g *graph.Graph, q rows.Question) (*factors.Factors, error) {
	o, err := factors.Engine{}.Offer(ctx, g, q)
	if err != nil {
		return nil, err
	}
	ready, err := o.Prepare(ctx)
	if err != nil {
		return nil, err
	}
	return ready.(*factors.Factors), nil
}

// made makes the factors of a graph, until the test ends.
func made(t *testing.T, g *graph.Graph, q rows.Question) *factors.Factors {
	t.Helper()
	f, err := prepared(t.Context(), g, q)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// near fails where a distance differs from that of a search by more than rounding allows.
func near(t *testing.T, g *graph.Graph, got, want float64, arcs int) {
	t.Helper()
	allowed := 0.0
	if g.Kind.Float() {
		allowed = g.Kind.AllowedRounding(arcs, 4e3*float64(arcs))
	}
	if got != want && !(math.Abs(got-want) <= allowed) {
		t.Fatalf("%d vertices of %s: distance %v, want %v", g.N, g.Kind, got, want)
	}
}

func TestExpander(t *testing.T) {
	r := seeds.New(t)
	for _, w := range enginetest.AllKinds {
		for range 6 {
			g := graphOf(t, r, 1+r.IntN(200), w)
			f := made(t, g, rows.Question{Rows: r.IntN(3)})
			worker, err := f.NewWorker(1 + r.IntN(100))
			if err != nil {
				t.Fatal(err)
			}
			x := worker.(*factors.Expander)
			defer x.Close()
			wide, unit := g.Kind.Bytes(), f.Elimination.LaneUnit()
			width := entry.RoundUp(g.N, unit)
			sources, search := make([]int32, 1+r.IntN(150)), graph.NewSearch(g)
			to := sparse.Target{Data: g.Kind.Make(width * len(sources)), Width: width}
			for i := range sources {
				sources[i] = int32(r.IntN(g.N))
				to.Places = append(to.Places, int64(i*width*wide))
			}
			if err := x.Rows(sources, to); err != nil {
				t.Fatal(err)
			}
			got := make([]float64, g.N)
			for i, s := range sources {
				g.Kind.Values(got, to.Data[to.Places[i]:][:g.N*wide])
				for v, want := range search.From(int(s)) {
					near(t, g, got[v], want, g.N)
				}
			}
		}
	}
}

// TestQuestions compares answers to every question with one another and with searches, of factors in memory and from
// a file.
func TestQuestions(t *testing.T) {
	r := seeds.New(t)
	for _, w := range enginetest.AllKinds {
		for range 6 {
			g := graphOf(t, r, 1+r.IntN(150), w)
			f, err := prepared(t.Context(), g, rows.Question{Rows: r.IntN(3)})
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "factors")
			id := [16]byte{byte(r.Uint32())}
			if err := f.Save(t.Context(), path, id); err != nil {
				t.Fatal(err)
			}
			variant := f.Elimination.Variant
			ask(t, r, g, f)
			loaded, err := factors.Engine{}.Load(path, id, g.N, variant)
			if err != nil {
				t.Fatal(err)
			}
			ask(t, r, g, loaded.(*factors.Factors))
		}
	}
}

// ask asks factors for rows, columns, entries and a table, and closes them.
func ask(t *testing.T, r *rand.Rand, g *graph.Graph, f *factors.Factors) {
	t.Helper()
	of := rows.NewReader(f, g.Kind)
	defer func() {
		if err := of.Close(); err != nil {
			t.Error(err)
		}
	}()
	wide := g.Kind.Wide()
	search, back := graph.NewSearch(g), graph.NewSearch(g.Reverse())
	raw, got := wide.Make(g.N), make([]float64, g.N)
	for range 3 {
		u := r.IntN(g.N)
		if err := of.ReadRow(raw, u); err != nil {
			t.Fatal(err)
		}
		wide.Values(got, raw)
		for v, want := range search.From(u) {
			near(t, g, got[v], want, g.N)
		}
		for range 20 {
			v := r.IntN(g.N)
			bits, err := of.ReadAt(u, v)
			if err != nil {
				t.Fatal(err)
			}
			if bits != wide.At(raw, v) {
				t.Fatalf("%d vertices of %s, a core of %d: from %d to %d %v, and %v in the row", g.N, g.Kind,
					f.Elimination.Core(), u, v, wide.Value(bits), got[v])
			}
		}
		if err := of.ReadCol(raw, u); err != nil {
			t.Fatal(err)
		}
		wide.Values(got, raw)
		for v, want := range back.From(u) {
			near(t, g, got[v], want, g.N)
		}
	}
	rows, cols := make([]int, 1+r.IntN(100)), make([]int, 1+r.IntN(100))
	for i := range rows {
		rows[i] = r.IntN(g.N)
	}
	for i := range cols {
		cols[i] = r.IntN(g.N)
	}
	table, err := f.NewTable(cols)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := table.NewWorker(1 + r.IntN(100))
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	raw = wide.Make(len(rows) * len(cols))
	if err := reader.ReadRows(raw, rows); err != nil {
		t.Fatal(err)
	}
	for i, u := range rows {
		want := search.From(u)
		for j, v := range cols {
			near(t, g, wide.Value(wide.At(raw, i*len(cols)+j)), want[v], g.N)
		}
	}
}

// TestDense wants a refusal where no core fits, and a smaller core where the best one does not fit.
func TestDense(t *testing.T) {
	r := seeds.New(t)
	g := enginetest.RandomGraph(t, r, 150+r.IntN(50), entry.KindI32, false)
	size := made(t, g, rows.Question{}).Elimination.Core()
	if size > 1 {
		memory := int64(2 * 4 * (size - 1) * (size - 1))
		f, err := prepared(t.Context(), g, rows.Question{Memory: max(memory, 1<<19)})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if core := int64(f.Elimination.Core()); 2*4*core*core > max(memory, 1<<19) {
			t.Errorf("a core of %d vertices in %d bytes", core, max(memory, 1<<19))
		}
	}
	b := graph.New(100)
	for u := range 100 {
		for v := range 100 {
			if u != v {
				b.Add(u, v, float64(1+r.IntN(9)))
			}
		}
	}
	full, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := prepared(t.Context(), full, rows.Question{Memory: 1e4}); !errors.Is(err, factors.ErrDense) {
		t.Errorf("a complete graph in 10 kB gives %v", err)
	}
	ctx, end := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	end(cause)
	if _, err := prepared(ctx, g, rows.Question{}); !errors.Is(err, cause) {
		t.Errorf("a context that has ended gives %v", err)
	}
}

// TestFreeMemory eliminates as many vertices whatever is free, or refuses: where less may be taken it takes less.
func TestFreeMemory(t *testing.T) {
	r := seeds.New(t)
	for _, kind := range []entry.Kind{entry.KindI32, entry.KindF32, entry.KindF64} {
		g := enginetest.SymmetricGraph(t, r, 300, kind)
		w := made(t, g, rows.Question{}).Elimination.Work
		need := w.Fill*sparse.ArcBytes + int64(w.Core*w.Core*kind.Wide().Bytes())
		for _, o := range []rows.Question{{Free: need}, {Free: 1 << 40}, {After: &w.Eliminated, Memory: need}} {
			if got := made(t, g, o).Elimination.Work.Eliminated; got != w.Eliminated {
				t.Errorf("%s: %d vertices, with %+v %d", kind, w.Eliminated, o, got)
			}
		}
		if need == 0 {
			continue
		}
		for _, o := range []rows.Question{{Free: need - 1}, {After: &w.Eliminated, Memory: need - 1},
			{After: &w.Eliminated, Free: need - 1}} {
			if _, err := prepared(t.Context(), g, o); !errors.Is(err, device.ErrMemory) ||
				!strings.Contains(err.Error(), fmt.Sprint(need, " bytes")) {
				t.Errorf("%s, %+v: %v; needs %d", kind, o, err, need)
			}
		}
		made(t, g, rows.Question{Free: need - 1, Memory: 1 << 30}) // which the message names
	}
}
