package stats

import (
	"context"
	"errors"
	"runtime"
	"slices"

	"ooc/engine/device"
	"ooc/engine/rows"
	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
	"ooc/tiles"
)

const (
	leastHeight   = 64
	manyBands     = 32      // for all processors to have some
	columnBytes   = 24      // that the sums of a column take
	computedShare = 2       // of the free memory, one part may be taken for readers
	blockBytes    = 8 << 20 // of rows that are not in lanes, are computed at a time
)

// newComputed returns what computes rows as a source of those of the given vertices; none: all. They are computed, used
// and forgotten. Rows that follow each other in the order of what computes them share work, so a band is some of these.
// memory is what all readers may take at most; 0: a half of what is free. Sums of columns are asked for unless the
// distances are symmetric.
func newComputed(
	ready rows.Ready, kind entry.Kind, sources tiles.RowSet, symmetric bool, memory int64,
) (source, error) {
	host, err := cpu.Open(cpu.Options{})
	if err != nil {
		return source{}, err
	}
	s := source{device: host.Info().Model, close: host.Close}
	if s.order = ready.Order(); len(sources) > 0 {
		chosen := make([]bool, len(s.order))
		for _, v := range sources {
			chosen[v] = true
		}
		s.order = slices.DeleteFunc(slices.Clone(s.order), func(v int32) bool { return !chosen[v] })
	}
	s.height = heightOf(len(s.order))
	n := len(ready.Order())
	row := n * kind.Wide().Bytes()
	block := min(max(1, blockBytes/row), s.height)
	each := int64(columnBytes*n) + int64(block*row) + ready.WorkerBytes(block)
	inLanes, is := ready.(rows.LaneReady)
	if is {
		s.columns, each = ready.Order(), int64(columnBytes*n)+inLanes.LaneBytes(s.height)
	}
	byLevel, levels := ready.(rows.LevelReady)
	leads := s.order // the source of each row
	if levels {
		s.height = rows.Lanes
		if symmetric {
			s.order, leads = byLevel.Sources()
			s.starts = startsOf(leads)
		}
		each = int64((columnBytes+kernels.LaneSumBytes)*n) + byLevel.LevelBytes()
	} else if !is { // rows share nothing
		s.height = min(s.height, max(1, len(s.order)/manyBands))
	}
	if memory == 0 {
		memory = device.FreeMemory() / computedShare
	}
	s.hands = min(runtime.GOMAXPROCS(0), maxWorkers)
	if memory > 0 {
		s.hands = max(1, min(s.hands, int(memory/each)))
	}
	s.reader = func(int) (reader, error) {
		w, err := ready.NewWorker(s.height)
		if err != nil {
			return nil, err
		}
		byRow := rowReader{Worker: w, order: s.order, kind: kind.Wide(), n: n, block: block}
		switch {
		case levels:
			return newLevelReader(byRow, leads, ready.Order(), kind, !symmetric), nil
		case !is:
			return &byRow, nil
		}
		return &laneReader{LaneWorker: w.(rows.LaneWorker), order: s.order, kind: kind, host: host}, nil
	}
	s.missed = missedIn(kind.Wide(), n, func(dst []byte, v int) error {
		w, err := ready.NewWorker(1)
		if err != nil {
			return err
		}
		return errors.Join(w.ReadRows(dst, []int{v}), w.Close())
	})
	return s, nil
}

// heightOf is how many of so many rows a band has that are in lanes. Sums of columns in floats are rounded by batches
// of lanes: nothing but the kind and the height decides how many there are.
func heightOf(rows int) int {
	return min(max(leastHeight, entry.RoundUp(rows/manyBands, leastHeight)), bandRows)
}

// rowReader computes bands in blocks of rows.
type rowReader struct {
	rows.Worker
	order   []int32
	kind    entry.Kind // of entries as they are read
	n       int
	block   int    // rows at a time
	memory  []byte // of them; nil: none have been read
	sources []int  // of them
}

func (r *rowReader) read(ctx context.Context, lo, hi int, all takers) error {
	entryBytes, stride := r.kind.Bytes(), r.n*r.kind.Bytes()
	if r.memory == nil {
		r.memory = r.kind.Make(r.block * r.n)
	}
	for at := lo; at < hi; at += r.block {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		r.sources = r.sources[:0]
		for _, v := range r.order[at:min(at+r.block, hi)] {
			r.sources = append(r.sources, int(v))
		}
		block := r.memory[:len(r.sources)*stride]
		if err := r.ReadRows(block, r.sources); err != nil {
			return err
		}
		cols := entry.RoundUp(partBytes/(len(r.sources)*entryBytes), cpu.SumLanes)
		for col := 0; col < r.n; col += cols {
			b := &part{at: at - lo, col: col, rows: len(r.sources), cols: min(cols, r.n-col), stride: stride}
			b.memory = block[col*entryBytes:]
			all.add(b)
		}
	}
	return nil
}

// laneReader computes bands in lanes, a batch at a time, and some columns of its rows at a time.
type laneReader struct {
	rows.LaneWorker
	order   []int32
	kind    entry.Kind // of rows as they are computed
	host    kernels.HostLaneOps
	wide    []byte  // lanes in the kind that entries are read in
	rows    []byte  // what was made of lanes
	places  []int64 // of these rows
	columns []int32 // of the lanes, by column of the rows
}

func (r *laneReader) read(ctx context.Context, lo, hi int, all takers) error {
	var inLanes []laneTaker
	var others takers
	for _, t := range all {
		if l, ok := t.(laneTaker); ok {
			inLanes = append(inLanes, l)
		} else {
			others = append(others, t)
		}
	}
	return r.Lanes(r.order[lo:hi], func(batch []int32, first int, m kernels.Lanes) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		// The rows of a batch follow one another, since those of a band are in order.
		b := &lanes{at: int(batch[0]), first: first, rows: len(batch), Lanes: r.widened(m)}
		for _, t := range inLanes {
			t.addLanes(b)
		}
		if len(others) > 0 {
			others.add(r.transposed(b))
		}
		return nil
	})
}

// widened returns lanes as entries are read.
func (r *laneReader) widened(m kernels.Lanes) kernels.Lanes {
	wide := r.kind.Wide()
	if wide == r.kind {
		return m
	}
	count := len(m.Data) / m.Entry
	if len(r.wide) < count*wide.Bytes() {
		r.wide = wide.Make(count)
	}
	out := kernels.Lanes{Data: r.wide[:count*wide.Bytes()], Width: m.Width, Entry: wide.Bytes()}
	copy(r.kind.Narrow(out.Data), m.Data)
	r.kind.Widen(out.Data)
	return out
}

// transposed makes rows of lanes.
func (r *laneReader) transposed(b *lanes) *part {
	columns := len(b.Data) / (b.Width * b.Entry)
	padded := entry.RoundUp(columns, b.Unit())
	p := &part{at: b.at, col: b.first, rows: b.rows, cols: columns, stride: padded * b.Entry}
	if need := b.Width * p.stride; len(r.rows) < need {
		r.rows = r.kind.Wide().Make(need / b.Entry)
	}
	p.memory = r.rows[:b.Width*p.stride]
	r.places, r.columns = r.places[:0], r.columns[:0]
	for l := range b.Width {
		r.places = append(r.places, int64(l*p.stride))
	}
	for c := range padded {
		r.columns = append(r.columns, int32(min(c, columns-1)))
	}
	r.host.Transpose(p.memory, r.places, b.Lanes, r.columns, false)
	return p
}
