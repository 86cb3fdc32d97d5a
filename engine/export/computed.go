package export

import (
	"errors"
	"slices"

	"ooc/engine/factors"
	"ooc/engine/rows"
)

// rowsAtOnce is the fewest rows or columns that a block of an export of a store without a matrix has, if there are as
// many: fewer take as long.
const rowsAtOnce = 16

// reader computes chosen columns of rows of a store without a matrix.
type reader struct {
	*rows.Reader
	cols []int // of the rows that it computes; nil: they are all wanted
}

// tabled is a Ready whose Workers compute the columns of a table alone.
type tabled struct {
	rows.Ready
	table *factors.Table
}

func (t *tabled) NewWorker(count int) (rows.Worker, error) { return t.table.NewWorker(count) }

// openColumns returns what computes chosen columns; nil stands for all.
func (x *extract) openColumns(cols []int) (reader, error) {
	kind := x.p.Meta().Kind
	if f, ok := x.ready.(*factors.Factors); ok && cols != nil {
		table, err := f.NewTable(cols)
		return reader{Reader: rows.NewReader(&tabled{f, table}, kind)}, err
	}
	return reader{rows.NewReader(x.ready, kind), cols}, nil
}

// computeRows fills dst with what r computes of rows.
func (x *extract) computeRows(r reader, dst []byte, sources []int) error {
	if r.cols == nil {
		return r.ReadRows(dst, sources)
	}
	row := x.size * x.p.Geometry().N
	whole := make([]byte, min(len(sources), rowsAtOnce)*row)
	for some := range slices.Chunk(sources, rowsAtOnce) {
		if err := r.ReadRows(whole[:row*len(some)], some); err != nil {
			return err
		}
		for i := range some {
			for _, v := range r.cols {
				copy(dst[:x.size], whole[i*row+v*x.size:])
				dst = dst[x.size:]
			}
		}
	}
	return nil
}

// openRows returns what computes the lines of an export: rows, or whole columns, which are rows of the reversed graph.
func (p *pump) openRows() (reader, error) {
	if !p.columns {
		return p.openColumns(p.cols.at)
	}
	back, err := p.ready.Reversed()
	if err != nil {
		return reader{}, err
	}
	return reader{Reader: rows.NewReader(back, p.p.Meta().Kind)}, nil
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
		return p.computeRows(p.reader, stored, wanted)
	}
	if p.rows.at != nil {
		r, err := p.openColumns(wanted)
		if err != nil {
			return err
		}
		return errors.Join(p.computeRows(r, stored, p.rows.at), r.Free())
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
