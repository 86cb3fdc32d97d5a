package kernels

import (
	"ooc/kernels/entry"
)

// VectorOps are the operations of a device on vectors in its memory, which have an entry for each vertex. Shortest
// paths from a few sources and minimum spanning trees need them. Like the methods of a stream, these only enqueue.
// Their variants are those of entry.Words.
type VectorOps interface {
	// Pull runs a step of Bellman–Ford. The caller orders the steps of a sweep whose blocks share a vertex: they run
	// one after another in the order of Block.Row. Other steps may run at the same time. All steps of a sweep write
	// the one Changed.
	Pull(s Stream, v entry.Variant, p Pull) error
	// Link runs a step of Borůvka's algorithm.
	Link(s Stream, v entry.Variant, l Link) error
	// Grow runs steps of Prim's algorithm.
	Grow(s Stream, g Grow) error
	// Least finds the least entry.
	Least(s Stream, l Least) error
}

// Block is a part of a graph's arcs in device memory: some or all of the arcs into the vertices Lo…Hi-1. If Edge is
// not 0 it is a piece of a matrix, otherwise compressed rows.
type Block struct {
	Lo, Hi int

	// Compressed rows, one for each vertex. The arcs into Lo+i, all of them, are those from Offsets[i] to
	// Offsets[i+1]-1 (int32). Ends (int32) are the vertices that they come from, ascending.
	Offsets, Ends, Weights Tile

	// A piece of the matrix of weights: an entry of the variant for each pair, unreachable if there is no arc. It has
	// the arcs from the Rows vertices from Row on, into the Edge vertices from Lo on, of which only Hi-Lo count. It
	// lies in Weights, row by row of Edge entries; with Transposed, column by column of Rows entries, so that the
	// arcs into a vertex are neighbours in memory.
	Edge, Row, Rows int
	Transposed      bool
}

// Pull is a step of Bellman–Ford over the arcs of a block. Each arc into a vertex offers the distance of the vertex
// that it comes from plus its weight. A vertex of the block takes the least offer if that is less than its distance,
// which is its entry of Dist if First is set, and otherwise of Next. Its entry of Next is written in both cases. If
// it takes an offer, its entry of Pred becomes the vertex that the arc comes from (of equal offers, the one with the
// lowest number), and Changed becomes 1. Nothing else is written; in particular Dist is not.
//
// So a sweep over all blocks is one (min,+) product of a vector and the matrix of weights. Its result is the same for
// all blocks, devices, groups and numbers of threads. With Count vectors it is the product of a matrix with Count
// rows.
type Pull struct {
	Block                     Block
	First                     bool
	Dist, Next, Pred, Changed Tile // vectors of all vertices, 4 bytes each; Changed is one entry
	// Group: threads that reduce one vertex's offers together, a power of two; 1: one thread a vertex.
	Group int
	Count int // of vectors; 0 is 1
	// Stride: bytes from a vector of Dist, of Next and of Pred to the next; their entries of Changed are neighbours.
	Stride int64
}

// Vector returns the Pull of one of the vectors.
func (p Pull) Vector(i int) Pull {
	for _, t := range []*Tile{&p.Dist, &p.Next, &p.Pred} {
		t.Off += int64(i) * p.Stride
	}
	p.Changed.Off += int64(i) * 4
	p.Count = 1
	return p
}

// MaxGroup is the largest Group.
const MaxGroup = 1024

// Link is a step of Borůvka's algorithm over the arcs of a block. For each vertex of the block it finds the lightest
// arc from another component; of equal ones, the one from the vertex with the lowest number. It replaces the vertex's
// entries of Light and Ends if it is lighter, or if First is set.
type Link struct {
	Block       Block
	First       bool
	Component   Tile // of each vertex, uint32
	Light, Ends Tile // of each vertex: the arc's weight, unreachable for none, and where it comes from, or NoVertex
}

// Grow is one or more steps of Prim's algorithm, on weights that are int32, below KeyNone, and in the order of the
// edges. A step takes the vertex that Least names: its old key goes to its entry of Tree, and its key becomes
// KeyTaken. Each neighbour that is not taken, and whose key is larger than the weight of the edge, takes that weight
// as its key and the vertex as its parent. Then Least becomes the least of all keys and the first vertex that has it:
// value and index, 4 bytes each.
type Grow struct {
	N, Steps               int
	Offsets, Ends, Weights Tile // all arcs in compressed rows, int32; Offsets has N+1 entries
	Keys, Parents, Tree    Tile // of each vertex, int32
	Least                  Tile // two entries
}

// Keys of Grow that are not weights: KeyNone is that of a vertex to which no edge leads yet, KeyTaken that of a
// vertex that is taken.
const (
	KeyNone  int32 = 1<<31 - 2
	KeyTaken int32 = 1<<31 - 1
)

// Least is a reduction. It writes the least of N int32 entries from Source on, and the first index that has it, to
// Result, two entries.
type Least struct {
	N              int
	Source, Result Tile
}
