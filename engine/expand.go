package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"ooc/engine/sparse"
	"ooc/kernels"
	"ooc/tiles"
)

// expansion is the last stage of an elimination: it writes rows of distances, a row of tiles at a time, by several
// goroutines. Rows do not depend on one another and each is written once, so what was done before a kill is a
// number of rows, and what was under way is done again.
type expansion struct {
	*elimination
	e    *sparse.Elimination
	core *sparse.DenseCore

	began time.Time
	first int // tile rows that were there before
	group *errgroup.Group

	mu      sync.Mutex
	next    int    // the tile row to take next; guarded by mu, as all below
	done    []bool // by tile row
	prefix  int    // tile rows of which all before are done
	rows    int    // rows done by this run
	restore int64  // rows of the newest synced checkpoint
	syncing bool   // a checkpoint is being taken
	synced  time.Time
	sums    []uint32 // by tile
	summed  []bool
}

// expand writes every row that is not there.
func (x *elimination) expand(ctx context.Context, e *sparse.Elimination, core *sparse.DenseCore, state tiles.State) error {
	g := x.p.geom
	w := &expansion{elimination: x, e: e, core: core, began: x.o.Control.now(), first: int(state.Done) / g.T, restore: state.Done,
		done: make([]bool, g.Down()), sums: make([]uint32, g.Tiles()), summed: make([]bool, g.Tiles())}
	w.next, w.prefix, w.synced = w.first, w.first, time.Now()
	x.reports.show(w.live)
	err := w.run(ctx)
	x.sum.ExpandSeconds = x.since(w.began)
	x.sum.BytesWritten = int64(w.rows) * int64(g.N) * kernels.EntryBytes
	syncing := x.o.Control.now()
	if err == nil {
		err = w.finish(ctx)
	}
	x.sum.SyncSeconds = x.since(syncing)
	x.sum.ElapsedSeconds = x.prior.Seconds() + x.since(x.began)
	return err
}

// finish makes durable what was written.
func (w *expansion) finish(ctx context.Context) error {
	if st := w.state(); st.Done > w.restore {
		if err := w.checkpoint(st); err != nil {
			return err
		}
	}
	if ctx.Err() != nil && w.prefix < len(w.done) {
		return fmt.Errorf("%w at %.1f %%", ErrInterrupted, 100*float64(w.restore)/float64(w.p.geom.RowCount()))
	}
	if err := w.p.storeSums(w.sums, w.summed); err != nil {
		return err
	}
	return w.p.store.RemoveCore()
}

// run starts the goroutines, which take turns at starting a checkpoint.
func (w *expansion) run(ctx context.Context) error {
	began := w.o.Control.now()
	wide, err := w.widely()
	if err != nil {
		return err
	}
	if wide != nil {
		w.sum.SetupSeconds = w.since(began)
		err := w.runAll(ctx, wide.start)
		freeing := w.o.Control.now()
		defer func() { w.sum.SetupSeconds += w.since(freeing) }()
		if cerr := wide.close(); err == nil { // a device that failed has said so
			err = cerr
		}
		return err
	}
	if err := w.ring.free(); err != nil { // the processor takes memory of its own
		return err
	}
	lanes, workers, err := w.shape()
	if err != nil {
		return err
	}
	return w.runAll(ctx, func(ctx context.Context) {
		for range workers {
			w.group.Go(func() error { return w.work(ctx, lanes) })
		}
	})
}

// runAll starts goroutines in the group, in a context that ends with ctx or the first error, and waits for them.
func (w *expansion) runAll(ctx context.Context, start func(ctx context.Context)) error {
	var running context.Context
	w.group, running = errgroup.WithContext(context.Background())
	either, end := context.WithCancel(ctx) // ends with ctx, or the first error
	defer end()
	defer context.AfterFunc(running, end)()
	start(either)
	return w.group.Wait()
}

