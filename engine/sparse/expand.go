package sparse

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// Target is where rows of distances are written. A row is cut into segments of Width entries, like the rows of a
// matrix of tiles. Segment j of the row of source l begins at byte Places[l] + j·Stride of Data and holds the
// distances to the vertices from j·Width on. Entries beyond the last vertex are unreachable.
type Target struct {
	Data   []byte
	Places []int64 // by source
	First  int     // segments before this one are not written
	Width  int     // entries of a segment, a multiple of LaneUnit
	Stride int64   // bytes from one segment of a row to the next
	Past   bool    // Data is not read again soon: write it past the caches
}

// Expander computes rows of distances from an elimination and its closed core, a batch of sources at a
// time: up from the sources, through the core, and down to all vertices (PHAST, see kernels.HostLaneOps). It
// is for one goroutine; any number of them may share the elimination and the core.
type Expander struct {
	e    *Elimination
	core coreRows
	host kernels.HostLaneOps

	// Need is called with parts of the elimination before Columns reads them; nil: nothing is. Its errors are those of
	// Columns, after which the Expander cannot be used again.
	Need func(part []byte) error

	lanes   int
	scratch []byte  // of Rows: the rows of all ranks, and one that is unreachable
	rowsOf  []int32 // by column, padded with the row that is unreachable
	sorted  []int32 // indices of the sources by rank
	batch   []int32 // those of a batch
	lane    []int32 // ranks of the batch's sources, by lane
	places  []int64 // of the batch's rows, by lane

	kept    []bool       // by rank: the climb reached it, and it is not of the core
	rows    []int32      // those ranks, descending
	reached []int32      // core vertices that the climb reached
	climbed []byte       // the rows of both
	rowOf   []int32      // by rank: its row there
	up      kernels.Arcs // between them
	order   []int32      // 0, 1, 2, …
	window  []byte       // the rows of a window, or of columns and what they are computed from
}

// ScratchBytes is the memory that an Expander for some lanes is given for Rows. A part of it, a row for each core
// vertex, stands for what climbs take beside it.
func (e *Elimination) ScratchBytes(lanes int) int64 {
	return int64(len(e.Vertices)+1+e.Core()) * int64(lanes) * int64(e.Variant.Bytes())
}

// lanesOf returns a matrix of lanes in memory.
func (e *Elimination) lanesOf(memory []byte, width int) kernels.Lanes {
	return kernels.Lanes{Data: memory, Width: width, Entry: e.Variant.Bytes()}
}

// LaneUnit divides the lanes of an Expander.
func (e *Elimination) LaneUnit() int { return e.lanesOf(nil, 0).Unit() }

// NewExpander returns an Expander for batches of the given number of lanes, a multiple of LaneUnit. batchLanes is
// best if there are as many sources. scratch has ScratchBytes(lanes) bytes; it is fastest if it is aligned to 64
// bytes and in large pages. It may be nil, and be given later by Scratch: Rows needs it, Lanes does not.
func (e *Elimination) NewExpander(s kernels.HostLaneOps, core coreRows, lanes int, scratch []byte) (*Expander, error) {
	if unit := e.LaneUnit(); lanes < unit || lanes%unit != 0 || scratch != nil &&
		int64(len(scratch)) < e.ScratchBytes(lanes) {
		return nil, fmt.Errorf("expander of %d lanes with %d bytes: want a multiple of %d lanes and %d bytes",
			lanes, len(scratch), unit, e.ScratchBytes(lanes))
	}
	n := len(e.Vertices)
	x := &Expander{e: e, core: core, host: s, lanes: lanes, scratch: scratch}
	x.kept, x.rowOf = make([]bool, n), make([]int32, n)
	return x, nil
}

// Scratch gives the Expander memory for Rows.
func (x *Expander) Scratch(memory []byte) { x.scratch = memory }

// BatchLanes is the best number of lanes for a batch of many sources: they take as much memory in every kind.
func (e *Elimination) BatchLanes() int { return e.Work.BatchLanes(e.Variant) }

// BatchLanes is that of an elimination of entries of a variant.
func (Work) BatchLanes(v entry.Variant) int { return batchLanes * entry.WordBytes / v.Bytes() }

