package kernels

import (
	"unsafe"

	"ooc/kernels/entry"
)

// LaneOps are the operations of a device on a matrix of lanes in its memory. Rows are vertices; columns, the lanes, are
// sources. The expansion of an elimination on the device needs them; with HostLaneOps, it runs in host memory. Like the
// methods of a stream, these only enqueue.
type LaneOps interface {
	Level(s Stream, v entry.Variant, l Level) error
	LaneProduct(s Stream, v entry.Variant, p LaneProduct) error
	LaneBlocks(s Stream, v entry.Variant, b LaneBlocks) error
	LaneTranspose(s Stream, v entry.Variant, t LaneTranspose) error
	LaneSums(s Stream, v entry.Variant, l LaneSums) error
	ArcProduct(s Stream, v entry.Variant, p ArcProduct) error
	// Checksums sets count entries from dst on to the CRC-32C (Castagnoli) of count consecutive blocks of memory from
	// src on. Each block has the given number of bytes, a multiple of the size of a tile of edge DeviceLaneUnit.
	Checksums(s Stream, dst, src Tile, bytes int64, count int) error
}

// DeviceLaneUnit divides the number of lanes of LaneOps and the edges of their products.
const DeviceLaneUnit = 64

// MostLanes is how many lanes an operation of LaneOps takes at most.
const MostLanes = 1 << 20

// LevelRange is the rows Lo to Hi-1 of a matrix of lanes. None of them has an arc to another.
type LevelRange struct {
	Lo, Hi int32
	Degree int32 // the most arcs that one of them has: from this a device tells how many threads share a row
}

// Level is a pass over levels of rows of a matrix of lanes in device memory. Each row of a range becomes, lane by
// lane, the minimum over its arcs of the row at the arc's end plus the arc's weight. Unless Fresh is set, its old
// content takes part in the minimum. Ranges are taken in turn. Arcs lead to rows of earlier ranges, or of no range of
// the pass.
//
// If Sources is set, the entry of a lane in its source's row becomes 0 instead.
type Level struct {
	Lanes                  Tile // rows of Width entries
	Width                  int  // a multiple of DeviceLaneUnit
	Offsets, Ends, Weights Tile // arcs in compressed rows, by row, as in Arcs: int32, int32 and weights
	Sources                Tile // of each lane, int32: a row, or -1; the zero Tile: there are none
	Fresh                  bool
	Ranges                 []LevelRange
}

// LaneProduct is the (min,+) product of a matrix of weights and rows of lanes: row i of Dst becomes the minimum over
// k of row k of Src plus entry (i,k) of Weights. Dst is neither Src nor Weights.
type LaneProduct struct {
	Dst, Src Tile // Edge rows of Width entries
	Width    int  // a multiple of DeviceLaneUnit
	Weights  Tile // Edge×Edge entries
	Edge     int  // a multiple of DeviceLaneUnit
}

// LaneBlock is rows of lanes that are computed from the same other rows, its terms. Row Row+i becomes, lane by lane,
// the minimum over the terms of the term's row plus weight Shift·LaneWeightUnit+i of the term.
type LaneBlock struct {
	Row, Rows    int32
	First, Terms int32 // in the list of terms
	Shift        int32
}

// LaneTerm is a row of lanes, and where its weights begin in Weights, in units of LaneWeightUnit entries.
type LaneTerm struct{ Row, Weights int32 }

// LaneWeightUnit divides the entries before the weights of a LaneTerm.
const LaneWeightUnit = 16

// LaneSlack is how many entries LaneBlocks may read beyond the last weight.
const LaneSlack = 32

// LaneBlocks is the (min,+) products of blocks of rows of a matrix of lanes in device memory. Unless Fresh is set,
// the old content of a row takes part in the minimum. No row of a block is in another, or is a term of any.
type LaneBlocks struct {
	Lanes   Tile // rows of Width entries
	Width   int  // a multiple of DeviceLaneUnit
	Blocks  Tile // Count times a LaneBlock
	Count   int
	Terms   Tile // of LaneTerm
	Weights Tile // entries, and LaneSlack more, which are read and not used
	Fresh   bool
}

// LaneTranspose transposes rows of lanes to rows of tiles, the layout of a matrix on disk. Entry (l,c) goes to row
// l%Edge and column c%Edge of tile (l/Edge, c/Edge). It is lane l of row Columns[c], or unreachable if that is -1.
// Tiles are stored row by row.
//
// If Sources is set, an entry from its lane's source row becomes 0.
type LaneTranspose struct {
	Dst     Tile
	Edge    int // of a tile, a multiple of DeviceLaneUnit
	Side    int // tiles in a row of them
	Lanes   Tile
	Width   int  // lanes, a multiple of Edge; if Side is 1, of DeviceLaneUnit
	Columns Tile // Side·Edge, int32
	Sources Tile // of each lane, int32: a row, or -1; the zero Tile: there are none
}

// LaneSum is what there is of some entries.
type LaneSum struct {
	Sum      uint64  // of the reachable ones: the bits of an int64, in floating kinds of a float64
	Inverse  float64 // the sum of 1/d over positive ones
	Top      uint64  // the bits of the greatest of those above 0, as the kind's Wide has them, or 0
	Farthest int32   // the least name of a row that has it; -1 where no entry is positive
	Missing  int32   // how many are unreachable
}

// LaneSumBytes is the size of a LaneSum.
const LaneSumBytes = int(unsafe.Sizeof(LaneSum{}))

// LaneSumsIn returns the sums in memory, which is aligned to 8 bytes.
func LaneSumsIn(memory []byte) []LaneSum {
	return unsafe.Slice((*LaneSum)(unsafe.Pointer(unsafe.SliceData(memory))), len(memory)/LaneSumBytes)
}

// LaneSumRows is how many rows of lanes are added up before their sums are.
const LaneSumRows = 1024

// LaneSums adds up rows of lanes: for each lane the entries of all rows, and for each row those of its first Count
// lanes.
type LaneSums struct {
	Lanes  Tile // Rows rows of Width entries
	Width  int  // a multiple of DeviceLaneUnit
	Rows   int
	Names  Tile // of each row, int32
	ByLane Tile // room for Width times a LaneSum, which are the result, and for as many more for every LaneSumRows rows
	ByRow  Tile // room for a LaneSum of each row, without Top and Farthest; the zero Tile: these are not wanted
	Count  int
}

// ArcProduct is the (min,+) product of two lists of arcs, as a matrix. Entry (i, j) of Dst becomes the minimum over the
// arcs of row i of the arc's weight plus that of the arc to j of the second list's row at the arc's end. Unless Fresh
// is set, its old content takes part in the minimum; then it begins as unreachable, and as 0 on the diagonal.
//
// Of a row of the second list no two ends are equal. Those from Edge on come last, and do not count.
type ArcProduct struct {
	Dst                       Tile // Edge×Edge entries
	Edge                      int  // a multiple of DeviceLaneUnit
	Offsets, Ends, Weights    Tile // Edge rows of arcs, as in Level
	Offsets2, Ends2, Weights2 Tile // the second list
	Fresh                     bool
}
