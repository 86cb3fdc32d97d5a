package enginetest

import (
	"math/rand/v2"
	"testing"

	"ooc/engine/graph"
	"ooc/kernels/entry"
)

// RandomGraph makes a graph of n vertices without negative cycles.
func RandomGraph(t testing.TB, r *rand.Rand, n int, kind entry.Kind, negative bool) *graph.Graph {
	t.Helper()
	return random(t, r, n, kind, negative, 2000, r.IntN(6*n+1), func() float64 { return weight(r, n, kind, !negative) })
}

// weight draws a weight so that no distance of n vertices passes what the kind holds: of floats often a fraction, if
// that may be.
func weight(r *rand.Rand, n int, kind entry.Kind, fraction bool) float64 {
	switch w := r.IntN(1000); {
	case kind == entry.KindU16:
		return float64(w % min(1000, 1+int(entry.Inf16)/n))
	case kind.Float() && fraction:
		return float64(w) + r.Float64()
	default:
		return float64(w)
	}
}

// ZeroLaden makes a graph full of cycles of length 0: of arcs of weight 0, and where negative is set of arcs of
// both signs that cancel out.
func ZeroLaden(t testing.TB, r *rand.Rand, n int, kind entry.Kind, negative bool) *graph.Graph {
	t.Helper()
	return random(t, r, n, kind, negative, 50, 1+r.IntN(4*n), func() float64 { return float64(r.IntN(3) * r.IntN(2)) })
}

// random makes a graph of so many random arcs. Negative ones come from potentials below highest:
// w + p(u) − p(v) changes no cycle's length.
func random(t testing.TB, r *rand.Rand, n int, kind entry.Kind, negative bool, highest, arcs int,
	weight func() float64) *graph.Graph {
	t.Helper()
	b := graph.New(n, graph.AsKind(kind))
	potential := make([]float64, n)
	for i := range potential {
		if negative {
			potential[i] = float64(r.IntN(highest))
		}
	}
	for range arcs {
		if u, v := r.IntN(n), r.IntN(n); u != v {
			b.Add(u, v, weight()+potential[u]-potential[v])
		}
	}
	return built(t, b)
}

// built ends the test where a graph cannot be built.
func built(t testing.TB, b *graph.Builder) *graph.Graph {
	t.Helper()
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

// SymmetricGraph makes a graph of n vertices in which every arc has its reverse: read as undirected, or directed and
// so by chance. It is often not connected.
func SymmetricGraph(t testing.TB, r *rand.Rand, n int, kind entry.Kind) *graph.Graph {
	t.Helper()
	options := []graph.BuildOption{graph.AsKind(kind)}
	undirected := r.IntN(2) == 0
	if undirected {
		options = append(options, graph.Undirected)
	}
	b := graph.New(n, options...)
	for range r.IntN(4*n + 1) {
		u, v, w := r.IntN(n), r.IntN(n), weight(r, n, kind, true)
		if u == v {
			continue
		}
		if b.Add(u, v, w); !undirected {
			b.Add(v, u, w)
		}
	}
	return built(t, b)
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
