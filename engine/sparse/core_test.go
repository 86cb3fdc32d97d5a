package sparse

import (
	"slices"
	"testing"

	"ooc/engine/graph"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
)

// TestCloseCoreInTiles closes cores as several tiles, as it does those that are larger than a device's largest tile,
// and wants the distances of cores that are one tile.
func TestCloseCoreInTiles(t *testing.T) {
	r := fresh(t)
	d := openCPU(t, cpu.Options{})
	for _, kind := range []entry.Kind{entry.KindU16, entry.KindI32, entry.KindF32, entry.KindF64} {
		for range 5 {
			n := 400 + r.IntN(500)
			b := graph.New(n, graph.AsKind(kind), []graph.BuildOption{graph.Directed, graph.Undirected}[r.IntN(2)])
			for u := range n {
				for range r.IntN(5) {
					b.Add(u, r.IntN(n), float64(r.IntN(100))) // sums are exact in every kind
				}
			}
			g := build(t, b)
			e, err := mustOrder(t, g, OrderOptions{}).Eliminate(t.Context(), g, r.IntN(n/4))
			if err != nil {
				t.Fatal(err)
			}
			one, err := e.CloseCore(t.Context(), d, d, false)
			if err != nil {
				t.Fatal(err)
			}
			tiled, err := e.closeCore(t.Context(), d, d, 64, []int{64, 256, 512}[r.IntN(3)], false)
			if err != nil {
				t.Fatal(err)
			}
			words := e.Variant.WeightBytes() / entry.WordBytes
			for i := range one.Size {
				at := i * one.Pitch * words
				if !slices.Equal(tiled.Matrix[at:][:one.Size*words], one.Matrix[at:][:one.Size*words]) {
					t.Fatalf("%s: row %d of a core of %d differs in tiles", kind, i, one.Size)
				}
			}
		}
	}
}
