package engine

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"ooc/kernels"
	"ooc/stream"
	"ooc/tiles"
)

// executor gives the steps of a schedule their memory and hands them to a pipeline.
type executor struct {
	store   *tiles.Store
	device  kernels.Device
	way     *rounds
	weights Weights // where tiles come from that the disk does not hold yet
	geom    tiles.Geometry
	variant kernels.Variant
	pipe    *stream.Pipeline
	slots   []stream.Slot
	pages   []stream.Page
	disk    []stream.Region      // each tile's copy on disk
	clock   func() time.Duration // work so far, all runs
	// Closures have a lane of their own: no tile waits behind one that does not need it, and a device
	// that keeps memory for closures by stream keeps it once.
	pivotLane int

	buf  kernels.Buffer
	host []byte
	flag flag

	synced   func() // called after each checkpoint: whoever asked for another in a pause waits for that
	track    *tracker
	grid     *grid
	syncing  chan struct{} // holds a token while a checkpoint is on its way
	flushing atomic.Int64  // tiles that a checkpoint is writing beside a round
}

// submit translates a step. It is the schedule's emit.
func (x *executor) submit(s step) error {
	t := int64(x.geom.T)
	switch s.kind {
	case stepRead:
		return x.pipe.Submit(x.read(s))
	case stepWrite:
		return x.pipe.Submit(x.write(s))
	case stepCheckpoint:
		return x.pipe.Submit(stream.Op{Stage: stream.Sync, Host: func() error { return x.checkpoint(s.done) }})
	case stepIn:
		slot, page := &x.slots[s.slot], &x.pages[s.page]
		return x.pipe.Submit(stream.Op{
			Stage: stream.In, Lane: slot.Lane, Bytes: x.geom.TileBytes(),
			Reads: []*stream.Region{&page.Region}, Writes: []*stream.Region{&slot.Region},
			Device: func(d kernels.Stream) error { return d.CopyIn(slot.Tile, page.Data) },
			Name:   x.name(s),
		})
	case stepOut:
		slot, page := &x.slots[s.slot], &x.pages[s.page]
		return x.pipe.Submit(stream.Op{
			Stage: stream.Out, Lane: slot.Lane, Bytes: x.geom.TileBytes(),
			Reads: []*stream.Region{&slot.Region}, Writes: []*stream.Region{&page.Region},
			Device: func(d kernels.Stream) error { return d.CopyOut(page.Data, slot.Tile) },
			Name:   x.name(s),
		})
	case stepClosure:
		pivot, m := x.tilesOf(s.c), 1
		for m*m < len(s.c) {
			m++
		}
		w := int64(m) * t
		x.pivotBlock(s, m, x.grid.begun)
		return x.pipe.Submit(stream.Op{
			Stage: stream.Kernel, Lane: x.pivotLane, Work: w * w * w, Writes: x.regions(s.c),
			Device: func(d kernels.Stream) error { return d.Closure(x.variant, x.geom.T, pivot) },
			Done:   func() { x.pivotBlock(s, m, func(t int) { x.grid.finished(t, s.done, s.phase) }) },
			Name:   x.name(s),
		})
	case stepPivots:
		return x.pivots(s)
	case stepDiffer:
		return x.differ(s)
	default: // stepProduct
		x.grid.begun(s.tile)
		product := kernels.Product{C: x.slots[s.c[0]].Tile, A: x.tilesOf(s.a), B: x.tilesOf(s.b), Fresh: s.fresh}
		if s.fresh {
			product.Before = x.slots[s.before].Tile
		}
		return x.pipe.Submit(stream.Op{
			Stage: stream.Kernel, Lane: x.slots[s.c[0]].Lane, Work: t * t * t * int64(len(s.a)),
			Reads: append(x.regions(s.a), x.regions(s.b)...), Writes: x.regions(s.c),
			Device: func(d kernels.Stream) error { return d.MinPlus(x.variant, x.geom.T, []kernels.Product{product}) },
			Done: func() {
				if s.phase > 0 {
					x.grid.finished(s.tile, s.done, s.phase)
				}
			},
			Name: x.name(s),
		})
	}
}

// pivotBlock calls do for each of the m×m tiles that a closure updates.
func (x *executor) pivotBlock(s step, m int, do func(tile int)) {
	for i := range m {
		for j := range m {
			do(s.tile + i*x.geom.Side() + j)
		}
	}
}

func (x *executor) tilesOf(slots []int) []kernels.Tile {
	out := make([]kernels.Tile, len(slots))
	for i, s := range slots {
		out[i] = x.slots[s].Tile
	}
	return out
}

func (x *executor) regions(slots []int) []*stream.Region {
	out := make([]*stream.Region, len(slots))
	for i, s := range slots {
		out[i] = &x.slots[s].Region
	}
	return out
}

