package cpu

import (
	"unsafe"

	"ooc/kernels"
)

//go:generate go run ./gen -set pairs -path avx512 -pkg cpu -out pairs_avx512_amd64.s -stubs pairs_avx512_amd64.go
//go:generate go run ./gen -set pairs -path avx2 -pkg cpu -out pairs_avx2_amd64.s -stubs pairs_avx2_amd64.go

// pairDepth is maxDepth for pairs: a packed panel has twice the bytes.
const pairDepth = maxDepth / 2

// pairStripFunc is stripFunc for pairs, never fresh: an entry of C that a sum lowers takes the predecessor of B's
// entry in it, the first by k of several that are the same.
type pairStripFunc func(c, a, b, packed *byte, ldc, lda, ldb, k, rows int)

// pairPath is one implementation of the arithmetic of pairs, by variant.
type pairPath struct {
	strip  [4]pairStripFunc
	panel  int          // columns of a strip
	climb  [4]climbFunc // on climbs bytes of pairs: what is lowered takes over the predecessor beside src
	climbs int
	base   [4]func(d *byte) // Floyd–Warshall on a contiguous block of baseEdge² distances, the predecessors behind it
}

var _ kernels.Tracker = (*Device)(nil)

// NewTrackingStream starts a stream for tiles of pairs.
func (d *Device) NewTrackingStream() (kernels.Stream, error) {
	return d.newStream(pairPaths[d.path.name].arithmetic)
}

func (p *pairPath) arithmetic(v kernels.Variant) arithmetic {
	strip, base := p.strip[v], p.base[v]
	return arithmetic{
		entry: kernels.PairBytes, depth: pairDepth,
		relax: func(w *worker, c, a, b view, rows, cols, k, _ int) {
			for j := 0; j < cols; j += p.panel {
				strip(c.at(0, j).p, a.p, b.at(0, j).p, w.packed, c.ld, a.ld, b.ld, k, rows)
			}
		},
		smallest: func(w *worker, block view) { smallestPairs(w.block, block, base) },
		climb:    p.climb[v], climbs: p.climbs,
	}
}

// smallestPairs closes a block of baseEdge in a copy with distances and predecessors apart.
func smallestPairs(scratch *byte, block view, base func(d *byte)) {
	d := entries[int32](scratch, 2*baseEdge*baseEdge)
	p := d[baseEdge*baseEdge:]
	for i := range baseEdge {
		for j, x := range rowOfPairs(block, i) {
			d[i*baseEdge+j], p[i*baseEdge+j] = x[0], x[1]
		}
		// A walk back that was as short as none when the diagonal was not lowered yet gives way to none. A positive
		// float is a positive integer too.
		if at := i * (baseEdge + 1); d[at] >= 0 {
			d[at], p[at] = 0, kernels.NoPredecessor
		}
	}
	base(scratch)
	for i := range baseEdge {
		row := rowOfPairs(block, i)
		for j := range row {
			row[j] = [2]int32{d[i*baseEdge+j], p[i*baseEdge+j]}
		}
	}
}

func rowOfPairs(block view, i int) [][2]int32 {
	return unsafe.Slice((*[2]int32)(unsafe.Pointer(block.at(i, 0).p)), baseEdge)
}
