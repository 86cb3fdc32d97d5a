package near

import (
	"context"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"ooc/kernels/entry"
)

// batch is rows that follow each other, on their way into the spool.
type batch struct {
	row       int
	counts    []uint32
	columns   []int32
	distances []byte // entries of the kind

	record record // made by pack, as are its parts
	parts  [parts][]byte
	narrow [parts][]uint16 // memory for parts of 2 bytes an entry
}

// batchBytes is when a batch is written. It is larger by one row at most.
const batchBytes = 4 << 20

func (b *batch) reset(row int) {
	b.row, b.counts, b.columns, b.distances = row, b.counts[:0], b.columns[:0], b.distances[:0]
}

func (b *batch) bytes() int { return columnBytes*(len(b.counts)+len(b.columns)) + len(b.distances) }

func (b *batch) add(kind entry.Kind, columns []int32, distances []float64) {
	b.counts = append(b.counts, uint32(len(columns)))
	b.columns = append(b.columns, columns...)
	b.distances = kind.Append(b.distances, distances)
}

// pack makes a record of the batch.
func (b *batch) pack(kind entry.Kind) {
	b.record = record{row: int64(b.row), rows: int64(len(b.counts)), pairs: int64(len(b.columns)), bytes: [parts]uint32{columnBytes, columnBytes, uint32(kind.Bytes())}}
	b.parts = [parts][]byte{entry.Bytes(b.counts), entry.Bytes(b.columns), b.distances}
	ok := false
	if b.narrow[columns], ok = narrowedColumns(b.narrow[columns][:0], b.row, b.counts, b.columns); ok {
		b.record.bytes[columns], b.parts[columns] = narrowBytes, entry.Bytes(b.narrow[columns])
	}
	if kind.Float() {
		return
	}
	if b.narrow[distances], ok = narrowedDistances(b.narrow[distances][:0], entry.View[int32](b.distances)); ok {
		b.record.bytes[distances], b.parts[distances] = narrowBytes, entry.Bytes(b.narrow[distances])
	}
}

// searching is a run of all processors over missing rows. One goroutine writes what they find, so that no search waits for the
// disk before there are some batches.
type searching struct {
	*Searcher
	chunks chan [2]int // rows that follow each other, for one worker
	free   chan *batch
	full   chan *batch
}

// search finds missing rows and puts them into the spool. When ctx ends, what was found until then is put there too.
func (s *Searcher) search(ctx context.Context, to *spool, missing [][2]int, mean float64, progress func(rows, of int)) error {
	workers := runtime.GOMAXPROCS(0)
	x := &searching{Searcher: s, chunks: make(chan [2]int), free: make(chan *batch, 2*workers+2), full: make(chan *batch, workers)}
	for range cap(x.free) {
		x.free <- new(batch)
	}
	left := 0
	for _, m := range missing {
		left += m[1] - m[0]
	}
	step := max(1, min(int(batchBytes/(columnBytes+mean*float64(columnBytes+to.kind.Bytes()))), left/(8*workers), 1<<16))
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var work sync.WaitGroup
	g, searching := errgroup.WithContext(ctx)
	work.Add(workers)
	g.Go(func() error { return x.deal(searching, missing, step) })
	for range workers {
		g.Go(func() error {
			defer work.Done()
			return x.work(searching)
		})
	}
	go func() {
		work.Wait()
		close(x.full)
	}()
	g.Go(func() error { return x.write(to, s.n-left, stop, progress) })
	return g.Wait()
}

// deal hands out the missing rows, in order.
func (x *searching) deal(ctx context.Context, missing [][2]int, step int) error {
	defer close(x.chunks)
	for _, m := range missing {
		for lo := m[0]; lo < m[1]; lo += step {
			select {
			case x.chunks <- [2]int{lo, min(lo+step, m[1])}:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
	return nil
}

// work searches until there is nothing left, or ctx ends.
func (x *searching) work(ctx context.Context) error {
	w := x.Worker(ctx)
	pass := func(b *batch) {
		b.pack(x.kind)
		x.full <- b
	}
	for c := range x.chunks {
		b := <-x.free
		b.reset(c[0])
		for row := c[0]; row < c[1]; row++ {
			if b.bytes() >= batchBytes {
				pass(b)
				b = <-x.free
				b.reset(row)
			}
			columns, distances, err := w.Row(row)
			if err == nil && ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			if err != nil {
				pass(b)
				return err
			}
			b.add(x.kind, columns, distances)
		}
		pass(b)
	}
	return nil
}

// write puts batches into the spool until there are no more. After an error it stops the search and only takes them, so that
// nobody waits.
func (x *searching) write(to *spool, done int, stop func(error), progress func(rows, of int)) (err error) {
	for b := range x.full {
		if err == nil && len(b.counts) > 0 {
			if err = to.append(b.record, b.parts); err != nil {
				stop(err)
			}
			done += len(b.counts)
			if progress != nil {
				progress(done, x.n)
			}
		}
		x.free <- b
	}
	return err
}
