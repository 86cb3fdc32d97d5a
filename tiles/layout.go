package tiles

import (
	"sort"

	"ooc/kernels/entry"
)

// Layout names which tiles of a matrix its file holds, and where.
type Layout string

// The layouts.
const (
	Square  Layout = "square"  // all tiles
	Rows    Layout = "rows"    // those of the rows of chosen sources
	Factors Layout = "factors" // none: distances are found in another file, see FactorsPath
	// Upper: of a matrix that is its own transpose: tiles (i,j) with i ≤ j; tile (j,i) is the transpose of (i,j).
	Upper Layout = "upper"
)

// layout says how a layout orders tiles: row by row of tiles, and in each row those from the first stored column to
// the last. Nothing outside this file knows that order: another layout is one more value here, and a line in
// Geometry.Layout.
type layout struct {
	down  func(g Geometry) int                // rows of tiles
	first func(i int) int                     // the first stored column of a row of tiles
	start func(g Geometry, i int) int         // how many stored tiles are in the rows before
	shape func(g Geometry) (dimensions []int) // of the array of tiles in dist.npy
}

// whole has all tiles of the rows that there are.
var whole = layout{
	down:  rowsDown,
	first: func(int) int { return 0 },
	start: func(g Geometry, i int) int { return i * g.Side() },
	shape: func(g Geometry) []int { return []int{rowsDown(g), g.Side(), g.T, g.T} },
}

func rowsDown(g Geometry) int { return entry.CeilDiv(g.RowCount(), g.T) }

var layouts = map[Layout]layout{
	Square: whole,
	Rows:   whole,
	Factors: {
		down:  func(Geometry) int { return 0 },
		first: func(int) int { return 0 },
		start: func(Geometry, int) int { return 0 },
		shape: func(g Geometry) []int { return []int{0, g.Side(), g.T, g.T} },
	},
	Upper: {
		down:  Geometry.Side,
		first: func(i int) int { return i },
		start: func(g Geometry, i int) int { return i*g.Side() - i*(i-1)/2 },
		shape: func(g Geometry) []int { return []int{g.Side() * (g.Side() + 1) / 2, g.T, g.T} },
	},
}

// Known reports whether this program knows the layout.
func (l Layout) Known() bool { return layouts[l].down != nil }

// Layout returns the matrix's layout.
func (g Geometry) Layout() Layout {
	switch {
	case g.Factors:
		return Factors
	case g.Upper:
		return Upper
	case g.Rows > 0:
		return Rows
	}
	return Square
}

// Dimensions are those of the array in dist.npy.
func (g Geometry) Dimensions() []int { return g.layout().shape(g) }

func (g Geometry) layout() layout { return layouts[g.Layout()] }

// First returns the first column of row i of tiles that is stored; those right of it are, too.
func (g Geometry) First(i int) int { return g.layout().first(i) }

// Holds reports whether tile (i,j), which is one of the matrix, is stored.
func (g Geometry) Holds(i, j int) bool { return j >= g.First(i) }

// Stored returns the stored tile that has the entries of tile (i,j); transposed says that these are its transpose.
func (g Geometry) Stored(i, j int) (si, sj int, transposed bool) {
	if g.Holds(i, j) {
		return i, j, false
	}
	return j, i, true
}

// Index returns the place of a stored tile among the stored tiles, in the order of the file.
func (g Geometry) Index(i, j int) int {
	l := g.layout()
	return l.start(g, i) + j - l.first(i)
}

// TileAt returns the stored tile at a place. It undoes Index.
func (g Geometry) TileAt(index int) (i, j int) {
	l := g.layout()
	i = sort.Search(g.Down()-1, func(i int) bool { return l.start(g, i+1) > index })
	return i, index - l.start(g, i) + l.first(i)
}
