package sparse

import (
	"cmp"
	"math"
	"slices"
	"testing"
	"time"

	"ooc/engine/graph"
	"ooc/engine/graph/gen"
	"ooc/engine/internal/seeds"
	"ooc/engine/sparse/internal/sparsetest"
)

func checkOrder(t *testing.T, g *graph.Graph, o *Order) {
	t.Helper()
	sorted := slices.Sorted(slices.Values(o.Vertices))
	for v, got := range sorted {
		if len(sorted) != g.N || int(got) != v {
			t.Fatalf("%d vertices are ordered as %v", g.N, o.Vertices)
		}
	}
	rows := sparsetest.Naive(g, o.Vertices)
	for v := range o.Limit {
		if !slices.Equal(slices.Sorted(slices.Values(o.row(int32(v)))), rows[v]) {
			t.Fatalf("position %d of %v: arcs up to %v, not %v", v, o.Vertices, o.row(int32(v)), rows[v])
		}
	}
	i := 0
	for w := range o.Each {
		if want := naiveWork(g, o, rows, i); !sameWork(w, want) {
			t.Fatalf("work of stopping after %d: %+v, not %+v", i, w, want)
		}
		i++
	}
	if i != o.Limit+1 {
		t.Fatalf("%d stopping points for a limit of %d", i, o.Limit)
	}
}

func sameWork(a, b Work) bool {
	near := func(x, y float64) bool { return math.Abs(x-y) <= 1e-9*math.Abs(y) }
	exact := a.Vertices == b.Vertices && a.Sources == b.Sources && a.Eliminated == b.Eliminated &&
		a.Core == b.Core && a.Fill == b.Fill
	return exact && near(a.Eliminate, b.Eliminate) && near(a.Rounds, b.Rounds) && near(a.Climb, b.Climb) &&
		near(a.Cross, b.Cross) && near(a.Sweep, b.Sweep)
}

// naiveWork counts from the rows of a naive elimination and from walks up them.
func naiveWork(g *graph.Graph, o *Order, rows [][]int32, eliminated int) Work {
	k, c := float64(o.sources), float64(g.N-eliminated)
	w := Work{Vertices: g.N, Sources: o.sources, Eliminated: eliminated, Core: g.N - eliminated, Rounds: c * c * c}
	if g.Symmetric {
		w.Rounds /= 2
	}
	below := make([]int, eliminated) // vertices that climb over each
	for v := range eliminated {
		w.Fill += int64(len(rows[v]))
		w.Eliminate += float64(len(rows[v]) * len(rows[v]))
		for u := v; ; u = int(rows[u][0]) {
			below[u]++
			if len(rows[u]) == 0 || int(rows[u][0]) >= eliminated {
				break
			}
		}
	}
	w.Sweep = k * float64(w.Fill)
	times := 1 // that some sources are sorted, each time with as many of a subtree
	for together := min(cmp.Or(o.together, o.sources), o.sources); times*together < g.N; {
		times++
	}
	lanes := func(v, line int) float64 { // in lines that a vertex below v is in
		lines := min(below[v], times)
		return float64(max(below[v], lines*line)) * float64(len(rows[v]))
	}
	cross := 0.0
	for v := range eliminated {
		w.Climb += lanes(v, 64)
		if len(rows[v]) == 0 || int(rows[v][0]) >= eliminated {
			cross += lanes(v, 16)
		}
	}
	n := float64(g.N)
	w.Climb = k / n * min(w.Climb, n*float64(w.Fill))
	if eliminated > 0 {
		w.Cross = k / n * c * (min(cross, c*float64(eliminated)) + c*min(c, batchLanes))
	}
	return w
}

func TestOrderAgainstNaiveElimination(t *testing.T) {
	r := fresh(t)
	for range 300 {
		g := randomGraph(t, r, 60)
		checkOrder(t, g, mustOrder(t, g, OrderOptions{Sources: r.IntN(g.N + 1), Together: r.IntN(g.N + 1)}))
	}
}

// TestOrderSetsHubsApart: hubs are not ordered, and the arcs to them are counted.
func TestOrderSetsHubsApart(t *testing.T) {
	r := fresh(t)
	const n, hubs = 500, 3
	b := graph.New(n, graph.Undirected)
	for v := hubs; v < n; v++ {
		for h := range hubs {
			if r.IntN(4) > 0 {
				b.Add(h, v, 1)
			}
		}
		b.Add(v, hubs+r.IntN(v-hubs+1), 1)
	}
	g := build(t, b)
	o := mustOrder(t, g, OrderOptions{})
	if o.Limit != n-hubs || slices.Min(o.Vertices[:o.Limit]) < hubs {
		t.Errorf("%d vertices of %d are ordered, the first by number is %d", o.Limit, n,
			slices.Min(o.Vertices[:o.Limit]))
	}
	checkOrder(t, g, o)
}

