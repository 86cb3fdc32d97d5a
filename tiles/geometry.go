package tiles

import (
	"fmt"
	"math"
)

// Limits that keep every size below 2⁶² and every index in an int32.
const (
	maxN         = math.MaxInt32 - 1<<16
	maxT         = 1 << 16
	tileGrain    = 64 // T is a multiple of this
	maxMatrixLen = int64(1) << 60
)

// Kind names the type of the matrix entries and of the arc weights.
type Kind string

// The kinds this version stores.
const (
	I32 Kind = "i32" // int32, unreachable is 0x3f3f3f3f
	F32 Kind = "f32" // IEEE 754 binary32, unreachable is +Inf
)

// Valid says whether this version can store the kind.
func (k Kind) Valid() bool { return k.EntryBytes() != 0 }

// EntryBytes is the size of one distance in bytes, 0 for an unknown kind.
func (k Kind) EntryBytes() int {
	switch k {
	case I32, F32:
		return 4
	}
	return 0
}

// descr is the kind as NumPy writes it (the array interface's typestr).
func (k Kind) descr() string {
	switch k {
	case I32:
		return "<i4"
	case F32:
		return "<f4"
	}
	return ""
}

// descr is the type of an entry as NumPy writes it: the kind's, or a structure
// of a distance and a predecessor.
func descr(k Kind, g Geometry) string {
	if g.EntryBytes == k.EntryBytes() {
		return "'" + k.descr() + "'"
	}
	return fmt.Sprintf("[('distance', '%s'), ('predecessor', '<i4')]", k.descr())
}

// PredecessorBytes is what a predecessor takes in an entry, behind the distance.
const PredecessorBytes = 4

// NoPredecessor is in the place of the predecessor where there is none: on the
// diagonal, and of what cannot be reached.
const NoPredecessor int32 = -1

// Geometry is the shape of a matrix: N vertices in tiles of edge T, each entry
// EntryBytes bytes: a distance, and in stores that keep predecessors one of
// these behind it. Rows, if it is not 0, says how many of the N rows there are.
type Geometry struct{ N, T, EntryBytes, Rows int }

// Side is the number of tiles across, ⌈N/T⌉, and down unless Rows is set.
func (g Geometry) Side() int { return (g.N + g.T - 1) / g.T }

// RowCount is the number of rows.
func (g Geometry) RowCount() int {
	if g.Rows > 0 {
		return g.Rows
	}
	return g.N
}

// Down is the number of tiles down.
func (g Geometry) Down() int { return (g.RowCount() + g.T - 1) / g.T }

// Tiles is the number of tiles.
func (g Geometry) Tiles() int { return g.Down() * g.Side() }

// TileBytes is the size of one tile in bytes.
func (g Geometry) TileBytes() int64 { return int64(g.T) * int64(g.T) * int64(g.EntryBytes) }

// MatrixBytes is the size of all tiles in bytes, padding included, the file's
// header not.
func (g Geometry) MatrixBytes() int64 {
	return int64(g.Down()) * int64(g.Side()) * g.TileBytes()
}

// TileOffset is where tile (i,j) starts in dist.npy, in bytes.
func (g Geometry) TileOffset(i, j int) int64 {
	return npyHeaderLen + (int64(i)*int64(g.Side())+int64(j))*g.TileBytes()
}

// fileBytes is the size of dist.npy.
func (g Geometry) fileBytes() int64 { return npyHeaderLen + g.MatrixBytes() }

// Validate says whether the shape is one this package can store: N in
// 1…2³¹-65537, T a multiple of 64 up to 65,536, entries of 2, 4 or 8 bytes,
// the matrix below 2⁶⁰ bytes.
func (g Geometry) Validate() error {
	switch {
	case g.N < 1 || g.N > maxN:
		return fmt.Errorf("n = %d is not in 1…%d", g.N, maxN)
	case g.Rows < 0 || g.Rows > g.N:
		return fmt.Errorf("%d rows are not in 1…%d", g.Rows, g.N)
	case g.T < tileGrain || g.T > maxT || g.T%tileGrain != 0:
		return fmt.Errorf("tile edge %d is not a multiple of %d in %d…%d", g.T, tileGrain, tileGrain, maxT)
	case g.EntryBytes != 2 && g.EntryBytes != 4 && g.EntryBytes != 8:
		return fmt.Errorf("entries of %d bytes are not supported", g.EntryBytes)
	}
	padded := int64(g.Side()) * int64(g.T) // < 2³², so the product of two may pass 2⁶³
	if padded > maxMatrixLen/int64(g.EntryBytes)/padded {
		return fmt.Errorf("a matrix of %d vertices passes %d bytes", g.N, maxMatrixLen)
	}
	return nil
}
