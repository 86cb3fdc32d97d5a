package stats

import (
	"context"

	"ooc/engine/rows"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// gathering is one call of Of or of OfGraph.
type gathering struct {
	from      source
	run       *rows.Run   // deals out the bands of from
	meta      *tiles.Meta // of the matrix, whether it is stored or not; without a tile edge if it is not
	o         Options
	r         *Result
	kind      entry.Kind // of entries as they are read
	inLanes   entry.Kind // of those that a device has
	float     bool       // they are floats
	none      uint64     // the entry of what is unreachable
	symmetric bool       // what there is of a vertex's column is what there is of its row
	gatherers []gatherer

	each func() // is called when a band has ended; may be nil
}

// gatherer gathers one statistic during the pass. A new one is a file and a line in the table statistics.
type gatherer interface {
	// worker returns a taker for one goroutine of the pass.
	worker() taker
	// finish writes what all workers have gathered into the Result.
	finish()
	// state returns the memory in which the gatherer has what bands that have ended have given. A later gatherer, of
	// the same graph and options, has as much, and goes on from the same content.
	state() [][]byte
}

// taker takes the parts of the matrix, band by band. A band is some rows, whose parts come from left to right.
type taker interface {
	// begin begins a band of the rows of these vertices.
	begin(rows []int32)
	// add takes the next part of some of the band's rows.
	add(b *part)
	// end is called for one band at a time, in the order of the bands, whichever workers they had. It alone changes
	// what the gatherer has.
	end()
}

// laneTaker is a taker that can take rows in lanes, as a rows.LaneWorker computes them. Others are given rows, and
// these are made of the lanes.
type laneTaker interface {
	// addLanes takes the next lanes of some of the band's rows.
	addLanes(b *lanes)
}

// takers are those of one goroutine.
type takers []taker

func (all takers) add(b *part) {
	for _, t := range all {
		t.add(b)
	}
}

// vertex returns the vertex of a column.
func (x *gathering) vertex(col int) int {
	if x.from.columns == nil {
		return col
	}
	return int(x.from.columns[col])
}

// source is where the rows of distances come from: a store, or an engine that computes them. Nothing but these and the
// graph decides the order of rows and how they are cut into bands.
type source struct {
	order   []int32                     // the vertices of all rows
	columns []int32                     // those of all columns; nil: a column's number is its vertex
	height  int                         // of bands; the last may have fewer rows
	starts  []int32                     // as those of rows.Run
	hands   int                         // readers that are best
	reader  func(i int) (reader, error) // opens one of them
	// missed returns the first vertex that a vertex with a row does not reach; none: -1.
	missed func(from int) (to int, err error)
	device string // the model of what computes rows
	close  func() error
}

// reader reads bands, for one goroutine.
type reader interface {
	// read gives the rows from number lo to hi-1 of the source to all takers, each from left to right.
	read(ctx context.Context, lo, hi int, all takers) error
	Close() error
}

// part is some rows of a band from some column on, without padding. gathering.vertex names the columns.
type part struct {
	at         int    // of the first row in its band
	col        int    // of the matrix, a multiple of cpu.SumLanes
	rows, cols int    //
	memory     []byte // the entries, as they are read
	stride     int    // bytes from one row to the next
}

// lanes are as much, but side by side: line after line they have the entries of a column, in a lane for each row.
// Lanes from rows on pad the lines.
type lanes struct {
	at    int // of the first row in its band
	first int // column
	rows  int
	kernels.Lanes
}

// word is the type of an entry's bits.
type word interface{ uint32 | uint64 }

// line returns row r of a part, counted from 0.
func line[W word](b *part, r int) []W { return entry.View[W](b.memory[r*b.stride:])[:b.cols] }

// reads makes a source the gathering's.
func (x *gathering) reads(from source) {
	x.from = from
	x.run = &rows.Run{Rows: len(from.order), Height: from.height, Starts: from.starts, Columns: x.meta.N}
}

// pass takes the bands that are left through the gatherers once. It fails with the cause of ctx if that ends first.
func (x *gathering) pass(ctx context.Context) error {
	open := make([]func() (rows.Hand, error), min(x.from.hands, x.run.Units()-x.run.First))
	for i := range open {
		open[i] = func() (rows.Hand, error) {
			from, err := x.from.reader(i)
			if err != nil {
				return nil, err
			}
			w := &worker{x: x, reader: from}
			for _, g := range x.gatherers {
				w.takers = append(w.takers, g.worker())
			}
			return w, nil
		}
	}
	if err := x.run.Do(ctx, open); err != nil || x.run.Left() == 0 {
		return err
	}
	return context.Cause(ctx)
}

// worker is one goroutine of a pass.
type worker struct {
	reader
	x      *gathering
	takers takers
}

// Do reads bands, gives each to every taker, and ends it in its turn.
func (w *worker) Do(ctx context.Context, first, count int) error {
	if c, ok := w.reader.(*countReader); ok {
		c.next, c.until = first, first+count
	}
	for band := first; band < first+count; band++ {
		if err := w.do(ctx, band); err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) do(ctx context.Context, band int) error {
	lo, hi := w.x.run.RowsOf(band)
	for _, t := range w.takers {
		t.begin(w.x.from.order[lo:hi])
	}
	if err := w.read(ctx, lo, hi, w.takers); err != nil {
		return err
	}
	return w.x.run.InTurn(ctx, band, func() error {
		for _, t := range w.takers {
			t.end()
		}
		if w.x.each != nil {
			w.x.each()
		}
		return nil
	})
}