// TestOrderIsPrefixOfLonger: where an order ends changes neither its beginning nor what is made from that.
func TestOrderIsPrefixOfLonger(t *testing.T) {
	r := fresh(t)
	for range 100 {
		g := randomGraph(t, r, 60)
		long := mustOrder(t, g, OrderOptions{})
		if long.Limit == 0 {
			continue
		}
		stop := 1 + r.IntN(long.Limit)
		short := mustOrder(t, g, OrderOptions{Limit: stop})
		if short.Limit != stop || !slices.Equal(short.Vertices[:stop], long.Vertices[:stop]) {
			t.Fatalf("%v ordered up to %d is %v", long.Vertices, stop, short.Vertices)
		}
		a, err := short.Eliminate(t.Context(), g, stop)
		if err != nil {
			t.Fatal(err)
		}
		b, err := long.Eliminate(t.Context(), g, stop)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(a.Vertices, b.Vertices) || !slices.Equal(a.Up.Ends, b.Up.Ends) ||
			!slices.Equal(a.Up.Weights, b.Up.Weights) || !slices.Equal(a.Down.Weights, b.Down.Weights) {
			t.Fatalf("eliminations of %d vertices differ", stop)
		}
	}
}

func TestMaxFill(t *testing.T) {
	r := fresh(t)
	for range 100 {
		g := randomGraph(t, r, 60)
		all := mustOrder(t, g, OrderOptions{})
		fill := all.At(all.Limit).Fill
		if fill < 2 {
			continue
		}
		most := 1 + r.Int64N(fill-1)
		o := mustOrder(t, g, OrderOptions{MaxFill: most})
		if got := o.At(o.Limit).Fill; got > most || o.Limit >= all.Limit {
			t.Fatalf("%d arcs of %d where %d are allowed", got, fill, most)
		}
	}
}

// Exact minimum degrees leave 16,368 and 42,443 arcs.
// TestArcsByGroups wants the arcs up of an order to be those of a naive elimination where goroutines share groups of
// subtrees, and a limit on them to hold there, too.
func TestArcsByGroups(t *testing.T) {
	g := sparsetest.Generated(t, "road", gen.Options{N: 6 * groupSize, Seed: 1})
	all := symbolic(t, g, mustOrder(t, g, OrderOptions{}), DefaultMaxFill)
	x := &structuring{Order: all}
	if _, _, start, _ := x.groups(groupSize); len(start) < 6 {
		t.Fatalf("%d groups", len(start)-1)
	}
	rows := sparsetest.Naive(g, all.Vertices)
	for v := range all.Limit {
		if !slices.Equal(slices.Sorted(slices.Values(all.row(int32(v)))), rows[v]) {
			t.Fatalf("position %d: arcs up to %v, not %v", v, all.row(int32(v)), rows[v])
		}
	}
	most := all.start[all.Limit] / 2
	o := symbolic(t, g, all, most)
	if o.start[o.Limit] > most || all.start[o.Limit+1] <= most {
		t.Fatalf("%d positions with %d arcs of %d", o.Limit, o.start[o.Limit], most)
	}
}

