package cpu

import (
	"fmt"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// NewTrackingStream starts a stream for tiles of pairs.
func (d *Device) NewTrackingStream() (kernels.Stream, error) {
	return d.newStream(d.path.pairs)
}

// pairs is the arithmetic of tiles with predecessors.
func (p *path) pairs(v entry.Variant) (arithmetic, error) {
	if v >= paired {
		return arithmetic{}, fmt.Errorf("no variant %d with predecessors", v)
	}
	strip, base, smallest := p.pairStrip[v], p.pairBase[v], smallestPairs[int32]
	if v.Bytes() == 8 {
		smallest = smallestPairs[int64]
	}
	return arithmetic{
		entryBytes: v.Kind().PairBytes(), pairs: true, depth: wideDepth,
		relax: func(w *worker, c, a, b view, rows, cols, k, _ int) {
			for j := 0; j < cols; j += strip.panel {
				strip.run(c.at(0, j).p, a.p, b.at(0, j).p, w.packed, c.ld, a.ld, b.ld, k, rows)
			}
		},
		smallest: func(w *worker, block view) { smallest(w.block, block, base) },
		climb:    p.pairClimb[v].run, climbBytes: p.pairClimb[v].bytes,
	}, nil
}

// smallestPairs closes a block of baseEdge in a copy with distances and predecessors apart, each in a word.
func smallestPairs[W int32 | int64](scratch *byte, block view, base baseFunc) {
	d := entries[W](scratch, 2*baseEdge*baseEdge)
	p := d[baseEdge*baseEdge:]
	for i := range baseEdge {
		row := block.at(i, 0)
		for j := range baseEdge {
			x := row.at(0, j).p
			d[i*baseEdge+j], p[i*baseEdge+j] = *distanceAt[W](x), W(*predecessorAt[W](x))
		}
		// A walk back that was as short as none when the diagonal was not lowered yet gives way to none. A positive
		// float is a positive integer too.
		if at := i * (baseEdge + 1); d[at] >= 0 {
			d[at], p[at] = 0, W(entry.NoVertex)
		}
	}
	base(scratch)
	for i := range baseEdge {
		row := block.at(i, 0)
		for j := range baseEdge {
			x := row.at(0, j).p
			*distanceAt[W](x), *predecessorAt[W](x) = d[i*baseEdge+j], int32(p[i*baseEdge+j])
		}
	}
}
