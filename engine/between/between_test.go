package between

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/internal/seeds"
	"ooc/engine/rows"
	"ooc/kernels/entry"
)

// workerOf returns a worker, and what made it. The test closes them.
func workerOf(t *testing.T, g *graph.Graph, q Question, sources []int32) (*Ready, *Worker) {
	t.Helper()
	o, err := engine.OfferRows(t.Context(), g, rows.Question{Rows: len(sources)})
	if err != nil {
		t.Fatal(err)
	}
	given, err := o.Prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(t.Context(), g, q, sources, given, engine.OfferRows)
	if err != nil {
		t.Fatal(err)
	}
	w, err := r.NewWorker()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(w.Close(), r.Close(), given.Close()); err != nil {
			t.Error(err)
		}
	})
	return r, w
}

// sumsOf adds up all units of a graph, with one worker.
func sumsOf(t *testing.T, g *graph.Graph, q Question, sources []int32) *Sums {
	t.Helper()
	r, w := workerOf(t, g, q, sources)
	sums := q.Sums(g)
	all, unit := r.Sources()
	for i := range (all + unit - 1) / unit {
		if err := w.Do(t.Context(), i, 1); err != nil {
			t.Fatal(err)
		}
		w.AddTo(sums, 0)
	}
	return sums
}

