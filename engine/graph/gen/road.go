package gen

// roads are a perturbed grid: in each cell of a grid, roadCell long and wide, a vertex stands at a
// uniformly drawn place, and has roads to the vertices of the four cells beside it. Weights are straight
// lengths, rounded down, but 1 at least. A third of the arcs (undirected: edges) is removed, each set of
// them equally likely: from there on, some roads are one-way and some places cut off.
//
// Arcs are kept by selection sampling (D. E. Knuth, The Art of Computer Programming, volume 2, algorithm
// 3.4.2 S), which knows their number before the first is drawn.
func roads(o Options, d dice, out *output) {
	width := gridWidth(o.N)
	places := make([][2]int64, 2*width)              // of the row at hand and of the next, in turn
	drawn := int64(0)                                // rows
	left, wanted := gridArcs(o.N, o.Undirected), o.M // arcs not yet looked at, and how many of them are to be kept
	gridLinks(o.N, out, func(u, v int64) {
		for ; drawn <= u/width+1; drawn++ {
			for i := range width {
				at := &places[drawn%2*width+i]
				at[0] = i*roadCell + d.below(roadCell)
				at[1] = drawn*roadCell + d.below(roadCell)
			}
		}
		from, to := places[u%(2*width)], places[v%(2*width)]
		dx, dy := to[0]-from[0], to[1]-from[1]
		length := max(1, floorRoot(dx*dx+dy*dy))
		for range ways(o.Undirected) {
			if d.below(left) < wanted {
				wanted--
				out.arc(u, v, o.length(length))
			}
			left--
			u, v = v, u
		}
	})
}

const roadCell = 1000

// gridLinks calls do with the ends of each link of a grid: from each vertex to the next in its row, and to the one
// below. It stops soon after an error of out.
func gridLinks(n int64, out *output, do func(u, v int64)) {
	width := gridWidth(n)
	for u := int64(0); u < n && out.err == nil; u++ {
		if u%width != width-1 && u+1 < n {
			do(u, u+1)
		}
		if u+width < n {
			do(u, u+width)
		}
	}
}
