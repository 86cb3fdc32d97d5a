// Package rowtiles writes rows of distances into the tiles of a store, and makes of any engine of rows an algorithm
// that solves.
package rowtiles

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"ooc/engine/device"
	"ooc/engine/graph"
	"ooc/engine/live"
	"ooc/engine/rows"
	"ooc/engine/searches"
	"ooc/engine/sparse"
	"ooc/engine/task"
	"ooc/engine/tree"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// Writer writes rows of distances into the tiles of a store. A unit of its Run is a row of tiles. Rows do not depend
// on one another and each is written once. So progress is a number of rows, and after a kill the rows that were in
// progress are computed again.
type Writer struct {
	*task.Task
	Run  rows.Run
	Host kernels.Device // allocates memory
	// Sink takes the stored tiles of each row of tiles that is done; nil: the store does.
	Sink func(i int, tiles []byte) error
	// Shares are what the stages of the solve take; zero: there are only rows.
	Shares live.StageShares
	// Mark adds to the store's state what a later run has to know to compute the same rows; nil: nothing.
	Mark func(*tiles.State)
	// Look adds to the status what is known of the devices; nil: nothing.
	Look func(*live.Status)

	once sync.Once
	back *graph.Graph // set by once

	written atomic.Int64 // bytes, padding not counted
	summed  []bool       // by tile
	sums    []uint32     // of each tile
}

// Start begins to write what earlier runs have not.
func (w *Writer) Start() {
	g := w.Geometry
	w.Run = rows.Run{
		Rows: g.RowCount(), Height: g.T, Columns: g.N, First: int(w.State.Done) / g.T,
		Control: w.Control, Every: w.Checkpoint, Shares: w.Shares,
		Save: func(units int) error { return w.Store.Checkpoint(w.state(units)) },
		Note: func(units int) error { return w.Store.Note(w.state(units)) },
	}
	w.Run.Start()
	w.sums, w.summed = make([]uint32, g.Tiles()*w.Meta.SumsPerTile()), make([]bool, g.Tiles())
	w.Reports.Show(w.live)
}

// state describes a number of rows of tiles that are done.
func (w *Writer) state(units int) tiles.State {
	st := tiles.State{
		Algorithm: w.Summary.Algorithm, Done: int64(min(units*w.Geometry.T, w.Geometry.RowCount())),
		Elapsed: w.Task.State.Elapsed + w.Control.Now().Sub(w.Began),
	}
	if w.Mark != nil {
		w.Mark(&st)
	}
	return st
}

// Close makes the rows that were written durable, where err does not say that one could not be, and completes the
// summary and the store. It fails with task.ErrInterrupted where rows are left.
func (w *Writer) Close(ctx context.Context, err error) error {
	_, made, _ := w.Run.Counts()
	w.Summary.ExpandSeconds = w.Run.Seconds()
	w.Summary.RowsWritten, w.Summary.BytesWritten = made, w.written.Load()
	syncing := w.Control.Now()
	if err == nil {
		err = w.finish(ctx)
	}
	w.Summary.SyncSeconds = w.Since(syncing)
	w.Summary.ElapsedSeconds = w.Task.State.Elapsed.Seconds() + w.Since(w.Began)
	return err
}

func (w *Writer) finish(ctx context.Context) error {
	if err := w.Run.Keep(); err != nil {
		return err
	}
	if ctx.Err() != nil && w.Run.Left() > 0 {
		_, _, restore := w.Run.Counts()
		return fmt.Errorf("%w at %.1f %%", task.ErrInterrupted, 100*float64(restore)/float64(w.Geometry.RowCount()))
	}
	return w.Finish(ctx, w.sums, w.summed)
}

// Sources returns the vertices whose rows of distances are in some rows of tiles.
func (w *Writer) Sources(first, count int) []int32 {
	g := w.Geometry
	sources := make([]int32, 0, count*g.T)
	for r := first * g.T; r < min((first+count)*g.T, g.RowCount()); r++ {
		sources = append(sources, int32(w.Meta.Sources.Vertex(r)))
	}
	return sources
}

// chunkEntries is how many distances a goroutine computes at a time where rows share work: more of them share more,
// but are lost when the solve is stopped, and take memory.
const chunkEntries = 1 << 25

// Together is how many rows of n distances a goroutine computes at a time where rows share work.
func Together(n int) int { return max(1, chunkEntries/n) }

