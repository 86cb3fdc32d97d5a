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
	for range 300 {
		n, least, most := 1+r.IntN(60), r.IntN(2), 1+r.IntN(3)
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
		m := NewMaker(g, back)
		for source := range n {
			row := g.Kind.Append(nil, search.From(source))
			got, wrong := m.Of(row, source)
			if want := byRule(g, back, entry.View[int32](row), int32(source)); wrong >= 0 || !slices.Equal(got, want) {
				t.Fatalf("from %d of %d, weights %d…%d: %v, not %v; wrong %d", source, n, least, least+most-1, got, want, wrong)
			}
			far := slices.IndexFunc(entry.View[int32](row), func(d int32) bool { return d > 0 && d < entry.Inf32 })
			if far >= 0 {
				entry.View[int32](row)[far] = 1 << 29
				if _, wrong := m.Of(row, source); wrong < 0 {
					t.Fatalf("from %d to %d of %d: no arcs make the distance, and nothing is wrong", source, far, n)
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
