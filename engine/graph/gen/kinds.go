package gen

// Kinds lists the generators.
var Kinds = []generator{
	// The model of GTgraph's random generator with a given number of arcs. The same arc may be drawn twice; reading
	// merges the two.
	{
		Name:  "random",
		Title: "M arcs between uniformly drawn vertices, weights 1…1000",
		arc: func(o Options, d dice, _ int64) (from, to int64) {
			from, to = d.below(o.N), d.below(o.N-1)
			if to >= from { // from itself is left out
				to++
			}
			return from, to
		},
	},
	{
		Name:  "rmat",
		Title: "M arcs by the recursive matrix model (R-MAT) with a, b, c = 0.57, 0.19, 0.19, weights 1…1000",
		arc:   func(o Options, d dice, _ int64) (from, to int64) { return d.rmatArc(o.N) },
	},
	{
		Name:  "powerlaw",
		Title: "M arcs by preferential attachment (Barabási and Albert), weights 1…1000",
		arc:   powerLawArc,
	},
	// A ring of vertices, each with links to the next ones, of which one in ten leads to any vertex instead. The same
	// link may be drawn twice; reading merges the two. D. J. Watts and S. H. Strogatz, Collective dynamics of
	// "small-world" networks, 1998.
	{
		Name:  "smallworld",
		Title: "M arcs of a ring to the next vertices, one in ten to any (Watts and Strogatz), weights 1…1000",
		arc: func(o Options, d dice, link int64) (from, to int64) {
			step := link / o.N % (o.N - 1)
			if d.below(10) == 0 {
				step = d.below(o.N - 1)
			}
			from = link % o.N
			return from, (from + 1 + step) % o.N
		},
	},
	{
		Name:  "neighbours",
		Title: "uniformly drawn points in 3 dimensions, each with M/N arcs to its nearest, weights are lengths",
		arcs:  neighbours,
	},
	{
		Name:  "grid",
		Title: "a square grid, filled row by row, neighbours joined both ways, weights 1…1000",
		Arcs:  gridArcs,
		arcs: func(o Options, d dice, out *output) {
			gridLinks(o.N, out, func(u, v int64) { o.both(d, out, u, v) })
		},
	},
	{
		Name: "road",
		Title: "a grid of perturbed places, neighbours joined both ways, a third of the arcs removed, weights are " +
			"lengths",
		Arcs: func(n int64, undirected bool) int64 {
			all := gridArcs(n, undirected)
			return all - all/3
		},
		arcs: roads,
	},
	{
		Name:  "ring",
		Title: "each vertex to the next, the last to the first, weights 1…1000",
		Arcs: func(n int64, undirected bool) int64 {
			if n == 1 || n == 2 && undirected { // no self-loop, and no second edge between two
				return n - 1
			}
			return n
		},
		arc: func(o Options, _ dice, i int64) (from, to int64) { return i, (i + 1) % o.N },
	},
	{
		Name:  "star",
		Title: "the first vertex to every other, weights 1…1000",
		Arcs:  func(n int64, _ bool) int64 { return n - 1 },
		arc:   func(_ Options, _ dice, i int64) (from, to int64) { return 0, i + 1 },
	},
	// Every vertex but the root has an arc from a uniformly drawn earlier one. The depth grows with the logarithm of n.
	{
		Name:  "tree",
		Title: "a random recursive tree, parents to children, weights 1…1000",
		Arcs:  func(n int64, _ bool) int64 { return n - 1 },
		arc:   func(_ Options, d dice, i int64) (from, to int64) { return d.below(i + 1), i + 1 },
	},
	{
		Name:  "complete",
		Title: "every two vertices joined both ways, weights 1…1000",
		Arcs:  func(n int64, undirected bool) int64 { return ways(undirected) * (n * (n - 1) / 2) },
		arcs: func(o Options, d dice, out *output) {
			for u := range o.N {
				for v := u + 1; v < o.N && out.err == nil; v++ {
					o.both(d, out, u, v)
				}
			}
		},
	},
}

// gridWidth returns ⌈√n⌉, the columns of the squarest grid of n vertices whose last row may be short.
func gridWidth(n int64) int64 { return floorRoot(n-1) + 1 }

// floorRoot returns ⌊√x⌋ for 0 ≤ x < 2⁶², bit by bit.
func floorRoot(x int64) int64 {
	root := int64(0)
	for bit := int64(1) << 30; bit > 0; bit /= 2 {
		if next := root + bit; next*next <= x {
			root = next
		}
	}
	return root
}

func gridArcs(n int64, undirected bool) int64 {
	width := gridWidth(n)
	rows := (n + width - 1) / width
	return ways(undirected) * ((n - rows) + (n - width))
}
