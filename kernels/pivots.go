package kernels

// Pivoter is a device whose streams can run single-stage Floyd–Warshall (R. W. Floyd, Algorithm 97, 1962) in its
// memory: for each pivot k from lo to hi-1 in turn, one launch lowers every entry of a matrix of m×m tiles of edge t,
// given row-major, to D[i][k] + D[k][j] where that is less. The diagonal is 0: then a pivot's own row and column
// do not change while it is used.
//
// In a stream that keeps predecessors the tiles are of pairs: an entry that is lowered takes over the predecessor at (k,j).
type Pivoter interface {
	Pivots(s Stream, v Variant, t int, tiles []Tile, lo, hi int) error
}

// Differ is a device whose streams can compare: flag, one entry, becomes 1 if the first bytes of a and b differ, and
// is left as it is if they do not.
type Differ interface {
	Differ(s Stream, flag, a, b Tile, bytes int64) error
}