// symbolic returns an order with the structure that the graph gives, in at most so many arcs up.
func symbolic(t *testing.T, g *graph.Graph, o *Order, most int64) *Order {
	t.Helper()
	r := &Order{Vertices: o.Vertices, Limit: o.Limit, position: o.position}
	if err := r.structure(t.Context(), symmetric(g), most); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestStructureOfPivots compares the structure that pivots tell with that of the graph: of whole orders, and of orders
// that end within a pivot, at as many arcs as are allowed, or where another solve takes less, known at once or late.
func TestStructureOfPivots(t *testing.T) {
	r, ended := seeds.New(t), 0
	for i := range 400 {
		g := randomGraph(t, r, 100)
		var o OrderOptions
		switch i % 4 {
		case 1:
			o.Limit = 1 + r.IntN(g.N)
		case 2:
			o.MaxFill = 1 + r.Int64N(4*int64(g.N))
		case 3:
			g = sparsetest.RandomOfDegree(t, r, 300+r.IntN(700), 1+r.IntN(4))
			most := estimate(newStopRule(OrderOptions{Seconds: estimate}, g, symmetric(g)).total()) * r.Float64() / 20
			second := most * 1000 * r.Float64()
			o.Seconds, o.Ahead = estimate, r.Int64N(20000)
			o.Most = func() (float64, float64) { return most, second }
		}
		if i == 0 { // of several chunks
			g = sparsetest.Generated(t, "road", gen.Options{N: 50000, Seed: 1})
		}
		got := mustOrder(t, g, o)
		if got.Limit > 0 && got.Limit < g.N {
			ended++
		}
		want := symbolic(t, g, got, DefaultMaxFill)
		if !slices.Equal(got.start, want.start) || !slices.Equal(got.parent, want.parent) {
			t.Fatalf("%+v: arcs up begin at %v, not %v; parents are %v, not %v", o, got.start, want.start, got.parent,
				want.parent)
		}
		for v := range int32(got.Limit) {
			a, b := slices.Sorted(slices.Values(got.row(v))), slices.Sorted(slices.Values(want.row(v)))
			if !slices.Equal(a, b) {
				t.Fatalf("%+v: position %d of %d has arcs up to %v, not %v", o, v, got.Limit, a, b)
			}
		}
	}
	if ended < 100 {
		t.Errorf("%d orders ended early", ended)
	}
}

func TestFillOfRome(t *testing.T)       { checkFill(t, rome(t), 16368*105/100) }
func TestFillOfCalifornia(t *testing.T) { checkFill(t, california(t, 0), 42443*105/100) }

func checkFill(t *testing.T, g *graph.Graph, most int64) {
	o := mustOrder(t, g, OrderOptions{})
	if fill := o.At(g.N).Fill; fill > most {
		t.Errorf("%d arcs, more than %d", fill, most)
	}
}

// TestBestIsLeast compares Best with all stopping points, and with those of an order that did not end early.
func TestBestIsLeast(t *testing.T) {
	g := rome(t)
	o := mustOrder(t, g, OrderOptions{Seconds: estimate})
	best := mustBest(t, o)
	whole := mustOrder(t, g, OrderOptions{})
	if all := mustBest(t, whole); o.Limit == whole.Limit || estimate(best) > estimate(all) {
		t.Errorf("best is %+v, but %+v after ordering all", best, all)
	}
	for w := range o.Each {
		if estimate(w) < estimate(best) {
			t.Fatalf("%+v is better than %+v", w, best)
		}
	}
	if !sameWork(best, o.At(best.Eliminated)) {
		t.Errorf("%+v is not %+v", best, o.At(best.Eliminated))
	}
	if s := estimate(best); s > estimate(o.At(0))/100 {
		t.Errorf("rome99 would take %v of %v seconds", s, estimate(o.At(0)))
	}
}

// TestOrderNeedNotWait wants the same order whenever it is known what another solve takes: at once, while vertices are
// ordered, or after that.
func TestOrderNeedNotWait(t *testing.T) {
	r, ended := seeds.New(t), 0
	for range 40 {
		g := sparsetest.RandomOfDegree(t, r, 500+r.IntN(1500), 4)
		o := OrderOptions{Seconds: estimate, Ahead: r.Int64N(40000)}
		all, err := NewOrder(t.Context(), g, o)
		if err != nil {
			t.Fatal(err)
		}
		most := estimate(mustBest(t, all)) * (0.5 + r.Float64())
		var want *Order
		for _, known := range []time.Duration{0, time.Duration(r.IntN(3000)) * time.Microsecond, 50 * time.Millisecond} {
			at := time.Now().Add(known)
			o.Most = func() (float64, float64) {
				time.Sleep(time.Until(at))
				return most, most * 100
			}
			got, err := NewOrder(t.Context(), g, o)
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = got
			}
			if got.Limit != want.Limit || got.Steps != want.Steps || !slices.Equal(got.Vertices, want.Vertices) ||
				!slices.Equal(got.up, want.up) || !slices.Equal(got.start, want.start) ||
				!slices.Equal(got.parent, want.parent) {
				t.Fatalf("%d vertices in %d steps, and %d in %d where that is known after %v", want.Limit, want.Steps,
					got.Limit, got.Steps, known)
			}
		}
		if want.Limit < all.Limit {
			ended++
		}
	}
	if ended < 5 {
		t.Errorf("%d orders ended early", ended)
	}
}

// TestHopelessOrderEndsSoon orders a graph whose elimination would take longer to order than another solve takes, as
// the first vertices show.
func TestHopelessOrderEndsSoon(t *testing.T) {
	r := seeds.New(t)
	g := sparsetest.RandomOfDegree(t, r, 20000, 10)
	some := mustOrder(t, g, OrderOptions{Limit: leastOrdered})
	each := float64(some.Steps) / float64(some.Limit)
	each = min(each, symmetric(g).ListEntries()/float64(g.N)) * stepSeconds * (1 + float64(g.N)/farVertices)
	o := OrderOptions{Seconds: estimate}
	most, needed := estimate(some.At(0))/1000, 0.9*float64(g.N) // a core of a tenth takes as long
	for _, times := range []float64{0.5, 1.3} {
		o.Most = func() (float64, float64) { return most, times * most / (afterOrder * each * needed) }
		if got := mustOrder(t, g, o); got.Limit < 1000 || (got.Limit < 1100) != (times > 1) {
			t.Errorf("to order all takes %v of another solve: %d vertices were ordered", times, got.Limit)
		}
	}
}

