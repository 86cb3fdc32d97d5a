package tiles

import "ooc/kernels/entry"

// Transpose fills dst with consecutive entries of a tile's transpose, from entry first on.
func (g *Geometry) Transpose(dst, tile []byte, first int) {
	switch g.EntryBytes {
	case 1:
		transpose(dst, tile, g.T, first)
	case 2:
		transpose(entry.View[uint16](dst), entry.View[uint16](tile), g.T, first)
	case 4:
		transpose(entry.View[uint32](dst), entry.View[uint32](tile), g.T, first)
	default:
		transpose(entry.View[uint64](dst), entry.View[uint64](tile), g.T, first)
	}
}

// Mirror makes a tile symmetric: what is below its diagonal becomes what is above.
func (g *Geometry) Mirror(tile []byte) {
	switch g.EntryBytes {
	case 1:
		mirror(tile, g.T)
	case 2:
		mirror(entry.View[uint16](tile), g.T)
	case 4:
		mirror(entry.View[uint32](tile), g.T)
	default:
		mirror(entry.View[uint64](tile), g.T)
	}
}

// patch is the edge of the squares in which tiles are transposed: lines of the cache that are read and written are
// used up before they are dropped.
const patch = 16

func transpose[E entry.Word](dst, tile []E, t, first int) {
	end := first + len(dst)
	for top := first / t; top*t < end; top += patch {
		for left := 0; left < t; left += patch {
			for r := top; r < top+patch && r*t < end; r++ {
				lo, hi := max(left, first-r*t), min(left+patch, end-r*t)
				for c := lo; c < hi; c++ {
					dst[r*t+c-first] = tile[c*t+r]
				}
			}
		}
	}
}

func mirror[E entry.Word](tile []E, t int) {
	for top := 0; top < t; top += patch {
		for left := 0; left <= top; left += patch {
			for r := top; r < top+patch; r++ {
				for c := left; c < min(left+patch, r); c++ {
					tile[r*t+c] = tile[c*t+r]
				}
			}
		}
	}
}
