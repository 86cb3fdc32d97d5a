package kernels

import (
	"ooc/kernels/entry"
)

// VectorOps is what a device can do with vectors, which have an entry for each vertex, in its memory. Shortest paths
// from a few sources and least spanning trees need it. Like the methods of a stream, these only enqueue.
type VectorOps interface {
	// Pull runs a step of Bellman–Ford. Steps of one sweep whose blocks share a vertex follow one another, in the
	// order of Block.Row, which the caller sees to; others may run at the same time, and all of a sweep write the
	// one Changed.
	Pull(s Stream, v entry.Variant, p Pull) error
	// Link runs a step of Borůvka's algorithm.
	Link(s Stream, v entry.Variant, l Link) error
	// Grow runs steps of Prim's algorithm.
	Grow(s Stream, g Grow) error
	// Least finds the least entry.
	Least(s Stream, l Least) error
}

// Block is a part of a graph's arcs in device memory: some or all of those into the vertices Lo…Hi-1. It is
// a piece of a matrix where Edge is not 0, else compressed rows.
type Block struct {
	Lo, Hi int

	// Compressed rows, one a vertex: the arcs into Lo+i are those from Offsets[i] to Offsets[i+1]-1, int32
	// each, and there all of them; Ends, int32, are the vertices that they come from, ascending.
	Offsets, Ends, Weights Tile

	// A piece of the matrix of weights, an entry of the variant a pair, unreachable without an arc: from the
	// Rows vertices from Row on, into the Edge vertices from Lo on, of which Hi-Lo count. It lies in Weights, row
	// by row of Edge entries; Transposed, column by column of Rows entries, so that the arcs into a vertex are
	// neighbours in memory.
	Edge, Row, Rows int
	Transposed      bool
}

// Pull is a step of Bellman–Ford over the arcs of a block: each of its vertices takes the least that an arc
// into it offers, the distance of the arc's beginning plus the arc's weight, if that is less than what it has,
// which is its entry of Dist where First is set, else that of Next. Next is written in both cases. Where the
// vertex takes an offer, its entry of Pred becomes the arc's beginning, the least of those with equal offers, and
// Changed becomes 1. Nothing else is written, and Dist is not.
//
// So a sweep over all blocks is one (min,+) product of a vector and the matrix of weights, and its result is the
// same whatever the blocks, the device, the group and the number of threads. Several vectors, Count of them, make it
// one of a matrix with as many rows.
type Pull struct {
	Block                     Block
	First                     bool
	Dist, Next, Pred, Changed Tile  // vectors of all vertices, 4 bytes each; Changed is one entry
	Group                     int   // threads that reduce one vertex's offers together, a power of two; 1: one thread a vertex
	Count                     int   // of vectors; 0 is 1
	Stride                    int64 // bytes from a vector of Dist, of Next and of Pred to the next; their entries of Changed are neighbours
}

// Vector returns the pull of one of the vectors.
func (p Pull) Vector(i int) Pull {
	for _, t := range []*Tile{&p.Dist, &p.Next, &p.Pred} {
		t.Off += int64(i) * p.Stride
	}
	p.Changed.Off += int64(i) * entry.EntryBytes
	p.Count = 1
	return p
}

// MaxGroup is the largest Group.
const MaxGroup = 1024

// Link is a step of Borůvka's algorithm over the arcs of a block: of the arcs into each of its vertices from
// another component, the lightest, and of those equally light the one from the least vertex. It replaces what
// Light and Ends have for the vertex where it is lighter, or where First is set.
type Link struct {
	Block       Block
	First       bool
	Component   Tile // of each vertex, uint32
	Light, Ends Tile // of each vertex: the arc's weight, unreachable for none, and where it comes from, or NoVertex
}

// Grow is some steps of Prim's algorithm, one at least, on weights that are int32 and below KeyNone in the order of the edges. In each, the
// vertex that Least names is taken: its key becomes KeyTaken; and each of its neighbours that is not taken, and
// whose key is larger than the weight of the edge, takes that as its key and the vertex as its parent. Then
// Least becomes the least key of all and, of the vertices that have it, the first: value and index, 4 bytes each.
// The key that the vertex had goes to its entry of Tree.
type Grow struct {
	N, Steps               int
	Offsets, Ends, Weights Tile // all arcs in compressed rows, int32; Offsets has N+1 entries
	Keys, Parents, Tree    Tile // of each vertex, int32
	Least                  Tile // two entries
}

// The keys of Grow that are no weights: of a vertex that no edge leads to yet, and of one that is taken.
const (
	KeyNone  int32 = 1<<31 - 2
	KeyTaken int32 = 1<<31 - 1
)

// Least is a reduction: the least of N entries of int32 from Source on, of any number, and the first index of it,
// go to Result, two entries.
type Least struct {
	N              int
	Source, Result Tile
}
