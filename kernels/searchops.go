package kernels

import "ooc/kernels/entry"

// SearchOps is the operation of a device that searches a graph from many sources at once, over arcs of weights that are
// not negative. Like the methods of a stream, it only enqueues.
type SearchOps interface {
	// LaneSearch goes some way on with a search. After that the first int32 of Memory is math.MaxInt32 if Lanes are
	// the distances from all sources; until then they are at least these.
	LaneSearch(s Stream, v entry.Variant, l LaneSearch) error
}

// LaneSearch is a search in device memory. Rows of lanes are vertices, and lanes the first Count of them sources; the
// other lanes are unreachable. The variant is not signed.
type LaneSearch struct {
	Lanes       Tile // Rows rows of Width entries, of any content before the search begins
	Width, Rows int  // Width is a multiple of DeviceLaneUnit
	Sources     Tile // the row of each source, int32
	Count       int
	// Pieces are the arcs into all rows, cut so that threads share those of one: four int32 for each piece, which are a
	// row, its first arc, the one after its last, and 1 if the row has other pieces, else 0. Arcs are Ends, int32, and
	// Weights, of which none is more than unreachable.
	Pieces, Ends, Weights Tile
	PieceCount, Arcs      int
	Near                  float64 // distances that are no farther apart are found together
	Memory                Tile    // 5 bytes for each row, and 1024
	Fresh                 bool    // the search begins
}
