package cpu

import (
	"fmt"
	"unsafe"

	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/kernels/internal/ledger"
)

// view is a block of entries: the address of its first entry, the bytes from one row to the next, and the bytes of an
// entry.
type view struct {
	p              *byte
	ld, entryBytes int
}

// at returns the view from entry (i, j) on.
func (v view) at(i, j int) view {
	return view{addr(v.p, i*v.ld+j*v.entryBytes), v.ld, v.entryBytes}
}

// arithmetic is how blocks of one sort of entries are relaxed in one variant.
type arithmetic struct {
	entryBytes int // bytes of an entry
	pairs      bool
	depth      int // most of k in one call of relax
	relax      relaxFunc
	smallest   func(w *worker, block view) // closes a block of baseEdge
	climb      climbFunc                   // lowers rows by one, climbBytes of each
	climbBytes int                         // divides the bytes of 64 entries
}

// relaxFunc relaxes C, rows×cols, with A, rows×k, and B, k×cols. B may be C where k is all of its rows: what is read
// of B is packed before C is written.
type relaxFunc func(w *worker, c, a, b view, rows, cols, k, fresh int)

// distances is the arithmetic of tiles without predecessors.
func (p *path) distances(v entry.Variant) (arithmetic, error) {
	if v >= variants {
		return arithmetic{}, fmt.Errorf("no variant %d", v)
	}
	x := arithmetic{
		entryBytes: v.Bytes(), depth: depthOf(v), relax: p.strip[v].relax,
		smallest: func(w *worker, block view) { smallest(w.block, block, p.base[v]) },
		climb:    p.climbFour[v], climbBytes: fourLines,
	}
	if fourLines > baseEdge*x.entryBytes {
		x.climb, x.climbBytes = p.climb[v], lineBytes
	}
	return x, nil
}

// depthOf is the most of k in one strip of distances.
func depthOf(v entry.Variant) int {
	if v.Bytes() == 8 {
		return wideDepth
	}
	return maxDepth
}

// product is a kernels.Product with its addresses.
type product struct {
	ledger.Operands[view]
	fresh int
}

// MinPlus implements kernels.Stream.
func (s *stream) MinPlus(v entry.Variant, t int, products []kernels.Product) error {
	x, err := s.shape(v, t)
	if err != nil {
		return fmt.Errorf("cpu: min-plus: %w", err)
	}
	resolved := make([]product, len(products))
	for i, p := range products {
		resolved[i].fresh = ledger.OneIf[int](p.Fresh)
		if resolved[i].Operands, err = ledger.Product(&p, x.pairs, s.device.tileViews(t, x.entryBytes)); err != nil {
			return fmt.Errorf("cpu: min-plus: product %d: %w", i, err)
		}
	}
	pool := s.device.pool
	cut := cutFor(t, len(products), s.device.threads)
	return s.enqueue(func() {
		pool.run(cut.tasks()*len(resolved), func(w *worker, i int) {
			rows, cols := cut.block(i % cut.tasks())
			w.multiply(&x, t, &resolved[i/cut.tasks()], rows, cols)
		})
	})
}

// shape returns the arithmetic for tiles of edge t.
func (s *stream) shape(v entry.Variant, t int) (arithmetic, error) {
	if t <= 0 || t%baseEdge != 0 || t > 1<<20 {
		return arithmetic{}, fmt.Errorf("tile edge %d: want a multiple of %d", t, baseEdge)
	}
	return s.arithmetic(v)
}

// tileViews finds tiles.
func (d *Device) tileViews(t, entryBytes int) func(tile kernels.Tile, _, _ bool) (view, error) {
	return func(tile kernels.Tile, _, _ bool) (view, error) {
		data, err := d.resolve(tile, int64(t)*int64(t)*int64(entryBytes))
		if err != nil {
			return view{}, err
		}
		return view{&data[0], t * entryBytes, entryBytes}, nil
	}
}

// span is the indices lo … hi-1, both multiples of 64.
type span struct{ lo, hi int }

func (s span) len() int { return s.hi - s.lo }

// split cuts lo…hi into as few spans of at most size as there can be, of almost equal lengths.
func split(lo, hi, size int) []span {
	units, parts := (hi-lo)/baseEdge, entry.CeilDiv(hi-lo, size)
	spans := make([]span, parts)
	for i := range spans {
		spans[i] = span{lo + units*i/parts*baseEdge, lo + units*(i+1)/parts*baseEdge}
	}
	return spans
}

// cut divides one tile of C into tasks.
type cut struct{ rows, cols []span }

func (c cut) tasks() int { return len(c.rows) * len(c.cols) }

func (c cut) block(i int) (rows, cols span) { return c.rows[i/len(c.cols)], c.cols[i%len(c.cols)] }

// cutFor cuts until there are a few tasks for each thread. It prefers high blocks, because each task packs its part
// of B anew.
func cutFor(t, products, threads int) cut {
	height, width := min(t, maxHeight), t
	c := cut{split(0, t, height), split(0, t, width)}
	for c.tasks()*products < 2*threads && (height > baseEdge || width > baseEdge) {
		if width >= height {
			width = entry.RoundUp(width/2, baseEdge)
		} else {
			height = entry.RoundUp(height/2, baseEdge)
		}
		c = cut{split(0, t, height), split(0, t, width)}
	}
	return c
}

// multiply computes the given block of p.C.
func (w *worker) multiply(x *arithmetic, t int, p *product, rows, cols span) {
	fresh := p.fresh
	if p.Before.p != nil {
		for i := rows.lo; i < rows.hi; i++ {
			row := cols.len() * x.entryBytes
			copy(unsafe.Slice(p.C.at(i, cols.lo).p, row), unsafe.Slice(p.Before.at(i, cols.lo).p, row))
		}
	}
	depths := split(0, t, x.depth)
	for i := range p.A {
		for _, k := range depths {
			x.relax(w, p.C.at(rows.lo, cols.lo), p.A[i].at(rows.lo, k.lo), p.B[i].at(k.lo, cols.lo),
				rows.len(), cols.len(), k.len(), fresh)
			fresh = 0
		}
	}
}

// relax relaxes a panel of C at a time.
//
// A is read in place. A copy at a better stride costs what it gains: of a strip of maxHeight the L2 cache
// holds all, even at a stride of 4096 bytes.
func (s strip) relax(w *worker, c, a, b view, rows, cols, k, fresh int) {
	for j := 0; j < cols; j += s.panel {
		s.run(c.at(0, j).p, a.p, b.at(0, j).p, w.packed, c.ld, a.ld, b.ld, k, rows, fresh)
	}
}
