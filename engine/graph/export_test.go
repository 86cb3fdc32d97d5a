package graph

import (
	"context"
	"math"
)

// The following are for tests of the package, which are a package of their own.

// LongestPath is the bound by paths of the fewest arcs, or by shortest paths.
func (g *Graph) LongestPath(fewest bool) float64 {
	enough := 0.0 // which nothing is below
	if fewest {
		enough = math.Inf(1)
	}
	longest, _ := g.longestPath(context.Background(), enough)
	return longest
}

func ComponentsOf(g *Graph) []int32 {
	c, _ := stronglyConnected(g, nil)
	return c.of
}

// SetPackers fixes how many goroutines pack arcs, and returns what undoes that.
func SetPackers(count int) (undo func()) {
	was := packing
	packing = func() int { return count }
	return func() { packing = was }
}
