package sparse

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/graph/gen"
	"ooc/engine/graph/read"
	"ooc/engine/internal/seeds"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
)

var fresh = seeds.New

func build(t testing.TB, b *graph.Builder) *graph.Graph {
	t.Helper()
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func mustOrder(t testing.TB, g *graph.Graph, o OrderOptions) *Order {
	t.Helper()
	r, err := NewOrder(t.Context(), g, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustBest(t testing.TB, o *Order) Work {
	t.Helper()
	best, err := o.Best(t.Context(), estimate)
	if err != nil {
		t.Fatal(err)
	}
	return best
}

func openCPU(t testing.TB, o cpu.Options) *cpu.Device {
	t.Helper()
	d, err := cpu.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// generated is a graph of one of gen.Kinds.
func generated(t testing.TB, kind string, o gen.Options) *graph.Graph {
	t.Helper()
	var text bytes.Buffer
	if err := gen.To(context.Background(), kind, o, "g.gr", &text); err != nil {
		t.Fatal(err)
	}
	directed := !o.Undirected
	g, err := read.From(&text, "g.gr", read.Options{Directed: &directed})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func rome(t testing.TB) *graph.Graph {
	g, _, err := read.File("../graph/testdata/rome99.gr", read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// california is cal.cedge in f32, or scaled to i32.
func california(t testing.TB, scale int64) *graph.Graph {
	path := os.Getenv("OOC_CAL_CEDGE")
	if path == "" {
		t.Skip("OOC_CAL_CEDGE does not name cal.cedge")
	}
	undirected := false
	g, _, err := read.File(path, read.Options{Directed: &undirected, Scale: scale})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// estimate has rates of the two cores that the project is measured on.
func estimate(w Work) float64 {
	return w.Eliminate/1e9 + w.Rounds/80e9 + w.Climb/30e9 + w.Cross/60e9 + w.Sweep/30e9
}

// decode returns an entry as a number, unreachable as +Inf.
func decode(v entry.Variant, bits uint32) float64 {
	switch {
	case v.Float():
		return float64(math.Float32frombits(bits))
	case int32(bits) == entry.Inf32:
		return math.Inf(1)
	}
	return float64(int32(bits))
}

// encode is the inverse of decode.
func encode(v entry.Variant, x float64) uint32 {
	switch {
	case v.Float():
		return math.Float32bits(float32(x))
	case math.IsInf(x, 1):
		return uint32(entry.Inf32)
	}
	return uint32(int32(x))
}

// shape draws the arcs of one of the shapes that elimination must cope with; add gets each arc once.
func shape(r *rand.Rand, n int, add func(u, v int)) {
	random := func(m int) {
		for range m {
			if u, v := r.IntN(n), r.IntN(n); u != v {
				add(u, v)
			}
		}
	}
	switch r.IntN(9) {
	case 0: // a tree, and a few more
		for v := 1; v < n; v++ {
			add(r.IntN(v), v)
		}
		random(r.IntN(3))
	case 1: // a star, or a few
		hubs := 1 + r.IntN(min(n, 3))
		for v := hubs; v < n; v++ {
			add(v%hubs, v)
			add(v, r.IntN(hubs))
		}
	case 2: // a clique
		for v := range n {
			for u := range n {
				if u != v {
					add(u, v)
				}
			}
		}
	case 3: // cliques with few arcs between
		size := 1 + r.IntN(7)
		for v := range n {
			for u := v - v%size; u < v; u++ {
				add(u, v)
				add(v, u)
			}
		}
		random(r.IntN(n + 1))
	case 4: // a path or a cycle
		for v := 1; v < n; v++ {
			add(v-1, v)
			add(v, v-1)
		}
		if n > 2 && r.IntN(2) > 0 {
			add(n-1, 0)
		}
	case 8: // complete between parts, whose vertices have the same neighbours
		parts := 2 + r.IntN(3)
		for v := range n {
			for u := range v {
				if u%parts != v%parts {
					add(u, v)
				}
			}
		}
	case 5: // no arcs, or few
		random(r.IntN(3))
	case 6: // dense
		random(n * n / 2)
	default:
		random(r.IntN(3*n + 1))
	}
}

// randomGraph draws a graph of at most n vertices, of either kind, with or without negative arcs. Sums of
// its weights are exact in float32.
func randomGraph(t testing.TB, r *rand.Rand, n int) *graph.Graph {
	n = 1 + r.IntN(n)
	kind := []entry.Kind{entry.KindI32, entry.KindF32}[r.IntN(2)]
	unit := map[entry.Kind]float64{entry.KindI32: 1, entry.KindF32: 0.25}[kind]
	direction, potential, least := graph.Directed, make([]float64, n), r.IntN(2)
	switch r.IntN(3) {
	case 0:
		direction = graph.Undirected
	case 1: // negative arcs, no negative cycle; distances may come close to what i32 can hold
		most := []int{1000, int(entry.Limit32) - 10000}[r.IntN(2)]
		if kind == entry.KindF32 {
			most = 1000
		}
		for v := range potential {
			potential[v] = float64(r.IntN(most))
		}
	}
	b := graph.New(n, graph.AsKind(kind), direction)
	name := r.Perm(n)
	shape(r, n, func(u, v int) {
		b.Add(name[u], name[v], unit*(float64(least*r.IntN(100))+potential[u]-potential[v]))
	})
	return build(t, b)
}
