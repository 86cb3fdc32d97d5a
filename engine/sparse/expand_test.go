package sparse

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/graph/gen"
	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
	"ooc/tiles/crashtest"
)

// closedCore closes e's core with plain loops.
func closedCore(t *testing.T, r *rand.Rand, e *Elimination, s kernels.HostLaneOps) *DenseCore {
	m := coreMatrix(t, r, e)
	for k := range m {
		for i := range m {
			for j := range m {
				m[i][j] = min(m[i][j], m[i][k]+m[k][j])
			}
		}
	}
	core := &DenseCore{Host: s, Variant: e.Variant, Size: e.Core(),
		Pitch: entry.RoundUp(e.Core(), kernels.DeviceLaneUnit)}
	core.Matrix = make([]uint32, core.Pitch*core.Pitch)
	for i := range core.Matrix {
		core.Matrix[i] = []uint32{0, uint32(e.Variant.Unreachable())}[r.IntN(2)]
	}
	for i := range m {
		for j := range m {
			core.Matrix[i*core.Pitch+j] = encode(e.Variant, m[i][j])
		}
	}
	return core
}

// coreMatrix puts e's core together from tiles of a random edge, and checks their padding.
func coreMatrix(t *testing.T, r *rand.Rand, e *Elimination) [][]float64 {
	c := e.Core()
	edge := 1 + r.IntN(c+3)
	side := (c + edge - 1) / edge
	m := make([][]float64, c)
	for i := range m {
		m[i] = make([]float64, c)
	}
	tile := make([]uint32, edge*edge)
	for at := range side * side {
		for k := range tile {
			tile[k] = r.Uint32()
		}
		e.FillTile(entry.Bytes(tile), edge, at/side, at%side)
		for k, bits := range tile {
			x, y, w := at/side*edge+k/edge, at%side*edge+k%edge, decode(e.Variant, bits)
			switch {
			case x < c && y < c && kept(e.Variant, bits):
				m[x][y] = w
			case x < c && y < c, x == y && w != 0, x != y && !math.IsInf(w, 1):
				t.Fatalf("entry (%d,%d) of a core of %d is %v", x, y, c, w)
			}
		}
	}
	return m
}

// kept reports whether bits are an entry as package kernels wants it.
func kept(v entry.Variant, bits uint32) bool {
	x := decode(v, bits)
	switch v {
	case entry.I32:
		return x >= 0 && (math.IsInf(x, 1) || x < float64(entry.Inf32))
	case entry.I32Signed:
		return math.IsInf(x, 1) || math.Abs(x) < float64(entry.Limit32)
	case entry.F32:
		return x >= 0 && !math.Signbit(x)
	}
	return !math.IsNaN(x) && !math.IsInf(x, -1)
}

