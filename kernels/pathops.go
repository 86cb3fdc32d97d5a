package kernels

// PathOps are the operations of a device that adds up betweenness from many sources at once, over arcs of one length
// (engine/between). Like the methods of a stream, they only enqueue.
type PathOps interface {
	// PathRoom is the bytes of Memory of such a search.
	PathRoom(p PathSearch) int64
	// PathSums searches, and adds up.
	PathSums(s Stream, p PathSearch) error
}

// PathSearch is a search in device memory. It has up to 64 lanes, one for each source. As many as a unit has are added
// up together, and have sums of their own.
//
// All floats are added up in one order, without fused operations. A vertex adds up what the vertices at its arcs have
// in a lane, in the order of arcs, by which it multiplies its count of paths there. A unit adds these products up in
// the order of lanes, at one level after another from the last to the first. So does each arc.
type PathSearch struct {
	Vertices, Arcs   int
	Offsets, Ends    Tile // arcs in compressed rows, int32: row v has the vertices to which arcs lead from v
	Into, From       Tile // the same arcs, int32: row v has the vertices from which arcs lead to v
	Ending           Tile // of each vertex, float64: 1 where paths end that count, else 0
	Sources          Tile // the vertex of each of the first Count lanes, all different, int32
	Count            int
	Unit             int // lanes: 8, 16, 32 or 64
	Levels           int // to which the search goes: a lane that has a vertex at that level fails
	Endpoints, Edges bool
	Memory           Tile // PathRoom bytes, of any content
	// Sums is a word of 64 bits, which has the lanes that have failed: those with 2⁵³ paths or more to some vertex,
	// too. Then for each unit, in float64, the sums of all vertices, and with Edges of all arcs, in the order of Ends.
	// Where a lane has failed, those of its unit mean nothing.
	//
	// A vertex has the dependency on it, not counting its own as a source, and an arc that on it. With Endpoints, a
	// vertex has 1 more of each other source that reaches it, and of its own the dependency, rounded to an integer.
	Sums Tile
}

// SumBytes is the bytes of Sums.
func (p PathSearch) SumBytes() int64 {
	each := int64(p.Vertices)
	if p.Edges {
		each += int64(p.Arcs)
	}
	return 8 + 8*each*int64(64/p.Unit)
}
