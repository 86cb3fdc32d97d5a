package enginetest

import (
	"math/rand/v2"
	"testing"

	"ooc/engine/graph"
	"ooc/kernels/entry"
)

// RandomGraph makes a graph of n vertices without negative cycles. Negative arcs come from potentials:
// w + p(u) − p(v) changes no cycle's length.
func RandomGraph(t testing.TB, r *rand.Rand, n int, kind entry.Kind, negative bool) *graph.Graph {
	t.Helper()
	b := graph.New(n, graph.AsKind(kind))
	potential := make([]float64, n)
	for i := range potential {
		if negative {
			potential[i] = float64(r.IntN(2000))
		}
	}
	for range r.IntN(6*n + 1) {
		u, v := r.IntN(n), r.IntN(n)
		w := float64(r.IntN(1000))
		switch {
		case kind == entry.KindU16: // so that no distance passes it
			w = float64(r.IntN(min(1000, 1+int(entry.Inf16)/n)))
		case kind.Float() && !negative:
			w += r.Float64()
		}
		if u != v {
			b.Add(u, v, w+potential[u]-potential[v])
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// ZeroLaden makes a graph full of cycles of length 0: of arcs of weight 0, and where negative is set of arcs of
// both signs that cancel out.
func ZeroLaden(t testing.TB, r *rand.Rand, n int, kind entry.Kind, negative bool) *graph.Graph {
	t.Helper()
	b := graph.New(n, graph.AsKind(kind))
	potential := make([]float64, n)
	for i := range potential {
		if negative {
			potential[i] = float64(r.IntN(50))
		}
	}
	for range 1 + r.IntN(4*n) {
		if u, v := r.IntN(n), r.IntN(n); u != v {
			b.Add(u, v, float64(r.IntN(3)*r.IntN(2))+potential[u]-potential[v])
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// HardGraph makes a graph whose predecessors are hard to get right: of ties and cycles of length 0, or of any sort.
func HardGraph(t testing.TB, r *rand.Rand, n int, kind entry.Kind, negative bool) *graph.Graph {
	if r.IntN(3) == 0 {
		return RandomGraph(t, r, n, kind, negative)
	}
	return ZeroLaden(t, r, n, kind, negative)
}

// EveryKind is each kind of weights of 4 bytes that there is.
var EveryKind = []Weights{{entry.KindI32, false}, {entry.KindI32, true}, {entry.KindF32, false}, {entry.KindF32, true}}

// PairedKinds is each kind of weights beside whose distances predecessors are kept.
var PairedKinds = append([]Weights{{entry.KindF64, false}, {entry.KindF64, true}}, EveryKind...)

// AllKinds is each kind of weights that there is.
var AllKinds = append([]Weights{{entry.KindU16, false}}, PairedKinds...)

// Weights are a kind of entry and whether some weights are negative.
type Weights struct {
	Kind     entry.Kind
	Negative bool
}
