package export

import (
	"context"
	"errors"
	"io"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"

	"ooc/engine/rows"
	"ooc/kernels/entry"
)

// lines says how an export goes through an extract: by rows or by columns, and how many at a time.
type lines struct {
	columns bool
	bytes   int // about what an element takes in block.out; 0 where encode writes nothing there
	encode  func(b *block) []byte
}

// block is a number of whole rows, or of whole columns, of an extract, to be written to a stream.
type block struct {
	lo, hi  int
	stored  []byte    // the entries, row by row in both cases
	entries []uint32  // the same, where they have 4 bytes
	doubles []float64 // the same, where they have 8
	part    []byte    // a piece of a tile, before its entries are copied to their places
	out     []byte    // the encoded entries
	err     error     // why reading or encoding failed
	done    chan struct{}
}

// bits returns entry k.
func (b *block) bits(k int) uint64 {
	if b.entries != nil {
		return uint64(b.entries[k])
	}
	return math.Float64bits(b.doubles[k])
}

// Blocks of rows are small, so that those at work stay in the processor's cache. Blocks of columns are
// large, because the rows of a tile that they cross are read whole, again for each block.
const (
	blockBytes  = 4 << 20
	blocksBytes = 144 << 20 // for all blocks together
	partBytes   = 1 << 20
	maxThreads  = 8
)

// pump moves an extract into a stream: several goroutines read and encode a block each, and one writes
// them in order.
type pump struct {
	*extract
	lines
	count, across, height int                                 // lines, their length, and lines in a block
	workers               func(rows int) (rows.Worker, error) // of an export by rows of a store without a matrix
	fixed                 []stretch                           // all stretches of the other side; every block has them
	free, queue, order    chan *block
}

func (x *extract) stream(ctx context.Context, w io.Writer, l lines) error {
	p := &pump{extract: x, lines: l, count: x.rows.n, across: x.cols.n}
	if p.ready != nil && !l.columns {
		var err error
		if p.workers, err = p.chosen(p.cols.at); err != nil {
			return err
		}
	}
	if l.columns {
		p.count, p.across = p.across, p.count
		p.fixed = x.rows.stretches(0, x.rows.n, x.p.Geometry().T, false)
	} else {
		p.fixed = x.cols.stretches(0, x.cols.n, x.p.Geometry().T, true)
	}
	threads := min(runtime.GOMAXPROCS(0), maxThreads)
	line, size := p.across*(x.size+l.bytes), blocksBytes/(threads+2)-partBytes
	if !l.columns {
		size = min(size, blockBytes)
	}
	least := 1
	if p.ready != nil {
		least = rowsAtOnce
	}
	p.height = min(p.count, max(least, size/line))
	threads = max(1, min(threads, blocksBytes/(p.height*line+partBytes)-2))
	blocks := threads + 2
	p.free, p.queue, p.order = make(chan *block, blocks), make(chan *block, blocks), make(chan *block, blocks)
	for range blocks {
		b := &block{part: entry.Bytes(make([]uint64, partBytes/8)), out: make([]byte, 0, p.height*p.across*l.bytes), done: make(chan struct{}, 1)}
		if x.size == entry.WordBytes {
			b.stored = entry.Make(p.height * p.across)
			b.entries = entry.View[uint32](b.stored)
		} else {
			b.doubles = make([]float64, p.height*p.across)
			b.stored = entry.Bytes(b.doubles)
		}
		p.free <- b
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return p.deal(ctx) })
	for range threads {
		g.Go(func() error { return p.work(&computed{p: p}) })
	}
	g.Go(func() error { return p.write(ctx, w) })
	return g.Wait()
}

// deal hands out blocks in order, so that the next one to be written always has memory.
func (p *pump) deal(ctx context.Context) error {
	defer close(p.queue)
	defer close(p.order)
	for lo := 0; lo < p.count; lo += p.height {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		select {
		case b := <-p.free:
			b.lo, b.hi = lo, min(lo+p.height, p.count)
			p.queue <- b
			p.order <- b
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

func (p *pump) work(c *computed) (err error) {
	defer func() { err = errors.Join(err, c.close()) }()
	for b := range p.queue {
		if p.ready != nil {
			err = c.read(b)
		} else {
			err = p.readTiles(b)
		}
		if err != nil {
			return err
		}
		if b.out = p.encode(b); b.err != nil {
			return b.err
		}
		b.done <- struct{}{}
	}
	return nil
}

// readTiles fills a block from the matrix.
func (p *pump) readTiles(b *block) error {
	rows, cols, width := p.fixed, p.fixed, p.across
	if p.columns {
		cols, width = p.cols.stretches(b.lo, b.hi, p.p.Geometry().T, true), b.hi-b.lo
	} else {
		rows = p.rows.stretches(b.lo, b.hi, p.p.Geometry().T, false)
	}
	return p.read(b, rows, cols, width)
}

func (p *pump) write(ctx context.Context, w io.Writer) error {
	for b := range p.order {
		select {
		case <-b.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if _, err := w.Write(b.out); err != nil {
			return err
		}
		p.free <- b
	}
	return nil
}
