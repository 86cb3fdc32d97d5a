package sparse

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"ooc/engine/graph"
	"ooc/engine/graph/gen"
	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
)

// TestTogether: arcs that are looked at by whole rows get the same weights as one by one.
func TestTogether(t *testing.T) {
	d := openCPU(t, cpu.Options{})
	for _, undirected := range []bool{false, true} {
		g := generated(t, "road", gen.Options{N: 5000, Seed: fresh(t).Uint64(), Undirected: undirected})
		o := mustOrder(t, g, OrderOptions{})
		for _, eliminated := range []int{o.Limit / 2, o.Limit - 100, o.Limit} {
			a, err := eliminate(t.Context(), g, o, eliminated, Cutting{}, true, nil)
			if err != nil {
				t.Fatal(err)
			}
			b, err := eliminate(t.Context(), g, o, eliminated, Cutting{}, true, d)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(a.Up.Weights, b.Up.Weights) || !slices.Equal(a.Down.Weights, b.Down.Weights) {
				t.Fatalf("undirected %v, %d eliminated: other weights", undirected, eliminated)
			}
		}
	}
}

// TestLists compares lists with the ends that they share, and searches over them with searches of the graph.
func TestLists(t *testing.T) {
	r := fresh(t)
	d := openCPU(t, cpu.Options{})
	for round := range 40 {
		g := randomGraph(t, r, 40)
		if round%4 == 0 {
			g = generated(t, "road", gen.Options{N: 500 + r.Int64N(500), Seed: r.Uint64(), Undirected: r.IntN(2) == 0})
		}
		if round%10 == 1 { // with a large core, of which climbs reach much
			g = generated(t, "random", gen.Options{N: 1000, M: 2200 + r.Int64N(1500), Seed: r.Uint64()})
		}
		o := mustOrder(t, g, OrderOptions{})
		stop := o.Limit
		if round%10 == 1 {
			stop = min(stop, g.N-200)
		}
		eliminate := []func() (*Elimination, error){
			func() (*Elimination, error) { return o.Eliminate(t.Context(), g, stop) },
			func() (*Elimination, error) { return o.EliminateAlike(t.Context(), g, stop, d) },
		}[r.IntN(2)]
		e, err := eliminate()
		if err != nil {
			t.Fatal(err)
		}
		up, down := e.Lists()
		checkLists(t, up, e.Up)
		checkLists(t, down, e.Down)
		if arcs := len(e.Up.Ends); round%4 == 0 && len(up.Ends) >= arcs {
			t.Errorf("lists of %d ends for %d arcs", len(up.Ends), arcs)
		}
		core, err := e.CloseCore(t.Context(), d, d, false)
		if err != nil {
			t.Fatal(err)
		}
		searchAll(t, r, g, e, core)
		spoilLists(t, r, e, core)
	}
}

func checkLists(t *testing.T, l *Lists, a *kernels.Arcs) {
	t.Helper()
	for r := range int32(len(l.First)) {
		if want := a.Ends[a.Offsets[r]:a.Offsets[r+1]]; !slices.Equal(l.Of(r), want) {
			t.Fatalf("rank %d has the ends %d, not %d", r, l.Of(r), want)
		}
	}
	if ends, err := l.expand(); err != nil || !slices.Equal(ends, a.Ends) {
		t.Fatalf("all ends are %d, %v, not %d", ends, err, a.Ends)
	}
}

func searchAll(t *testing.T, r *rand.Rand, g *graph.Graph, e *Elimination, core *DenseCore) {
	t.Helper()
	search, wide := graph.NewSearch(g), e.Variant.Kind().Wide()
	unread := *core // its rows hold anything until they are asked for
	unread.Matrix = slices.Clone(core.Matrix)
	s := e.NewSearch(&unread, func(part []byte) error {
		if at := int(uintptr(unsafe.Pointer(unsafe.SliceData(part)))-uintptr(unsafe.Pointer(unsafe.SliceData(unread.Matrix)))) / entry.WordBytes; at >= 0 && at < len(core.Matrix) {
			copy(entry.As[uint32](part), core.Matrix[at:])
		}
		return nil
	})
	for range 5 {
		for i := range unread.Matrix {
			unread.Matrix[i] = uint32(entry.Inf32) / 2 * min(1, r.Uint32N(100))
		}
		u := r.IntN(g.N)
		if err := s.From(int32(u)); err != nil {
			t.Fatal(err)
		}
		want := search.From(u)
		for range 2 * g.N {
			v := r.IntN(g.N)
			bits, err := s.To(int32(v))
			if got := wide.Value(bits); err != nil || !e.Variant.Float() && got != want[v] {
				t.Fatalf("the distance from %d to %d is %v, %v, not %v", u, v, got, err, want[v])
			}
		}
	}
}

// spoilLists wants an error or some distance, and no more, from lists with a wrong number.
func spoilLists(t *testing.T, r *rand.Rand, e *Elimination, core *DenseCore) {
	t.Helper()
	n := int32(len(e.Vertices))
	spoil := func(s []int32) []int32 {
		if s = slices.Clone(s); len(s) > 0 {
			s[r.IntN(len(s))] = []int32{-1, 0, n, r.Int32N(n), int32(r.Uint32())}[r.IntN(5)]
		}
		return s
	}
	for range 10 {
		up, _ := e.Lists()
		bad := &Lists{Offsets: up.Offsets, First: up.First, Ends: up.Ends}
		part := []*[]int32{&bad.Offsets, &bad.First, &bad.Ends}[r.IntN(3)]
		*part = spoil(*part)
		restored, err := Restored(e.Variant, e.Core(), e.Vertices, e.Parent, bad, bad, e.Up.Weights, e.Up.Weights)
		if err == nil {
			s := restored.NewSearch(core, nil)
			for range 10 {
				if err = s.From(r.Int32N(n)); err == nil {
					_, err = s.To(r.Int32N(n))
				}
				if err != nil {
					break
				}
			}
			if err == nil {
				err = restored.ListEnds()
			}
		}
		if err != nil && !errors.Is(err, ErrParts) {
			t.Errorf("a wrong number gives %v", err)
		}
	}
	if _, err := Restored(e.Variant, e.Core(), e.Vertices, e.Parent, &Lists{Offsets: []int32{0}},
		&Lists{Offsets: []int32{0}}, nil, nil); n > 0 && !errors.Is(err, ErrParts) {
		t.Errorf("lists of no rank give %v", err)
	}
}
