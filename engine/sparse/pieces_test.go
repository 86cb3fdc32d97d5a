package sparse

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"ooc/engine/device"
	"ooc/kernels"
	"ooc/kernels/conformance"
	"testing"

	"ooc/engine/graph"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
)

// someSizes draws a size of pieces, or that there are none.
func someSizes(r *rand.Rand, n int) Cutting {
	if r.IntN(3) == 0 {
		return Cutting{}
	}
	return anyUpper(1 + r.IntN(n))
}

func anyUpper(size int) Cutting { return Cutting{[]int{size}, math.MaxInt} }

// TestPieces puts distances together from those between upper ranks and the paths of pieces.
func TestPieces(t *testing.T) {
	r := fresh(t)
	d, other := openCPU(t, cpu.Options{}), openCPU(t, cpu.Options{Threads: 1})
	for range 300 {
		g := randomGraph(t, r, 60)
		checkPieces(t, r, g, d, other, 0)
	}
}

// TestPiecesOfNarrowAndWideKinds does it in 2 and 8 bytes, and in f32 that rounds.
func TestPiecesOfNarrowAndWideKinds(t *testing.T) {
	r := fresh(t)
	d, other := openCPU(t, cpu.Options{}), openCPU(t, cpu.Options{Threads: 1})
	for _, kind := range []entry.Kind{entry.KindU16, entry.KindF64, entry.KindF32} {
		for range 50 {
			n := 2 + r.IntN(100)
			b := graph.New(n, graph.AsKind(kind), []graph.BuildOption{graph.Directed, graph.Undirected}[r.IntN(2)])
			shape(r, n, func(u, v int) {
				w := float64(r.IntN(100))
				if kind == entry.KindF32 {
					w = r.Float64() + 0.001
				}
				b.Add(u, v, w)
			})
			checkPieces(t, r, build(t, b), d, other, map[entry.Kind]float64{entry.KindF32: rounding}[kind])
		}
	}
}

// TestPiecesFitMemory wants no piece that takes more memory than is there.
func TestPiecesFitMemory(t *testing.T) {
	const n = 200
	b := graph.New(n, graph.Undirected)
	for v := range n - 1 {
		b.Add(v, v+1, 1)
	}
	g := build(t, b)
	o := mustOrder(t, g, OrderOptions{})
	pieces := func(most int) *Pieces {
		e, err := eliminate(t.Context(), g, o, o.Limit, Cutting{[]int{n}, most}, false, nil)
		if err != nil {
			t.Fatal(err)
		}
		if e.Pieces != nil && e.Pieces.find() != nil {
			t.Fatal(e.Pieces.find())
		}
		return e.Pieces
	}
	p := pieces(math.MaxInt)
	if p == nil || p.Upper > 20 || p.Pitch(0) < 100 {
		t.Fatalf("pieces of a path are %+v", p)
	}
	if p := pieces(100); p != nil {
		t.Errorf("%d pieces of a path, where 10,000 entries fit", p.Count())
	}
	if pieces(2*n) == nil {
		t.Error("no pieces, where 160,000 entries fit")
	}
}