// Processor says how rows are computed on the processor.
type Processor struct {
	Open        func(rows int) (rows.Worker, error) // for one goroutine, to compute so many rows at a time
	Bytes       func(rows int) int64                // that such a Worker takes
	Order       []int32                             // those that share work follow each other; nil: a TileWorker sorts
	Unit, Batch int                                 // rows at a time: the least, and the best
	Room        int64                               // bytes of memory to take; 0: any
	OnDevice    []*searches.DeviceBatch             // search in the place of Workers where they can; none: nothing
	// Apart says that rows share nothing beyond a batch.
	Apart bool
	// Must says that somebody has asked for Room. Else the least is taken, whatever Room is.
	Must bool
}

// share says how many goroutines share the memory when some rows of tiles are left, how many rows each takes at a time,
// and how many rows of tiles it holds at most.
func (p Processor) share(g tiles.Geometry, left int) (hands, batch, most int, err error) {
	room, row := p.Room, rowBytes(g)
	least := p.Bytes(p.Unit) + row
	if !p.Must && room > 0 {
		room = max(room, least)
	}
	hands = runtime.GOMAXPROCS(0)
	if len(p.OnDevice) > 0 {
		hands = len(p.OnDevice)
	}
	batch, hands = min(p.Batch, entry.RoundUp(g.RowCount(), p.Unit)), max(1, min(hands, left))
	for room > 0 && int64(hands)*(p.Bytes(batch)+row) > room {
		switch {
		case batch > p.Unit:
			batch -= p.Unit
		case hands > 1:
			hands--
		default:
			return 0, 0, 0, fmt.Errorf(
				"%w: host memory %d bytes; expanding rows of %d vertices needs at least %d bytes",
				device.ErrMemory, room, g.N, least)
		}
	}
	most = max(1, chunkEntries/(g.T*g.N))
	if p.Apart {
		most = max(1, batch/g.T)
	}
	if room > 0 {
		most = min(most, int((room/int64(hands)-p.Bytes(batch))/row))
	}
	return hands, batch, most, nil
}

// atOnce is how many of the rows of tiles that are left a goroutine takes: towards the end less, so that all of them
// end at about the same time.
func atOnce(hands, most, left int) int { return min(most, max(1, left/(2*hands))) }

// Memory is about how many bytes all goroutines take, 0 if there is too little room for one.
func (p Processor) Memory(g tiles.Geometry) int64 {
	hands, batch, most, err := p.share(g, g.Down())
	if err != nil {
		return 0
	}
	return int64(hands) * (p.Bytes(batch) + int64(atOnce(hands, most, g.Down()))*rowBytes(g))
}

// Hands returns as many goroutines as fit, which take as many rows at a time as fit.
func (w *Writer) Hands(p Processor) ([]func() (rows.Hand, error), error) {
	hands, batch, most, err := p.share(w.Geometry, w.Run.Left())
	if err != nil {
		return nil, err
	}
	w.Run.AtOnce = func(left int) int { return atOnce(hands, most, left) }
	place := make([]int32, len(p.Order))
	for i, v := range p.Order {
		place[v] = int32(i)
	}
	open := make([]func() (rows.Hand, error), hands)
	for i := range open {
		open[i] = func() (rows.Hand, error) {
			h := &hand{w: w, open: p.Open, host: w.Host, batch: batch, order: place}
			if len(p.OnDevice) > 0 {
				h.device = p.OnDevice[i]
				h.host = h.device.Device()
				return h, nil
			}
			return h, h.opened()
		}
	}
	return open, nil
}

// rowBytes is the size of a row of tiles.
func rowBytes(g tiles.Geometry) int64 { return int64(g.Side()) * g.TileBytes() }

// hand computes rows of tiles on the processor.
type hand struct {
	w      *Writer
	open   func(rows int) (rows.Worker, error)
	worker rows.Worker           // nil: it has not been needed yet
	device *searches.DeviceBatch // nil: the worker does all
	host   kernels.Device        // allocates memory
	batch  int                   // rows that the worker computes at a time
	order  []int32               // by vertex: its place in Processor.Order
	memory []byte                // rows of tiles
	lines  []byte                // rows that are not computed in their places
	trees  *tree.Maker           // where predecessors are kept
}

// Close implements rows.Hand.
func (h *hand) Close() error {
	var err error
	if h.worker != nil {
		err = h.worker.Close()
	}
	if h.memory != nil {
		err = errors.Join(err, h.host.FreeHost(h.memory))
	}
	return err
}

// opened opens the worker, unless it is open.
func (h *hand) opened() (err error) {
	if h.worker == nil {
		h.worker, err = h.open(h.batch)
	}
	return err
}

