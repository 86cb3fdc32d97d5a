package factors

import (
	"errors"
	"fmt"

	"ooc/engine/rows"
	"ooc/engine/sparse"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// Search is a sparse.Search of factors that may be on disk. It is for one goroutine.
type Search struct {
	f      *Factors
	search sparse.Search
}

// NewSearch returns a Search.
func (f *Factors) NewSearch() *Search {
	return &Search{f, f.Elimination.NewSearch(f.Core, f.need())}
}

// Do calls do with the search itself, for many questions at a time. What goes wrong with the file meanwhile is Do's
// error.
func (s *Search) Do(do func(s sparse.Search) error) error {
	return s.f.guard(func() error { return do(s.search) })
}

// From makes a vertex the source.
func (s *Search) From(u int) error {
	return s.f.guard(func() error { return s.search.From(int32(u)) })
}

// To returns the distance from the source to a vertex, the bits of an entry of Kind.Wide.
func (s *Search) To(v int) (bits uint64, err error) {
	err = s.f.guard(func() error {
		bits, err = s.search.To(int32(v))
		return err
	})
	return bits, err
}

// ReadAt returns the bits of the distance from u to v, an entry of Kind.Wide. Many goroutines may ask at a time. Its
// errors, as those of all questions, match disk.ErrCorrupt where the file of the factors is damaged.
func (f *Factors) ReadAt(u, v int) (uint64, error) {
	s, _ := f.searches.Get().(*Search)
	if s == nil {
		s = f.NewSearch()
	}
	err := s.From(u)
	if err != nil {
		return 0, err
	}
	bits, err := s.To(v)
	if err == nil {
		f.searches.Put(s)
	}
	return bits, err
}

// WorkerBytes implements rows.Ready.
func (f *Factors) WorkerBytes(sources int) int64 {
	e := f.Elimination
	width := entry.RoundUp(len(e.Vertices), e.LaneUnit())
	return e.ScratchBytes(f.lanes(sources)) + int64(min(sources, e.BatchLanes()))*int64(width)*int64(e.Variant.Bytes())
}

// LaneBytes implements rows.LaneReady.
func (f *Factors) LaneBytes(sources int) int64 { return f.Elimination.WindowBytes(f.lanes(sources)) }

// Reversed implements rows.Ready. What it returns shares the memory of f. In floating kinds its distances may differ
// from those of f by rounding, since an expansion adds up the way there and back in different orders.
func (f *Factors) Reversed() (rows.Ready, error) {
	// Without arcs they are one in any graph.
	if up := f.Elimination.Up; up == f.Elimination.Down && len(up.Weights) > 0 {
		return f, nil
	}
	if err := f.whole(); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.reversed == nil {
		f.reversed = &Factors{Elimination: f.Elimination.Reversed(), host: f.host, file: f.file}
		err := f.guard(func() error {
			f.reversed.Core = f.Core.Reversed()
			return nil
		})
		if err != nil {
			f.reversed = nil
			return nil, err
		}
	}
	return f.reversed, nil
}

// ReadRows fills dst with the distances from each source, those of a Table to its columns, row by row, entries of
// Kind.Wide.
func (x *Expander) ReadRows(dst []byte, sources []int) error {
	kind, n := x.f.Elimination.Variant.Kind(), len(x.f.Elimination.Vertices)
	compute, atOnce := x.Rows, x.lanes
	if x.columns != nil { // these rows are short: those that are close in the tree are found among all
		n, atOnce = len(x.columns.Self), len(sources)
		compute = func(sources []int32, to sparse.Target) error {
			return x.f.guard(func() error { return x.Columns(sources, x.columns, to) })
		}
	}
	row, width := n*kind.Wide().Bytes(), entry.RoundUp(n, x.f.Elimination.LaneUnit())
	if len(dst) != row*len(sources) {
		return fmt.Errorf("%d bytes given for %d rows of %d bytes", len(dst), len(sources), row)
	}
	for len(sources) > 0 {
		batch := sources[:min(len(sources), atOnce)]
		if need := width * kind.Bytes() * len(batch); len(x.rows) < need {
			x.rows = kind.Make(need / kind.Bytes())
		}
		to := sparse.Target{Data: x.rows, Width: width}
		x.sources = x.sources[:0]
		for i, u := range batch {
			x.sources, to.Places = append(x.sources, int32(u)), append(to.Places, int64(i*width*kind.Bytes()))
		}
		if err := compute(x.sources, to); err != nil {
			return err
		}
		for i := range batch {
			wide := dst[i*row : (i+1)*row]
			copy(kind.Narrow(wide), x.rows[to.Places[i]:])
			kind.Widen(wide)
		}
		dst, sources = dst[row*len(batch):], sources[len(batch):]
	}
	return nil
}

// Rows is that of sparse.Expander.
func (x *Expander) Rows(sources []int32, to sparse.Target) error {
	if err := x.takeScratch(); err != nil {
		return err
	}
	return x.f.guard(func() error { return x.Expander.Rows(sources, to) })
}

// Lanes is that of sparse.Expander.
func (x *Expander) Lanes(sources []int32, take func(batch []int32, first int, m kernels.Lanes) error) error {
	return x.f.guard(func() error { return x.Expander.Lanes(sources, take) })
}

// Close frees what the factors were made with. Nothing may ask them any more.
func (f *Factors) Close() error {
	err := errors.Join(f.Core.Close(), f.host.Close())
	if f.file != nil {
		err = errors.Join(err, f.file.Close())
	}
	return err
}
