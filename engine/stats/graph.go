package stats

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"ooc/engine/device"
	"ooc/engine/factors"
	"ooc/engine/graph"
	"ooc/engine/internal/cancel"
	"ooc/engine/live"
	"ooc/engine/rows"
	"ooc/engine/task"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// GraphOptions say what to gather of a graph, and how.
type GraphOptions struct {
	Options
	Sources tiles.RowSet   // the vertices whose rows count; none: all
	File    string         // what was gathered is kept there if the call ends early, and the next call goes on from it
	Memory  int64          // bytes to take at most for elimination, and again for computing rows; 0: no limit, and half of what is free
	Device  kernels.Device // adds up rows, if it can tell all else that is asked, too, and stays the caller's; nil: the processor does

	Name       string            // of the graph, for Progress
	Checkpoint time.Duration     // between two times that the file is written; 0: task.DefaultCheckpoint
	Progress   func(live.Status) // as that of engine.Options
	Interval   time.Duration
	Control    *live.Control

	// For tests.
	after *int   // vertices to eliminate; nil: as many as pays
	each  func() // is called when a band has ended; may be nil
}

// Summary says how statistics of a graph were gathered.
type Summary struct {
	Resumed                    int // rows that an earlier call had gathered
	Rows                       int // that this one has
	EliminateSeconds           float64
	Seconds                    float64 // for its rows
	DistancesPerSecond         float64
	Eliminated, Core, Vertices int
}

// OfGraph gathers the statistics of a graph without its matrix: it computes rows of distances by elimination, and forgets
// them. Integers are those of Of. In floating kinds, distances may differ from those of a store by rounding, and sums are
// added up in the order of elimination, which the graph, the sources and where elimination stops decide.
//
// A device adds up rows where it has memory for that, and can tell all else that is asked; then sums of floats are added up in another
// order.
//
// Memory: that of Of and of factors.Make, and for each goroutine 5 bytes a vertex and some MB. It fails with ErrOptions, the
// errors of graph.Check, factors.ErrDense, device.ErrMemory, ErrOther, disk.ErrCorrupt or tiles.ErrLocked for the file, and with
// task.ErrInterrupted if ctx ends.
func OfGraph(ctx context.Context, g *graph.Graph, o GraphOptions) (_ *Result, _ *Summary, err error) {
	if err := o.Check(g.N); err != nil {
		return nil, nil, err
	}
	head := o.head(g)
	file, err := openSaved(o.File, head)
	if err != nil {
		return nil, nil, err
	}
	done := false
	defer func() { err = errors.Join(err, file.close(done)) }()
	if o.Control == nil {
		o.Control = new(live.Control)
	}
	if o.Checkpoint <= 0 {
		o.Checkpoint = task.DefaultCheckpoint
	}
	x := &graphGathering{o: o, g: g, file: file, began: o.Control.Now()}
	reports := live.NewReporter(live.ReporterOptions{
		Control: o.Control, Publish: func([]byte) error { return nil }, Progress: o.Progress, Interval: o.Interval,
	})
	defer func() { reports.Stop(done) }()
	var shown live.Stage
	at := func(s live.Stage, shares live.StageShares) {
		if s != shown {
			shown = s
			reports.Show(live.Counting(&x.tally, x.look(s, shares)))
		}
	}
	at(live.StageOrder, live.StageShares{}) // and what is before that
	ctx = cancel.Counted(ctx, &x.tally)
	if err := x.prepare(ctx, head, at); err != nil {
		return nil, nil, interrupted(ctx, err)
	}
	defer func() { err = errors.Join(err, x.f.Close()) }()
	if x.onDevice != nil {
		defer func() { err = errors.Join(err, x.onDevice.close()) }()
	}
	at(live.StageExpand, factors.Shares(x.f.Elimination.Work))
	if err := x.expand(ctx); err != nil {
		return nil, nil, interrupted(ctx, err)
	}
	r, err := x.result()
	if err != nil {
		return nil, nil, err
	}
	done = true
	return r, &x.sum, nil
}

// Distances is how many distances there are to gather.
func (o *GraphOptions) Distances(g *graph.Graph) float64 {
	rows := len(o.Sources)
	if rows == 0 {
		rows = g.N
	}
	return float64(rows) * float64(g.N)
}

// interrupted makes an error of a context that has ended task.ErrInterrupted.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return fmt.Errorf("statistics: %w", task.ErrInterrupted)
	}
	return err
}

