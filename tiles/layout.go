package tiles

// layout says which tiles of a matrix its file holds, and where. Nothing outside this file knows their order: another
// layout is one more value here, and a line in knownLayout and Geometry.layout.
type layout struct {
	name  string                              // in store.json
	down  func(g Geometry) int                // rows of tiles
	tiles func(g Geometry) int                // stored tiles
	index func(g Geometry, i, j int) int64    // the place of tile (i,j) among them
	shape func(g Geometry) (dimensions []int) // of the array of tiles in dist.npy
}

var (
	// square holds all tiles, row by row.
	square = layout{
		name:  "square",
		down:  Geometry.Side,
		tiles: func(g Geometry) int { return g.Side() * g.Side() },
		index: rowByRow,
		shape: func(g Geometry) []int { return []int{g.Side(), g.Side(), g.T, g.T} },
	}
	// someRows holds the tiles of the rows of chosen sources, row by row.
	someRows = layout{
		name:  "rows",
		down:  downRows,
		tiles: func(g Geometry) int { return downRows(g) * g.Side() },
		index: rowByRow,
		shape: func(g Geometry) []int { return []int{downRows(g), g.Side(), g.T, g.T} },
	}
)

func downRows(g Geometry) int { return (g.Rows + g.T - 1) / g.T }

func rowByRow(g Geometry, i, j int) int64 { return int64(i)*int64(g.Side()) + int64(j) }

func knownLayout(name string) bool { return name == square.name || name == someRows.name }

// layout returns the matrix's layout.
func (g Geometry) layout() *layout {
	if g.Rows > 0 {
		return &someRows
	}
	return &square
}
