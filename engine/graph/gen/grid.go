package gen

// gridGraph joins each vertex to the next in its row and in its column.
var gridGraph = Kind{
	Name:  "grid",
	Title: "a square grid, filled row by row, neighbours joined both ways, weights 1…1000",
	Arcs:  gridArcs,
	arcs: func(o Options, emit emit) error {
		d, width := newDice(o.Seed), gridWidth(o.N)
		for u := range o.N {
			if u%width != width-1 && u+1 < o.N {
				if err := o.both(d, emit, u, u+1); err != nil {
					return err
				}
			}
			if u+width < o.N {
				if err := o.both(d, emit, u, u+width); err != nil {
					return err
				}
			}
		}
		return nil
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
