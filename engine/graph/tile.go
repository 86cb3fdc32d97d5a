package graph

import (
	"fmt"
	"math"

	"ooc/kernels/entry"
)

// lowerBound returns the index of the first element of ascending a that is at least v.
func lowerBound(a []int32, v int32) int {
	lo, hi := 0, len(a)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if a[mid] < v {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// FillTile writes tile (i, j) of the initial distance matrix, T×T little-endian 4-byte entries row by
// row, into dst, which holds 4·t·t bytes: 0 on the diagonal, an arc's weight, else unreachable
// (Unreachable or +Inf). Rows and columns from N on, which pad the last tiles, are isolated vertices.
// Several goroutines may fill different tiles. The error is nil: only what fills tiles from a file has one.
func (g *Graph) FillTile(dst []byte, t, i, j int) error {
	if len(dst) != 4*t*t {
		panic(fmt.Sprintf("graph: FillTile of edge %d given %d bytes", t, len(dst)))
	}
	if t == 0 {
		return nil
	}
	words := entry.View[uint32](dst)
	entry.Fill(words, uint32(g.Kind.Unreachable()))
	if g.Kind == entry.KindI32 {
		placeArcs(g, words, g.I32, t, i, j, func(w int32) uint32 { return uint32(min(w, entry.Inf32)) })
	} else {
		placeArcs(g, words, g.F32, t, i, j, math.Float32bits)
	}
	if i == j {
		for k := 0; k < t*t; k += t + 1 {
			words[k] = 0
		}
	}
	return nil
}

// placeArcs writes the arcs of tile (i, j). An i32 weight of Unreachable or more passes Check only where
// no shortest path uses the arc; bits caps it, so that no entry exceeds Unreachable.
func placeArcs[W int32 | float32](g *Graph, words []uint32, weights []W, t, i, j int, bits func(W) uint32) {
	first := int64(j) * int64(t)
	if first >= int64(g.N) {
		return
	}
	left, right := int32(first), min(first+int64(t), int64(g.N))-1
	top := int64(i) * int64(t)
	bottom := min(top+int64(t), int64(g.N))
	for u := top; u < bottom; u++ {
		lo, hi := g.Offsets[u], g.Offsets[u+1]
		row := g.Targets[lo:hi]
		if len(row) == 0 || int64(row[len(row)-1]) < first || int64(row[0]) > right {
			continue
		}
		out := words[(u-top)*int64(t):][:t]
		for k := lowerBound(row, left); k < len(row) && int64(row[k]) <= right; k++ {
			out[row[k]-left] = bits(weights[lo+int64(k)])
		}
	}
}
