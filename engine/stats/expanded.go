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
	lanes  int        // of a batch
	most   int        // readers that memory has room for
}

const (
	leastHeight   = 64
	manyBands     = 32        // for all processors to have some
	segmentBytes  = 128 << 10 // of the rows of a batch, that are computed at a time: they stay in the processor's second cache
	columnBytes   = 24        // that the sums of a column take
	expandedShare = 2         // of the free memory, one part may be taken for readers
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
	each := func() int64 { return e.ScratchBytes(s.lanes) + columnBytes*int64(len(e.Vertices)) }
	for memory > 0 && each() > memory && s.lanes > e.LaneUnit() {
		s.lanes -= e.LaneUnit()
	}
	s.most = min(runtime.GOMAXPROCS(0), maxWorkers)
	if memory > 0 {
		s.most = max(1, min(s.most, int(memory/each())))
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
	unit := s.f.Elimination.LaneUnit()
	width := max(unit, segmentBytes/(s.lanes*s.kind.Bytes())/unit*unit)
	r := &expandedReader{expanded: s, x: x, n: len(s.f.Elimination.Vertices)}
	r.to = sparse.Target{Data: s.kind.Make(s.height * width), Width: width}
	for i := range s.height {
		r.to.Places = append(r.to.Places, int64(i*width*s.kind.Bytes()))
	}
	if s.kind.Wide() != s.kind {
		r.wide = s.kind.Wide().Make(s.height * width)
	}
	return r, nil
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

// expandedReader computes bands, a batch at a time, and a segment of its rows at a time.
type expandedReader struct {
	*expanded
	x    *factors.Expander
	n    int
	to   sparse.Target
	wide []byte // the segment in the kind that entries are read in; nil: that is theirs
}

func (r *expandedReader) close() error { return r.x.Close() }

func (r *expandedReader) read(ctx context.Context, band int, take func(*part)) error {
	rows := r.rows(band)
	to := r.to
	to.Places = to.Places[:len(rows)]
	to.Took = func(batch []int32, j int) error { // they follow one another, since rows are in order
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		b := &part{at: int(batch[0]), col: j * to.Width, rows: len(batch), cols: min(to.Width, r.n-j*to.Width)}
		b.memory, b.stride = r.widened(b.at, b.rows)
		take(b)
		return nil
	}
	return r.x.Rows(rows, to)
}

// widened returns some rows of the segment, as entries are read, and the bytes from one to the next.
func (r *expandedReader) widened(first, rows int) (memory []byte, stride int) {
	narrow := r.to.Width * r.kind.Bytes()
	memory = r.to.Data[first*narrow:][:rows*narrow]
	if r.wide == nil {
		return memory, narrow
	}
	wide := r.wide[:rows*r.to.Width*r.kind.Wide().Bytes()]
	copy(r.kind.Narrow(wide), memory)
	r.kind.Widen(wide)
	return wide, r.to.Width * r.kind.Wide().Bytes()
}
