package kernels

import (
	"ooc/kernels/entry"
)

// LaneOps is what a device can do with a matrix of lanes in its memory, whose rows are vertices and whose columns, the
// lanes, are sources. The expansion of an elimination needs it, where HostLaneOps does not do the work in host
// memory. Like the methods of a stream, these only enqueue.
type LaneOps interface {
	Level(s Stream, v entry.Variant, l Level) error
	LaneProduct(s Stream, v entry.Variant, p LaneProduct) error
	LaneTranspose(s Stream, v entry.Variant, t LaneTranspose) error
	// Checksums sets entries from dst on to the CRC-32C (Castagnoli) of count blocks of memory that follow one another
	// from src on. Each has some bytes, a multiple of those of a tile of edge DeviceLaneUnit.
	Checksums(s Stream, dst, src Tile, bytes int64, count int) error
}

// DeviceLaneUnit is what the lanes of LaneOps, and the sides of their products, are a multiple of.
const DeviceLaneUnit = 64

// LevelRange is rows of a matrix of lanes, from Lo to Hi-1, none of which has an arc to another.
type LevelRange struct {
	Lo, Hi int32
	Degree int32 // the most arcs that one of them has: from this a device tells how many threads share a row
}

// Level is a pass over levels of rows of a matrix of lanes in device memory: each row of a range becomes, lane by
// lane, the least that its arcs offer, the entry of the row at the arc's end plus the arc's weight, and of what it
// held before, unless Fresh is set. Ranges are taken in turn. Arcs lead to rows that no range of the pass holds,
// or an earlier one.
//
// Where Sources is set, an entry whose row its lane's source is becomes 0 in place of all that.
type Level struct {
	Lanes                  Tile // rows of Width entries
	Width                  int  // a multiple of DeviceLaneUnit
	Offsets, Ends, Weights Tile // arcs in compressed rows, by row, as in Arcs: int32, int32 and entries
	Sources                Tile // of each lane, int32: a row, or -1; the zero Tile: there are none
	Fresh                  bool
	Ranges                 []LevelRange
}

// LaneProduct is the (min,+) product of a matrix of weights and rows of lanes: row i of Dst becomes the least of
// the rows k of Src plus entry (i,k) of Weights. Dst is neither of the others.
type LaneProduct struct {
	Dst, Src Tile // Edge rows of Width entries
	Width    int  // a multiple of DeviceLaneUnit
	Weights  Tile // Edge×Edge entries
	Edge     int  // a multiple of DeviceLaneUnit
}

// LaneTranspose transposes rows of lanes to rows of tiles, as a matrix on disk has them: entry (l,c), which is in lane l of
// row Columns[c], or unreachable if that is -1, goes to row l%Edge and column c%Edge of tile (l/Edge, c/Edge).
// Tiles follow one another row by row.
//
// Where Sources is set, an entry becomes 0 whose row is its lane's source.
type LaneTranspose struct {
	Dst     Tile
	Edge    int // of a tile, a multiple of DeviceLaneUnit
	Side    int // tiles in a row of them
	Lanes   Tile
	Width   int  // lanes, a multiple of Edge
	Columns Tile // Side·Edge, int32
	Sources Tile // of each lane, int32: a row, or -1; the zero Tile: there are none
}
