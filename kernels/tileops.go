package kernels

import (
	"ooc/kernels/entry"
)

// TileOps are the operations of a device on tiles beyond Closure and MinPlus. They are needed by solves that keep
// predecessors or one half of a symmetric matrix, by single-stage and squaring Floyd–Warshall, and to show a solve's
// rate as a fraction of what is possible.
type TileOps interface {
	// NewTrackingStream is NewStream, but the tiles of Closure and MinPlus are of pairs, entries of Kind.PairBytes
	// bytes of the variants in entry.Paired: the predecessor in entry (i,j) is the vertex before j on the walk whose
	// length its distance is (B. D. Lund and J. W. Smith, A multi-stage CUDA kernel for Floyd-Warshall, arXiv
	// 1001.4108). What is behind the predecessor is 0 in results where it is in operands. Buffers, copies and events
	// are those of every stream; streams of both sorts may be used side by side.
	//
	// Distances become what they become in a stream without predecessors, bit by bit but for closures of floats,
	// which may add in another order. An entry whose distance is lowered takes over the predecessor of the entry
	// of B that it was lowered with, at (k,j). Of several k with which it becomes the same, the device takes
	// whichever it likes, but with the same operands always the same. An entry whose distance is not lowered keeps
	// its predecessor: a distance that is met again does not count.
	//
	// An entry is NoPredecessor where it is unreachable, and on the diagonal of the whole matrix, where it stands
	// for the walk without arcs. A sum with such a walk must not lower anything, because it has no last arc to
	// tell of: where C is not part of A or B, a fresh product begins as if C held Before, the operand
	// in whose place C comes. After a closure, an entry of the pivot's diagonal that is not below 0 is
	// NoPredecessor.
	NewTrackingStream() (Stream, error)
	// Pivots runs single-stage Floyd–Warshall (R. W. Floyd, Algorithm 97, 1962) on a matrix of m×m tiles of edge t,
	// given row-major. For each pivot k from lo to hi-1 in turn, one launch lowers every entry to D[i][k] + D[k][j]
	// if that is less. The diagonal is 0, so a pivot's own row and column do not change while they are used.
	//
	// In a stream that keeps predecessors, the tiles are of pairs. An entry that is lowered takes over the
	// predecessor at (k,j).
	Pivots(s Stream, v entry.Variant, t int, tiles []Tile, lo, hi int) error
	// Differ compares the first bytes of a and b. If they differ, flag, one entry, becomes 1; otherwise it does not
	// change.
	Differ(s Stream, flag, a, b Tile, bytes int64) error
	// TransposeTile makes dst the transpose of src, tiles of edge t. They are different tiles.
	TransposeTile(s Stream, v entry.Variant, t int, dst, src Tile) error
	// Ceiling returns the highest rate that the device's arithmetic units can reach, in relaxations per second over
	// all of them, measured with operands in registers or derived from the clock; 0 if it is not known.
	Ceiling(v entry.Variant) float64
}
