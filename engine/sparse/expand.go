package sparse

import (
	"cmp"
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
	core Core
	host kernels.HostLaneOps

	lanes   int
	scratch []byte  // the rows of all ranks, one that is unreachable, and copies of rows of the core
	kept    []bool  // by rank: the climb reached it
	rows    []int32 // those ranks that are not of the core, descending
	reached []int32 // core vertices that the climb reached
	columns []int32 // rows by column, padded with the row that is unreachable
	sorted  []int32 // indices of the sources by rank
	batch   []int32 // those of a batch
	lane    []int32 // ranks of the batch's sources, by lane
	places  []int64 // of the batch's rows, by lane

	// Of Lanes.
	window  []byte       // the rows of a window
	climbed []byte       // the rows that the climb reached: first those of rows, then those of reached
	rowOf   []int32      // by rank: its row there
	up      kernels.Arcs // between them
	order   []int32      // 0, 1, 2, …
}

// ScratchBytes is the memory that an Expander for some lanes needs for Rows.
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
func (e *Elimination) NewExpander(s kernels.HostLaneOps, core Core, lanes int, scratch []byte) (*Expander, error) {
	if unit := e.LaneUnit(); lanes < unit || lanes%unit != 0 || scratch != nil && int64(len(scratch)) < e.ScratchBytes(lanes) {
		return nil, fmt.Errorf("expander of %d lanes with %d bytes: want a multiple of %d lanes and %d bytes",
			lanes, len(scratch), unit, e.ScratchBytes(lanes))
	}
	return &Expander{e: e, core: core, host: s, lanes: lanes, scratch: scratch,
		kept: make([]bool, len(e.Vertices))}, nil
}

// Scratch gives the Expander memory for Rows.
func (x *Expander) Scratch(memory []byte) { x.scratch = memory }

// BatchLanes is the best number of lanes for a batch of many sources: they take as much memory in every kind.
func (e *Elimination) BatchLanes() int { return batchLanes * entry.WordBytes / e.Variant.Bytes() }

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
		x.places = x.places[:0]
		for lane := range x.lane {
			x.places = append(x.places, to.Places[x.batch[min(lane, len(x.batch)-1)]])
		}
		m := x.climb(len(x.lane))
		if err := x.cross(m); err != nil {
			return err
		}
		x.descend(m, to)
		return nil
	})
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
		return fmt.Errorf("expand %d sources to %d rows of segments of %d entries: want as many rows, and a multiple of %d entries",
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

// climb brings the distances from the batch's sources up to the ranks that they reach, in lanes of so many.
func (x *Expander) climb(width int) kernels.Lanes {
	m := x.e.lanesOf(x.scratch[:(len(x.e.Vertices)+1)*width*x.e.Variant.Bytes()], width)
	x.start()
	for _, ranks := range [][]int32{x.rows, x.reached} {
		for _, r := range ranks {
			x.fillUnreachable(m, int(r))
		}
	}
	x.setSources(m, 0, len(x.kept))
	x.host.Climb(x.e.Variant, m, x.e.Up, x.rows)
	return m
}

// start finds the ranks that climbs from the sources can reach.
func (x *Expander) start() {
	x.rows, x.reached = x.rows[:0], x.reached[:0]
	core := int32(x.e.Core())
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
		x.rows = append(x.rows, r)
		for k := x.e.Up.Offsets[r]; k < x.e.Up.Offsets[r+1] && x.e.Up.Ends[k] < core; k++ {
			x.reach(x.e.Up.Ends[k])
		}
	}
	for _, r := range x.reached {
		x.kept[r] = false
	}
}

// reach adds a core vertex to those reached.
func (x *Expander) reach(r int32) {
	if !x.kept[r] {
		x.kept[r] = true
		x.reached = append(x.reached, r)
	}
}

// fillUnreachable fills row r of m.
func (x *Expander) fillUnreachable(m kernels.Lanes, r int) {
	x.e.Variant.Kind().Fill(m.Row(r), x.e.Variant.Unreachable())
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

// cross replaces the distances that the climbs brought to the core by the distances to all core vertices. The reached
// rows are copied aside first, so that no row is read after it was written.
func (x *Expander) cross(m kernels.Lanes) error {
	core, row := x.e.Core(), m.Width*m.Entry
	if core == 0 {
		return nil
	}
	src := x.e.lanesOf(x.scratch[len(m.Data):][:len(x.reached)*row], m.Width)
	for i, r := range x.reached {
		copy(src.Row(i), m.Row(int(r)))
	}
	return x.core.Cross(x.e.lanesOf(m.Data[:core*row], m.Width), src, x.reached)
}

// descend sweeps down from the core, and transposes rows to the target.
func (x *Expander) descend(m kernels.Lanes, to Target) {
	n, core := len(x.e.Vertices), x.e.Core()
	x.fillUnreachable(m, n)
	if core < n {
		x.host.Sweep(x.e.Variant, m, x.e.Down, core, n, x.kept)
	}
	x.setSources(m, 0, n)
	for j := to.First; j*to.Width < n; j++ {
		x.host.Transpose(to.Data[int64(j)*to.Stride:], x.places, m, x.columns[j*to.Width:(j+1)*to.Width], to.Past)
	}
}

// place lists the rows of all columns.
func (x *Expander) place(to Target) {
	x.columns = append(x.columns[:0], x.e.Rank...)
	for len(x.columns)%to.Width != 0 {
		x.columns = append(x.columns, int32(len(x.e.Vertices)))
	}
}
