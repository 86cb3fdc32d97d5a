package tree

import (
	"slices"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/internal/seeds"
	"ooc/kernels/entry"
)

// TestMaker compares the predecessors in rows of integers with those that the rule says: of all tight arcs that end in
// a vertex, those from where the fewest arcs lead, and of these that from the first row.
func TestMaker(t *testing.T) {
	r := seeds.New(t)
	for round := range 300 {
		n, least, most := 1+r.IntN(60), r.IntN(2), 1+r.IntN(3)
		if round%30 == 0 {
			n = 200 + r.IntN(500)
		}
		if r.IntN(2) == 0 {
			most = 1000 // few ties
		}
		b := graph.New(n, []graph.BuildOption{graph.Directed, graph.Undirected}[r.IntN(2)])
		for range r.IntN(6 * n) {
			b.Add(r.IntN(n), r.IntN(n), float64(least+r.IntN(most)))
		}
		g, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		search, back := graph.NewSearch(g), g.Reverse()
		m, err := NewMaker(g, back)
		if err != nil {
			t.Fatal(err)
		}
		for sources := range slices.Chunk(r.Perm(n)[:min(n, 60)], 1+r.IntN(AtOnce)) {
			var all []byte
			for _, source := range sources {
				all = g.Kind.Append(all, search.From(source))
			}
			rows := entry.View[int32](all)
			preds, _, wrong := m.Of(all, sources)
			for i, source := range sources {
				row := rows[i*n:][:n]
				if want := byRule(g, back, row, int32(source)); wrong >= 0 || !slices.Equal(preds[i], want) {
					t.Fatalf("from %d of %d, weights %d…%d: %v, not %v; wrong %d",
						source, n, least, least+most-1, preds[i], want, wrong)
				}
			}
			i := r.IntN(len(sources))
			far := slices.IndexFunc(rows[i*n:][:n], func(d int32) bool { return d > 0 && d < entry.Inf32 })
			if far >= 0 {
				rows[i*n+far] = 1 << 29
				if _, source, wrong := m.Of(all, sources); source != sources[i] || wrong < 0 {
					t.Fatalf("from %d to %d of %d: no arcs make the distance, and %d is wrong from %d",
						sources[i], far, n, wrong, source)
				}
			}
		}
	}
}

// byRule counts the fewest tight arcs to each vertex, one more at a time.
func byRule(g, back *graph.Graph, row []int32, source int32) []int32 {
	pred, hops := slices.Repeat([]int32{entry.NoVertex}, g.N), slices.Repeat([]int32{entry.NoVertex}, g.N)
	hops[source] = 0
	for length := range int32(g.N) {
		for v := range int32(g.N) {
			for k := back.Offsets[v]; k < back.Offsets[v+1] && (hops[v] < 0 || hops[v] == length+1); k++ {
				x := back.Targets[k]
				if hops[x] == length && row[x]+back.I32[k] == row[v] && (pred[v] < 0 || x < pred[v]) {
					pred[v], hops[v] = x, length+1
				}
			}
		}
	}
	return pred
}
