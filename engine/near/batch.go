package near

import (
	"cmp"
	"context"
	"sync"

	"ooc/engine/rows"
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
	b.record = record{row: int64(b.row), rows: int64(len(b.counts)), pairs: int64(len(b.columns)),
		bytes: [parts]uint32{columnBytes, columnBytes, uint32(kind.Bytes())}}
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

// searching is a run of all processors over missing rows.
type searching struct {
	*searcher
	rows.Run
	units    [][2]int // rows that follow each other, the first and the one after the last
	progress func(rows, of int)

	mu   sync.Mutex
	to   *spool // guarded by mu, as done
	done int    // rows
}

// search finds missing rows and puts them into the spool. When ctx ends, what was found until then is put there too.
// ready computes whole rows; nil: searches find what is near.
func (s *searcher) search(
	ctx context.Context, to *spool, missing [][2]int, mean float64, ready rows.Ready, progress func(rows, of int),
) error {
	x := &searching{searcher: s, progress: progress, to: to, done: s.n}
	for _, m := range missing {
		x.done -= m[1] - m[0]
	}
	hands := make([]func() (rows.Hand, error), s.hands(ready))
	for i := range hands {
		hands[i] = func() (rows.Hand, error) {
			w, err := s.open(ctx, ready)
			return &hand{searching: x, worker: w}, err
		}
	}
	each := columnBytes + mean*float64(columnBytes+to.kind.Bytes())
	step := max(1, min(int(batchBytes/each), (s.n-x.done)/(8*len(hands)), 1<<16))
	if ready != nil { // or some rows would be computed once more by another hand
		step = entry.RoundUp(step, wholeRows)
	}
	for _, m := range missing {
		for lo := m[0]; lo < m[1]; lo += step {
			x.units = append(x.units, [2]int{lo, min(lo+step, m[1])})
		}
	}
	x.Run = rows.Run{Rows: len(x.units), Height: 1, Columns: s.n}
	if err := x.Run.Do(ctx, hands); err != nil || x.Left() == 0 {
		return err
	}
	return context.Cause(ctx)
}

// hand searches, for one goroutine.
type hand struct {
	*searching
	batch
	worker Worker
}

func (h *hand) Close() error { return h.worker.Close() }

func (h *hand) Do(ctx context.Context, first, _ int) (err error) {
	lo, hi := h.units[first][0], h.units[first][1]
	h.reset(lo)
	for row := lo; row < hi && err == nil; row++ {
		if h.bytes() >= batchBytes {
			if err := h.pass(); err != nil {
				return err
			}
			h.reset(row)
		}
		var columns []int32
		var distances []float64
		if columns, distances, err = h.worker.Row(row); err == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err == nil {
			h.add(h.kind, columns, distances)
		}
	}
	if err = cmp.Or(err, h.pass()); err != nil {
		return err
	}
	return h.Run.Done(first)
}

// pass puts the batch into the spool.
func (h *hand) pass() error {
	if len(h.counts) == 0 {
		return nil
	}
	h.pack(h.kind)
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.to.append(h.record, h.parts); err != nil {
		return err
	}
	h.done += len(h.counts)
	if h.progress != nil {
		h.progress(h.done, h.n)
	}
	return nil
}
