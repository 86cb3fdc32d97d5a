package kernels

// PairBytes is the size of an entry that is a pair: 4 bytes of distance, as the variant has it, and behind
// them the predecessor, an int32.
const PairBytes = 8

// NoPredecessor is the predecessor of an entry that has none: one that is unreachable, or stands for the walk
// without arcs from a vertex to itself.
const NoPredecessor int32 = -1

// Tracker is a device that also keeps predecessors, as the multi-stage method of B. D. Lund and J. W. Smith
// does ("A multi-stage CUDA kernel for Floyd-Warshall", arXiv 1001.4108): the predecessor in entry (i,j) is the
// vertex before j on the walk whose length its distance is.
type Tracker interface {
	// NewTrackingStream is NewStream, but the tiles of Closure and MinPlus have entries of PairBytes bytes.
	// Buffers, copies and events are those of every stream; streams of both sorts may be used side by side.
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
}
