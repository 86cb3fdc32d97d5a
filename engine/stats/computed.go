package stats

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"

	"ooc/engine/device"
	"ooc/engine/factors"
	"ooc/engine/sparse"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// expanded is the factors of a graph as a source: rows are computed, used and forgotten. Rows that are near each other in the
// elimination tree share work, so a band is some that follow one another there.
type expanded struct {
	f      *factors.Factors
	kind   entry.Kind // of rows as they are computed
	order  []int32    // the vertices of all rows
	height int        // of bands; all are so high but for the last
	lanes  int        // of a batch; sums of columns are rounded by batches, so nothing but the kind and the height decides it
	most   int        // readers that memory has room for
}

const (
	leastHeight   = 64
	manyBands     = 32 // for all processors to have some
	columnBytes   = 24 // that the sums of a column take
	expandedShare = 2  // of the free memory, one part may be taken for readers
)

// newExpanded returns factors as a source of the rows of the given vertices; none: all. memory is what all readers may take at most;
// 0: a half of what is free.
func newExpanded(f *factors.Factors, sources tiles.RowSet, memory int64) *expanded {
	e := f.Elimination
	s := &expanded{f: f, kind: e.Variant.Kind(), order: slices.Clone(sources), lanes: e.BatchLanes()}
	if len(sources) == 0 {
		s.order = slices.Clone(e.Vertices)
	}
	slices.SortFunc(s.order, func(a, b int32) int { return cmp.Compare(e.Rank[a], e.Rank[b]) })
	s.height = min(max(leastHeight, entry.RoundUp(len(s.order)/manyBands, leastHeight)), bandRows)
	if memory == 0 {
		memory = device.FreeMemory() / expandedShare
	}
	s.lanes = min(s.lanes, s.height)
	s.most = min(runtime.GOMAXPROCS(0), maxWorkers)
	if memory > 0 {
		each := e.WindowBytes(s.lanes) + columnBytes*int64(len(e.Vertices))
		s.most = max(1, min(s.most, int(memory/each)))
	}
	return s
}

func (s *expanded) bands() int { return entry.CeilDiv(len(s.order), s.height) }

func (s *expanded) workers() int { return s.most }

func (s *expanded) rows(band int) []int32 {
	return s.order[band*s.height:][:min(s.height, len(s.order)-band*s.height)]
}

func (s *expanded) reader() (reader, error) {
	x, err := s.f.NewExpander(s.lanes)
	if err != nil {
		return nil, err
	}
	return &expandedReader{expanded: s, x: x}, nil
}

// row computes a row by itself.
func (s *expanded) row(dst []byte, v int) (err error) {
	x, err := s.f.NewExpander(1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	n := len(s.f.Elimination.Vertices)
	width := entry.RoundUp(n, s.f.Elimination.LaneUnit())
	to := sparse.Target{Data: s.kind.Make(width), Places: []int64{0}, Width: width}
	if err := x.Rows([]int32{int32(v)}, to); err != nil {
		return err
	}
	copy(s.kind.Narrow(dst), to.Data)
	s.kind.Widen(dst)
	return nil
}

// expandedReader computes bands, a batch at a time, and some columns of its rows at a time.
type expandedReader struct {
	*expanded
	x       *factors.Expander
	wide    []byte  // lanes in the kind that entries are read in
	rows    []byte  // what was made of lanes
	places  []int64 // of these rows
	columns []int32 // of the lanes, by column of the rows
}

func (r *expandedReader) close() error { return r.x.Close() }

func (r *expandedReader) read(ctx context.Context, band int, all takers) error {
	var inLanes []laneTaker
	var others takers
	for _, t := range all {
		if l, ok := t.(laneTaker); ok {
			inLanes = append(inLanes, l)
		} else {
			others = append(others, t)
		}
	}
	return r.x.Lanes(r.expanded.rows(band), func(batch []int32, first int, m kernels.Lanes) error {
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
func (r *expandedReader) widened(m kernels.Lanes) kernels.Lanes {
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
func (r *expandedReader) transposed(b *lanes) *part {
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
	r.f.Core.Host.Transpose(p.memory, r.places, b.Lanes, r.columns, false)
	return p
}
