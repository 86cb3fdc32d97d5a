package graph

import (
	"context"
	"math"
)

// The following are for tests of the package, which are a package of their own.

func (g *Graph) FindNegativeCycle() []int32 {
	cycle, _ := g.negativeCycle(context.Background())
	return cycle
}

func (g *Graph) LongestPath() float64 {
	longest, _ := g.longestPath(context.Background(), math.Inf(1))
	return longest
}

func ComponentsOf(g *Graph) []int32 {
	c, _ := stronglyConnected(g, nil)
	return c.of
}
