package graph_test

import (
	"slices"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/arcs"
	"ooc/engine/graph/internal/graphtest"
	"ooc/engine/graph/internal/number"
	"ooc/engine/internal/seeds"
	"ooc/kernels/entry"
)

// TestPackers has several goroutines pack arcs, and wants the graph that one makes of them.
func TestPackers(t *testing.T) {
	r := seeds.New(t)
	for range 50 {
		n, undirected := 2+r.IntN(2000), r.IntN(2) == 0
		var all []arcs.Arc
		for range r.IntN(3 * n) {
			if from, to := int32(r.IntN(n)), int32(r.IntN(n)); from != to {
				all = append(all, arcs.Arc{From: from, To: to, Word: r.Uint32N(1000)})
			}
		}
		of := func(packers int) string {
			defer graph.SetPackers(packers)()
			w, err := number.NewWeighing(entry.KindI32, 1)
			if err != nil {
				t.Fatal(err)
			}
			in, renumber := &graph.Intake{N: n, Weigh: w, Undirected: undirected}, r.IntN(2) == 0
			if renumber { // then it is not known before
				in.N, in.Signed = 0, true
			}
			var recs []arcs.Arc
			for left := slices.Clone(all); len(left) > 0; {
				some := min(len(left), 1+r.IntN(100))
				recs, left = in.Add(append(recs, left[:some]...)), left[some:]
			}
			if renumber {
				in.Renumber(n, func(v int32) int32 { return v })
			}
			g, err := in.Graph(graph.IDs{})
			if err != nil {
				t.Fatal(err)
			}
			return graphtest.ArcsOf(g)
		}
		want := of(1)
		for packers := 2; packers <= 4; packers++ {
			if got := of(packers); got != want {
				t.Fatalf("%d packers: %d arcs between %d vertices are other ones", packers, len(all), n)
			}
		}
	}
}
