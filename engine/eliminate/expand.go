package eliminate

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"ooc/engine/device"
	"ooc/engine/live"
	"ooc/engine/sparse"
	"ooc/engine/task"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// expansion is the last stage of an elimination: several goroutines write rows of distances, a row of tiles at a time.
// Rows do not depend on one another and each is written once. So progress is a number of rows, and after a kill the rows
// that were in progress are computed again.
type expansion struct {
	run  *run
	e    *sparse.Elimination
	core *sparse.DenseCore

	began time.Time
	first int // tile rows that earlier runs have done
	group *errgroup.Group

	mu      sync.Mutex
	next    int    // the tile row to take next; guarded by mu, as all below
	done    []bool // by tile row
	prefix  int    // tile rows that are done from the first on without a gap
	rows    int    // rows done by this run
	written int64  // bytes of these, padding not counted
	restore int64  // rows of the newest synced checkpoint
	syncing bool   // a checkpoint is being taken
	synced  time.Time
	summed  []bool   // by tile
	sums    []uint32 // of each tile
}

// expand computes and writes every row that is not done.
func (x *run) expand(ctx context.Context, e *sparse.Elimination, core *sparse.DenseCore) error {
	w := x.newExpansion(e, core)
	x.Reports.Show(w.live)
	err := w.runOn(ctx)
	x.Summary.ExpandSeconds = x.Since(w.began)
	x.Summary.RowsWritten, x.Summary.BytesWritten = w.rows, w.written
	syncing := x.Control.Now()
	if err == nil {
		err = w.Finish(ctx)
	}
	x.Summary.SyncSeconds = x.Since(syncing)
	x.Summary.ElapsedSeconds = x.State.Elapsed.Seconds() + x.Since(x.Began)
	return err
}

func (x *run) newExpansion(e *sparse.Elimination, core *sparse.DenseCore) *expansion {
	g, done := x.Geometry, int(x.State.Done)/x.Geometry.T
	return &expansion{run: x, e: e, core: core, began: x.Control.Now(), first: done, restore: x.State.Done, next: done, prefix: done,
		synced: time.Now(), done: make([]bool, g.Down()), sums: make([]uint32, g.Tiles()*x.Meta.SumsPerTile()), summed: make([]bool, g.Tiles())}
}

// Finish makes the written rows durable.
func (w *expansion) Finish(ctx context.Context) error {
	if st := w.state(); st.Done > w.restore {
		if err := w.checkpoint(st); err != nil {
			return err
		}
	}
	if ctx.Err() != nil && w.prefix < len(w.done) {
		return fmt.Errorf("%w at %.1f %%", task.ErrInterrupted, 100*float64(w.restore)/float64(w.run.Geometry.RowCount()))
	}
	if err := w.run.Finish(ctx, w.sums, w.summed); err != nil {
		return err
	}
	return w.run.Store.RemoveCore()
}