// expander returns an Expander of some lanes whose memory is poisoned.
func expander(t testing.TB, r *rand.Rand, e *Elimination, s kernels.HostLaneOps, core coreRows, lanes int) *Expander {
	t.Helper()
	e.ownWindow.of = e.newWindow(1 + r.IntN([]int{9, 300}[r.IntN(2)]))
	scratch := make([]uint32, e.ScratchBytes(lanes)/entry.WordBytes)
	for i := range scratch {
		scratch[i] = r.Uint32()
	}
	x, err := e.NewExpander(s, core, lanes, entry.Bytes(scratch))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// rows expands the sources to a poisoned target of a random layout, and returns the entries of each row,
// padding included.
func rows(t testing.TB, r *rand.Rand, x *Expander, sources []int32, lanes bool) [][]uint32 {
	t.Helper()
	if lanes {
		return ofLanes(t, x, sources)
	}
	n := len(x.e.Vertices)
	width := kernels.HostLaneUnit * (1 + r.IntN(8))
	segments := (n + width - 1) / width
	data := make([]uint32, segments*width*len(sources))
	for i := range data {
		data[i] = r.Uint32()
	}
	to := Target{Data: entry.Bytes(data), Width: width, Past: r.IntN(2) > 0}
	pitch := segments * width // row after row
	to.Stride = int64(width * entry.WordBytes)
	if r.IntN(2) > 0 { // tiles, of as many rows as there are
		pitch, to.Stride = width, int64(width*len(sources)*entry.WordBytes)
	}
	for _, at := range r.Perm(len(sources)) {
		to.Places = append(to.Places, int64(at*pitch*entry.WordBytes))
	}
	if err := x.Rows(sources, to); err != nil {
		t.Fatal(err)
	}
	out := make([][]uint32, len(sources))
	for i, place := range to.Places {
		for j := range segments {
			at := (place + int64(j)*to.Stride) / entry.WordBytes
			out[i] = append(out[i], data[at:at+int64(width)]...)
		}
	}
	return out
}

// ofLanes returns the entries of each row as Lanes gives them, by vertex.
func ofLanes(t testing.TB, x *Expander, sources []int32) [][]uint32 {
	t.Helper()
	n := len(x.e.Vertices)
	out, next := make([][]uint32, len(sources)), make([]int, len(sources))
	for i := range out {
		out[i] = make([]uint32, n)
	}
	err := x.Lanes(sources, func(batch []int32, first int, m kernels.Lanes) error {
		for r := range len(m.Data) / (m.Width * m.Entry) {
			for lane, bits := range entry.View[uint32](m.Row(r)) {
				// Lanes beyond the batch repeat the last one.
				out[batch[min(lane, len(batch)-1)]][x.e.Vertices[first+r]] = bits
			}
			for _, i := range batch {
				if next[i] != first+r {
					t.Errorf("rank %d comes after %d ranks", first+r, next[i])
				}
				next[i]++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, ranks := range next {
		if ranks != n {
			t.Errorf("source %d got %d ranks of %d", i, ranks, n)
		}
	}
	return out
}

func someSources(r *rand.Rand, n, most int) []int32 {
	sources := make([]int32, r.IntN(most+1))
	for i := range sources {
		sources[i] = int32(r.IntN(n))
	}
	return sources
}

// checkRows compares rows with a search from their sources. slack is what rounding allows for each arc of
// a path in proportion to its length.
func checkRows(t *testing.T, g *graph.Graph, e *Elimination, sources []int32, got [][]uint32, slack float64) {
	t.Helper()
	s := graph.NewSearch(g)
	hops, sum := make([]float64, g.N), make([]float64, g.N)
	for i, src := range sources {
		want := s.From(int(src))
		if slack > 0 {
			measurePaths(g, s.Pred(), hops, sum)
		}
		for v, bits := range got[i] {
			x := decode(e.Variant, bits)
			switch {
			case v >= g.N && math.IsInf(x, 1), v < g.N && x == want[v]:
			case v < g.N && math.Abs(x-want[v]) <= slack*(1+hops[v])*sum[v]:
			default:
				t.Fatalf("%s, core %d of %d: distance %d→%d is %v, not %v", e.Variant, e.Core(), g.N, src, v, x,
					want[v:min(v+1, g.N)])
			}
		}
	}
}

// measurePaths sets the arcs of each path of a tree of predecessors and the sum of their magnitudes.
func measurePaths(g *graph.Graph, pred []int32, hops, sum []float64) {
	for v := range pred {
		hops[v], sum[v] = 0, math.SmallestNonzeroFloat32
		for x := int32(v); pred[x] >= 0; x = pred[x] {
			hops[v]++
			sum[v] += math.Abs(g.Weight(g.Find(int(pred[x]), int(x))))
		}
	}
}

// rounding is what package engine allows in f32, see docs/promises.md.
const rounding = 4.0 / (1 << 24)

// everyStop expands g from every stopping point; arcs says to check these too.
func everyStop(t *testing.T, r *rand.Rand, g *graph.Graph, s kernels.HostLaneOps, arcs bool, slack float64) {
	t.Helper()
	o := mustOrder(t, g, OrderOptions{})
	for stop := range o.Limit + 1 {
		e, err := eliminate(t.Context(), g, o, stop, someSizes(r, g.N), !arcs && r.IntN(2) == 0,
			[]kernels.HostLaneOps{nil, s}[r.IntN(2)])
		if err != nil {
			t.Fatal(err)
		}
		if arcs {
			checkArcs(t, g, e)
		}
		core := closedCore(t, r, e, s)
		x := expander(t, r, e, s, core, kernels.HostLaneUnit*(1+r.IntN(5)))
		for range 2 { // the second finds what the first left behind
			sources := someSources(r, g.N, 100)
			checkRows(t, g, e, sources, rows(t, r, x, sources, r.IntN(2) > 0), slack)
		}
	}
}

// checkArcs compares each arc with the shortest path over ranks above both its ends.
func checkArcs(t *testing.T, g *graph.Graph, e *Elimination) {
	t.Helper()
	m := make([][]float64, g.N) // by rank
	for k := range m {
		m[k] = make([]float64, g.N)
		for j := range m[k] {
			m[k][j] = math.Inf(1)
		}
	}
	for u := range g.N {
		for k := g.Offsets[u]; k < g.Offsets[u+1]; k++ {
			m[e.Rank[u]][e.Rank[g.Targets[k]]] = g.Weight(k)
		}
	}
	least := func(v int, a *kernels.Arcs, weight func(y int) float64) {
		t.Helper()
		row := map[int]uint32{}
		for k := a.Offsets[v]; k < a.Offsets[v+1]; k++ {
			row[int(a.Ends[k])] = a.Weights[k]
		}
		for y := range v {
			bits, ok := row[y]
			if want := weight(y); ok && (decode(e.Variant, bits) != want || !kept(e.Variant, bits)) ||
				ok == math.IsInf(want, 1) {
				t.Fatalf("%s: arc between %d and %d is %v (there: %t), not %v", e.Variant, v, y,
					decode(e.Variant, bits), ok, want)
			}
		}
	}
	for v := g.N - 1; v >= e.Core(); v-- {
		least(v, e.Up, func(y int) float64 { return m[v][y] })
		least(v, e.Down, func(y int) float64 { return m[y][v] })
		for x := range v {
			for y := range v {
				m[x][y] = min(m[x][y], m[x][v]+m[v][y])
			}
		}
	}
}

// TestEveryStop expands random graphs of every kind on every path of the processor.
func TestEveryStop(t *testing.T) {
	crashtest.Slow(t)
	r := fresh(t)
	for _, path := range cpu.PathNames() {
		if cpu.Lacking(path) != "" {
			continue
		}
		d := openCPU(t, cpu.Options{Threads: 1, Path: path})
		for range crashtest.Repeats(20, 60) {
			everyStop(t, r, randomGraph(t, r, 28), d, true, 0)
		}
	}
}

// TestHeavyArcs: arcs that i32 cannot hold the length of are none; graph.Check has seen that no shortest
// path uses one.
func TestHeavyArcs(t *testing.T) {
	r := fresh(t)
	d := openCPU(t, cpu.Options{Threads: 1})
	const n = 20
	b := graph.New(n)
	for v := range n {
		b.Add(v, (v+1)%n, float64(r.IntN(10)))
		for range 3 {
			b.Add(v, (v+1+r.IntN(n-1))%n, float64(entry.Inf32)+float64(r.IntN(1<<30)))
		}
	}
	g := build(t, b)
	if err := g.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	everyStop(t, r, g, d, false, 0)
}

// TestCycleOfLengthZero: additions in float32 make this cycle's length -2, but no distance to itself.
func TestCycleOfLengthZero(t *testing.T) {
	r := fresh(t)
	d := openCPU(t, cpu.Options{Threads: 1})
	big := float64(1 << 24)
	g := build(t, graph.New(4, graph.AsKind(entry.KindF32)).Add(0, 1, big).Add(1, 2, 1).Add(2, 3, 1).Add(3, 0, -big-2))
	if err := g.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	everyStop(t, r, g, d, false, rounding)
}

// TestRounding: weights that are not exact stay within what rounding allows, with and without negative arcs,
// and a row is the same to the bit whichever others are computed with it.
func TestRounding(t *testing.T) {
	r := fresh(t)
	d := openCPU(t, cpu.Options{Threads: 1})
	for round := range 40 {
		n := 2 + r.IntN(100)
		potential := make([]float64, n)
		for v := range potential {
			potential[v] = float64(round%2) * r.Float64()
		}
		b := graph.New(n, graph.AsKind(entry.KindF32))
		shape(r, n, func(u, v int) { b.Add(u, v, r.Float64()+0.001+potential[u]-potential[v]) })
		g := build(t, b)
		o := mustOrder(t, g, OrderOptions{})
		e, err := eliminate(t.Context(), g, o, r.IntN(o.Limit+1), someSizes(r, n), false, nil)
		if err != nil {
			t.Fatal(err)
		}
		core := closedCore(t, r, e, d)
		sources := someSources(r, n, 200)
		lanes := r.IntN(2) > 0
		got := rows(t, r, expander(t, r, e, d, core, batchLanes), sources, lanes)
		checkRows(t, g, e, sources, got, rounding)
		one := expander(t, r, e, d, core, kernels.HostLaneUnit)
		for i, s := range sources {
			if again := rows(t, r, one, []int32{s}, lanes)[0]; !slices.Equal(again[:n], got[i][:n]) {
				t.Fatalf("the row of %d differs with the batch", s)
			}
		}
	}
}

// expandReal eliminates where it is best, closes the core on the device, and checks some rows.
func expandReal(t *testing.T, g *graph.Graph, some int, slack float64) {
	t.Helper()
	r := fresh(t)
	d := openCPU(t, cpu.Options{})
	o := mustOrder(t, g, OrderOptions{Seconds: estimate})
	e, err := o.EliminateInPieces(t.Context(), g, mustBest(t, o).Eliminated, Cutting{MostUpper: math.MaxInt}, nil)
	if err != nil {
		t.Fatal(err)
	}
	core, err := e.CloseCore(t.Context(), d, d, false)
	if err != nil {
		t.Fatal(err)
	}
	x := expander(t, r, e, d, core, batchLanes)
	sources := make([]int32, some)
	for i, s := range r.Perm(g.N)[:some] {
		sources[i] = int32(s)
	}
	checkRows(t, g, e, sources, rows(t, r, x, sources, r.IntN(2) > 0), slack)
}

func TestRome(t *testing.T)             { expandReal(t, rome(t), 200, 0) }
func TestCalifornia(t *testing.T)       { expandReal(t, california(t, 0), 40, rounding) }
func TestCaliforniaScaled(t *testing.T) { expandReal(t, california(t, 1000000), 40, 0) }

func TestGenerated(t *testing.T) {
	r := fresh(t)
	for _, undirected := range []bool{false, true} {
		o := gen.Options{N: 5000, Seed: r.Uint64(), Undirected: undirected}
		expandReal(t, generated(t, "road", o), 100, 0)
		o.N, o.M = 2000, 5000
		expandReal(t, generated(t, "rmat", o), 100, 0)
	}
}

// TestBadArguments wants errors that say what is wrong, and no panic.
func TestBadArguments(t *testing.T) {
	g := rome(t)
	d := openCPU(t, cpu.Options{Threads: 1})
	o := mustOrder(t, g, OrderOptions{})
	e, err := o.Eliminate(t.Context(), g, 3000)
	if err != nil {
		t.Fatal(err)
	}
	core, err := e.CloseCore(t.Context(), d, d, false)
	if err != nil {
		t.Fatal(err)
	}
	x := expander(t, fresh(t), e, d, core, 16)
	small := Target{Data: make([]byte, 64), Places: []int64{0}, Width: 16, Stride: 64}
	whole := Target{Data: make([]byte, 4*3360), Places: []int64{0}, Width: 3360}
	odd := Target{Data: make([]byte, 4*3353), Places: []int64{0}, Width: 3353}
	_, beyond := o.Eliminate(t.Context(), g, g.N+1)
	_, before := o.Eliminate(t.Context(), g, -1)
	_, lanes := e.NewExpander(d, core, 8, make([]byte, e.ScratchBytes(8)))
	_, scratch := e.NewExpander(d, core, 16, make([]byte, 16))
	for _, c := range []struct {
		err  error
		want string
	}{
		{beyond, "3354"}, {before, "-1"}, {lanes, "8 lanes"}, {scratch, "16 bytes"},
		{x.Rows([]int32{0}, small), "of 64"}, {x.Rows([]int32{3353}, whole), "source 3353"},
		{x.Rows([]int32{-1}, whole), "source -1"},
		{x.Rows([]int32{0}, odd), "3353 entries"}, {x.Rows([]int32{0, 1}, whole), "2 sources"},
		{x.Lanes([]int32{3353}, nil), "source 3353"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v lacks %q", c.err, c.want)
		}
	}
	if err := x.Rows([]int32{3352}, whole); err != nil {
		t.Error(err)
	}
}