// TestDearBeginning orders graphs of which only the first vertices take many steps, those between two hubs, or whose
// lists are long, but not looked at: leaves of hubs. The others are a long ladder.
func TestDearBeginning(t *testing.T) {
	const first, n = 1100, 20000
	for _, between := range []bool{true, false} {
		b := graph.New(n, graph.Undirected)
		for v := 2; v < 2+first; v++ {
			if b.Add(v%2, v, 1); between {
				b.Add((v+1)%2, v, 1)
			}
		}
		for v := 2 + first; v < n; v++ {
			next := 2 + first + (v-first)%(n-first-2) // the last two are joined to the first two
			if b.Add(v, next, 1); v%2 == 0 {
				b.Add(v, v+1, 1)
			}
		}
		g := build(t, b.Add(0, n-1, 1).Add(1, n-2, 1))
		some := mustOrder(t, g, OrderOptions{Limit: leastOrdered})
		each, lists := float64(some.Steps)/float64(some.Limit), symmetric(g).ListEntries()/n
		if (each > 2*lists) != between || (lists > 2*each) == between {
			t.Fatalf("between hubs %v: %v steps each, %v entries", between, each, lists)
		}
		most, step := estimate(some.At(0))/1000, max(each, lists)*stepSeconds*(1+n/farVertices)
		o := OrderOptions{Seconds: estimate}
		o.Most = func() (float64, float64) { return most, 1.3 * most / (afterOrder * step * n) }
		if got := mustOrder(t, g, o); got.Limit < n/2 {
			t.Errorf("between hubs %v: %d vertices were ordered", between, got.Limit)
		}
	}
}

// TestUselessOrderingEndsSoon counts what ordering does for graphs that elimination does not help.
func TestUselessOrderingEndsSoon(t *testing.T) {
	r := fresh(t)
	complete := graph.New(300, graph.Undirected)
	for v := range 300 {
		for u := range v {
			complete.Add(u, v, 1)
		}
	}
	if o := mustOrder(t, build(t, complete), OrderOptions{Seconds: estimate}); o.Limit != 0 || o.Steps != 0 {
		t.Errorf("a complete graph: %d vertices ordered in %d steps", o.Limit, o.Steps)
	}
	for _, n := range []int{3000, 6000} {
		g := randomOfDegree(t, r, n, 60)
		o := mustOrder(t, g, OrderOptions{Seconds: estimate})
		dense, best := estimate(o.At(0)), estimate(mustBest(t, o))
		spent := float64(o.Steps) * stepSeconds
		t.Logf("n = %d: %d ordered, %.3g s for %.3g s instead of %.3g s", n, o.Limit, spent, best, dense)
		if saved := dense - best; spent > 1.2*max(leastOrder, orderShare*dense, saved) {
			t.Errorf("n = %d: ordering %d vertices takes %v s, saves %v of %v", n, o.Limit, spent, saved, dense)
		}
	}
}

// TestMeanwhile is given the order while what another solve takes is not known, and wants it back, or another that ends
// sooner, and then this one as it was.
func TestMeanwhile(t *testing.T) {
	const side = 100
	b := graph.New(side*side, graph.Undirected)
	for v := range side * side {
		if v%side > 0 {
			b.Add(v-1, v, 1)
		}
		if v >= side {
			b.Add(v-side, v, 1)
		}
	}
	g := build(t, b)
	want := mustOrder(t, g, OrderOptions{Seconds: estimate})
	for _, most := range []float64{math.Inf(1), 1e-12} {
		var first *Order
		given := make(chan struct{})
		got := mustOrder(t, g, OrderOptions{Seconds: estimate,
			Most:      func() (float64, float64) { <-given; return most, 1 },
			Meanwhile: func(o *Order) { first = o; close(given) },
		})
		if (got == first) != math.IsInf(most, 1) || got != first && got.Limit >= want.Limit {
			t.Errorf("another solve takes %v: %d vertices ordered, of %d meanwhile", most, got.Limit, first.Limit)
		}
		if !slices.Equal(first.Vertices, want.Vertices) || !slices.Equal(first.start, want.start) {
			t.Errorf("another solve takes %v: the order of meanwhile has changed", most)
		}
	}
}
