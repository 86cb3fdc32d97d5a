package graph

import (
	"math"

	"ooc/kernels/entry"
)

// NewPairs returns what fills tiles of pairs of a matrix of some kind, as a store that keeps predecessors has them.
func NewPairs(w Weights, kind entry.Kind) Weights { return pairs{w, uint32(kind.Unreachable())} }

// pairs fills tiles of pairs: the vertex before j on an arc from i is i.
type pairs struct {
	Weights
	noPath uint32
}

// FillTile writes tile (i, j) of edge t into dst, 8·t·t bytes.
func (w pairs) FillTile(dst []byte, t, i, j int) error {
	half := dst[len(dst)/2:] // the pairs, written from the front, do not overtake what is read of it
	if err := w.Weights.FillTile(half, t, i, j); err != nil {
		return err
	}
	// An entry is a word whose lower half is the distance, on every platform that there is a release for.
	pairs := entry.View[uint64](dst)
	distances := entry.View[uint32](half)
	for r := range t {
		w.pairRow(pairs[r*t:][:t], distances[r*t:][:t], int32(i*t+r))
	}
	if i == j {
		for k := 0; k < t*t; k += t + 1 {
			pairs[k] |= withoutArcs
		}
	}
	return nil
}

// withoutArcs is entry.NoVertex, -1, in an entry that is a pair.
const withoutArcs = uint64(math.MaxUint32) << 32

// pairRow makes pairs of the distances of a row, which begin at a vertex.
func (w pairs) pairRow(pairs []uint64, distances []uint32, vertex int32) {
	before, none := uint64(vertex)<<32, withoutArcs
	pairs = pairs[:len(distances)]
	for k, bits := range distances {
		q := before
		if bits == w.noPath {
			q = none
		}
		pairs[k] = q | uint64(bits)
	}
}
