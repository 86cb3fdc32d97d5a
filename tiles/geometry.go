package tiles

import (
	"fmt"
	"math"
	"slices"

	"ooc/kernels/entry"
)

// npyHeaderLen is how long the header of dist.npy is: where the first tile starts. NumPy accepts any length; one page
// keeps tiles page-aligned in the mapping.
const npyHeaderLen = 4096

// MaxT is the largest edge of a tile.
const MaxT = 1 << 16

// PredecessorBytes is what a predecessor takes in an entry, behind the distance.
const PredecessorBytes = 4

// Limits that keep every size below 2⁶² and every index in an int32.
const (
	maxN         = math.MaxInt32 - MaxT // vertices
	grain        = 64                   // T is a multiple of this
	maxMatrixLen = int64(1) << 60
)

// Geometry is the shape of a matrix: N vertices in tiles of edge T, each entry
// EntryBytes bytes: a distance, and in stores that keep predecessors one of
// these behind it. Rows, if it is not 0, says how many of the N rows there are.
// Upper says that the layout is Upper, for a matrix that is its own transpose,
// Factors that it is Factors, and no tile is stored.
type Geometry struct {
	N, T, EntryBytes, Rows int
	Upper, Factors         bool
}

// Side is the number of tiles across, ⌈N/T⌉, and down unless Rows is set.
func (g Geometry) Side() int { return entry.CeilDiv(g.N, g.T) }

// RowCount is the number of rows.
func (g Geometry) RowCount() int {
	if g.Rows > 0 {
		return g.Rows
	}
	return g.N
}

// Down is the number of tiles down, whether they are stored or not.
func (g Geometry) Down() int { return g.layout().down(g) }

// Tiles is the number of stored tiles.
func (g Geometry) Tiles() int { return g.layout().start(g, g.Down()) }

// TileBytes is the size of one tile in bytes.
func (g Geometry) TileBytes() int64 { return int64(g.T) * int64(g.T) * int64(g.EntryBytes) }

// MatrixBytes is the size of all stored tiles in bytes, padding included, the
// file's header not.
func (g Geometry) MatrixBytes() int64 {
	return int64(g.Tiles()) * g.TileBytes()
}

// TileOffset is where tile (i,j), which is stored, starts in dist.npy, in bytes.
func (g Geometry) TileOffset(i, j int) int64 {
	return npyHeaderLen + int64(g.Index(i, j))*g.TileBytes()
}

// Validate says whether the shape is one this package can store: N in
// 1…2³¹-65537, T a multiple of 64 up to 65,536, entries of 2, 4, 8 or 16 bytes,
// the matrix below 2⁶⁰ bytes.
func (g Geometry) Validate() error {
	switch {
	case g.N < 1 || g.N > maxN:
		return fmt.Errorf("n = %d is not in 1…%d", g.N, maxN)
	case g.Rows < 0 || g.Rows > g.N:
		return fmt.Errorf("%d rows are not in 1…%d", g.Rows, g.N)
	case (g.Upper || g.Factors) && g.Rows > 0:
		return fmt.Errorf("layout %s does not go with chosen rows", g.Layout())
	case g.T < grain || g.T > MaxT || g.T%grain != 0:
		return fmt.Errorf("tile edge %d is not a multiple of %d in %d…%d", g.T, grain, grain, MaxT)
	case !slices.Contains([]int{1, 2, 4, 8, 16}, g.EntryBytes):
		return fmt.Errorf("entries of %d bytes are not supported", g.EntryBytes)
	}
	padded := int64(g.Side()) * int64(g.T) // < 2³², so the product of two may pass 2⁶³
	if padded > maxMatrixLen/int64(g.EntryBytes)/padded {
		return fmt.Errorf("a matrix of %d vertices passes %d bytes", g.N, maxMatrixLen)
	}
	return nil
}