// Do implements rows.Hand.
func (h *hand) Do(_ context.Context, first, count int) (err error) {
	g := h.w.Geometry
	row := rowBytes(g)
	if need := int64(count) * row; int64(len(h.memory)) < need {
		if h.memory != nil {
			err, h.memory = h.host.FreeHost(h.memory), nil
		}
		if err == nil {
			h.memory, err = h.host.AllocHost(need)
		}
		if err != nil {
			return err
		}
	}
	sources := h.w.Sources(first, count)
	to := sparse.Target{Data: h.memory, First: g.First(first), Width: g.T, Stride: g.TileBytes(), Past: true}
	for r := range sources {
		to.Places = append(to.Places, int64(r/g.T)*row+int64(r%g.T*g.T*g.EntryBytes))
	}
	done := false
	if h.device != nil {
		done, err = h.device.TileRows(sources, to.First, h.memory[:int64(count)*row])
	}
	if !done && err == nil {
		err = h.compute(sources, to)
	}
	for i := 0; i < count && err == nil; i++ {
		err = h.w.Put(first+i, h.memory[int64(i)*row:][:row], nil)
	}
	return err
}

// compute computes rows on the processor.
func (h *hand) compute(sources []int32, to sparse.Target) error {
	if err := h.opened(); err != nil {
		return err
	}
	if x, ok := h.worker.(rows.TileWorker); ok && !h.w.Meta.Predecessors {
		return x.Rows(sources, to)
	}
	return h.cut(sources, to)
}

// cut computes rows, and cuts them into the rows of tiles.
func (h *hand) cut(sources []int32, to sparse.Target) error {
	wide, n := h.w.Meta.Kind.Wide(), h.w.Geometry.N
	if h.trees == nil && h.w.Meta.Predecessors {
		g, err := h.w.Graph()
		if err != nil {
			return err
		}
		if h.trees, err = tree.NewMaker(g, h.w.reversed(g)); err != nil {
			return err
		}
	}
	if h.lines == nil {
		h.lines = wide.Make(h.batch * n)
	}
	all := make([]int, len(sources)) // indices of sources
	for r := range all {
		all[r] = r
	}
	slices.SortFunc(all, func(a, b int) int { return int(h.order[sources[a]] - h.order[sources[b]]) })
	for batch := range slices.Chunk(all, h.batch) {
		rows, places := make([]int, len(batch)), make([]int64, len(batch))
		for i, r := range batch {
			rows[i], places[i] = int(sources[r]), to.Places[r]
		}
		lines := h.lines[:len(rows)*n*wide.Bytes()]
		if err := h.worker.ReadRows(lines, rows); err != nil {
			return err
		}
		if err := h.place(lines, rows, to, places); err != nil {
			return err
		}
	}
	return nil
}

// place cuts rows of distances from sources into tiles, of which the first of each row begins at its place.
func (h *hand) place(lines []byte, sources []int, to sparse.Target, places []int64) error {
	size := len(lines) / len(sources)
	for some := range slices.Chunk(sources, tree.AtOnce) {
		preds := make([][]int32, len(some))
		if h.trees != nil {
			var source, wrong int
			if preds, source, wrong = h.trees.Of(lines[:len(some)*size], some); wrong >= 0 {
				return fmt.Errorf("%s: from row %d to row %d: no arcs make the distance that was computed",
					h.w.Store.Dir(), source, wrong)
			}
		}
		for i, before := range preds {
			h.placeRow(lines[i*size:][:size], before, to, places[i])
		}
		lines, places = lines[len(some)*size:], places[len(some):]
	}
	return nil
}

// placeRow cuts a row into tiles, of which the first begins at a place. before are its predecessors, where they are
// kept.
func (h *hand) placeRow(row []byte, before []int32, to sparse.Target, at int64) {
	g, kind := h.w.Geometry, h.w.Meta.Kind
	if kind.Wide() != kind { // lengths that the narrow kind does not hold are unreachable
		for k, d := range entry.View[int32](row) {
			kind.Put(row, k, uint64(min(uint32(d), uint32(kind.Unreachable()))))
		}
	}
	for j := to.First; j < g.Side(); j++ {
		line, there := to.Data[at+int64(j)*to.Stride:][:g.T*g.EntryBytes], min(g.T, g.N-j*g.T)
		if part := row[j*g.T*kind.Bytes():][:there*kind.Bytes()]; before == nil {
			copy(line, part)
			kind.Fill(line[there*kind.Bytes():], kind.Unreachable())
		} else {
			h.w.pair(line, part, before[j*g.T:][:there])
		}
	}
}