// name returns what says in errors and timelines which step this is.
func (x *executor) name(s step) func() string {
	return func() string {
		side := x.geom.Side()
		what := [...]string{
			stepRead: "read", stepIn: "copy to the device", stepOut: "copy from the device", stepWrite: "write",
			stepClosure: fmt.Sprintf("phase 1 up to pivot tile %d of %d", s.done, side),
			stepProduct: x.product(s),
			stepPivots:  fmt.Sprintf("pivot tile %d of %d", s.done, side),
			stepDiffer:  "compare with the copy before",
		}[s.kind]
		return fmt.Sprintf("%s: tile (%d,%d), %s", x.store.Dir(), s.tile/side, s.tile%side, what)
	}
}

// product says which one a step is.
func (x *executor) product(s step) string {
	if !x.way.pivots {
		return fmt.Sprintf("part of pass %d", s.done/x.geom.Side())
	}
	return fmt.Sprintf("phase %d up to pivot tile %d of %d", s.phase, s.done, x.geom.Side())
}

func (x *executor) read(s step) stream.Op {
	page, i, j := &x.pages[s.page], s.tile/x.geom.Side(), s.tile%x.geom.Side()
	if !s.fromGraph {
		x.store.Prefetch(i, j) // this runs ahead of the copy by the pipeline's window
	}
	return stream.Op{
		Stage: stream.Read, Bytes: x.geom.TileBytes(), Name: x.name(s),
		Reads: []*stream.Region{&x.disk[s.tile]}, Writes: []*stream.Region{&page.Region},
		Host: func() error {
			if s.fromGraph {
				return x.weights.FillTile(page.Data, x.geom.T, i, j)
			}
			return x.store.ReadTile(page.Data, i, j)
		},
	}
}

func (x *executor) write(s step) stream.Op {
	page, i, j := &x.pages[s.page], s.tile/x.geom.Side(), s.tile%x.geom.Side()
	if s.checkpoint {
		x.flushing.Add(1)
	}
	return stream.Op{
		Stage: stream.Write, Bytes: x.geom.TileBytes(), Name: x.name(s),
		Reads: []*stream.Region{&page.Region}, Writes: []*stream.Region{&x.disk[s.tile]},
		Host: func() error {
			if s.checkpoint {
				defer x.flushing.Add(-1)
			}
			if err := x.store.WriteTile(i, j, page.Data); err != nil {
				return err
			}
			if s.done == x.way.last(x.geom) {
				x.track.sum(s.tile, tiles.Checksum(page.Data))
			}
			if least, rose := x.track.wrote(s.tile, s.done); rose {
				return x.store.Note(x.state(least))
			}
			return nil
		},
	}
}

// state describes a matrix of which every tile has finished the given number of units.
func (x *executor) state(done int) tiles.State {
	return tiles.State{Algorithm: x.way.name, Done: x.way.vertices(x.geom, done), Elapsed: x.clock()}
}

func (x *executor) checkpoint(done int) error {
	defer func() {
		select {
		case <-x.syncing:
		default:
		}
		x.synced()
	}()
	st := x.state(done)
	if err := x.store.Checkpoint(st); err != nil {
		return err
	}
	x.track.restorable(st.Done)
	return nil
}

// tracker knows how far each tile's copy on disk is.
type tracker struct {
	mu      sync.Mutex
	done    []int32 // by tile: units finished on disk; -1: nothing there yet. Guarded by mu, as all below
	count   []int   // by done+1: how many tiles
	least   int     // the least of done
	restore int64   // State.Done of the newest synced checkpoint
	sums    []uint32
	summed  []bool
}

func newTracker(side, last, start int, onDisk bool) *tracker {
	if !onDisk {
		start = -1
	}
	t := &tracker{
		done: make([]int32, side*side), count: make([]int, last+2), least: start,
		sums: make([]uint32, side*side), summed: make([]bool, side*side),
	}
	for i := range t.done {
		t.done[i] = int32(start)
	}
	t.count[start+1] = side * side
	return t
}

// wrote books a tile's arrival on disk, and reports whether the least over all tiles rose by it.
func (t *tracker) wrote(tile, done int) (least int, rose bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count[t.done[tile]+1]--
	t.done[tile] = int32(done)
	t.count[done+1]++
	before := t.least
	for t.count[t.least+1] == 0 {
		t.least++
	}
	return t.least, t.least > before && t.least > 0
}

func (t *tracker) sum(tile int, sum uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sums[tile], t.summed[tile] = sum, true
}

func (t *tracker) restorable(vertices int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.restore = vertices
}

func (t *tracker) restorePoint() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.restore
}
