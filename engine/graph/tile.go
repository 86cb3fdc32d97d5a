package graph

import (
	"fmt"
	"math"
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
	g.Kind.Fill(dst, g.Kind.Unreachable())
	switch g.Kind {
	case entry.KindU16:
		placeArcs(g, entry.View[uint16](dst), g.I32, int32(entry.Inf16), t, i, j)
	case entry.KindF32:
		placeArcs(g, entry.View[float32](dst), g.F32, entry.PosInf, t, i, j)
	case entry.KindF64:
		placeArcs(g, entry.View[float64](dst), g.F64, math.Inf(1), t, i, j)
	default:
		placeArcs(g, entry.View[int32](dst), g.I32, entry.Inf32, t, i, j)
	}
	return nil
}

// placeArcs writes the arcs of tile (i, j), and its diagonal. An integer weight of unreachable or more passes Check
// only where no shortest path uses the arc. None becomes more than most, which is unreachable.
func placeArcs[E entry.Word, W weight](g *Graph, words []E, weights []W, most W, t, i, j int) {
	top, left, right := i*t, j*t, min(j*t+t, g.N)
	for u := top; u < min(top+t, g.N) && left < right; u++ {
		k := g.Offsets[u]
		at, _ := slices.BinarySearch(g.Targets[k:g.Offsets[u+1]], int32(left))
		for k += int64(at); k < g.Offsets[u+1] && int(g.Targets[k]) < right; k++ {
			words[(u-top)*t+int(g.Targets[k])-left] = E(min(weights[k], most))
		}
	}
	for k := 0; i == j && k < len(words); k += t + 1 {
		words[k] = 0
	}
}
