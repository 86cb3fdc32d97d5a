package graph

// The following are for tests of the package, which are a package of their own.

func (g *Graph) FindNegativeCycle() []int32 { return g.negativeCycle() }

func (g *Graph) LongestPath() float64 { return g.longestPath() }

func ComponentsOf(g *Graph) []int32 { return stronglyConnected(g).of }
