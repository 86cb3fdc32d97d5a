package export

import (
	"errors"

	"ooc/engine/factors"
	"ooc/engine/rows"
)

// rowsAtOnce is the fewest rows or columns that a block of an export of a store without a matrix has, if there are as many: fewer take
// as long.
const rowsAtOnce = 16

// computed fills blocks with rows that are computed. It is for one goroutine.
type computed struct {
	p      *pump
	rows   rows.Worker // of whole rows, of chosen columns of them, or of columns; nil: not needed yet
	wanted []int
	lines  []byte // whole columns
}

func (c *computed) close() error {
	if c.rows == nil {
		return nil
	}
	return c.rows.Close()
}

// chosen returns what makes workers for about so many rows of chosen columns; nil stands for whole rows.
func (x *extract) chosen(cols []int) (func(rows int) (rows.Worker, error), error) {
	if cols == nil {
		return x.ready.NewWorker, nil
	}
	if f, ok := x.ready.(*factors.Factors); ok { // which computes no others then
		t, err := f.NewTable(cols)
		return func(rows int) (rows.Worker, error) { return t.NewReader(rows), nil }, err
	}
	return func(count int) (rows.Worker, error) {
		w, err := x.ready.NewWorker(min(count, rowsAtOnce))
		return &picker{Worker: w, cols: cols, size: x.size, row: x.size * x.p.Geometry().N}, err
	}, nil
}

// picker computes whole rows, and keeps chosen columns of them.
type picker struct {
	rows.Worker
	cols      []int
	size, row int // bytes of an entry, and of a row
	whole     []byte
}

func (k *picker) ReadRows(dst []byte, sources []int) error {
	for len(sources) > 0 {
		some := sources[:min(len(sources), rowsAtOnce)]
		if len(k.whole) < k.row*len(some) {
			k.whole = make([]byte, k.row*len(some))
		}
		if err := k.Worker.ReadRows(k.whole[:k.row*len(some)], some); err != nil {
			return err
		}
		for i := range some {
			for _, v := range k.cols {
				copy(dst[:k.size], k.whole[i*k.row+v*k.size:])
				dst = dst[k.size:]
			}
		}
		sources = sources[len(some):]
	}
	return nil
}

// read fills a block.
func (c *computed) read(b *block) error {
	p := c.p
	if p.columns {
		return c.readColumns(b)
	}
	c.want(p.rows, b.lo, b.hi)
	if c.rows == nil {
		w, err := p.workers(p.height)
		if err != nil {
			return err
		}
		c.rows = w
	}
	return c.rows.ReadRows(b.stored[:p.size*len(c.wanted)*p.across], c.wanted)
}

func (c *computed) want(k picked, lo, hi int) {
	c.wanted = c.wanted[:0]
	for i := lo; i < hi; i++ {
		c.wanted = append(c.wanted, k.number(i))
	}
}

// readColumns fills a block of columns: of chosen rows as chosen columns of these, else as rows of the reversed graph.
func (c *computed) readColumns(b *block) error {
	p, width := c.p, b.hi-b.lo
	c.want(p.cols, b.lo, b.hi)
	if p.rows.at != nil {
		workers, err := p.chosen(c.wanted)
		if err != nil {
			return err
		}
		w, err := workers(p.rows.n)
		if err != nil {
			return err
		}
		return errors.Join(w.ReadRows(b.stored[:p.size*p.rows.n*width], p.rows.at), w.Close())
	}
	if c.rows == nil {
		back, err := p.ready.Reversed()
		if err != nil {
			return err
		}
		w, err := back.NewWorker(p.height)
		if err != nil {
			return err
		}
		c.rows, c.lines = w, p.p.Meta().Kind.Wide().Make(p.height*p.across)
	}
	lines := c.lines[:p.size*width*p.across]
	if err := c.rows.ReadRows(lines, c.wanted); err != nil {
		return err
	}
	for k := range width {
		for r := range p.across {
			copy(b.stored[p.size*(r*width+k):][:p.size], lines[p.size*(k*p.across+r):])
		}
	}
	return nil
}
