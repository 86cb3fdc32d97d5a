package stats

import (
	"context"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// gathering is one call of Of or of OfRows.
type gathering struct {
	from      source
	meta      *tiles.Meta // of the matrix, whether it is stored or not; without a tile edge if it is not
	o         Options
	r         *Result
	kind      entry.Kind // of entries as they are read
	float     bool       // they are floats
	none      uint64     // the entry of what is unreachable
	symmetric bool       // what there is of a vertex's column is what there is of its row
	vertices  []int32    // of the columns; nil: a column's number is its vertex
	gatherers []gatherer

	first int                             // the first band that is not gathered yet
	hold  func(ctx context.Context) error // is called before each band; may be nil, as ended
	ended func(i int) error               // is called when band i has ended

	turn sync.Mutex // of the goroutine that ends a band
}

// gatherer gathers one statistic during the pass. A new one is a file and a line in the table statistics.
type gatherer interface {
	// worker returns a taker for one goroutine of the pass.
	worker() taker
	// finish writes what all workers have gathered into the Result.
	finish()
	// state returns the memory in which the gatherer has what bands that have ended have given. A later gatherer, of the same graph
	// and options, has as much, and goes on from the same content.
	state() [][]byte
}

// taker takes the parts of the matrix, band by band. A band is some rows, whose parts come from left to right.
type taker interface {
	// begin begins a band of the rows of these vertices.
	begin(rows []int32)
	// add takes the next part of some of the band's rows.
	add(b *part)
	// end is called for one band at a time, in the order of the bands, whichever workers they had. It alone changes what the
	// gatherer has.
	end()
}

// laneTaker is a taker that can take rows in lanes, as an expansion computes them. Others are given rows, and these are made of the lanes.
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
	if x.vertices == nil {
		return col
	}
	return int(x.vertices[col])
}

// source is where the rows of distances come from: a store, or an elimination that computes them.
type source interface {
	// bands is how many bands there are. Nothing but the graph and the store decides how they are cut.
	bands() int
	// rows returns the vertices of a band's rows.
	rows(band int) []int32
	// workers is how many readers are best.
	workers() int
	// reader returns what reads bands for one goroutine.
	reader() (reader, error)
	// row fills dst with the entries of a vertex's row.
	row(dst []byte, v int) error
}

// reader reads bands.
type reader interface {
	// read gives all of a band to all takers, each of its rows from left to right.
	read(ctx context.Context, band int, all takers) error
	close() error
}

// part is some rows of a band from some column on, without padding. gathering.vertex names the columns: those of an expansion are in
// the order of elimination.
type part struct {
	at         int    // of the first row in its band
	col        int    // of the matrix, a multiple of cpu.SumLanes
	rows, cols int    //
	memory     []byte // the entries, as they are read
	stride     int    // bytes from one row to the next
}

// lanes are as much, but side by side: line after line they have the entries of a column, in a lane for each row. Lanes from rows on pad
// the lines.
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

// pass streams the matrix through the gatherers once.
func (x *gathering) pass(ctx context.Context) error {
	ended := make([]chan struct{}, x.from.bands()) // closed one after the other
	for i := range ended {
		ended[i] = make(chan struct{})
	}
	g, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	next.Store(int64(x.first))
	for range min(len(ended)-x.first, x.from.workers()) {
		g.Go(func() (err error) {
			w, err := x.worker()
			if err != nil {
				return err
			}
			defer func() {
				if cerr := w.reader.close(); err == nil { // after a failure, the first error is the one to report
					err = cerr
				}
			}()
			for i := int(next.Add(1) - 1); i < len(ended); i = int(next.Add(1) - 1) {
				if err := w.band(ctx, i); err != nil {
					return err
				}
				if i > x.first {
					select {
					case <-ended[i-1]:
					case <-ctx.Done():
						return context.Cause(ctx)
					}
				}
				if err := w.end(i); err != nil {
					return err
				}
				close(ended[i])
			}
			return nil
		})
	}
	return g.Wait()
}

// worker is one goroutine of a pass.
type worker struct {
	x      *gathering
	reader reader
	takers takers
}

func (x *gathering) worker() (*worker, error) {
	from, err := x.from.reader()
	if err != nil {
		return nil, err
	}
	w := &worker{x: x, reader: from}
	for _, g := range x.gatherers {
		w.takers = append(w.takers, g.worker())
	}
	return w, nil
}

// band reads a band and gives it to every taker.
func (w *worker) band(ctx context.Context, i int) error {
	if w.x.hold != nil {
		if err := w.x.hold(ctx); err != nil {
			return err
		}
	}
	rows := w.x.from.rows(i)
	for _, t := range w.takers {
		t.begin(rows)
	}
	return w.reader.read(ctx, i, w.takers)
}

// end ends a band, whose turn it is.
func (w *worker) end(i int) error {
	w.x.turn.Lock()
	defer w.x.turn.Unlock()
	for _, t := range w.takers {
		t.end()
	}
	if w.x.ended == nil {
		return nil
	}
	return w.x.ended(i)
}
