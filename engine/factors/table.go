package factors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"ooc/engine/internal/parallel"
	"ooc/engine/sparse"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// Table computes the distances from some vertices to others, a rectangle of the matrix, without whole rows: from the
// climbs of both sides, which meet in the core or in an ancestor of both. In floating kinds distances may differ from
// those of rows by rounding. Any number of goroutines may share it, each with a tableReader.
type Table struct {
	f      *Factors
	labels kernels.Arcs // by column: ranks that the climb from its vertex on reversed arcs reached
	self   []int32      // by column: the rank of its vertex
}

// NewTable returns the table of the given columns.
func (f *Factors) NewTable(cols []int) (*Table, error) {
	back := &Factors{Elimination: f.Elimination.Reversed(), Core: f.Core, file: f.file}
	labels := make([]kernels.Arcs, len(cols))
	err := parallel.Do(context.Background(), len(cols), func() func(c int) error {
		s := back.NewSearch() // only the climb, for which the core's matrix is not needed
		return func(c int) error {
			if err := s.From(cols[c]); err != nil {
				return err
			}
			ranks, lengths := s.search.Climbed()
			labels[c] = kernels.Arcs{Ends: slices.Clone(ranks), Weights: slices.Clone(lengths)}
			return nil
		}
	}, func() {})
	t := &Table{f: f, labels: kernels.Arcs{Offsets: []int32{0}}}
	for c, v := range cols {
		t.labels.Ends, t.labels.Weights = append(t.labels.Ends, labels[c].Ends...), append(t.labels.Weights, labels[c].Weights...)
		t.labels.Offsets = append(t.labels.Offsets, int32(len(t.labels.Ends)))
		t.self = append(t.self, f.Elimination.Rank[v])
	}
	return t, err
}

// tableReader computes rows of a Table. It is for one goroutine.
type tableReader struct {
	*Table
	lanes int
	m     kernels.Lanes // a row for each core vertex, one for each other rank that climbs reach, one for each column
	data  []byte        // of m, from the allocator of the device
	src   []byte        // copies of rows of the core
	row   []int32       // by rank that is not of the core: its row in m; -1: the climb does not reach it
	chain []int32       // the ranks that have one, descending
	order []int32       // indices of the sources by rank

	reached []int32 // core vertices
	climb   kernels.Arcs
	labels  kernels.Arcs // those that lead to rows of m
	out     []byte       // of a batch, padded
}

// NewReader returns a reader for batches of about so many rows. Close it after use.
func (t *Table) NewReader(rows int) *tableReader {
	n, core, unit := len(t.f.Elimination.Vertices), t.f.Elimination.Core(), t.f.Elimination.LaneUnit()
	x := &tableReader{Table: t, lanes: entry.RoundUp(max(1, min(rows, t.f.Elimination.BatchLanes())), unit), row: make([]int32, n)}
	for r := core; r < n; r++ {
		x.row[r] = -1
	}
	return x
}

// Close frees the reader's memory.
func (x *tableReader) Close() error {
	if x.data == nil {
		return nil
	}
	data := x.data
	x.data = nil
	return x.f.host.FreeHost(data)
}

// ReadRows fills dst with the distances from each source to each column, row by row, entries of Kind.Wide.
func (x *tableReader) ReadRows(dst []byte, sources []int) error {
	kind := x.f.Elimination.Variant.Kind()
	line := len(x.self) * kind.Wide().Bytes()
	if len(dst) != line*len(sources) {
		return fmt.Errorf("%d bytes given for %d rows of %d bytes", len(dst), len(sources), line)
	}
	x.order = x.order[:0]
	for i := range sources {
		x.order = append(x.order, int32(i))
	}
	rank := x.f.Elimination.Rank
	slices.SortFunc(x.order, func(a, b int32) int { return cmp.Compare(rank[sources[a]], rank[sources[b]]) })
	for batch := range slices.Chunk(x.order, x.lanes) {
		ranks := make([]int32, entry.RoundUp(len(batch), x.f.Elimination.LaneUnit()))
		for lane := range ranks {
			ranks[lane] = rank[sources[batch[min(lane, len(batch)-1)]]] // lanes without a source repeat the last one
		}
		err := x.f.guard(func() error { return x.batch(ranks) })
		for _, r := range x.chain {
			x.row[r] = -1
		}
		if err != nil {
			return err
		}
		width := entry.RoundUp(len(x.self), x.m.Unit()) * kind.Bytes()
		for lane, i := range batch {
			wide := dst[int(i)*line:][:line]
			copy(kind.Narrow(wide), x.out[lane*width:])
			kind.Widen(wide)
		}
	}
	return nil
}

// batch computes the rows of sources, one in each lane.
func (x *tableReader) batch(sources []int32) error {
	if err := x.start(sources); err != nil {
		return err
	}
	v, core, n := x.f.Elimination.Variant, x.f.Elimination.Core(), len(x.self)
	kind, ops := v.Kind(), x.f.Core.Host
	first := core + len(x.chain) // the row of the first column
	if err := x.reserve(first+n+1, len(sources)); err != nil {
		return err
	}
	kind.Fill(x.m.Data[:(first+n+1)*x.m.Width*x.m.Entry], v.Unreachable())
	for lane, r := range sources {
		kind.Put(x.m.Row(int(x.place(r))), lane, 0)
	}
	rows := make([]int32, len(x.chain))
	for i := range rows {
		rows[i] = int32(core + i)
	}
	ops.Climb(v, x.m, &x.climb, rows)
	src := kernels.Lanes{Data: x.src, Width: x.m.Width, Entry: x.m.Entry}
	for i, y := range x.reached {
		copy(src.Row(i), x.m.Row(int(y)))
	}
	src.Data = src.Data[:len(x.reached)*x.m.Width*x.m.Entry]
	if err := x.f.Core.Cross(kernels.Lanes{Data: x.m.Data[:core*x.m.Width*x.m.Entry], Width: x.m.Width, Entry: x.m.Entry}, src, x.reached); err != nil {
		return err
	}
	x.relabel(first)
	ops.Sweep(v, x.m, &x.labels, first, first+n, nil)
	return x.write(sources, first)
}

