package enginetest

import (
	"math/rand/v2"
	"testing"

	"ooc/engine/graph"
	"ooc/kernels/entry"
)

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
		u, v, w := r.IntN(n), r.IntN(n), float64(r.IntN(1000))
		switch {
		case kind == entry.KindU16: // so that no distance passes it
			w = float64(r.IntN(min(1000, 1+int(entry.Inf16)/n)))
		case kind.Float():
			w += r.Float64()
		}
		if u == v {
			continue
		}
		if b.Add(u, v, w); !undirected {
			b.Add(v, u, w)
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}