// shape picks the sources of a batch and the number of goroutines by the memory that there is.
func (w *expansion) shape() (lanes, workers int, err error) {
	budget := w.budget()
	most := (w.p.geom.RowCount() + kernels.LaneUnit - 1) / kernels.LaneUnit * kernels.LaneUnit
	lanes, workers = min(sparse.BatchLanes, most), min(threads(), max(1, len(w.done)-w.first))
	for budget > 0 && int64(workers)*(w.e.ScratchBytes(lanes)+w.rowBytes()) > budget {
		switch {
		case lanes > kernels.LaneUnit:
			lanes -= kernels.LaneUnit
		case workers > 1:
			workers--
		default:
			return 0, 0, fmt.Errorf("%w: host memory %d bytes; expanding rows of %d vertices needs at least %d bytes",
				ErrMemory, budget, w.p.geom.N, w.e.ScratchBytes(lanes)+w.rowBytes())
		}
	}
	return lanes, workers, nil
}

// budget is the host memory that may be taken, 0 where that is not known.
func (x *elimination) budget() int64 {
	if x.o.HostMemory > 0 {
		return x.o.HostMemory
	}
	return freeMemory() / 4
}

// work takes tile rows until there are no more, ctx ends, or another goroutine fails.
func (w *expansion) work(ctx context.Context, lanes int) (err error) {
	scratch, err := w.host.AllocHost(w.e.ScratchBytes(lanes))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.host.FreeHost(scratch)) }()
	row, err := w.host.AllocHost(w.rowBytes())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.host.FreeHost(row)) }()
	ex, err := w.e.NewExpander(w.sweeper, w.core, lanes, scratch)
	if err != nil {
		return err
	}
	for {
		if err := w.o.Control.hold(ctx, w.checkpointInPause); err != nil {
			return err
		}
		i, count := w.take(1)
		if count == 0 || ctx.Err() != nil {
			return nil
		}
		if err := w.tileRow(ex, i, row); err != nil {
			return err
		}
	}
}

// take takes so many rows of tiles, or as many as are left, and returns the first and how many they are.
func (w *expansion) take(most int) (first, count int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	first, count = w.next, min(most, len(w.done)-w.next)
	w.next += count
	return first, count
}

// sources returns the vertices whose rows of distances are in a row of tiles.
func (w *expansion) sources(i int) []int32 {
	g := w.p.geom
	sources := make([]int32, 0, g.T)
	for r := i * g.T; r < min((i+1)*g.T, g.RowCount()); r++ {
		sources = append(sources, int32(w.p.meta.Sources.Vertex(r)))
	}
	return sources
}

// rowBytes is the size of a row of tiles.
func (x *elimination) rowBytes() int64 { return int64(x.p.geom.Side()) * x.p.geom.TileBytes() }

// tileRow computes a row of tiles and puts it where it belongs.
func (w *expansion) tileRow(ex *sparse.Expander, i int, row []byte) error {
	g := w.p.geom
	sources := w.sources(i)
	to := sparse.Target{Data: row, Width: g.T, Stride: g.TileBytes(), Past: true}
	for r := range sources {
		to.Places = append(to.Places, int64(r*g.T*kernels.EntryBytes))
	}
	if err := ex.Rows(sources, to); err != nil {
		return err
	}
	return w.put(i, row, nil)
}

// put writes a row of tiles that is computed, and books it and its checksums. sums are those of the tiles as they were
// computed, nil where nobody has summed them.
func (w *expansion) put(i int, row []byte, sums []uint32) error {
	g := w.p.geom
	if rows := g.RowCount() - i*g.T; rows < g.T {
		sum := func() uint32 { return tiles.Checksum(row[int64(i)*g.TileBytes():][:g.TileBytes()]) }
		// Of unreachable rows the diagonal becomes 0. A tile that is not what was summed keeps its checksum, which tells.
		sound := sums != nil && g.Rows == 0 && sum() == sums[i]
		w.padRows(row, i, rows)
		if sound {
			sums[i] = sum()
		}
	}
	for j := range g.Side() {
		at := i*g.Side() + j // nobody else writes these
		if w.summed[at] = true; sums != nil {
			w.sums[at] = sums[j]
		} else {
			w.sums[at] = tiles.Checksum(row[int64(j)*g.TileBytes():][:g.TileBytes()])
		}
	}
	if err := w.sink(i, row); err != nil {
		return err
	}
	return w.finished(i)
}

