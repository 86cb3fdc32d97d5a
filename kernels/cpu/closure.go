package cpu

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/kernels/internal/ledger"
)

// pivot is a square of tiles of edge t, row-major, which Closure closes and Pivots lowers.
type pivot struct {
	t, m  int
	tiles []view
}

func (d *Device) newPivot(t, entryBytes int, tiles []kernels.Tile) (*pivot, error) {
	at, m, err := ledger.Square(tiles, d.tileViews(t, entryBytes))
	return &pivot{t: t, m: m, tiles: at}, err
}

// at returns the view of entry (i, j) of the block; it holds up to the end of the tile.
func (p *pivot) at(i, j int) view {
	return p.tiles[i/p.t*p.m+j/p.t].at(i%p.t, j%p.t)
}

// spans cuts lo…hi into spans of at most size that cross no tile's edge.
func (p *pivot) spans(lo, hi, size int) []span {
	var all []span
	for lo < hi {
		end := min(hi, lo-lo%p.t+p.t)
		all = append(all, split(lo, end, size)...)
		lo = end
	}
	return all
}

// runner runs task(w, i) for all i < n, in any order.
type runner func(n int, task func(w *worker, i int))

// closer is one closure: blocked Floyd–Warshall (Venkataraman, Sahni and Mukhopadhyaya, JEA 8, 2003) on
// blocks of the arithmetic's depth, whose diagonal blocks are closed in the same way on blocks of baseEdge.
type closer struct {
	*pivot
	arithmetic
	relaxed   *atomic.Int64 // relaxations that are done; nil: nobody asks
	transpose transposeFunc // of entries; nil: the block is not symmetric, or that is not looked at
}

// CountClosures implements kernels.ClosureCounter.
func (s *stream) CountClosures(done *atomic.Int64) { s.relaxed = done }

// Closure implements kernels.Stream.
func (s *stream) Closure(v entry.Variant, t int, tiles []kernels.Tile) error {
	x, err := s.shape(v, t)
	if err != nil {
		return fmt.Errorf("cpu: closure: %w", err)
	}
	p, err := s.device.newPivot(t, x.entryBytes, tiles)
	if err != nil {
		return fmt.Errorf("cpu: closure: %w", err)
	}
	c := &closer{pivot: p, arithmetic: x, relaxed: s.relaxed}
	if !x.pairs && !v.Signed() {
		c.transpose = s.device.path.transpose.of(x.entryBytes)
	}
	pool := s.device.pool
	return s.enqueue(func() { c.all(pool) })
}

// all closes the block on all workers.
func (c *closer) all(pool *pool) {
	n := c.m * c.t
	count := func(rounds int) { // so many vertices' worth
		if c.relaxed != nil {
			c.relaxed.Store(int64(rounds) * int64(n) * int64(n))
		}
	}
	diagonal := func(k span) {
		count(k.lo)
		pool.run(1, func(w *worker, _ int) { c.diagonal(w, k) })
	}
	if whole := (span{0, n}); c.symmetric(whole, pool.run) {
		c.closeHalf(whole, pool.run, diagonal)
	} else {
		c.close(whole, c.depth, pool.run, diagonal)
	}
	count(n)
}

// diagonal closes a block of at most the depth on one worker.
func (c *closer) diagonal(w *worker, block span) {
	run := func(n int, task func(w *worker, i int)) {
		for i := range n {
			task(w, i)
		}
	}
	c.close(block, baseEdge, run, func(k span) { c.smallest(w, c.at(k.lo, k.lo)) })
}

// close runs the rounds of blocked Floyd–Warshall over block, with pivots of at most size.
func (c *closer) close(block span, size int, run runner, diagonal func(k span)) {
	spans := c.spans(block.lo, block.hi, size)
	n := len(spans)
	for r, k := range spans {
		diagonal(k)
		others := append(append([]span(nil), spans[:r]...), spans[r+1:]...)
		run(2*(n-1), func(w *worker, i int) {
			if i < n-1 {
				c.rowPanel(w, k, others[i])
			} else {
				c.columnPanel(w, others[i-(n-1)], k)
			}
		})
		run((n-1)*(n-1), func(w *worker, i int) {
			c.otherBlocks(w, others[i/(n-1)], others[i%(n-1)], k)
		})
	}
}

// smallest closes a block of baseEdge. In a tile its rows may share a few cache sets: it works on a copy.
func smallest(scratch *byte, block view, base func(d *byte)) {
	row := baseEdge * block.entryBytes
	for i := range baseEdge {
		line := unsafe.Slice(addr(scratch, i*row), row)
		copy(line, unsafe.Slice(block.at(i, 0).p, row))
		lowerDiagonal(line, i, block.entryBytes)
	}
	base(scratch)
	for i := range baseEdge {
		copy(unsafe.Slice(block.at(i, 0).p, row), unsafe.Slice(addr(scratch, i*row), row))
	}
}

// lowerDiagonal makes entry i of a row at most 0. The highest bit is the sign, but in entries of 2 bytes, which have
// none.
func lowerDiagonal(line []byte, i, entryBytes int) {
	at := line[i*entryBytes:][:entryBytes]
	if negative := at[entryBytes-1]&0x80 != 0; !negative || entryBytes == 2 {
		clear(at)
	}
}

// rowPanel relaxes D[K][J] with the closed D[K][K], in place: relax packs what it overwrites.
func (c *closer) rowPanel(w *worker, k, j span) {
	panel := c.at(k.lo, j.lo)
	c.relax(w, panel, c.at(k.lo, k.lo), panel, k.len(), j.len(), k.len(), 0)
}

// columnPanel relaxes D[I][K] with the closed D[K][K], from a copy of D[I][K].
func (c *closer) columnPanel(w *worker, i, k span) {
	panel, copied := c.at(i.lo, k.lo), view{w.copied, copiedStride, c.entryBytes}
	row := k.len() * c.entryBytes
	for r := range i.len() {
		copy(unsafe.Slice(copied.at(r, 0).p, row), unsafe.Slice(panel.at(r, 0).p, row))
	}
	c.relax(w, panel, copied, c.at(k.lo, k.lo), i.len(), k.len(), k.len(), 0)
}

// otherBlocks relaxes D[I][J] with the panels.
func (c *closer) otherBlocks(w *worker, i, j, k span) {
	c.relax(w, c.at(i.lo, j.lo), c.at(i.lo, k.lo), c.at(k.lo, j.lo), i.len(), j.len(), k.len(), 0)
}
