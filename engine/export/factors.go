package export

import (
	"errors"

	"ooc/engine/factors"
	"ooc/engine/rows"
)

// rowsAtOnce is the fewest rows or columns that a block of an export from factors has, if there are as many: fewer take as long.
const rowsAtOnce = 16

// factorsReader fills blocks from factors. It is for one goroutine.
type factorsReader struct {
	p      *pump
	rows   rows.Worker          // of whole rows, or columns; nil: not needed yet
	table  *factors.TableReader // of chosen columns
	wanted []int
	lines  []byte // whole columns
}

func newFactorsReader(p *pump) *factorsReader { return &factorsReader{p: p} }

func (f *factorsReader) close() (err error) {
	if f.rows != nil {
		err = f.rows.Close()
	}
	if f.table != nil {
		err = errors.Join(err, f.table.Close())
	}
	return err
}

// prepareTable makes the table of chosen columns, if an export by rows has them.
func (p *pump) prepareTable() (err error) {
	if p.factors != nil && p.cols.at != nil && !p.columns {
		p.table, err = p.factors.NewTable(p.cols.at)
	}
	return err
}

// read fills a block.
func (f *factorsReader) read(b *block) (err error) {
	p := f.p
	if p.columns {
		return f.readColumns(b)
	}
	f.want(p.rows, b.lo, b.hi)
	stored := b.stored[:p.size*len(f.wanted)*p.across]
	if p.table != nil {
		if f.table == nil {
			f.table = p.table.NewReader(p.height)
		}
		return f.table.ReadRows(stored, f.wanted)
	}
	if f.rows == nil {
		if f.rows, err = p.factors.NewWorker(p.height); err != nil {
			return err
		}
	}
	return f.rows.ReadRows(stored, f.wanted)
}

func (f *factorsReader) want(k picked, lo, hi int) {
	f.wanted = f.wanted[:0]
	for i := lo; i < hi; i++ {
		f.wanted = append(f.wanted, k.number(i))
	}
}

// readColumns fills a block of columns: of chosen rows as a table, else from searches on reversed arcs.
func (f *factorsReader) readColumns(b *block) error {
	p, width := f.p, b.hi-b.lo
	f.want(p.cols, b.lo, b.hi)
	if p.rows.at != nil {
		table, err := p.factors.NewTable(f.wanted)
		if err != nil {
			return err
		}
		r := table.NewReader(p.rows.n)
		err = r.ReadRows(b.stored[:p.size*p.rows.n*width], p.rows.at)
		return errors.Join(err, r.Close())
	}
	if f.rows == nil {
		back, err := p.factors.Reversed()
		if err == nil {
			f.rows, err = back.NewWorker(p.height)
		}
		if err != nil {
			return err
		}
		f.lines = p.p.Meta().Kind.Wide().Make(p.height * p.across)
	}
	lines := f.lines[:p.size*width*p.across]
	if err := f.rows.ReadRows(lines, f.wanted); err != nil {
		return err
	}
	for c := range width {
		for r := range p.across {
			copy(b.stored[p.size*(r*width+c):][:p.size], lines[p.size*(c*p.across+r):])
		}
	}
	return nil
}
