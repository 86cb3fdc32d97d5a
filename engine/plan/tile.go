package plan

import (
	"cmp"

	"ooc/kernels/entry"
)

// leastSide is how many tiles a side a layout has at least where it can: one half of a matrix takes the whole tiles
// of the diagonal, too, which are 1 in 32 of it then. Small matrices take little disk all the same, but small tiles
// take a GPU ten times as long.
func leastSide(n int, upper bool) int {
	switch {
	case !upper:
		return 8
	case n < smallMatrix:
		return 12
	}
	return 32
}

// smallMatrix is how many vertices a matrix has whose size on disk matters less than time.
const smallMatrix = 8192

// Suits reports whether tiles of edge t are small enough for n vertices. The smallest always are.
func Suits(t, n int, upper bool) bool { return t <= 64 || t*leastSide(n, upper) <= n }

// DefaultTile returns the tile edge for n vertices when nothing else decides it.
func DefaultTile(n int, upper bool) int {
	for _, t := range []int{512, 256, 128} {
		if Suits(t, n, upper) {
			return t
		}
	}
	return 64
}

// RowTile returns the tile edge for rows that are written a row of tiles at a time, by several goroutines that
// each hold one, of n entries of a kind: that of the request, if it has one. "": a kind of 4 bytes.
func (r Request) RowTile(kind entry.Kind, n int, upper bool) int {
	if r.Tile > 0 {
		return r.Tile
	}
	const most = 64 << 20
	t := DefaultTile(cmp.Or(len(r.Sources), n), upper)
	l := Request{Kind: kind}
	for t > 64 && t*n*l.EntryBytes() > most {
		t /= 2
	}
	return t
}
