package path

import (
	"testing"

	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
)

// TestTrackedPaths compares paths by stored predecessors with a search.
func TestTrackedPaths(t *testing.T) {
	r := seeds.New(t)
	for _, k := range enginetest.PairedKinds {
		for range 4 {
			n := 2 + r.IntN(120)
			g := enginetest.HardGraph(t, r, n, k.Kind, k.Negative)
			p := enginetest.Tracked(t, r, g, 64)
			enginetest.Solve(t, p, enginetest.RandomShape(r, g.N, 64).Paired(g.Kind).Options(t))
			var pairs [][2]int
			for range 200 {
				pairs = append(pairs, [2]int{r.IntN(n), r.IntN(n)})
			}
			paths := walked(t, p, pairs)
			search := graph.NewSearch(g)
			for i, path := range paths {
				checkPath(t, g, path, pairs[i][0], pairs[i][1], search.From(pairs[i][0])[pairs[i][1]])
			}
		}
	}
}