// runOn runs the expansion on devices, or else on the processor.
func (w *expansion) runOn(ctx context.Context) error {
	began := w.run.Control.Now()
	there, err := w.onDevices()
	if err != nil {
		return err
	}
	if len(there) > 0 {
		w.run.Summary.SetupSeconds = w.run.Since(began)
		err := w.runAll(ctx, there.start)
		freeing := w.run.Control.Now()
		defer func() { w.run.Summary.SetupSeconds += w.run.Since(freeing) }()
		if cerr := there.close(); err == nil { // after a failure, the first error is the one to report
			err = cerr
		}
		return err
	}
	if err := w.run.freeRings(); err != nil { // the processor allocates its own memory
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

// shape picks the sources per batch and the number of goroutines that fit the host memory.
func (w *expansion) shape() (lanes, workers int, err error) {
	budget := w.run.budget()
	unit := w.e.LaneUnit()
	// What is free was looked at before anything began. Less of it now makes batches small, and stops nothing.
	if least := w.e.ScratchBytes(unit) + w.run.rowBytes(); w.run.HostMemory == 0 && budget > 0 {
		budget = max(budget, least)
	}
	lanes, workers = min(w.e.BatchLanes(), entry.RoundUp(w.run.Geometry.RowCount(), unit)), min(threads(), max(1, len(w.done)-w.first))
	for budget > 0 && int64(workers)*(w.e.ScratchBytes(lanes)+w.run.rowBytes()) > budget {
		switch {
		case lanes > unit:
			lanes -= unit
		case workers > 1:
			workers--
		default:
			return 0, 0, fmt.Errorf("%w: host memory %d bytes; expanding rows of %d vertices needs at least %d bytes",
				device.ErrMemory, budget, w.run.Geometry.N, w.e.ScratchBytes(lanes)+w.run.rowBytes())
		}
	}
	return lanes, workers, nil
}

// budget is the host memory that may be used, 0 if unknown.
func (x *run) budget() int64 {
	if x.HostMemory > 0 {
		return x.HostMemory
	}
	return x.algorithm.free() / 4
}

// work takes tile rows until there are no more, ctx ends, or another goroutine fails.
func (w *expansion) work(ctx context.Context, lanes int) (err error) {
	scratch, err := w.run.host.AllocHost(w.e.ScratchBytes(lanes))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.run.host.FreeHost(scratch)) }()
	row, err := w.run.host.AllocHost(w.run.rowBytes())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.run.host.FreeHost(row)) }()
	ex, err := w.e.NewExpander(w.run.lanes, w.core, lanes, scratch)
	if err != nil {
		return err
	}
	for {
		if err := w.run.Control.Hold(ctx, w.checkpointInPause); err != nil {
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

// take reserves up to most rows of tiles, and returns the first of them and their number.
func (w *expansion) take(most int) (first, count int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	first, count = w.next, min(most, len(w.done)-w.next)
	w.next += count
	return first, count
}

// sources returns the vertices whose rows of distances are in a row of tiles.
func (w *expansion) sources(i int) []int32 {
	g := w.run.Geometry
	sources := make([]int32, 0, g.T)
	for r := i * g.T; r < min((i+1)*g.T, g.RowCount()); r++ {
		sources = append(sources, int32(w.run.Meta.Sources.Vertex(r)))
	}
	return sources
}

// rowBytes is the size of a row of tiles.
func (x *run) rowBytes() int64 { return int64(x.Geometry.Side()) * x.Geometry.TileBytes() }

// tileRow computes a row of tiles and puts it where it belongs.
func (w *expansion) tileRow(ex *sparse.Expander, i int, row []byte) error {
	g := w.run.Geometry
	sources := w.sources(i)
	to := sparse.Target{Data: row, First: g.First(i), Width: g.T, Stride: g.TileBytes(), Past: true}
	for r := range sources {
		to.Places = append(to.Places, int64(r*g.T*g.EntryBytes))
	}
	if err := ex.Rows(sources, to); err != nil {
		return err
	}
	return w.put(i, row, nil)
}

// put writes a finished row of tiles and records it with its checksums. there are those that the device computed; nil: there
// are none, and put computes them. So it does for a store that has one a tile, as before version 3.
func (w *expansion) put(i int, row []byte, there []uint32) error {
	g, each := w.run.Geometry, w.run.Meta.SumsPerTile()
	tile := func(j int) []byte { return row[int64(j)*g.TileBytes():][:g.TileBytes()] }
	if len(there) != g.Side()*each {
		there = nil
	}
	if change := w.toChange(row, i); change != nil {
		if there != nil && g.Rows == 0 { // only the tile on the diagonal becomes another than the device summed
			renew(there[i*each:][:each], tile(i), change)
		} else {
			change()
		}
	}
	for j := g.First(i); j < g.Side(); j++ {
		at := g.Index(i, j)
		sums := w.sums[at*each:][:each] // no other goroutine writes these entries
		if w.summed[at] = true; there != nil {
			copy(sums, there[j*each:])
		} else {
			tiles.Sums(sums, tile(j))
		}
	}
	if err := w.run.sink(i, row[int64(g.First(i))*g.TileBytes():]); err != nil {
		return err
	}
	return w.finished(i)
}

// toChange returns what is left to do to a row of tiles, nil if nothing is: to pad the last one; and where one half of the
// matrix is stored, to mirror the tile on the diagonal, since in f32 an expansion adds up the way from u to v and that from v
// to u in different orders.
func (w *expansion) toChange(row []byte, i int) func() {
	g := w.run.Geometry
	rows := g.RowCount() - i*g.T
	if rows >= g.T && !g.Upper {
		return nil
	}
	return func() {
		if rows < g.T {
			w.padRows(row, i, rows)
		}
		if g.Upper {
			g.Mirror(row[int64(i)*g.TileBytes():][:g.TileBytes()])
		}
	}
}

// renew makes checksums those of a tile as it is after a change. One that was wrong before stays: that strip was damaged on
// its way from the device, and its checksum will show that.
func renew(sums []uint32, tile []byte, change func()) {
	before, after := make([]uint32, len(sums)), make([]uint32, len(sums))
	tiles.Sums(before, tile)
	change()
	tiles.Sums(after, tile)
	for k := range sums {
		if sums[k] == before[k] {
			sums[k] = after[k]
		}
	}
}

// padRows fills the padding rows of the last row of tiles, from the given row on, as those of isolated vertices.
func (w *expansion) padRows(data []byte, i, from int) {
	g := w.run.Geometry
	kind := w.run.Meta.Kind
	for j := g.First(i); j < g.Side(); j++ {
		tile := data[int64(j)*g.TileBytes():][:g.TileBytes()]
		kind.Fill(tile[from*g.T*g.EntryBytes:], kind.Unreachable())
		for r := from; r < g.T && g.Rows == 0 && i == j; r++ {
			kind.Put(tile, r*g.T+r, 0)
		}
	}
}

// finished records a row of tiles, and notes the new state if more rows are done without a gap.
func (w *expansion) finished(i int) error {
	w.mu.Lock()
	g := w.run.Geometry
	w.done[i] = true
	rows := min(g.T, g.RowCount()-i*g.T)
	w.rows += rows
	w.written += int64(rows) * int64(g.N-g.First(i)*g.T) * int64(g.EntryBytes)
	before := w.prefix
	for w.prefix < len(w.done) && w.done[w.prefix] {
		w.prefix++
	}
	st := w.state()
	rose := w.prefix > before
	due := rose && w.begin(st, time.Since(w.synced) >= w.run.Checkpoint)
	w.mu.Unlock()
	if !rose {
		return nil
	}
	if due {
		w.group.Go(func() error { return w.checkpoint(st) })
	}
	return w.run.Store.Note(st)
}

// begin reports whether to take a checkpoint of st now: one is due or asked for, it would advance the restore point, and
// no other is in progress. Call it with mu held.
func (w *expansion) begin(st tiles.State, due bool) bool {
	if w.syncing || st.Done <= w.restore || !due && !w.run.Control.Wanted() {
		return false
	}
	w.syncing = true
	w.run.Control.Begun()
	return true
}

// checkpointInPause takes a checkpoint in a pause if one is asked for.
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
	g := w.run.Geometry
	return tiles.State{
		Algorithm: Name, Done: int64(min(w.prefix*g.T, g.RowCount())), Elapsed: w.run.State.Elapsed + w.run.Control.Now().Sub(w.run.Began),
		Stop: stopAt(w.run.plan.Eliminated), Closer: w.run.closer,
	}
}

// checkpoint makes the rows that st counts durable. Only one runs at a time.
func (w *expansion) checkpoint(st tiles.State) error {
	if err := w.run.Store.Checkpoint(st); err != nil {
		return err
	}
	w.mu.Lock()
	w.restore, w.syncing, w.synced = st.Done, false, time.Now()
	w.mu.Unlock()
	w.run.Control.Touch() // in a pause, the next one may be waiting
	return nil
}

// live describes the progress of the expansion.
func (w *expansion) live() live.Live {
	st := w.run.status(live.StageExpand)
	took := w.run.Since(w.began)
	w.mu.Lock()
	defer w.mu.Unlock()
	g := w.run.Geometry
	before, all := w.first*g.T, g.RowCount()
	st.RowsDone = min(before+w.rows, all)
	st.Progress, st.RestorePoint = float64(st.RowsDone)/float64(all), float64(w.restore)/float64(all)
	if !w.run.Control.Paused() && took > 0 {
		st.DistanceRate = float64(w.rows) * float64(g.N) / took
		st.WriteRate = float64(w.written) / took
		if w.run.plan.Lanes > 0 {
			st.OutRate = st.WriteRate
		}
	}
	st.DeviceMemory = w.run.plan.DeviceBytes
	st.Checkpoint = live.CheckpointOf(w.run.Control, w.syncing)
	st.ETA = -1
	if w.rows > 0 {
		st.ETA = float64(all-st.RowsDone) / float64(w.rows) * took
	}
	return live.Live{Status: st, Board: w.board()}
}

// board draws the rows of tiles. Call it with mu held.
func (w *expansion) board() *live.Board {
	g := w.run.Geometry
	return live.Draw(g.Side(), g.Down(), func(i, j int) live.Cell {
		switch {
		case !g.Holds(i, j):
			return live.NoCell
		case i < w.first || w.done[i]:
			return live.NewCell(3, false, false)
		case i < w.next:
			return live.NewCell(0, true, false)
		}
		return 0
	})
}
