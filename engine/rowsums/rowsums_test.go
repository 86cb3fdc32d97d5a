package rowsums

import (
	"math"
	"math/rand/v2"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/rows"
	"ooc/engine/searches"
	"ooc/engine/sparse"
	"ooc/kernels"
	"ooc/kernels/conformance"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
)

// TestSums wants of the sums of rows on a device what adding up the distances of a search gives.
func TestSums(t *testing.T) {
	r := seeds.New(t)
	d, err := cpu.Open(cpu.Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer shut(t, d.Close)
	defer func(was int) { stagedRows = was }(stagedRows)
	checked := 0
	for range 20 {
		stagedRows = 1 + r.IntN(20) // so that there are more rows than are copied at a time
		for _, w := range enginetest.AllKinds {
			slack := 0.0
			if w.Kind.Float() {
				slack = 1e-4
			}
			if check(t, r, enginetest.RandomGraph(t, r, 2+r.IntN(100), w.Kind, w.Negative), d, slack) {
				checked++
			}
		}
	}
	if checked < 20 {
		t.Errorf("pieces in %d graphs", checked)
	}
}

// check reports whether the graph has pieces.
func check(t *testing.T, r *rand.Rand, g *graph.Graph, d *cpu.Device, slack float64) bool {
	t.Helper()
	o, err := sparse.NewOrder(t.Context(), g, sparse.OrderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := o.EliminateInPieces(t.Context(), g, r.IntN(o.Limit+1),
		sparse.Cutting{Sizes: []int{1 + r.IntN(80)}, MostUpper: math.MaxInt}, d)
	if err != nil {
		t.Fatal(err)
	}
	if e.Pieces == nil {
		return false
	}
	on, question := conformance.WithLaneOps(d), kernels.LaneNearest{K: 2}
	lanes := kernels.DeviceLaneUnit * (1 + r.IntN(2))
	fixed, batch := memory(e, lanes)
	columns := r.IntN(2) == 0
	sums := &Sums{variant: e.Variant, vertices: e.Vertices, columns: columns, device: on}
	_, batch, _, err = sums.fit(fixed, batch, 1, lanes, []kernels.LaneQuestion{question})
	if err != nil {
		t.Fatal(err)
	}
	core, err := e.CloseCore(t.Context(), on, d, r.IntN(2) == 0)
	if err != nil {
		t.Fatal(err)
	}
	defer shut(t, core.Fetch)
	if r.IntN(2) == 0 { // no room for more than one batch
		ops, _ := kernels.As[kernels.LaneOps](on)
		stats, _ := kernels.As[kernels.LaneStats](on)
		on = &small{d, ops, stats, fixed + batch*(1+r.Int64N(2))}
	}
	closed := func() (*sparse.DenseCore, error) { return core, nil }
	upper := func() (*sparse.DenseCore, error) { return e.UpperDistances(t.Context(), d, core) }
	w, err := New(e, on, closed, upper, columns, 2, lanes, question)
	if err != nil {
		t.Fatal(err)
	}
	defer shut(t, w.Close)
	if is, _ := on.(*small); len(w.Batches) != 2 && (is == nil || len(w.Batches) != 1) {
		t.Fatalf("%d batches", len(w.Batches))
	}
	b := w.Batches[0]
	search := graph.NewSearch(g)
	for range 2 {
		sources := make([]int32, 1+r.IntN(min(g.N, b.lanes)))
		for i, s := range r.Perm(g.N)[:len(sources)] {
			sources[i] = int32(s)
		}
		rows, ranks, err := b.Sums(sources)
		if err != nil {
			t.Fatal(err)
		}
		if columns != (len(ranks) == g.N) || len(rows) != len(sources) {
			t.Fatalf("sums of %d rows and %d ranks", len(rows), len(ranks))
		}
		want := make([]kernels.LaneSum, g.N)
		for i, s := range sources {
			of := kernels.LaneSum{Farthest: -1}
			for v, x := range search.From(int(s)) {
				conformance.AddTo(&of, e.Variant, x, int32(v))
				conformance.AddTo(&want[v], e.Variant, x, 0)
			}
			sameSum(t, e.Variant, rows[i], of, slack)
		}
		checkAsk(t, e, b, search, sources)
		for rank, sum := range ranks {
			one := want[e.Vertices[rank]]
			one.Top, one.Farthest = 0, -1
			sameSum(t, e.Variant, sum, one, slack)
		}
	}
	if _, _, err := b.Sums(nil); err == nil {
		t.Error("no sources are not refused")
	}
	if _, err := New(e, conformance.WithLaneOps(d), closed, upper, false, 1, 65); err == nil {
		t.Error("65 lanes are not refused")
	}
	return true
}

// TestSearched wants of rows that a device finds by searches the sums of what a search of the processor finds, and no
// more than it has memory for.
func TestSearched(t *testing.T) {
	r := seeds.New(t)
	host, err := cpu.Open(cpu.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer shut(t, host.Close)
	d, checked := conformance.WithLaneOps(host), 0
	for i := range 20 {
		g := enginetest.RandomGraph(t, r, 20+r.IntN(100), entry.Kinds[i%len(entry.Kinds)], false)
		offer, err := searches.Engine{}.Offer(t.Context(), g, rows.Question{})
		if err != nil {
			t.Fatal(err)
		}
		ready, err := offer.Prepare(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		in := searches.InLanes(ready)
		if in == nil {
			continue
		}
		checked++
		w, err := NewSearched(in, d, true, 2, 64)
		if err != nil {
			t.Fatal(err)
		}
		var sources []int32
		for _, v := range r.Perm(g.N)[:1+r.IntN(min(g.N, 64))] {
			sources = append(sources, int32(v))
		}
		got, ranks, err := w.Batches[1].Sums(sources)
		if err != nil || len(ranks) != g.N {
			t.Fatal(len(ranks), err)
		}
		search := graph.NewSearch(g)
		for i, s := range sources {
			want := kernels.LaneSum{Farthest: -1}
			for v, x := range search.From(int(s)) {
				conformance.AddTo(&want, in.Variant, x, int32(v))
			}
			sameSum(t, in.Variant, got[i], want, 1e-4)
		}
		shut(t, w.Close)
		if _, err := NewSearched(in, d, false, 1, 65); err == nil {
			t.Error("65 lanes are not refused")
		}
	}
	if checked == 0 {
		t.Error("no graph is searched by lanes")
	}
}

// small is a device that says how much memory it has.
type small struct {
	kernels.Device
	kernels.LaneOps
	kernels.LaneStats
	memory int64
}

func (d *small) Info() kernels.Info {
	info := d.Device.Info()
	info.Memory = d.memory
	return info
}

// checkAsk asks for the nearest vertex of each source.
func checkAsk(t *testing.T, e *sparse.Elimination, b *Batch, search *graph.Search, sources []int32) {
	t.Helper()
	answers, err := b.Ask([]kernels.LaneQuestion{kernels.LaneNearest{K: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range sources {
		least := math.Inf(1)
		for _, x := range search.From(int(s)) {
			least = min(least, x)
		}
		got := kernels.LaneNearIn(answers[0])[i]
		if d := e.Variant.Kind().Wide().Value(got.Distance); math.Abs(d-least) > 1e-4*math.Abs(least) || got.Name < 0 {
			t.Fatalf("%s: %d is nearest to %d, at %v, want %v", e.Variant, got.Name, s, d, least)
		}
	}
	if _, err := b.Ask([]kernels.LaneQuestion{kernels.LaneNearest{K: 100}}); err == nil {
		t.Error("a question without the memory is not refused")
	}
}

// sameSum wants the same integers, and floats within a part of what they are.
func sameSum(t *testing.T, v entry.Variant, got, want kernels.LaneSum, slack float64) {
	t.Helper()
	near := func(a, b float64) bool {
		return a == b || math.Abs(a-b) <= (slack+1e-12)*math.Max(math.Abs(a), math.Abs(b))
	}
	value := func(bits uint64) float64 { return v.Kind().Wide().Value(bits) }
	same := got.Sum == want.Sum && got.Top == want.Top && got.Farthest == want.Farthest
	if v.Kind().Float() {
		same = near(math.Float64frombits(got.Sum), math.Float64frombits(want.Sum)) &&
			near(value(got.Top), value(want.Top))
	}
	if !same || got.Missing != want.Missing || !near(got.Inverse, want.Inverse) {
		t.Fatalf("%s: sums %+v, want %+v", v, got, want)
	}
}

func shut(t *testing.T, close func() error) {
	t.Helper()
	if err := close(); err != nil {
		t.Error(err)
	}
}
