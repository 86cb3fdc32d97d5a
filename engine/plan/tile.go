package plan

import "ooc/kernels/entry"

// DefaultTile returns the tile edge for n vertices when nothing else decides it.
func DefaultTile(n int) int {
	for _, t := range []int{512, 256, 128} {
		if n >= 8*t {
			return t
		}
	}
	return 64
}

// RowTile returns the tile edge for rows that are written a row of tiles at a time, by several goroutines that
// each hold one.
func RowTile(rows, n int) int {
	const most = 64 << 20
	t := DefaultTile(rows)
	for t > 64 && t*n*entry.EntryBytes > most {
		t /= 2
	}
	return t
}
