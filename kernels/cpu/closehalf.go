package cpu

import (
	"bytes"
	"sync/atomic"
	"unsafe"
)

// pair is two spans of a block's rows and columns.
type pair struct{ i, j span }

// pairsOf returns the spans of some with themselves and with all that come after them.
func pairsOf(spans []span) (all []pair) {
	for i, x := range spans {
		for _, y := range spans[i:] {
			all = append(all, pair{x, y})
		}
	}
	return all
}

// symmetric reports whether block is the same with rows and columns exchanged.
func (c *closer) symmetric(block span, run runner) bool {
	if c.transpose == nil {
		return false
	}
	all := pairsOf(c.spans(block.lo, block.hi, baseEdge))
	var differ atomic.Bool
	run(len(all), func(w *worker, i int) {
		if differ.Load() {
			return
		}
		x := all[i]
		turned := view{w.block, baseEdge * c.entryBytes, c.entryBytes}
		c.mirror(c.at(x.j.lo, x.i.lo), turned, baseEdge, baseEdge)
		for r := range baseEdge {
			row := c.at(x.i.lo+r, x.j.lo).p
			if !bytes.Equal(unsafe.Slice(row, turned.ld), unsafe.Slice(turned.at(r, 0).p, turned.ld)) {
				differ.Store(true)
				return
			}
		}
	})
	return !differ.Load()
}

// closeHalf is close of a symmetric block, of which it relaxes half. Sums are the same in either order, and so are all
// results.
func (c *closer) closeHalf(block span, run runner, diagonal func(k span)) {
	spans := c.spans(block.lo, block.hi, c.depth)
	flip := func(i, j span) { c.mirror(c.at(i.lo, j.lo), c.at(j.lo, i.lo), i.len(), j.len()) }
	for r, k := range spans {
		diagonal(k)
		others := append(append([]span(nil), spans[:r]...), spans[r+1:]...)
		run(len(others), func(w *worker, i int) {
			// Rounds before this one have lowered what is right of the diagonal alone.
			if j := others[i]; j.lo < k.lo {
				flip(j, k)
			}
			c.rowPanel(w, k, others[i])
			flip(k, others[i])
		})
		all := pairsOf(others)
		run(len(all), func(w *worker, i int) { c.otherBlocks(w, all[i].i, all[i].j, k) })
	}
	all := pairsOf(spans)
	run(len(all), func(_ *worker, i int) {
		if x := all[i]; x.i != x.j {
			flip(x.i, x.j)
		}
	})
}

// mirror copies the rows of a block to the columns of another.
func (c *closer) mirror(from, to view, rows, cols int) {
	var places [lineBytes]int64 // of a line's entries
	for l := range places {
		places[l] = int64(l * to.ld)
	}
	var all [maxDepth]int32
	for r := range rows {
		all[r] = int32(r)
	}
	unit := lineBytes / c.entryBytes
	for j := 0; j < cols; j += unit {
		c.transpose(to.at(j, 0).p, at(places[:], 0), from.at(0, j).p, at(all[:], 0), rows/unit, from.ld)
	}
}