// pair makes entries of distances and predecessors. Those after the last are of padding.
func (w *Writer) pair(entries, distances []byte, before []int32) {
	if kind := w.Meta.Kind; kind.Bytes() == entry.WordBytes {
		pair(entry.View[uint32](entries), entry.View[uint32](distances), before, uint32(kind.Unreachable()))
	} else {
		pair(entry.View[uint64](entries), entry.View[uint64](distances), before, kind.Unreachable())
	}
}

func pair[E uint32 | uint64](entries, distances []E, before []int32, unreachable E) {
	for k, p := range before {
		entries[2*k], entries[2*k+1] = distances[k], E(uint32(p))
	}
	none := entry.NoVertex
	for k := len(before); k < len(entries)/2; k++ {
		entries[2*k], entries[2*k+1] = unreachable, E(uint32(none))
	}
}

// reversed returns the graph with its arcs reversed, of which all hands share one.
func (w *Writer) reversed(g *graph.Graph) *graph.Graph {
	w.once.Do(func() { w.back = g.Reverse() })
	return w.back
}

// Put writes a row of tiles and records it with its checksums. there are those that a device computed; nil: there are
// none, and Put computes them.
func (w *Writer) Put(i int, row []byte, there []uint32) error {
	g, each := w.Geometry, w.Meta.SumsPerTile()
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
	stored := row[int64(g.First(i))*g.TileBytes():]
	first, count := g.Index(i, g.First(i)), g.Side()-g.First(i)
	sums := w.sums[first*each:][:count*each] // no other goroutine writes these entries, nor those of summed
	for k := range count {
		w.summed[first+k] = true
	}
	if there != nil {
		copy(sums, there[g.First(i)*each:])
		sums = nil
	}
	if err := w.write(i, stored, sums); err != nil {
		return err
	}
	lo, hi := w.Run.RowsOf(i)
	w.written.Add(int64(hi-lo) * int64(g.N-g.First(i)*g.T) * int64(g.EntryBytes))
	return w.Run.Done(i)
}

// write gives the stored tiles of a row to the store, or to Sink. It computes their checksums where sums is not nil.
func (w *Writer) write(i int, stored []byte, sums []uint32) error {
	if w.Sink == nil {
		return w.Store.WriteSummed(i, w.Geometry.First(i), stored, sums)
	}
	if sums != nil {
		tiles.Sums(sums, stored)
	}
	return w.Sink(i, stored)
}

// toChange returns what is left to do to a row of tiles, nil if nothing is: to pad the last one; and where one half
// of the matrix is stored, to mirror the tile on the diagonal, since in f32 an expansion adds up the way from u to v
// and that from v to u in different orders.
func (w *Writer) toChange(row []byte, i int) func() {
	g := w.Geometry
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

// renew makes checksums those of a tile as it is after a change. One that was wrong before stays: that strip was
// damaged on its way from the device, and its checksum will show that.
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
func (w *Writer) padRows(data []byte, i, from int) {
	g := w.Geometry
	kind := w.Meta.Kind
	for j := g.First(i); j < g.Side(); j++ {
		tile := data[int64(j)*g.TileBytes():][:g.TileBytes()]
		if rest := tile[from*g.T*g.EntryBytes:]; w.Meta.Predecessors {
			w.pair(rest, nil, nil)
		} else {
			kind.Fill(rest, kind.Unreachable())
		}
		for r := from; r < g.T && g.Rows == 0 && i == j; r++ {
			kind.Put(tile, (r*g.T+r)*g.EntryBytes/kind.Bytes(), 0)
		}
	}
}

// live describes how far the rows are.
func (w *Writer) live() live.Live {
	st := w.Status()
	st.Stage = live.StageExpand
	w.Run.Status(&st)
	if took := w.Run.Seconds(); st.DistanceRate > 0 && took > 0 {
		st.WriteRate = float64(w.written.Load()) / took
	}
	if w.Look != nil {
		w.Look(&st)
	}
	return live.Live{Status: st, Board: w.board()}
}

// board draws the rows of tiles.
func (w *Writer) board() (b *live.Board) {
	g := w.Geometry
	w.Run.Look(func(done []bool, next int) {
		b = live.Draw(g.Side(), g.Down(), func(i, j int) live.Cell {
			switch {
			case !g.Holds(i, j):
				return live.NoCell
			case i < w.Run.First || done[i]:
				return live.NewCell(3, false, false)
			case i < next:
				return live.NewCell(0, true, false)
			}
			return 0
		})
	})
	return b
}
