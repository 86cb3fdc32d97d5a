package export

import (
	"context"
	"errors"
	"io"
	"math"
	"runtime"

	"ooc/engine/internal/parallel"
	"ooc/kernels/entry"
)

// lines says how an export goes through an extract: by rows or by columns, and how many at a time.
type lines struct {
	columns bool
	bytes   int // about what an element takes in block.out; 0 where encode writes nothing there
	least   int // in a block, if there are as many and they fit
	encode  func(b *block) []byte
}

// block is a number of whole rows, or of whole columns, of an extract, to be written to a stream.
type block struct {
	lo, hi  int
	stored  []byte    // the entries, row by row in both cases
	entries []uint32  // the same, where they have 4 bytes
	doubles []float64 // the same, where they have 8
	part    []byte    // a piece of a tile, before its entries are copied to their places
	lines   []byte    // whole columns that were computed; nil: none were
	out     []byte    // the encoded entries
	err     error     // why encoding failed
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

// pump moves an extract into a stream: several goroutines read and encode a block each, which are written in order.
type pump struct {
	*extract
	lines
	count, across, height int       // lines, their length, and lines in a block
	fixed                 []stretch // all stretches of the other side; every block has them
	reader                reader    // of a store without a matrix
}

func (x *extract) stream(ctx context.Context, w io.Writer, l lines) (err error) {
	p := &pump{extract: x, lines: l, count: x.rows.n, across: x.cols.n}
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
	least := max(1, l.least)
	if p.ready != nil {
		least = max(least, rowsAtOnce)
		if p.reader, err = p.openRows(); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, p.reader.Free()) }()
	}
	p.height = min(p.count, max(least, size/line))
	threads = max(1, min(threads, blocksBytes/(p.height*line+partBytes)-2))
	idle := make(chan *block, threads+2)
	read := func(i int) (*block, error) {
		var b *block
		select {
		case b = <-idle:
		default:
			b = p.newBlock()
		}
		b.lo, b.hi = i*p.height, min((i+1)*p.height, p.count)
		err := p.fill(b)
		if err == nil {
			b.out = p.encode(b)
			err = b.err
		}
		return b, err
	}
	return parallel.Ordered(ctx, threads, entry.CeilDiv(p.count, p.height), read, func(b *block) error {
		_, err := w.Write(b.out)
		idle <- b
		return err
	})
}

func (p *pump) newBlock() *block {
	b := &block{part: entry.Bytes(make([]uint64, partBytes/8)), out: make([]byte, 0, p.height*p.across*p.bytes)}
	if p.size == entry.WordBytes {
		b.stored = entry.Make(p.height * p.across)
		b.entries = entry.View[uint32](b.stored)
	} else {
		b.doubles = make([]float64, p.height*p.across)
		b.stored = entry.Bytes(b.doubles)
	}
	return b
}

// fill fills a block with entries of the matrix.
func (p *pump) fill(b *block) error {
	if p.ready != nil {
		return p.compute(b)
	}
	rows, cols, width := p.fixed, p.fixed, p.across
	if p.columns {
		cols, width = p.cols.stretches(b.lo, b.hi, p.p.Geometry().T, true), b.hi-b.lo
	} else {
		rows = p.rows.stretches(b.lo, b.hi, p.p.Geometry().T, false)
	}
	return p.read(b, rows, cols, width)
}
