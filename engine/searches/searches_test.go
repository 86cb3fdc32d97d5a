package searches_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/plan"
	"ooc/engine/rows"
	"ooc/engine/searches"
	"ooc/engine/sparse"
	"ooc/kernels/entry"
)

// alike makes a graph whose weights are all equal, with parallel arcs, loops and isolated vertices.
func alike(t *testing.T, r *rand.Rand, n int, kind entry.Kind) *graph.Graph {
	weight := float64(1 + r.IntN(3))
	if kind.Float() {
		weight = 0.1
	}
	direction := graph.Directed
	if r.IntN(2) == 0 {
		direction = graph.Undirected
	}
	b := graph.New(n, direction, graph.AsKind(kind))
	add := func(u, v int) { b.Add(u, v, weight) }
	switch r.IntN(5) {
	case 0: // a path, of many levels
		for v := 1; v < n; v++ {
			add(v-1, v)
		}
	case 1: // a grid
		side := int(math.Sqrt(float64(n)))
		for v := range side * side {
			if v%side > 0 {
				add(v-1, v)
			}
			if v >= side {
				add(v, v-side)
			}
		}
	case 2: // a star
		for v := 1; v < n; v++ {
			add(0, v)
		}
	case 3: // arcs anywhere
		for range r.IntN(4 * n) {
			add(r.IntN(n), r.IntN(n))
		}
	default: // few vertices have most arcs
		for v := range n {
			for range r.IntN(4) {
				add(v, r.IntN(1+r.IntN(1+r.IntN(n))))
			}
		}
	}
	return built(t, b)
}

