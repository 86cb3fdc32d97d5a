package cpu

import (
	"fmt"
	"unsafe"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// NewTrackingStream starts a stream for tiles of pairs.
func (d *Device) NewTrackingStream() (kernels.Stream, error) {
	return d.newStream(d.path.pairs)
}

// pairs is the arithmetic of tiles with predecessors.
func (p *path) pairs(v entry.Variant) (arithmetic, error) {
	if v >= words {
		return arithmetic{}, fmt.Errorf("no variant %d with predecessors", v)
	}
	strip, base := p.pairStrip[v], p.pairBase[v]
	return arithmetic{
		entryBytes: entry.PairBytes, pairs: true, depth: wideDepth,
		relax: func(w *worker, c, a, b view, rows, cols, k, _ int) {
			for j := 0; j < cols; j += p.pairPanel {
				strip(c.at(0, j).p, a.p, b.at(0, j).p, w.packed, c.ld, a.ld, b.ld, k, rows)
			}
		},
		smallest: func(w *worker, block view) { smallestPairs(w.block, block, base) },
		climb:    p.pairClimb[v], climbBytes: p.pairClimbBytes,
	}, nil
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
			d[at], p[at] = 0, entry.NoVertex
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