// plainSums adds up by the definition: a vertex v has, for each pair s,t, the paths from s to v times those from v to t
// over those from s to t, if it lies on a shortest one. weight is that of an arc, as an integer.
func plainSums(g *graph.Graph, q Question, sources []int32, weight func(k int64) int64) (*Sums, [][]float64) {
	const none = math.MaxInt64 / 4
	n := g.N
	d, count := make([][]int64, n), make([][]float64, n)
	for s := range n {
		d[s], count[s] = slices.Repeat([]int64{none}, n), make([]float64, n)
		d[s][s], count[s][s] = 0, 1
		for range n { // Bellman and Ford
			for u := range n {
				for k := g.Offsets[u]; k < g.Offsets[u+1]; k++ {
					d[s][g.Targets[k]] = min(d[s][g.Targets[k]], d[s][u]+weight(k))
				}
			}
		}
		order := make([]int, n)
		for v := range order {
			order[v] = v
		}
		slices.SortFunc(order, func(a, b int) int { return int(min(1, max(-1, d[s][a]-d[s][b]))) })
		for _, u := range order {
			for k := g.Offsets[u]; k < g.Offsets[u+1] && d[s][u] < none; k++ {
				if v := g.Targets[k]; d[s][u]+weight(k) == d[s][v] {
					count[s][v] += count[s][u]
				}
			}
		}
	}
	sums := q.Sums(g)
	for _, s := range sources {
		for t := range n {
			if int(s) == t || d[s][t] == none || len(q.Targets) > 0 && !slices.Contains(q.Targets, int32(t)) {
				continue
			}
			for v := range n {
				inner := v != t && v != int(s)
				if q.Vertices && d[s][v]+d[v][t] == d[s][t] && (inner || q.Endpoints) {
					sums.Vertices[v] += count[s][v] * count[v][t] / count[s][t]
				}
				for k := g.Offsets[v]; k < g.Offsets[v+1] && q.Edges; k++ {
					if u := g.Targets[k]; d[s][v]+weight(k)+d[u][t] == d[s][t] {
						sums.Arcs[k] += count[s][v] * count[u][t] / count[s][t]
					}
				}
			}
		}
	}
	return sums, count
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

func sameSums(t *testing.T, got, want *Sums) {
	t.Helper()
	for v, x := range want.Vertices {
		if !near(got.Vertices[v], x) {
			t.Fatalf("vertex %d has %v, want %v", v, got.Vertices[v], x)
		}
	}
	for k, x := range want.Arcs {
		if !near(got.Arcs[k], x) {
			t.Fatalf("arc %d has %v, want %v", k, got.Arcs[k], x)
		}
	}
	if len(got.Vertices) != len(want.Vertices) || len(got.Arcs) != len(want.Arcs) {
		t.Errorf("%d vertices and %d arcs, want %d and %d", len(got.Vertices), len(got.Arcs), len(want.Vertices),
			len(want.Arcs))
	}
}

// someQuestion asks for something.
func someQuestion(r *rand.Rand) (q Question) {
	q.Vertices, q.Edges = r.IntN(3) > 0, r.IntN(2) == 0
	q.Edges = q.Edges || !q.Vertices
	q.Endpoints = q.Vertices && r.IntN(2) == 0
	return q
}

// TestBetween compares with the definition: graphs of all kinds, with ties, parallel arcs and loops, connected or not.
func TestBetween(t *testing.T) {
	r := seeds.New(t)
	for _, kind := range []entry.Kind{entry.KindI32, entry.KindU16, entry.KindF32, entry.KindF64} {
		for _, direction := range []graph.BuildOption{graph.Directed, graph.Undirected} {
			// Weights are up to so many tenths, or units of kinds of integers; 1: all are equal.
			for _, most := range []int{1, 2, 3, 100, 30000} {
				n := 1 + r.IntN([]int{4, 20, 150}[r.IntN(3)])
				if kind == entry.KindU16 {
					most = min(most, 32000/n)
				}
				unit := 1.0
				if kind.Float() {
					unit = 10
				}
				b := graph.New(n, direction, graph.AsKind(kind))
				for range r.IntN(1 + 3*n) {
					b.Add(r.IntN(n), r.IntN(n), float64(1+r.IntN(most))/unit)
				}
				g, err := b.Build()
				if err != nil {
					t.Fatal(err)
				}
				q := someQuestion(r)
				var sources, all []int32
				for v := range int32(n) {
					all = append(all, v)
					if r.IntN(3) == 0 {
						sources = append(sources, v)
					}
				}
				if len(sources) == 0 || r.IntN(2) == 0 {
					sources = nil
				}
				if !q.Endpoints && r.IntN(2) == 0 {
					q.Targets = slices.DeleteFunc(slices.Clone(all), func(int32) bool { return r.IntN(3) == 0 })
				}
				t.Run(fmt.Sprintf("%s/%v/most=%d/n=%d/%v", kind, g.Directed, most, n, q), func(t *testing.T) {
					if len(sources) > 0 {
						all = sources
					}
					weight := func(k int64) int64 { return int64(math.Round(g.Weight(k) * unit)) }
					want, counts := plainSums(g, q, all, weight)
					sameSums(t, sumsOf(t, g, q, sources), want)
					c, err := Counts(g)
					if err != nil {
						t.Fatal(err)
					}
					for u := range n {
						list, err := c(u)
						if err != nil {
							t.Fatal(err)
						}
						for v, x := range list {
							if x.String() != strconv.FormatFloat(counts[u][v], 'f', 0, 64) {
								t.Fatalf("%v paths from %d to %d, want %v", x, u, v, counts[u][v])
							}
						}
					}
				})
			}
		}
	}
}

// gridOf is a square grid with arcs of one weight across and of another down: all ways between two vertices that never
// turn back are equal.
func gridOf(t *testing.T, edge int, across, down float64, kind entry.Kind) *graph.Graph {
	t.Helper()
	b := graph.New(edge*edge, graph.Undirected, graph.AsKind(kind))
	for v := range edge * edge {
		if v%edge+1 < edge {
			b.Add(v, v+1, across)
		}
		if v+edge < edge*edge {
			b.Add(v, v+edge, down)
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestBetweenMany has more paths than a float counts: over 1e358 from corner to corner. What all vertices have is known
// all the same, since each pair has as many in all as it has arcs, less one, and all arcs as many as it has.
func TestBetweenMany(t *testing.T) {
	const edge = 601
	for _, g := range []*graph.Graph{gridOf(t, edge, 1, 1, entry.KindI32), gridOf(t, edge, 2.5, 2.5, entry.KindF32),
		gridOf(t, edge, 2, 3, entry.KindI32), gridOf(t, edge, 0.2, 0.3, entry.KindF64)} {
		sources := []int32{0, edge * edge / 2, edge*edge - 1}
		got := sumsOf(t, g, Question{Vertices: true, Edges: true}, sources)
		inner, arcs := 0.0, 0.0
		for v := range edge * edge {
			for _, s := range sources {
				hops := math.Abs(float64(v%edge-int(s)%edge)) + math.Abs(float64(v/edge-int(s)/edge))
				arcs += hops
				inner += max(0, hops-1)
			}
		}
		for _, x := range got.Vertices {
			inner -= x
		}
		for _, x := range got.Arcs {
			arcs -= x
		}
		if !(math.Abs(inner) < 1e-3 && math.Abs(arcs) < 1e-3) || got.Rounded[0] != 1 {
			t.Errorf("%s: vertices lack %v of all paths, arcs %v; rounded: %v", g.Kind, inner, arcs, got.Rounded)
		}
		// Turned around its middle, the grid is the same, and so are the sources.
		for v, x := range got.Vertices {
			if y := got.Vertices[edge*edge-1-v]; !near(x, y) {
				t.Fatalf("vertex %d has %v, and the one opposite %v", v, x, y)
			}
		}
	}
}

// TestCounterOfMany counts paths from corner to corner of grids: binomial coefficients of any size.
func TestCounterOfMany(t *testing.T) {
	for _, edge := range []int{2, 34, 35, 200} { // with 34, 64 bits hold the count, and with 35 they do not
		c, err := Counts(gridOf(t, edge, 0.2, 0.3, entry.KindF32))
		if err != nil {
			t.Fatal(err)
		}
		list, err := c(0)
		if err != nil {
			t.Fatal(err)
		}
		want := new(big.Int).Binomial(int64(2*edge-2), int64(edge-1))
		if got := list[edge*edge-1]; got.String() != want.String() || (got.large != nil) == want.IsUint64() {
			t.Errorf("edge %d: %v paths, want %v", edge, got, want)
		}
	}
}

// TestMemoryOf adds up what a worker has when it has ended, of a path, where all sources reach each vertex at levels of
// their own.
func TestMemoryOf(t *testing.T) {
	for _, unequal := range []float64{0, 1} {
		b := graph.New(2000, graph.Undirected)
		for v := range 1999 {
			b.Add(v, v+1, 1+unequal*float64(v%2))
		}
		g, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		r, w := workerOf(t, g, Question{Vertices: true, Edges: true}, nil)
		if err := w.Do(t.Context(), 0, 1); err != nil {
			t.Fatal(err)
		}
		l := w.lanes
		bytes := 8*(cap(w.own.Vertices)+cap(w.own.Arcs)+cap(l.counts)+cap(l.seen)+cap(l.next)+cap(l.starts)) +
			16*cap(l.all) + 4*cap(l.found) + len(w.memory)
		if l.tight != nil {
			bytes += 8*(cap(l.tight.lanes)+cap(l.tight.left)+cap(l.tight.at)) + 4*cap(l.tight.queue)
		}
		least, enough := MemoryOf(g)
		if int64(bytes) > least || int64(bytes) < least/2 || r.WorkerBytes() > enough {
			t.Errorf("a worker has %d bytes, and %d with those of rows; told were %d to %d", bytes, r.WorkerBytes(),
				least, enough)
		}
	}
}

// TestWide compares counts with and without exponents.
func TestWide(t *testing.T) {
	a, b := wide{0.5, 1}, wide{0.75, 3000}
	if got := a.plus(a).plus(a).over(a); got != 3 {
		t.Errorf("1 + 1 + 1 is %v", got)
	}
	if got := (wide{}).plus(b).plus(b).over(b); got != 2 {
		t.Errorf("6·2²⁹⁹⁷ + 6·2²⁹⁹⁷ is %v times that", got)
	}
	if got := a.plus(b); got != b || b.plus(a) != b || a.over(b) != 0 {
		t.Errorf("1 + 6·2²⁹⁹⁷ is %v", got)
	}
}

// TestBetweenRefuses has weights that allow no counts.
func TestBetweenRefuses(t *testing.T) {
	for _, weight := range []float64{0, -1} {
		g, err := graph.New(3).Add(0, 1, 5).Add(1, 2, weight).Build()
		if err != nil {
			t.Fatal(err)
		}
		if err := Check(g); !errors.Is(err, graph.ErrBadInput) {
			t.Errorf("weight %v: %v", weight, err)
		}
		if _, err := Counts(g); !errors.Is(err, graph.ErrBadInput) {
			t.Errorf("weight %v: %v", weight, err)
		}
	}
	// 1e17 + 1 is 1e17: both ways between the last two are as long as none.
	g, err := graph.New(3, graph.Undirected, graph.AsKind(entry.KindF64)).Add(0, 1, 1e17).Add(1, 2, 1).Build()
	if err != nil {
		t.Fatal(err)
	}
	c, err := Counts(g)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c(0); !errors.Is(err, graph.ErrBadInput) {
		t.Error(err)
	}
	if c, err = Counts(g.Unweighted(g.Kind)); err != nil { // as the error says
		t.Fatal(err)
	} else if list, err := c(0); err != nil || list[2].String() != "1" {
		t.Error(list, err)
	}
	o, err := engine.OfferRows(t.Context(), g, rows.Question{})
	if err != nil {
		t.Fatal(err)
	}
	given, err := o.Prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer given.Close()
	r, err := New(t.Context(), g, Question{Vertices: true}, nil, given, engine.OfferRows)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	w, err := r.NewWorker()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Do(t.Context(), 0, 1); !errors.Is(err, graph.ErrBadInput) {
		t.Error(err)
	}
}