func built(t *testing.T, b *graph.Builder) *graph.Graph {
	t.Helper()
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// ready makes a graph ready, for so many rows.
func ready(t *testing.T, g *graph.Graph, count int) rows.Ready {
	t.Helper()
	o, err := searches.Engine{}.Offer(t.Context(), g, rows.Question{Rows: count})
	if err != nil || o.Seconds <= 0 || o.Engine != (searches.Engine{}).Name() {
		t.Fatal(o, err)
	}
	made, err := o.Prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	order := slices.Sorted(slices.Values(made.Order()))
	for v := range g.N {
		if len(order) != g.N || int(order[v]) != v {
			t.Fatalf("the order of %d vertices is %v", g.N, made.Order())
		}
	}
	return made
}

// judge has the distances in a graph, and says which entries are those.
type judge struct {
	*graph.Search
	g    *graph.Graph
	fail func(format string, args ...any)
}

func (j judge) row(source int, at func(v int) float64) {
	for v, want := range j.From(source) {
		allowed := 0.0
		if j.g.Kind.Float() {
			allowed = j.g.Kind.AllowedRounding(j.g.N, want)
		}
		if got := at(v); got != want && !(math.Abs(got-want) <= allowed) {
			const says = "%s, %d vertices, %d arcs: from %d to %d it is %v, not %v"
			j.fail(says, j.g.Kind, j.g.N, j.g.Arcs(), source, v, got, want)
			return
		}
	}
}

// TestRows asks for some rows in every way that there is.
func TestRows(t *testing.T) {
	r := seeds.New(t)
	for range 60 {
		w := enginetest.AllKinds[r.IntN(len(enginetest.AllKinds))]
		g := alike(t, r, 1+r.IntN(700), w.Kind)
		if r.IntN(3) == 0 {
			g = enginetest.HardGraph(t, r, 1+r.IntN(300), w.Kind, false)
		}
		count := 1 + r.IntN(g.N)
		made := ready(t, g, count)
		j := judge{graph.NewSearch(g), g, t.Errorf}
		sources := make([]int, 1+r.IntN(min(count, 600)))
		for i := range sources {
			sources[i] = r.IntN(g.N)
		}
		checkRows(t, made, j, sources)
		checkTiles(t, r, made, j, sources)
		checkLevels(t, made, j, sources)
		back, err := made.Reversed()
		if err != nil {
			t.Fatal(err)
		}
		reversed := g.Reverse()
		checkRows(t, back, judge{graph.NewSearch(reversed), reversed, t.Errorf}, sources)
	}
}

func checkRows(t *testing.T, made rows.Ready, j judge, sources []int) {
	t.Helper()
	w, err := made.NewWorker(len(sources))
	if err != nil {
		t.Fatal(err)
	}
	kind := j.g.Kind.Wide()
	for range 2 { // what a worker has found before does not matter
		memory := kind.Make(j.g.N * len(sources))
		kind.Fill(memory, 77)
		if err := w.ReadRows(memory, sources); err != nil {
			t.Fatal(err)
		}
		for i, u := range sources {
			j.row(u, func(v int) float64 { return kind.Value(kind.At(memory, i*j.g.N+v)) })
		}
	}
	if err := w.Close(); err != nil || made.WorkerBytes(len(sources)) <= 0 {
		t.Error(err)
	}
}

// checkTiles writes rows into tiles.
func checkTiles(t *testing.T, r *rand.Rand, made rows.Ready, j judge, sources []int) {
	t.Helper()
	w, err := made.NewWorker(len(sources))
	if err != nil {
		t.Fatal(err)
	}
	x, ok := w.(rows.TileWorker)
	if !ok {
		return
	}
	kind, edge := j.g.Kind, 64*(1+r.IntN(3))
	side := entry.CeilDiv(j.g.N, edge)
	to := sparse.Target{First: r.IntN(side), Width: edge, Stride: int64(len(sources) * edge * kind.Bytes())}
	to.Data = kind.Make(side * len(sources) * edge)
	vertices := make([]int32, len(sources))
	for i, u := range sources {
		vertices[i], to.Places = int32(u), append(to.Places, int64(i*edge*kind.Bytes()))
	}
	if err := x.Rows(vertices, to); err != nil {
		t.Fatal(err)
	}
	at := func(i, v int) uint64 { return kind.At(to.Data[to.Places[i]+int64(v/edge)*to.Stride:], v%edge) }
	for i, u := range sources {
		all := j.From(u)
		j.row(u, func(v int) float64 {
			if v < to.First*edge {
				return all[v]
			}
			return kind.Value(at(i, v))
		})
		for v := j.g.N; v < side*edge; v++ {
			if at(i, v) != kind.Unreachable() {
				t.Fatalf("padding column %d of %d is %#x", v, j.g.N, at(i, v))
			}
		}
	}
}

// checkLevels puts rows together from their levels.
func checkLevels(t *testing.T, made rows.Ready, j judge, sources []int) {
	t.Helper()
	if _, ok := made.(rows.LevelReady); !ok {
		return
	}
	w, err := made.NewWorker(rows.Lanes)
	if err != nil {
		t.Fatal(err)
	}
	batch := make([]int32, min(len(sources), rows.Lanes))
	for i := range batch {
		batch[i] = int32(sources[i])
	}
	kind, order, n := j.g.Kind.Wide(), made.Order(), j.g.N
	all := make([]float64, n*len(batch))
	for i := range all {
		all[i] = math.Inf(1)
	}
	before, last := -1.0, rows.Level{}
	read := func(l rows.Level) {
		for _, c := range l.At {
			for i := range batch {
				if l.Of[c][i/64]>>(i%64)&1 == 1 {
					all[i*n+int(order[c])] = kind.Value(l.Distance)
				}
			}
		}
	}
	err = w.(rows.LevelWorker).Levels(batch, func(l rows.Level) error {
		if d := kind.Value(l.Distance); d <= before || len(l.At) == 0 {
			t.Errorf("after %v, %v has %d vertices", before, d, len(l.At))
		} else {
			before = d
		}
		read(last) // which is still there
		last = l
		return nil
	})
	if read(last); err != nil {
		t.Fatal(err)
	}
	for i, u := range batch {
		j.row(int(u), func(v int) float64 { return all[i*n+v] })
	}
	stop := errors.New("stop")
	if err := w.(rows.LevelWorker).Levels(batch, func(rows.Level) error { return stop }); err != stop {
		t.Errorf("a taker's error: %v", err)
	}
}

// TestManyLevels searches paths whose levels just fit a byte, and do not.
func TestManyLevels(t *testing.T) {
	r := seeds.New(t)
	for _, n := range []int{254, 255, 256, 257, 511, 513, 3000} {
		for _, kind := range entry.Kinds {
			b := graph.New(n, graph.Directed, graph.AsKind(kind))
			for v := 1; v < n; v++ {
				b.Add(v-1, v, 3)
			}
			g := built(t, b)
			made, j := ready(t, g, n), judge{graph.NewSearch(g), g, t.Errorf}
			sources := []int{0, 1, n - 2, n - 1, r.IntN(n), 0}
			checkRows(t, made, j, sources)
			checkTiles(t, r, made, j, sources)
			checkLevels(t, made, j, sources)
		}
	}
}

// TestSumsOfWeights wants weights to be added up one after another, whatever way the search goes.
func TestSumsOfWeights(t *testing.T) {
	for _, kind := range []entry.Kind{entry.KindF32, entry.KindF64} {
		b := graph.New(400, graph.Undirected, graph.AsKind(kind))
		for v := 1; v < 400; v++ {
			b.Add(v-1, v, 0.1)
		}
		g := built(t, b)
		want := kind.Make(400)
		for v, d := 0, float32(0); v < 400 && kind == entry.KindF32; v, d = v+1, d+0.1 {
			kind.Put(want, v, uint64(math.Float32bits(d)))
		}
		for v, d := 0, 0.0; v < 400 && kind == entry.KindF64; v, d = v+1, d+0.1 {
			kind.Put(want, v, math.Float64bits(d))
		}
		for _, count := range []int{1, 400} {
			w, err := ready(t, g, count).NewWorker(count)
			if err != nil {
				t.Fatal(err)
			}
			got := kind.Make(400)
			if err := w.ReadRows(got, []int{0}); err != nil || string(got) != string(want) {
				t.Errorf("%s, for %d rows: %v, %v", kind, count, entry.View[float32](got)[:8], err)
			}
		}
	}
}

// TestZeroWeights: weights of 0 are no levels.
func TestZeroWeights(t *testing.T) {
	g := built(t, graph.New(3, graph.Directed).Add(0, 1, 0).Add(1, 2, 0))
	made := ready(t, g, 3)
	if _, ok := made.(rows.LevelReady); ok {
		t.Error("they are levels")
	}
	checkRows(t, made, judge{graph.NewSearch(g), g, t.Errorf}, []int{0, 1, 2})
}

func TestNegativeWeights(t *testing.T) {
	g := built(t, graph.New(2, graph.Directed).Add(0, 1, -1))
	if _, err := (searches.Engine{}).Offer(t.Context(), g, rows.Question{}); !errors.Is(err, plan.ErrAlgorithm) {
		t.Error(err)
	}
}