// head is what the file says that it is of.
func (o *GraphOptions) head(g *graph.Graph) savedHead {
	h := savedHead{
		Format: savedFormat, Version: savedVersion, Graph: g.Digest(), Vertices: g.N,
		Bins: o.Bins, Edges: fmt.Sprint(o.Edges), Nearest: o.Nearest, Within: fmt.Sprint(o.Within),
	}
	if len(o.Sources) > 0 {
		sum := sha256.Sum256(entry.Bytes([]int32(o.Sources)))
		h.Sources = hex.EncodeToString(sum[:])
	}
	return h
}

// graphGathering is one call of OfGraph.
type graphGathering struct {
	*gathering
	o        GraphOptions
	g        *graph.Graph
	f        *factors.Factors
	rows     *expanded
	onDevice *onDevice // nil: the processor adds up rows
	file     *saved
	began    time.Time
	tally    cancel.Tally // of the stage at hand

	mu       sync.Mutex
	slot     slotHead // what the next slot will say; guarded by mu, as those below
	sum      Summary
	saved    int       // rows that the file counts
	unsaved  bool      // the last attempt to save has failed
	done     int       // rows
	expanded time.Time // when the expansion began
	synced   time.Time // when the file was last written
}

// prepare makes the gatherers and the factors. It takes over what the file has, and eliminates as many vertices as the call
// that began it: their number decides the order of rows and columns. It calls at when a stage begins.
func (x *graphGathering) prepare(ctx context.Context, head savedHead,
	at func(live.Stage, live.StageShares)) (err error) {
	began := time.Now()
	if err := x.g.Check(ctx); err != nil {
		return err
	}
	meta := &tiles.Meta{
		N: x.g.N, Kind: x.g.Kind, Scale: x.g.Scale, Directed: x.g.Directed, Negative: x.g.Negative, Sources: x.o.Sources,
	}
	x.gathering = newGathering(nil, meta, x.o.Options)
	x.symmetric = x.g.Symmetric && len(x.o.Sources) == 0
	if err := x.makeGatherers(); err != nil {
		return err
	}
	for _, g := range x.gatherers {
		x.file.state = append(x.file.state, g.state()...)
	}
	was, err := x.file.load()
	if err != nil {
		return err
	}
	most := x.mostUpper()
	o := rows.Question{Rows: len(x.o.Sources), Memory: x.o.Memory, After: x.o.after, Pieces: most, Stage: at}
	if was != nil {
		eliminated := int(was.Eliminated)
		o.After, o.Pieces = &eliminated, int(was.Pieces)
	}
	if o.Pieces > 0 {
		o.Device = x.o.Device
	}
	if x.f, err = factors.Make(ctx, x.g, o); was != nil && errors.Is(err, device.ErrMemory) {
		return fmt.Errorf("%s: %w; or remove this file, and the same command begins again", x.o.File, err)
	} else if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, x.f.Close())
		}
	}()
	x.rows = newExpanded(x.f, x.o.Sources, x.o.Memory)
	x.from, x.vertices = x.rows, x.f.Elimination.Vertices
	slot := slotHead{Eliminated: int64(x.f.Elimination.Work.Eliminated), Order: x.order()}
	if o.Pieces > 0 {
		slot.Pieces = int64(o.Pieces)
		if x.onDevice, err = x.newOnDevice(ctx, most); err != nil {
			return err
		}
	}
	if x.onDevice != nil {
		defer func() {
			if err != nil {
				err = errors.Join(err, x.onDevice.close())
			}
		}()
		x.from = x.onDevice
	}
	if was == nil {
		err = x.file.begin(head)
	} else if was.Order != slot.Order || was.Eliminated != slot.Eliminated || was.Bands > int64(x.rows.bands()) {
		err = fmt.Errorf("%s: %w: it counts rows in another order than this program; remove it, and the same command begins again",
			x.o.File, ErrOther)
	}
	if err != nil {
		return err
	}
	if was != nil {
		slot.Bands, slot.Elapsed = was.Bands, was.Elapsed
		x.first = int(was.Bands)
	}
	x.mu.Lock() // the reporter looks while this prepares
	defer x.mu.Unlock()
	x.slot = slot
	x.done = min(x.first*x.rows.height, len(x.rows.order))
	x.saved = x.done
	work := x.f.Elimination.Work
	x.sum = Summary{
		Resumed: x.done, EliminateSeconds: time.Since(began).Seconds(),
		Eliminated: work.Eliminated, Core: work.Core, Vertices: x.g.N,
	}
	return nil
}