// Rows writes the distances from each of the sources, which are vertices, to all vertices. Sources that are close in
// the elimination tree share work, and Rows sorts them into batches, so many sources in one call are faster than few.
// Each row has the same bits whichever other rows are computed with it. After a panic of Rows because memory of the
// target faults, the Expander cannot be used again.
func (x *Expander) Rows(sources []int32, to Target) error {
	if err := x.check(sources, to); err != nil {
		return err
	}
	if need := x.e.ScratchBytes(x.lanes); int64(len(x.scratch)) < need {
		return fmt.Errorf("expander of %d lanes with %d bytes of scratch: want %d", x.lanes, len(x.scratch), need)
	}
	x.place(to)
	return x.eachBatch(sources, func() error {
		x.findPlaces(to)
		climbed, err := x.climb()
		if err != nil {
			return err
		}
		m := x.e.lanesOf(x.scratch[:(len(x.e.Vertices)+1)*climbed.Width*climbed.Entry], climbed.Width)
		for i, r := range x.rows {
			copy(m.Row(int(r)), climbed.Row(i))
		}
		if err := x.cross(m.Data, climbed); err != nil {
			return err
		}
		x.descend(m, to)
		return nil
	})
}

// findPlaces finds those of the batch's rows.
func (x *Expander) findPlaces(to Target) {
	x.places = x.places[:0]
	for lane := range x.lane {
		x.places = append(x.places, to.Places[x.batch[min(lane, len(x.batch)-1)]])
	}
}

