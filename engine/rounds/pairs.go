package rounds

import (
	"math"

	"ooc/engine/graph"
	"ooc/kernels/entry"
)

// pairs fills tiles of pairs of a matrix of some kind, as a store that keeps predecessors has them: the vertex before j
// on an arc from i is i.
type pairs struct {
	graph.Weights
	kind entry.Kind
}

// FillTile writes tile (i, j) of edge t into dst, t·t pairs.
func (w pairs) FillTile(dst []byte, t, i, j int) error {
	half := dst[len(dst)/2:] // the pairs, written from the front, do not overtake what is read of it
	if err := w.Weights.FillTile(half, t, i, j); err != nil {
		return err
	}
	if noPath := w.kind.Unreachable(); w.kind.Bytes() == 8 {
		pairUp(entry.View[uint64](dst), entry.View[uint64](half), noPath, t, i, j)
	} else {
		pairUp(entry.View[uint32](dst), entry.View[uint32](half), uint32(noPath), t, i, j)
	}
	return nil
}

// pairUp makes pairs of the distances of tile (i, j): words of their size, a distance and its predecessor in turn.
func pairUp[W uint32 | uint64](pairs, distances []W, noPath W, t, i, j int) {
	none := W(math.MaxUint32) // entry.NoVertex
	for r := range t {
		row, before := pairs[2*r*t:][:2*t], W(i*t+r)
		for k, d := range distances[r*t:][:t] {
			q := before
			if d == noPath {
				q = none
			}
			row[2*k], row[2*k+1] = d, q
		}
		if i == j {
			row[2*r+1] = none
		}
	}
}
