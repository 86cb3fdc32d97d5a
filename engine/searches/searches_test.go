package searches_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ooc/engine/device"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/plan"
	"ooc/engine/rows"
	"ooc/engine/searches"
	"ooc/engine/sparse"
	"ooc/kernels"
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
	return prepared(t, g, searches.Engine{}, rows.Question{Rows: count})
}

// prepared makes a graph ready by an engine.
func prepared(t *testing.T, g *graph.Graph, e rows.Engine, q rows.Question) rows.Ready {
	t.Helper()
	o, err := e.Offer(t.Context(), g, q)
	if err != nil || o.Seconds <= 0 || o.Memory <= 0 || o.Engine != e.Name() {
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
	byLevel, inLanes, others := 0, 0, 0
	for range 90 {
		w := enginetest.AllKinds[r.IntN(len(enginetest.AllKinds))]
		g := alike(t, r, 1+r.IntN(700), w.Kind)
		if r.IntN(3) == 0 {
			g = enginetest.HardGraph(t, r, 1+r.IntN(300), w.Kind, false)
		}
		count := 1 + r.IntN(g.N)
		if r.IntN(4) == 0 {
			count = min(g.N, 1+r.IntN(4))
		}
		made := ready(t, g, count)
		j := judge{graph.NewSearch(g), g, t.Errorf}
		sources := make([]int, 1+r.IntN(min(count, 600)))
		for i := range sources {
			sources[i] = r.IntN(g.N)
		}
		checkRows(t, made, j, sources)
		checkTiles(t, r, made, j, sources)
		switch x := made.(type) {
		case rows.LevelReady:
			byLevel++
			checkLevels(t, made, j, sources)
			checkSources(t, made, g)
		case rows.LaneReady:
			inLanes++
			checkLanes(t, x, j, sources)
		default:
			others++
		}
		back, err := made.Reversed()
		if err != nil {
			t.Fatal(err)
		}
		reversed := g.Reverse()
		checkRows(t, back, judge{graph.NewSearch(reversed), reversed, t.Errorf}, sources)
	}
	if byLevel == 0 || inLanes == 0 || others == 0 {
		t.Errorf("%d graphs by level, %d in lanes, %d by one search for each vertex", byLevel, inLanes, others)
	}
}

// TestNarrowLanes searches graphs whose longest distances just fit 16 bits, and do not; whose vertices are not all
// joined; and whose weights differ by much.
func TestNarrowLanes(t *testing.T) {
	r := seeds.New(t)
	lanes := map[int]int{}
	for range 80 {
		n := 20 + r.IntN(200)
		direction, directed := graph.Undirected, r.IntN(2) == 0
		if directed {
			direction = graph.Directed
		}
		b := graph.New(n, direction, graph.AsKind(entry.KindI32))
		add := func(u, v int, w float64) { b.Add(u, v, math.Floor(w)) }
		joined := n - r.IntN(2)*r.IntN(9)
		longest := float64(entry.Inf16) - 5 + float64(r.IntN(8)) // from the first vertex to the last
		switch r.IntN(4) {
		case 0, 1:
			longest = math.Floor(longest / 2)
		case 2: // too long, if not from a vertex in the middle
			longest = math.Floor(longest * (1 + r.Float64()))
		}
		for v := 1; v < joined; v++ {
			w := math.Floor(longest / float64(joined-1))
			if v == joined-1 {
				w = longest - w*float64(joined-2)
			}
			add(v-1, v, w)
			if directed && r.IntN(10) > 0 {
				add(v, v-1, w)
			}
		}
		for range r.IntN(4) {
			add(r.IntN(joined), r.IntN(joined), float64(1+r.IntN(1+r.IntN(1<<20))))
		}
		for v := joined + 1; v < n; v++ { // others are far from each other
			add(v-1, v, longest*(0.3+r.Float64()))
		}
		g := built(t, b)
		made := prepared(t, g, searches.Engine{}, rows.Question{Rows: n})
		x, ok := made.(rows.LaneReady)
		if !ok {
			continue
		}
		sources := r.Perm(n)
		j := judge{graph.NewSearch(g), g, t.Errorf}
		checkRows(t, made, j, sources)
		lanes[checkLanes(t, x, j, sources)]++
		checkTiles(t, r, made, j, sources)
	}
	if lanes[32] == 0 || lanes[64] == 0 {
		t.Errorf("by lanes, there are %v graphs", lanes)
	}
}

// TestLimitOfNarrowLanes searches a graph whose distances fit 16 bits, though those along the tree of a search by
// breadth do not, and one whose second part has a distance that is just too long.
func TestLimitOfNarrowLanes(t *testing.T) {
	const n = 100
	for _, want := range []int{64, 32} {
		b := graph.New(n, graph.Undirected, graph.AsKind(entry.KindI32))
		for v := 1; v < n-4; v++ {
			b.Add(v, v+1, float64(1+v%7))
			if want == 64 {
				b.Add(0, v, 30000)
			}
		}
		if b.Add(0, 1, 1); want == 32 {
			for v := n - 3; v < n-1; v++ { // two arcs
				b.Add(v, v+1, float64(entry.Inf16/2+1))
			}
		}
		g := built(t, b)
		made := prepared(t, g, searches.Engine{}, rows.Question{Rows: n})
		x, ok := made.(rows.LaneReady)
		if !ok {
			t.Fatalf("%T does not search by lanes", made)
		}
		j := judge{graph.NewSearch(g), g, t.Errorf}
		if got := checkLanes(t, x, j, rand.New(rand.NewPCG(1, 2)).Perm(n)); got != want {
			t.Errorf("%d lanes, want %d", got, want)
		}
	}
}

// TestLargeLanes searches graphs whose lanes are in several parts, with few weights and with many.
func TestLargeLanes(t *testing.T) {
	r := seeds.New(t)
	for _, kind := range []entry.Kind{entry.KindI32, entry.KindF32, entry.KindF64} {
		n, most := 33000+r.IntN(9000), 2<<r.IntN(20)
		b := graph.New(n, graph.Undirected, graph.AsKind(kind))
		for range 3 * n {
			b.Add(r.IntN(n), r.IntN(n), float64(1+r.IntN(most)))
		}
		g := built(t, b)
		made, sources := ready(t, g, n), r.Perm(n)[:20]
		x, ok := made.(rows.LaneReady)
		if !ok {
			t.Fatalf("%s, weights to %d: it is not searched by lanes", kind, most)
		}
		checkLanes(t, x, judge{graph.NewSearch(g), g, t.Errorf}, sources)
	}
}

// checkLanes returns how many lanes there are.
func checkLanes(t *testing.T, made rows.LaneReady, j judge, sources []int) (lanes int) {
	t.Helper()
	w, err := made.NewWorker(len(sources))
	if err != nil {
		t.Fatal(err)
	}
	vertices, order, kind := make([]int32, len(sources)), made.Order(), j.g.Kind
	for i, v := range sources {
		vertices[i] = int32(v)
	}
	next := 0
	err = w.(rows.LaneWorker).Lanes(vertices, func(batch []int32, first int, m kernels.Lanes) error {
		row := make([]float64, j.g.N)
		lanes = m.Width
		for lane, i := range batch {
			if int(i) != next || first != 0 || m.Entry != kind.Bytes() || len(m.Data) != j.g.N*m.Width*m.Entry {
				t.Fatalf("source %d after %d, from row %d on, %d bytes", i, next-1, first, len(m.Data))
			}
			next++
			for k, v := range order {
				row[v] = kind.Value(kind.At(m.Row(k), lane))
			}
			j.row(sources[i], func(v int) float64 { return row[v] })
		}
		return nil
	})
	if err != nil || next != len(sources) {
		t.Fatalf("%d of %d rows: %v", next, len(sources), err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return lanes
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
		d := kind.Value(l.Distance)
		if d <= before && j.g.MaxWeight > 0 || before >= 0 && len(last.At) == 0 {
			t.Errorf("after %v with %d vertices, %v follows", before, len(last.At), d)
		} else {
			before = d
		}
		read(last) // which is still there
		last = l
		return nil
	})
	if err != nil || len(last.At) > 0 {
		t.Fatalf("%v, the last level has %d vertices", err, len(last.At))
	}
	for i, u := range batch {
		j.row(int(u), func(v int) float64 { return all[i*n+v] })
	}
	stop := errors.New("stop")
	if err := w.(rows.LevelWorker).Levels(batch, func(rows.Level) error { return stop }); err != stop {
		t.Errorf("a taker's error: %v", err)
	}
}

// checkSources demands all vertices, and that those which are not their own source are a level farther from all others
// than that is, which comes before them.
func checkSources(t *testing.T, made rows.Ready, g *graph.Graph) {
	t.Helper()
	r, ok := made.(rows.LevelReady)
	if !ok {
		return
	}
	order, sources := r.Sources()
	sorted := slices.Sorted(slices.Values(order))
	one, leaves := graph.NewSearch(unweighted(t, g)), 0
	for i, v := range order {
		u := sources[i]
		if len(order) != g.N || len(sources) != g.N || int(sorted[i]) != i {
			t.Fatalf("%d vertices: %v", g.N, order)
		}
		if u == v {
			continue
		}
		if leaves++; i == 0 || sources[i-1] != u { // so that the first of a source is that
			t.Fatalf("%d, of source %d, comes after %v", v, u, order[:i])
		}
		own := slices.Clone(one.From(int(v)))
		for x, d := range one.From(int(u)) {
			if x != int(v) && own[x] != d+1 {
				t.Fatalf("%d is %v from %d, and %v from its source %d", x, own[x], v, d, u)
			}
		}
	}
	want := 0
	for v := range g.N {
		if lo := g.Offsets[v]; g.Symmetric && g.Offsets[v+1] == lo+1 {
			if first := g.Targets[g.Offsets[g.Targets[lo]]]; int(first) != v {
				want++
			}
		}
	}
	if leaves != want {
		t.Errorf("%d vertices have another source, want %d", leaves, want)
	}
}

// unweighted returns a graph with the same arcs, of weight 1.
func unweighted(t *testing.T, g *graph.Graph) *graph.Graph {
	t.Helper()
	b := graph.New(g.N, graph.Directed)
	for u := range g.N {
		for _, v := range g.Targets[g.Offsets[u]:g.Offsets[u+1]] {
			b.Add(u, int(v), 1)
		}
	}
	return built(t, b)
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

// TestCoreSearches searches what eliminations leave, wherever they stop.
func TestCoreSearches(t *testing.T) {
	r := seeds.New(t)
	e := searches.CoreEngine{}
	for range 60 {
		kind := []entry.Kind{entry.KindI32, entry.KindU16}[r.IntN(2)]
		g := enginetest.HardGraph(t, r, 2+r.IntN(400), kind, false)
		if g.MinWeight == g.MaxWeight {
			continue
		}
		after := r.IntN(g.N)
		q := rows.Question{After: &after}
		if r.IntN(3) == 0 { // it finds a place to stop
			q.After = nil
		}
		made := prepared(t, g, e, q)
		stopped := made.(interface{ Stopped() int }).Stopped()
		if q.After == nil && g.N > 4 && stopped == 0 || q.After != nil && stopped > after {
			t.Fatalf("%d of %d vertices are eliminated, after %v", stopped, g.N, q.After)
		}
		sources := make([]int, 1+r.IntN(200))
		for i := range sources {
			sources[i] = r.IntN(g.N)
		}
		checkRows(t, made, judge{graph.NewSearch(g), g, t.Errorf}, sources)
		checkTiles(t, r, made, judge{graph.NewSearch(g), g, t.Errorf}, sources)
		checkLanes(t, made.(rows.LaneReady), judge{graph.NewSearch(g), g, t.Errorf}, sources)
		back, err := made.Reversed()
		if err != nil {
			t.Fatal(err)
		}
		h := g.Reverse()
		checkRows(t, back, judge{graph.NewSearch(h), h, t.Errorf}, sources[:1])
	}
	for _, g := range []*graph.Graph{
		built(t, graph.New(2, graph.Directed).Add(0, 1, -1).Add(1, 0, 2)),
		built(t, graph.New(2, graph.Directed).Add(0, 1, 0.5)), built(t, graph.New(2, graph.Directed).Add(0, 1, 2)),
	} {
		if _, err := e.Offer(t.Context(), g, rows.Question{}); !errors.Is(err, plan.ErrAlgorithm) {
			t.Errorf("%d arcs, weights from %v on: %v", g.Arcs(), g.MinWeight, err)
		}
	}
	few := built(t, graph.New(3, graph.Directed).Add(0, 1, 1).Add(1, 2, 2))
	if _, err := e.Offer(t.Context(), few, rows.Question{Most: func() float64 { return 1e-6 }}); !errors.Is(err, plan.ErrAlgorithm) {
		t.Error(err)
	}
}

// TestFarLanes searches from a vertex that is farther from all others than what is searched together.
func TestFarLanes(t *testing.T) {
	r := seeds.New(t)
	for _, kind := range []entry.Kind{entry.KindI32, entry.KindF32, entry.KindF64} {
		const n = 20000
		b := graph.New(n, graph.Undirected, graph.AsKind(kind)).Add(0, 1, 3e8)
		for v := 2; v < n; v++ {
			b.Add(1+r.IntN(v-1), v, float64(1+r.IntN(2))).Add(1+r.IntN(v-1), v, float64(1+r.IntN(2)))
		}
		g := built(t, b)
		for _, e := range []rows.Engine{searches.Engine{}, searches.CoreEngine{}} {
			if e != (rows.Engine)(searches.Engine{}) && kind.Float() {
				continue
			}
			made := prepared(t, g, e, rows.Question{})
			if _, ok := made.(rows.LaneReady); !ok {
				t.Fatalf("%s by %s: no lanes", kind, e.Name())
			}
			checkRows(t, made, judge{graph.NewSearch(g), g, t.Errorf}, []int{0})
		}
	}
}

// TestCoreMemory wants core searches to keep to a limit.
func TestCoreMemory(t *testing.T) {
	g := built(t, graph.New(500, graph.Directed).Add(0, 1, 1).Add(1, 2, 2))
	_, err := searches.CoreEngine{}.Offer(t.Context(), g, rows.Question{Memory: 1 << 10})
	if !errors.Is(err, device.ErrMemory) {
		t.Error(err)
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