// eachBatch sorts the sources by rank, and calls do for some after others: batch and lane say which.
func (x *Expander) eachBatch(sources []int32, do func() error) error {
	x.sorted = x.sorted[:0]
	for i := range sources {
		x.sorted = append(x.sorted, int32(i))
	}
	slices.SortFunc(x.sorted, func(a, b int32) int { return cmp.Compare(x.e.Rank[sources[a]], x.e.Rank[sources[b]]) })
	for batch := range slices.Chunk(x.sorted, x.lanes) {
		x.batch, x.lane = batch, x.lane[:0]
		for lane := range entry.RoundUp(len(batch), x.e.LaneUnit()) {
			i := batch[min(lane, len(batch)-1)] // lanes without a source repeat the last one
			x.lane = append(x.lane, x.e.Rank[sources[i]])
		}
		err := do()
		for _, r := range x.rows {
			x.kept[r] = false
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// check refuses sources and targets that do not exist.
func (x *Expander) check(sources []int32, to Target) error {
	n, unit := len(x.e.Vertices), x.e.LaneUnit()
	if len(to.Places) != len(sources) || to.Width <= 0 || to.Width%unit != 0 {
		return fmt.Errorf("expand %d sources to %d rows of segments of %d entries: want as many rows, and a multiple "+
			"of %d entries",
			len(sources), len(to.Places), to.Width, unit)
	}
	last := int64((n-1)/to.Width)*to.Stride + int64(to.Width)*int64(x.e.Variant.Bytes())
	for _, place := range to.Places {
		if place < 0 || place+last > int64(len(to.Data)) {
			return fmt.Errorf("expand a source to byte %d…%d of %d", place, place+last, len(to.Data))
		}
	}
	return x.checkSources(sources)
}

func (x *Expander) checkSources(sources []int32) error {
	for _, s := range sources {
		if n := len(x.e.Vertices); s < 0 || int(s) >= n {
			return fmt.Errorf("expand source %d of %d vertices", s, n)
		}
	}
	return nil
}

// climb brings the distances from the batch's sources up to the ranks that they reach. Its rows are those of rows and
// then those of reached.
func (x *Expander) climb() (m kernels.Lanes, err error) {
	if err := x.start(); err != nil {
		return m, err
	}
	count := 0
	for _, ranks := range [][]int32{x.rows, x.reached} {
		for _, r := range ranks {
			x.rowOf[r] = int32(count)
			count++
		}
	}
	for i, y := range x.up.Ends {
		x.up.Ends[i] = x.rowOf[y]
	}
	for len(x.order) < len(x.rows) {
		x.order = append(x.order, int32(len(x.order)))
	}
	kind, width := x.e.Variant.Kind(), len(x.lane)
	if need := count * width * kind.Bytes(); len(x.climbed) < need {
		x.climbed = kind.Make(count * width * 5 / 4) // the next batch may reach some more
	}
	m = x.e.lanesOf(x.climbed[:count*width*kind.Bytes()], width)
	kind.Fill(m.Data, x.e.Variant.Unreachable())
	for lane, r := range x.lane {
		kind.Put(m.Row(int(x.rowOf[r])), lane, 0)
	}
	x.host.Climb(x.e.Variant, m, &x.up, x.order[:len(x.rows)])
	return m, nil
}

// start finds the ranks that climbs from the sources can reach, and lists their arcs up, which lead to ranks.
func (x *Expander) start() error {
	core, up := int32(x.e.Core()), &x.up
	x.rows, x.reached = x.rows[:0], x.reached[:0]
	up.Offsets, up.Ends, up.Weights = append(up.Offsets[:0], 0), up.Ends[:0], up.Weights[:0]
	for _, r := range x.lane {
		if r < core {
			x.reach(r)
			continue
		}
		for ; r >= 0 && !x.kept[r]; r = x.e.Parent[r] {
			x.kept[r] = true
		}
	}
	for r := int32(len(x.kept)) - 1; r >= core; r-- {
		if !x.kept[r] {
			continue
		}
		ends, weights, err := x.arcsUp(r)
		if err != nil {
			return err
		}
		for _, y := range ends {
			if uint32(y) >= uint32(r) || y >= core && !x.kept[y] {
				return badArc(r, y)
			}
			if y < core {
				x.reach(y)
			}
		}
		x.rows = append(x.rows, r)
		up.Ends, up.Weights = append(up.Ends, ends...), append(up.Weights, weights...)
		up.Offsets = append(up.Offsets, int32(len(up.Ends)))
	}
	for _, r := range x.reached {
		x.kept[r] = false
	}
	return nil
}

// arcsUp returns the ends and the weights of a rank's arcs up. Those of an elimination that is needed part by part may
// not be listed.
func (x *Expander) arcsUp(r int32) (ends []int32, weights []uint32, err error) {
	a, words := x.e.Up, x.words()
	first, last := int(a.Offsets[r]), int(a.Offsets[r+1])
	weights = a.Weights[first*words : last*words]
	if x.Need == nil {
		return a.Ends[first:last], weights, nil
	}
	lists, _ := x.e.Lists()
	ends = lists.Of(r)
	return ends, weights, errors.Join(x.Need(entry.Bytes(ends)), x.Need(entry.Bytes(weights)))
}

// words is how many a weight has.
func (x *Expander) words() int { return x.e.Variant.WeightBytes() / entry.WordBytes }

// windowOf makes the window hold so many entries.
func (x *Expander) windowOf(entries int) {
	if kind := x.e.Variant.Kind(); len(x.window) < entries*kind.Bytes() {
		x.window = kind.Make(entries)
	}
}

// reach adds a core vertex to those reached.
func (x *Expander) reach(r int32) {
	if !x.kept[r] {
		x.kept[r] = true
		x.reached = append(x.reached, r)
	}
}

// cross sets the first rows of memory to the distances to all core vertices.
func (x *Expander) cross(memory []byte, climbed kernels.Lanes) error {
	row, core := climbed.Width*climbed.Entry, x.e.Core()
	if core == 0 {
		return nil
	}
	src := x.e.lanesOf(climbed.Data[len(x.rows)*row:], climbed.Width)
	return x.core.Cross(x.e.lanesOf(memory[:core*row], climbed.Width), src, x.reached)
}

// setSources sets the distance from each source to itself to 0, before the climb and again after the sweep: in f32 a
// cycle of length 0 with negative arcs may come out below 0. m has the rows of the ranks from first to stop-1.
func (x *Expander) setSources(m kernels.Lanes, first, stop int) {
	for lane, r := range x.lane {
		if int(r) >= first && int(r) < stop {
			x.e.Variant.Kind().Put(m.Row(int(r)-first), lane, 0)
		}
	}
}

// descend sweeps down from the core, and transposes rows to the target.
func (x *Expander) descend(m kernels.Lanes, to Target) {
	n, core := len(x.e.Vertices), x.e.Core()
	x.e.Variant.Kind().Fill(m.Row(n), x.e.Variant.Unreachable())
	if core < n {
		x.host.Sweep(x.e.Variant, m, x.e.Down, core, n, x.kept)
	}
	x.setSources(m, 0, n)
	for j := to.First; j*to.Width < n; j++ {
		x.host.Transpose(to.Data[int64(j)*to.Stride:], x.places, m, x.rowsOf[j*to.Width:(j+1)*to.Width], to.Past)
	}
}

// place lists the rows of all columns.
func (x *Expander) place(to Target) {
	x.rowsOf = append(x.rowsOf[:0], x.e.Rank...)
	for len(x.rowsOf)%to.Width != 0 {
		x.rowsOf = append(x.rowsOf, int32(len(x.e.Vertices)))
	}
}