func checkPieces(t *testing.T, r *rand.Rand, g *graph.Graph, d, other *cpu.Device, slack float64) {
	t.Helper()
	o := mustOrder(t, g, OrderOptions{})
	e, err := eliminate(t.Context(), g, o, r.IntN(o.Limit+1), anyUpper(1+r.IntN(20)), false, nil)
	if err != nil {
		t.Fatal(err)
	}
	if e.Pieces == nil {
		return
	}
	if err := e.Pieces.find(); err != nil {
		t.Fatal(err)
	}
	core, err := e.CloseCore(t.Context(), d, d, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Pieces.Find(); err != nil {
		t.Fatal(err)
	}
	upper, err := e.UpperDistances(t.Context(), d, core)
	if err != nil {
		t.Fatal(err)
	}
	checkOnDevice(t, e, d, other, core, upper)
	p := checkCut(t, e)
	weights := e.Variant.Kind().Wide()
	at := func(words []uint32, i int) float64 {
		if w := weights.Value(weights.At(entry.Bytes(words), i)); e.Variant != entry.U16 || w != float64(entry.Inf16) {
			return w
		}
		return math.Inf(1)
	}
	s := graph.NewSearch(g)
	hops, sum := make([]float64, g.N), make([]float64, g.N)
	for range 20 {
		from := int32(r.IntN(g.N))
		want := s.From(int(e.Vertices[from]))
		measurePaths(g, s.Pred(), hops, sum)
		toUpper := make([]float64, p.Upper)
		for y := range toUpper {
			toUpper[y] = math.Inf(1)
			p.each(e, from, p.Up, at, func(x int32, up float64) {
				toUpper[y] = min(toUpper[y], up+at(upper.Matrix, int(x)*upper.Pitch+y))
			})
		}
		for to := range int32(g.N) {
			if p.piece(from) >= 0 && p.piece(from) == p.piece(to) {
				continue
			}
			got := math.Inf(1)
			p.each(e, to, p.Down, at, func(x int32, down float64) { got = min(got, toUpper[x]+down) })
			if v := e.Vertices[to]; got != want[v] && !(math.Abs(got-want[v]) <= slack*(1+hops[v])*sum[v]) {
				t.Fatalf("%s: distance %d→%d is %v, not %v", e.Variant, e.Vertices[from], v, got, want[v])
			}
		}
	}
}

// checkOnDevice wants a device to compute the same distances, from a core that it has kept, has had or never had, and
// to take no more memory than it may.
func checkOnDevice(t *testing.T, e *Elimination, d, other *cpu.Device, core, want *DenseCore) {
	t.Helper()
	if want.Size == 0 {
		return
	}
	on := conformance.WithLaneOps(d)
	kept, err := e.CloseCore(t.Context(), on, d, true)
	if err != nil {
		t.Fatal(err)
	}
	fetched, err := e.CloseCore(t.Context(), on, d, true)
	if err = errors.Join(err, fetched.Fetch()); err != nil {
		t.Fatal(err)
	}
	for _, of := range []struct {
		on   kernels.Device
		core *DenseCore
	}{{on, core}, {on, kept}, {on, fetched}, {conformance.WithLaneOps(other), kept}} {
		h, core := device.Held{On: of.on}, of.core
		closed := func() (*DenseCore, error) { return core, nil }
		if _, err := e.UpperOnDevice(&h, closed, 0, 0); !errors.Is(err, kernels.ErrNoMemory) {
			t.Errorf("more memory than there is room for: %v", err)
		}
		to, err := e.UpperOnDevice(&h, closed, 100, math.MaxInt64)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, to.Buf.Bytes()-100)
		s := h.Stream()
		if err := errors.Join(h.Err(), s.CopyOut(got, to), s.Sync()); err != nil {
			t.Fatal(err)
		}
		sameRows(t, e, got, want)
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := kept.Fetch(); err != nil {
		t.Fatal(err)
	}
	sameRows(t, e, e.Variant.Entries(kept.Matrix), core)
}

// sameRows wants entries to be those of a matrix, but for what pads it.
func sameRows(t *testing.T, e *Elimination, got []byte, want *DenseCore) {
	t.Helper()
	all, row := e.Variant.Entries(want.Matrix), want.Pitch*e.Variant.Bytes()
	for r := range want.Size {
		if cells := want.Size * e.Variant.Bytes(); !bytes.Equal(got[r*row:][:cells], all[r*row:][:cells]) {
			t.Fatalf("%s: distances from rank %d of %d, %d of them the core's, are other ones on a device", e.Variant, r,
				want.Size, e.Core())
		}
	}
}

// checkCut checks that pieces are apart from each other, and returns them.
func checkCut(t *testing.T, e *Elimination) *Pieces {
	t.Helper()
	p := e.Pieces
	if p.First[0] != int32(p.Upper) || int(p.First[p.Count()]) != len(e.Vertices) {
		t.Fatalf("pieces from %d to %d of %d…%d", p.First[0], p.First[p.Count()], p.Upper, len(e.Vertices))
	}
	for i := range p.Count() {
		in := map[int32]bool{}
		for k, x := range p.Of(i) {
			if in[x] = true; int(x) >= p.Upper || k > 0 && x <= p.Of(i)[k-1] {
				t.Fatalf("boundary %v of a piece, %d are upper", p.Of(i), p.Upper)
			}
		}
		for k := e.Up.Offsets[p.First[i]]; k < e.Up.Offsets[p.First[i+1]]; k++ {
			if x := e.Up.Ends[k]; x < p.First[i] && !in[x] {
				t.Fatalf("an arc from a piece leads to %d, not in its boundary %v", x, p.Of(i))
			}
		}
	}
	return p
}

// piece returns the piece of a rank, -1 if it is upper.
func (p *Pieces) piece(rank int32) int {
	i := p.Count() - 1
	for ; i >= 0 && p.First[i] > rank; i-- {
	}
	return i
}

// each gives the lengths of the paths between a rank and its boundary; that of an upper rank is itself.
func (p *Pieces) each(e *Elimination, rank int32, words []uint32, at func([]uint32, int) float64,
	do func(x int32, length float64)) {
	i := p.piece(rank)
	if i < 0 {
		do(rank, 0)
		return
	}
	for k, x := range p.Of(i) {
		if w := at(words, int(p.At[i])*PieceUnit+k*p.Pitch(i)+int(rank-p.First[i])); !math.IsInf(w, 1) {
			do(x, w)
		}
	}
}