// place returns the row of a rank that the climb reaches.
func (x *tableReader) place(r int32) int32 {
	if int(r) < x.f.Elimination.Core() {
		return r
	}
	return x.row[r]
}

// start finds the ranks that climbs from the sources reach, and their arcs up.
func (x *tableReader) start(sources []int32) error {
	e, core := x.f.Elimination, int32(x.f.Elimination.Core())
	x.chain, x.reached = x.chain[:0], x.reached[:0]
	for _, r := range sources {
		if r < core {
			x.reached = append(x.reached, r)
		}
		for ; r >= core && x.row[r] < 0; r = e.Parent[r] {
			x.row[r] = 0
			x.chain = append(x.chain, r)
		}
	}
	slices.SortFunc(x.chain, func(a, b int32) int { return int(b - a) })
	for i, r := range x.chain {
		x.row[r] = core + int32(i)
	}
	a := &x.climb
	a.Offsets, a.Ends, a.Weights = a.Offsets[:0], a.Ends[:0], a.Weights[:0]
	for range core + 1 {
		a.Offsets = append(a.Offsets, 0)
	}
	words, need := int32(e.Variant.WeightBytes()/entry.WordBytes), x.f.need()
	lists, _ := e.Lists()
	for _, r := range x.chain {
		lo, hi := e.Up.Offsets[r], e.Up.Offsets[r+1]
		ends, weights := lists.Of(r), e.Up.Weights[lo*words:hi*words]
		if need != nil && lo < hi {
			if err := errors.Join(need(entry.Bytes(ends)), need(entry.Bytes(weights))); err != nil {
				return err
			}
		}
		for _, end := range ends {
			if uint32(end) >= uint32(r) || end >= core && x.row[end] < 0 {
				return sparse.BadArc(r, end)
			}
			if end < core {
				x.reached = append(x.reached, end)
			}
			a.Ends = append(a.Ends, x.place(end))
		}
		a.Weights = append(a.Weights, weights...)
		a.Offsets = append(a.Offsets, int32(len(a.Ends)))
	}
	slices.Sort(x.reached)
	x.reached = slices.Compact(x.reached)
	if need != nil {
		pitch := x.f.Core.Pitch * int(words)
		for _, y := range x.reached {
			if err := need(entry.Bytes(x.f.Core.Matrix[int(y)*pitch:][:pitch])); err != nil {
				return err
			}
		}
	}
	return nil
}

// reserve takes memory for rows of lanes, and for copies of the core's.
func (x *tableReader) reserve(rows, lanes int) error {
	size := x.f.Elimination.Variant.Bytes()
	if need := rows * lanes * size; len(x.data) < need {
		if err := x.Close(); err != nil {
			return err
		}
		var err error
		if x.data, err = x.f.host.AllocHost(int64(need + need/2)); err != nil {
			return err
		}
	}
	if need := len(x.reached) * lanes * size; len(x.src) < need {
		x.src = x.f.Elimination.Variant.Kind().Make(need / size)
	}
	x.m = kernels.Lanes{Data: x.data, Width: lanes, Entry: size}
	return nil
}

// relabel lists those labels of the columns that lead to rows of m. The first column has row first.
func (x *tableReader) relabel(first int) {
	core, words := int32(x.f.Elimination.Core()), int32(x.f.Elimination.Variant.WeightBytes()/entry.WordBytes)
	from, a := &x.Table.labels, &x.labels
	a.Offsets, a.Ends, a.Weights = a.Offsets[:0], a.Ends[:0], a.Weights[:0]
	for range first + 1 {
		a.Offsets = append(a.Offsets, 0)
	}
	for c := range x.self {
		for k := from.Offsets[c]; k < from.Offsets[c+1]; k++ {
			at := from.Ends[k]
			if at >= core {
				if at = x.row[at]; at < 0 {
					continue
				}
			}
			a.Ends, a.Weights = append(a.Ends, at), append(a.Weights, from.Weights[k*words:(k+1)*words]...)
		}
		a.Offsets = append(a.Offsets, int32(len(a.Ends)))
	}
}

// write sets the distances from each vertex to itself to 0, as an Expander does, and transposes the columns to out.
func (x *tableReader) write(sources []int32, first int) error {
	kind, n := x.f.Elimination.Variant.Kind(), len(x.self)
	for c, self := range x.self {
		for lane, r := range sources {
			if r == self {
				kind.Put(x.m.Row(first+c), lane, 0)
			}
		}
	}
	width := entry.RoundUp(n, x.m.Unit())
	columns, places := make([]int32, width), make([]int64, len(sources))
	for c := range columns {
		columns[c] = int32(first + min(c, n)) // the last row of m is unreachable
	}
	for lane := range places {
		places[lane] = int64(lane * width * kind.Bytes())
	}
	if need := len(sources) * width * kind.Bytes(); len(x.out) < need {
		x.out = kind.Make(need / kind.Bytes())
	}
	x.f.Core.Host.Transpose(x.out, places, x.m, columns, false)
	return nil
}
