package sparse

import (
	"sync"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// segmentRows is how many ranks are swept at a time where lanes are used and forgotten. Their rows, and those that
// they are computed from, stay in the processor's second cache.
const segmentRows = 256

// window says where a sweep in segments keeps its rows. A segment needs the core and a few ranks before it, since
// arcs down come from the path to the root. So a window has the rows of one segment, of the core, and of the ranks
// that a later segment needs. Each of these has a slot until the last segment that needs it has been swept.
type window struct {
	segment int       // ranks of a segment, but for the last one
	rows    int       // of the window: the segment, the core, and the slots
	ends    []int32   // of Down.Ends: rows of the window
	saved   [][]saved // by segment: the rows of it that a later one needs
}

// saved is a row of a segment, and the row of the window to which it is copied.
type saved struct{ from, to int32 }

// ownWindow is an elimination's window, once it is needed.
type ownWindow struct {
	sync.Mutex
	of *window // guarded by the mutex
}

func (e *Elimination) window() *window {
	e.ownWindow.Lock()
	defer e.ownWindow.Unlock()
	if e.ownWindow.of == nil {
		e.ownWindow.of = e.newWindow(segmentRows)
	}
	return e.ownWindow.of
}

func (e *Elimination) newWindow(segment int) *window {
	n, core := len(e.Vertices), e.Core()
	last := make([]int32, n) // the last rank with an arc down from this one
	for r := core; r < n; r++ {
		for _, y := range e.Down.Ends[e.Down.Offsets[r]:e.Down.Offsets[r+1]] {
			last[y] = int32(r)
		}
	}
	w := &window{segment: segment, rows: segment + core, ends: make([]int32, len(e.Down.Ends))}
	row := make([]int32, n) // of ranks in slots
	var held, free []int32  // ranks in slots, and slots
	for first := 0; first < n; first += segment {
		stop := min(n, first+segment)
		for r := max(first, core); r < stop; r++ {
			for k := e.Down.Offsets[r]; k < e.Down.Offsets[r+1]; k++ {
				switch y := e.Down.Ends[k]; {
				case int(y) < core:
					w.ends[k] = int32(segment) + y
				case int(y) >= first:
					w.ends[k] = y - int32(first)
				default:
					w.ends[k] = row[y]
				}
			}
		}
		still := held[:0]
		for _, y := range held {
			if int(last[y]) < stop {
				free = append(free, row[y])
			} else {
				still = append(still, y)
			}
		}
		held = still
		var list []saved
		for r := max(first, core); r < stop; r++ {
			if int(last[r]) < stop {
				continue
			}
			if len(free) == 0 {
				free = append(free, int32(w.rows))
				w.rows++
			}
			row[r], free = free[len(free)-1], free[:len(free)-1]
			held, list = append(held, int32(r)), append(list, saved{int32(r - first), row[r]})
		}
		w.saved = append(w.saved, list)
	}
	return w
}

// WindowBytes is about the memory that an Expander for some lanes takes for Lanes. It counts some ranks for each
// source that a climb reaches, and no slots: both are few unless the elimination tree is a path.
func (e *Elimination) WindowBytes(lanes int) int64 {
	return e.Work.windowBytes(lanes, e.Variant.Bytes())
}

// WindowBytes is that of an elimination of some work, for the best number of lanes of entries of so many bytes.
func (w Work) WindowBytes(entryBytes int) int64 {
	return w.windowBytes(batchLanes*entry.WordBytes/entryBytes, entryBytes)
}

func (w Work) windowBytes(lanes, entryBytes int) int64 {
	const ranks, perVertex = 16, 5
	rows := segmentRows + 2*w.Core + ranks*lanes
	return int64(rows)*int64(lanes)*int64(entryBytes) + perVertex*int64(w.Vertices)
}

// Lanes computes what Rows does, and gives it to take as it is: by rank and not by vertex, with sources side by side.
// Row r of m has the distances to rank first+r, in lane i those from source batch[i], an index of sources; lanes
// beyond the batch repeat its last one. Batches come by rank of their sources, and each of them from the first rank
// to the last. m is take's until it returns.
func (x *Expander) Lanes(sources []int32, take func(batch []int32, first int, m kernels.Lanes) error) error {
	if err := x.checkSources(sources); err != nil {
		return err
	}
	w := x.e.window()
	x.windowOf(w.rows * x.lanes)
	return x.eachBatch(sources, func() error {
		m, err := x.climb()
		if err != nil {
			return err
		}
		row := m.Width * m.Entry
		in := x.e.lanesOf(x.window[:w.rows*row], m.Width)
		if err := x.cross(in.Data[w.segment*row:], m); err != nil {
			return err
		}
		for j, saved := range w.saved {
			first := j * w.segment
			if err := take(x.batch, first, x.sweepSegment(w, in, m, first)); err != nil {
				return err
			}
			for _, s := range saved {
				copy(in.Row(int(s.to)), in.Row(int(s.from)))
			}
		}
		return nil
	})
}

// sweepSegment sweeps the ranks of a segment, of which climbed has the rows that the climb reached, and returns them.
func (x *Expander) sweepSegment(w *window, in, climbed kernels.Lanes, first int) kernels.Lanes {
	row, core, down := in.Width*in.Entry, x.e.Core(), x.e.Down
	stop := min(len(x.e.Vertices), first+w.segment)
	fresh := min(max(first, core), stop)
	copy(in.Data, in.Data[(w.segment+min(first, core))*row:(w.segment+min(core, stop))*row])
	for r := fresh; r < stop; r++ {
		if x.kept[r] {
			copy(in.Row(r-first), climbed.Row(int(x.rowOf[r])))
		}
	}
	if fresh < stop {
		arcs := &kernels.Arcs{Offsets: down.Offsets[first:], Ends: w.ends, Weights: down.Weights}
		x.host.Sweep(x.e.Variant, in, arcs, fresh-first, stop-first, x.kept[first:])
	}
	out := x.e.lanesOf(in.Data[:(stop-first)*row], in.Width)
	x.setSources(out, first, stop)
	return out
}
