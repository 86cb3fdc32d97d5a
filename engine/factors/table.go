package factors

import (
	"context"
	"slices"

	"ooc/engine/internal/parallel"
	"ooc/engine/rows"
	"ooc/engine/sparse"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// Table computes the distances from some vertices to others, a rectangle of the matrix, without whole rows (see
// sparse.Expander.Columns). Any number of goroutines may share it, each with a Worker.
type Table struct {
	f       *Factors
	columns sparse.Labels
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
	t := &Table{f: f, columns: sparse.Labels{Arcs: kernels.Arcs{Offsets: []int32{0}}}}
	all := &t.columns.Arcs
	for c, v := range cols {
		all.Ends, all.Weights = append(all.Ends, labels[c].Ends...), append(all.Weights, labels[c].Weights...)
		all.Offsets = append(all.Offsets, int32(len(all.Ends)))
		t.columns.Self = append(t.columns.Self, f.Elimination.Rank[v])
	}
	return t, err
}

// NewWorker returns what computes rows of the table, about so many at a time. Close it after use.
func (t *Table) NewWorker(count int) (rows.Worker, error) {
	f, lanes := t.f, t.f.lanes(count)
	x, err := f.Elimination.NewExpander(f.Core.Host, neededCore{f}, lanes, nil)
	if err != nil {
		return nil, err
	}
	x.Need = f.need()
	return &Expander{Expander: x, f: f, columns: &t.columns, lanes: lanes}, nil
}

// neededCore is the core of factors that may be on disk.
type neededCore struct{ f *Factors }

// Cross is what a sparse.Expander asks of a core.
func (c neededCore) Cross(dst, src kernels.Lanes, from []int32) error {
	core, need := c.f.Core, c.f.need()
	row := core.Pitch * core.Variant.WeightBytes() / entry.WordBytes
	for i := 0; need != nil && i < len(from); i++ {
		if err := need(entry.Bytes(core.Matrix[int(from[i])*row:][:row])); err != nil {
			return err
		}
	}
	return core.Cross(dst, src, from)
}
