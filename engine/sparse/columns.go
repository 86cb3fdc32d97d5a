package sparse

import "ooc/kernels"

// Labels say how the vertices of some columns are reached: of each, the ranks that the climb from it on reversed arcs
// reached and the lengths of its paths, and its own rank.
type Labels struct {
	Arcs kernels.Arcs
	Self []int32
}

// Columns writes the distances from each of the sources to some columns, in their order: one segment of the target. The
// climbs of both sides meet in the core or in an ancestor of both. In floating kinds distances may differ from those of
// Rows by rounding.
func (x *Expander) Columns(sources []int32, columns *Labels, to Target) error {
	if err := x.checkSources(sources); err != nil {
		return err
	}
	return x.eachBatch(sources, func() error {
		x.findPlaces(to)
		climbed, err := x.climb()
		if err != nil {
			return err
		}
		kind, core, row := x.e.Variant.Kind(), x.e.Core(), climbed.Width*climbed.Entry
		first := core + len(x.rows) // the row of the first column, behind those of ranks
		last := first + len(columns.Self)
		x.windowOf((last + 1) * climbed.Width)
		m := x.e.lanesOf(x.window[:(last+1)*row], climbed.Width)
		kind.Fill(m.Data, x.e.Variant.Unreachable())
		copy(m.Data[core*row:], climbed.Data[:len(x.rows)*row])
		if err := x.cross(m.Data, climbed); err != nil {
			return err
		}
		x.host.Sweep(x.e.Variant, m, x.labelled(&columns.Arcs, first), first, last, nil)
		for c, self := range columns.Self { // as in other rows
			for lane, r := range x.lane {
				if r == self {
					kind.Put(m.Row(first+c), lane, 0)
				}
			}
		}
		x.rowsOf = x.rowsOf[:0]
		for c := range to.Width {
			x.rowsOf = append(x.rowsOf, int32(min(first+c, last))) // the last is unreachable
		}
		x.host.Transpose(to.Data, x.places, m, x.rowsOf, to.Past)
		return nil
	})
}

// labelled returns the labels whose ranks have a row, as arcs of the columns' rows. The first of these is given.
func (x *Expander) labelled(labels *kernels.Arcs, first int) *kernels.Arcs {
	a, core, words := &x.up, int32(x.e.Core()), int32(x.words())
	a.Offsets, a.Ends, a.Weights = append(a.Offsets[:0], make([]int32, first+1)...), a.Ends[:0], a.Weights[:0]
	for c := range len(labels.Offsets) - 1 {
		for k := labels.Offsets[c]; k < labels.Offsets[c+1]; k++ {
			at := labels.Ends[k]
			if at >= core {
				if !x.kept[at] {
					continue
				}
				at = core + x.rowOf[at]
			}
			a.Ends, a.Weights = append(a.Ends, at), append(a.Weights, labels.Weights[k*words:(k+1)*words]...)
		}
		a.Offsets = append(a.Offsets, int32(len(a.Ends)))
	}
	return a
}
