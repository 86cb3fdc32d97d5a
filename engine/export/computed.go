package export

import (
	"errors"

	"ooc/engine/factors"
	"ooc/engine/rows"
)

// rowsAtOnce is the fewest rows or columns that a block of an export of a store without a matrix has, if there are as
// many: fewer take as long.
const rowsAtOnce = 16

// picker is a Ready, of which Workers give chosen columns of rows alone.
type picker struct {
	rows.Ready
	table     *factors.Table // which computes no others; nil: whole rows are computed
	cols      []int
	size, row int // bytes of an entry, and of a whole row
}

// pick returns what computes chosen columns of rows; nil stands for all.
func (x *extract) pick(cols []int) (r *rows.Reader, err error) {
	if cols == nil {
		return rows.NewReader(x.ready, x.p.Meta().Kind), nil
	}
	k := &picker{Ready: x.ready, cols: cols, size: x.size, row: x.size * x.p.Geometry().N}
	if f, ok := x.ready.(*factors.Factors); ok {
		k.table, err = f.NewTable(cols)
	}
	return rows.NewReader(k, x.p.Meta().Kind), err
}

func (k *picker) NewWorker(count int) (rows.Worker, error) {
	if k.table != nil {
		return k.table.NewWorker(count)
	}
	w, err := k.Ready.NewWorker(min(count, rowsAtOnce))
	return &picking{w, k}, err
}

// picking computes whole rows, and keeps chosen columns.
type picking struct {
	rows.Worker
	*picker
}

func (k *picking) ReadRows(dst []byte, sources []int) error {
	whole := make([]byte, min(len(sources), rowsAtOnce)*k.row)
	for len(sources) > 0 {
		some := sources[:min(len(sources), rowsAtOnce)]
		if err := k.Worker.ReadRows(whole[:k.row*len(some)], some); err != nil {
			return err
		}
		for i := range some {
			for _, v := range k.cols {
				copy(dst[:k.size], whole[i*k.row+v*k.size:])
				dst = dst[k.size:]
			}
		}
		sources = sources[len(some):]
	}
	return nil
}

func (k *picking) Close() error { return k.Worker.Close() }

// openRows returns what computes the lines of an export: rows, or whole columns, which are rows of the reversed graph.
func (p *pump) openRows() (*rows.Reader, error) {
	if !p.columns {
		return p.pick(p.cols.at)
	}
	back, err := p.ready.Reversed()
	if err != nil {
		return nil, err
	}
	return rows.NewReader(back, p.p.Meta().Kind), nil
}

// compute fills a block. Of columns of chosen rows, it computes chosen columns of these rows.
func (p *pump) compute(b *block) error {
	lines := p.rows
	if p.columns {
		lines = p.cols
	}
	wanted := make([]int, b.hi-b.lo)
	for i := range wanted {
		wanted[i] = lines.number(b.lo + i)
	}
	stored := b.stored[:p.size*p.across*len(wanted)]
	if !p.columns {
		return p.reader.ReadRows(stored, wanted)
	}
	if p.rows.at != nil {
		r, err := p.pick(wanted)
		if err != nil {
			return err
		}
		return errors.Join(r.ReadRows(stored, p.rows.at), r.Free())
	}
	if b.lines == nil {
		b.lines = make([]byte, p.size*p.across*p.height)
	}
	if err := p.reader.ReadRows(b.lines[:len(stored)], wanted); err != nil {
		return err
	}
	for c := range wanted {
		for r := range p.across {
			copy(stored[p.size*(r*len(wanted)+c):][:p.size], b.lines[p.size*(c*p.across+r):])
		}
	}
	return nil
}