// order is a digest of the vertices of all rows and of all columns, in their orders.
func (x *graphGathering) order() (digest [32]byte) {
	h := sha256.New()
	h.Write(entry.Bytes(x.rows.order)) // hashes do not fail
	h.Write(entry.Bytes(x.vertices))
	copy(digest[:], h.Sum(nil))
	return digest
}

// expand goes through all rows that are left. If ctx ends or rows cannot be computed, it saves what was gathered.
func (x *graphGathering) expand(ctx context.Context) error {
	x.mu.Lock()
	x.expanded, x.synced = x.o.Control.Now(), time.Now()
	x.mu.Unlock()
	x.ended = x.bandEnded
	x.hold = func(ctx context.Context) error { return x.o.Control.Hold(ctx, x.checkpointInPause) }
	err := x.pass(ctx)
	x.mu.Lock()
	x.sum.Seconds = x.o.Control.Now().Sub(x.expanded).Seconds()
	x.sum.Rows = x.done - x.sum.Resumed
	x.sum.DistancesPerSecond = float64(x.sum.Rows) * float64(x.g.N) / max(x.sum.Seconds, 1e-9)
	save := err != nil && !x.unsaved && x.done > x.saved
	x.mu.Unlock()
	if save {
		return errors.Join(err, x.save())
	}
	return err
}

// bandEnded counts a band, and saves now and then.
func (x *graphGathering) bandEnded(i int) error {
	x.mu.Lock()
	x.slot.Bands = int64(i) + 1
	x.done = min((i+1)*x.rows.height, len(x.rows.order))
	due := time.Since(x.synced) >= x.o.Checkpoint || x.o.Control.Wanted()
	x.mu.Unlock()
	if x.o.each != nil {
		x.o.each()
	}
	if !due {
		return nil
	}
	return x.save()
}

// save writes what was gathered to the file. Call it while no band ends.
func (x *graphGathering) save() error {
	x.mu.Lock()
	h, done := x.slot, x.done
	x.o.Control.Begun()
	x.mu.Unlock()
	h.Elapsed += x.o.Control.Now().Sub(x.began)
	err := x.file.save(h)
	x.mu.Lock()
	if x.unsaved = err != nil; err == nil {
		x.saved, x.synced = done, time.Now()
	}
	x.mu.Unlock()
	if err != nil {
		return err
	}
	x.o.Control.Touch() // in a pause, the next one may be waiting
	return nil
}

// checkpointInPause saves if that is asked for in a pause.
func (x *graphGathering) checkpointInPause() error {
	x.turn.Lock()
	defer x.turn.Unlock()
	if x.done == x.saved || !x.o.Control.Wanted() {
		return nil
	}
	return x.save()
}

// look returns what tells how far the call is in a stage.
func (x *graphGathering) look(stage live.Stage, shares live.StageShares) func() live.Live {
	st := live.Status{
		Store: x.o.Name, Vertices: x.g.N, Arcs: x.g.Arcs(), Kind: string(x.g.Kind), Algorithm: "eliminate",
		Rows: len(x.o.Sources), ETA: -1, PID: os.Getpid(),
	}
	if st.Rows == 0 {
		st.Rows = x.g.N
	}
	if x.f != nil {
		st.Device = x.f.Core.Host.(kernels.Device).Info().Model
	}
	if x.onDevice != nil {
		st.Device = x.o.Device.Info().Model
	}
	return func() live.Live {
		x.mu.Lock()
		defer x.mu.Unlock()
		st := st
		now := x.o.Control.Now()
		st.Elapsed = (x.slot.Elapsed + now.Sub(x.began)).Seconds()
		st.Checkpoint = live.CheckpointOf(x.o.Control, false)
		st.RowsDone = x.done
		st.RestorePoint = float64(x.saved) / float64(st.Rows)
		resumed := float64(x.sum.Resumed) / float64(st.Rows)
		if st.Count(stage, shares, resumed, &x.tally, x.o.Control); stage == live.StageExpand {
			st.StageProgress = float64(x.done) / float64(st.Rows)
			made, left := float64(x.done-x.sum.Resumed), float64(max(1, st.Rows-x.sum.Resumed))
			st.Progress = shares.Progress(stage, made/left, resumed)
		}
		if x.done == st.Rows {
			st.RestorePoint = 1
		}
		if made := x.done - x.sum.Resumed; stage == live.StageExpand && made > 0 {
			took := now.Sub(x.expanded).Seconds()
			st.DistanceRate = float64(made) * float64(x.g.N) / max(took, 1e-9)
			st.ETA = float64(st.Rows-x.done) / float64(made) * took
		}
		return live.Live{Status: st}
	}
}
