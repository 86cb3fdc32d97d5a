package graph

import (
	"fmt"
	"slices"

	"ooc/kernels/entry"
)

// FillTile writes tile (i, j) of the initial distance matrix, t×t little-endian entries of the graph's kind, row by
// row, into dst, which has room for just these: 0 on the diagonal, an arc's weight, else unreachable. Rows and
// columns from N on, which pad the last tiles, are isolated vertices. Several goroutines may fill different tiles.
// The error is nil: only what fills tiles from a file has one.
func (g *Graph) FillTile(dst []byte, t, i, j int) error {
	if len(dst) != g.Kind.Bytes()*t*t {
		panic(fmt.Sprintf("graph: FillTile of edge %d given %d bytes", t, len(dst)))
	}
	if t == 0 {
		return nil
	}
	g.Kind.Fill(dst, g.Kind.Unreachable())
	switch g.Kind {
	case entry.KindU16:
		placeArcs(g, entry.View[uint16](dst), g.I32, t, i, j,
			func(w int32) uint16 { return uint16(min(w, int32(entry.Inf16))) })
	case entry.KindF32:
		placeArcs(g, entry.View[float32](dst), g.F32, t, i, j, func(w float32) float32 { return w })
	case entry.KindF64:
		placeArcs(g, entry.View[float64](dst), g.F64, t, i, j, func(w float64) float64 { return w })
	default:
		placeArcs(g, entry.View[int32](dst), g.I32, t, i, j, func(w int32) int32 { return min(w, entry.Inf32) })
	}
	if i == j {
		for k := 0; k < t*t; k += t + 1 {
			g.Kind.Put(dst, k, 0)
		}
	}
	return nil
}

// placeArcs writes the arcs of tile (i, j). An integer weight of unreachable or more passes Check only where
// no shortest path uses the arc; stored caps it, so that no entry exceeds unreachable.
func placeArcs[E entry.Word, W weight](g *Graph, words []E, weights []W, t, i, j int, stored func(W) E) {
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
		at, _ := slices.BinarySearch(row, left)
		for k := at; k < len(row) && int64(row[k]) <= right; k++ {
			out[row[k]-left] = stored(weights[lo+int64(k)])
		}
	}
}
