package stats

import (
	"context"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"ooc/engine"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// gathering is one call of Of.
type gathering struct {
	p         *engine.Problem
	meta      *tiles.Meta // of p
	o         Options
	r         *Result
	kind      entry.Kind // of entries as they are read
	float     bool       // they are floats
	none      uint64     // the entry of what is unreachable
	gatherers []gatherer
}

// gatherer gathers one statistic during the pass. A new one is a file and a line in the table statistics.
type gatherer interface {
	// worker returns a taker for one goroutine of the pass.
	worker() taker
	// finish writes what all workers have gathered into the Result.
	finish()
}

// taker takes the parts of the matrix, band by band. A band is some rows of one row of tiles, from left to right.
type taker interface {
	begin(row, rows int)
	// add takes the next part of the band: of a tile from top to bottom, then of the tile right of it.
	add(b *part)
	// end is called for one band at a time, in the order of the bands, whichever workers they had.
	end()
}

// part is some rows of a tile, without padding.
type part struct {
	row, col, rows, cols int    // of the matrix
	memory               []byte // the entries, as they are read
	stride               int    // bytes from one row to the next
}

// word is the type of an entry's bits.
type word interface{ uint32 | uint64 }

// line returns row r of a part, counted from 0.
func line[W word](b *part, r int) []W { return entry.View[W](b.memory[r*b.stride:])[:b.cols] }

const (
	partBytes  = 256 << 10 // is read at a time: it stays in the processor's second cache
	bandRows   = 512       // at most: bands, not tiles, are shared out, so that few large tiles keep all busy
	maxWorkers = 16
	aheadBytes = 8 << 20 // asked of the disk before it is read
)

// bands are how the rows of a matrix are cut: all bands are so high but for the last.
type bands struct{ height, count int }

// bandsOf cuts rows of tiles into equal bands, multiples of 64 rows.
func bandsOf(n, tile int) bands {
	height := 64
	for h := 64; h <= min(tile, bandRows); h += 64 {
		if tile%h == 0 {
			height = h
		}
	}
	return bands{height, entry.CeilDiv(n, height)}
}

// pass streams the matrix through the gatherers once. There are more workers than processors, because some
// wait for the disk.
func (x *gathering) pass(ctx context.Context) error {
	all := bandsOf(x.p.Geometry().N, x.p.Geometry().T)
	ended := make([]chan struct{}, all.count) // closed one after the other
	for i := range ended {
		ended[i] = make(chan struct{})
	}
	g, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range min(all.count, 2*runtime.GOMAXPROCS(0), maxWorkers) {
		w := x.worker(all.height)
		g.Go(func() error {
			for i := int(next.Add(1) - 1); i < all.count; i = int(next.Add(1) - 1) {
				if err := w.band(ctx, i*all.height); err != nil {
					return err
				}
				if i > 0 {
					select {
					case <-ended[i-1]:
					case <-ctx.Done():
						return context.Cause(ctx)
					}
				}
				for _, t := range w.takers {
					t.end()
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
	takers []taker
	height int // of a band
	stored []byte
	part   part // whose entries are stored
}

func (x *gathering) worker(height int) *worker {
	w := &worker{x: x, height: height}
	for _, g := range x.gatherers {
		w.takers = append(w.takers, g.worker())
	}
	w.stored = x.kind.Make(w.partRows() * x.p.Geometry().T)
	return w
}

// partRows is the number of rows of a part: even, because rows are added up in pairs.
func (w *worker) partRows() int {
	return min(w.height, max(2, partBytes/(w.x.kind.Bytes()*w.x.p.Geometry().T)/2*2))
}

// band reads a band and gives it to every taker.
func (w *worker) band(ctx context.Context, row int) error {
	geom := w.x.p.Geometry()
	rows := min(w.height, geom.N-row)
	for _, t := range w.takers {
		t.begin(row, rows)
	}
	for j := range geom.Side() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		w.prefetch(row, j)
		for r := 0; r < rows; r += w.partRows() {
			if err := w.read(row+r, min(w.partRows(), rows-r), j); err != nil {
				return err
			}
			for _, t := range w.takers {
				t.add(&w.part)
			}
		}
	}
	return nil
}

// read fills the part with rows of tiles in column j.
func (w *worker) read(row, rows, j int) error {
	geom := w.x.p.Geometry()
	stride := w.x.kind.Bytes() * geom.T
	b := w.stored[:rows*stride]
	if err := w.x.p.Store().ReadEntries(b, row/geom.T, j, row%geom.T*geom.T); err != nil {
		return err
	}
	w.part = part{
		row: row, col: j * geom.T, rows: rows, cols: min(geom.T, geom.N-j*geom.T),
		memory: b, stride: stride,
	}
	return nil
}

// prefetch asks for tiles right of column j, once for each: with the first band of a row of tiles. Tiles too
// large for it are read in pieces so long that the system reads ahead by itself.
func (w *worker) prefetch(row, j int) {
	geom := w.x.p.Geometry()
	if ahead := int(aheadBytes / geom.TileBytes()); row%geom.T == 0 && ahead > 0 {
		from := j + ahead
		if j == 0 {
			from = 1
		}
		for k := from; k <= min(j+ahead, geom.Side()-1); k++ {
			w.x.p.Store().Prefetch(row/geom.T, k)
		}
	}
}
