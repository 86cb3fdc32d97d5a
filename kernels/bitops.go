package kernels

// BitOps are the operations of a device that searches a graph from many sources at once, over arcs of one length, with
// a bit for each source. Like the methods of a stream, they only enqueue.
type BitOps interface {
	// BitRoom is the bytes of Memory of such a search.
	BitRoom(b BitSearch) int64
	// BitStart begins a search.
	BitStart(s Stream, b BitSearch) error
	// BitLevels goes to the given number of levels from the first on, which is 1, or the one after those that it
	// went to before. Results are of these levels: for each an int32 of each lane, which is how many vertices are as
	// far from its source, and then an int32 of each lane, which is where the first of these is in Order, or -1.
	BitLevels(s Stream, b BitSearch, first, levels int, results Tile) error
	// BitRows writes the rows of the sources of a search, of which no level needs more planes than it has.
	BitRows(s Stream, b BitSearch, r BitRows) error
}

// BitLanes are the numbers of lanes that BitOps search with.
var BitLanes = []int{1024, 2048, 4096, 8192}

// BitSearch is a search in device memory. Its lanes are sources.
type BitSearch struct {
	Vertices, Arcs int
	Lanes          int  // one of BitLanes
	Offsets, Ends  Tile // arcs in compressed rows, int32: row v has the vertices from which arcs lead to v
	Order          Tile // all vertices, int32
	Sources        Tile // a vertex of each of the first Count lanes, int32
	Count          int
	Memory         Tile // BitRoom bytes, of any content before BitStart
	// Planes is how many bits of the level of each vertex and lane are kept, for BitRows: at most MostBitPlanes.
	Planes int
}

// MostBitPlanes is how many planes a BitSearch has at most.
const MostBitPlanes = 12

// BitRows is rows of tiles, the layout of a matrix on disk, that are made of the levels of a search. Entry (l,c) goes
// to row l%Edge and column c%Edge of tile (l/Edge, c/Edge). It is the one of Values at the level of vertex Columns[c]
// in lane l, that at 0 where there is no path or Columns[c] is -1, and 0 where that vertex is the source of the lane.
type BitRows struct {
	Dst               Tile
	Edge, Side, First int  // of a tile, a multiple of DeviceLaneUnit; tiles in a row of them; the first that is written
	Columns           Tile // Side·Edge, int32
	Values            Tile // 1<<Planes entries
	Size              int  // bytes of an entry: 1, 2, 4 or 8
}

// BitResults is the bytes of the results of so many levels.
func (b BitSearch) BitResults(levels int) int { return 2 * 4 * b.Lanes * levels }