// padRows makes the rows from the given one on, which pad the last row of tiles, those of isolated vertices.
func (w *expansion) padRows(data []byte, i, from int) {
	g := w.p.geom
	inf := w.p.noPath()
	for j := range g.Side() {
		tile := words32(data[int64(j)*g.TileBytes():][:g.TileBytes()])
		for k := from * g.T; k < len(tile); k++ {
			tile[k] = inf
		}
		for r := from; r < g.T && g.Rows == 0 && i == j; r++ {
			tile[r*g.T+r] = 0
		}
	}
}

// finished books a row of tiles, and notes how far all before it are done.
func (w *expansion) finished(i int) error {
	w.mu.Lock()
	g := w.p.geom
	w.done[i] = true
	w.rows += min(g.T, g.RowCount()-i*g.T)
	before := w.prefix
	for w.prefix < len(w.done) && w.done[w.prefix] {
		w.prefix++
	}
	st := w.state()
	rose := w.prefix > before
	due := rose && w.begin(st, time.Since(w.synced) >= w.o.checkpointEvery())
	w.mu.Unlock()
	if !rose {
		return nil
	}
	if due {
		w.group.Go(func() error { return w.checkpoint(st) })
	}
	return w.p.store.Note(st)
}

// begin reports whether a checkpoint of st is to be taken now, which it is where it is due or was asked for, brings
// anything, and no other is on its way. Call it with mu held.
func (w *expansion) begin(st tiles.State, due bool) bool {
	if w.syncing || st.Done <= w.restore || !due && !w.o.Control.wanted() {
		return false
	}
	w.syncing = true
	w.o.Control.begun()
	return true
}

// checkpointInPause takes a checkpoint if one is asked for while no rows are begun.
func (w *expansion) checkpointInPause() error {
	w.mu.Lock()
	st := w.state()
	due := w.begin(st, false)
	w.mu.Unlock()
	if !due {
		return nil
	}
	return w.checkpoint(st)
}

// state describes the rows that are done. Call it with mu held.
func (w *expansion) state() tiles.State {
	g := w.p.geom
	return tiles.State{Algorithm: AlgorithmEliminate, Done: int64(min(w.prefix*g.T, g.RowCount())), Elapsed: w.prior + w.o.Control.now().Sub(w.elimination.began)}
}

// checkpoint makes the rows durable that st says are done. There is one at a time.
func (w *expansion) checkpoint(st tiles.State) error {
	if err := w.p.store.Checkpoint(st); err != nil {
		return err
	}
	w.mu.Lock()
	w.restore, w.syncing, w.synced = st.Done, false, time.Now()
	w.mu.Unlock()
	w.o.Control.touch() // another may have been asked for in a pause
	return nil
}

// live says how far the expansion is.
func (w *expansion) live() Live {
	st := w.status(StageExpand)
	took := w.since(w.began)
	w.mu.Lock()
	defer w.mu.Unlock()
	g := w.p.geom
	before, all := w.first*g.T, g.RowCount()
	st.RowsDone = min(before+w.rows, all)
	st.Progress, st.RestorePoint = float64(st.RowsDone)/float64(all), float64(w.restore)/float64(all)
	if !w.o.Control.Paused() && took > 0 {
		st.DistanceRate = float64(w.rows) * float64(g.N) / took
		st.WriteRate = st.DistanceRate * kernels.EntryBytes
		if w.plan.Lanes > 0 {
			st.OutRate = st.WriteRate
		}
	}
	st.DeviceMemory = w.plan.DeviceBytes
	st.Checkpoint = checkpointState(w.o.Control, w.syncing)
	st.ETA = -1
	if w.rows > 0 {
		st.ETA = float64(all-st.RowsDone) / float64(w.rows) * took
	}
	return Live{Status: st, Board: w.board()}
}

// board draws the rows of tiles. Call it with mu held.
func (w *expansion) board() *Board {
	g := w.p.geom
	return gather(g.Side(), g.Down(), ceilDiv(max(g.Side(), g.Down()), MaxBoard), func(i, _ int) Cell {
		switch {
		case i < w.first || w.done[i]:
			return 3 | fullShare<<cellShare
		case i < w.next:
			return cellWorking
		}
		return 0
	})
}
