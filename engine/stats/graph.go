package stats

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"ooc/engine"
	"ooc/engine/between"
	"ooc/engine/device"
	"ooc/engine/factors"
	"ooc/engine/graph"
	"ooc/engine/internal/cancel"
	"ooc/engine/live"
	"ooc/engine/rows"
	"ooc/engine/searches"
	"ooc/engine/sparse"
	"ooc/engine/task"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// GraphOptions say what to gather of a graph, and how.
type GraphOptions struct {
	Options
	// Betweenness says of what to add it up, from the sources. It takes weights above 0.
	Betweenness between.Question

	Sources tiles.RowSet // the vertices whose rows count; none: all
	File    string       // what was gathered is kept there if the call ends early, and the next call goes on from it
	Memory  int64        // bytes to take at most for elimination, and again for rows; 0: no limit, half of what is free
	// Open opens a device, which may be device.Several. OfGraph closes it; after Offers it stays the caller's. It adds
	// up rows, if it can tell all else that is asked, too. It is called once, while the processor does what needs none.
	// nil: the processor does all.
	Open func() (kernels.Device, error)

	Name       string            // of the graph, for Progress
	Checkpoint time.Duration     // between two times that the file is written; 0: task.DefaultCheckpoint
	Progress   func(live.Status) // as that of engine.Options
	Interval   time.Duration
	Control    *live.Control

	// For tests.
	onDevice bool   // betweenness is added up on devices, however long that takes
	after    *int   // vertices to eliminate; nil: as many as pays
	each     func() // is called when a band has ended; may be nil
	// offer is in the place of engine.OfferRows; nil: it is not.
	offer func(ctx context.Context, g *graph.Graph, q rows.Question) (rows.Offer, error)
}

// summary says how statistics of a graph were gathered.
type summary struct {
	Resumed            int     // rows that an earlier call had gathered
	Rows               int     // that this one has
	Engine             string  // what computed them, see rows.Engine
	ReadySeconds       float64 // to make the graph ready for that
	Seconds            float64 // for its rows
	DistancesPerSecond float64 // 0: it computed only those that are near
	Eliminated, Core   int     // vertices, if the engine is that of factors
	BetweenResumed     int     // sources of betweenness that an earlier call had added up
	BetweenSeconds     float64
	BetweenAlone       string // why no device has added it up, where one was to; or empty
	Alone              string // why no device has searched, where one was to; or empty
}

// OfGraph gathers the statistics of a graph without its matrix: it computes rows of distances by the engine that takes
// least time (see engine.OfferRows), and forgets them. Integers are those of Of. In floating kinds, distances may
// differ from those of a store by rounding, and sums are added up in the order of the engine: in that of elimination,
// which the graph, the sources and where elimination stops decide.
//
// Devices add up rows of an elimination, and of searches by lanes, where they have memory for that, and can tell all
// else that is asked; then sums of floats are added up in another order. It is the same for any number of devices of one
// kind and memory.
//
// Memory: that of Of and of the engine, and for each goroutine of an elimination 5 bytes a vertex and some MB. It fails
// with errOptions, the errors of graph.Check, factors.ErrDense, device.ErrMemory, errOther, disk.ErrCorrupt or
// lock.ErrLocked for the file, and with task.ErrInterrupted if ctx ends.
func OfGraph(ctx context.Context, g *graph.Graph, o GraphOptions) (_ *Result, _ *summary, err error) {
	if err := o.Check(g.N); err != nil {
		return nil, nil, err
	}
	if o.Betweenness.Any() {
		if o.Values != nil {
			return nil, nil, fmt.Errorf("%w: sums of values come without betweenness", errOptions)
		}
		if err := cmp.Or(between.Check(g), o.betweenFits(between.MemoryOf(g))); err != nil {
			return nil, nil, err
		}
	}
	head := sync.OnceValue(func() savedHead { return o.head(g) })
	go head()    // meanwhile
	defer head() // it reads the graph, which is the caller's again
	file, err := openSaved(o.File, head)
	if err != nil {
		return nil, nil, err
	}
	done := false
	defer func() { err = errors.Join(err, file.close(done)) }()
	o.Control = cmp.Or(o.Control, new(live.Control))
	if o.Checkpoint <= 0 {
		o.Checkpoint = task.DefaultCheckpoint
	}
	if o.offer == nil {
		o.offer = engine.OfferRows
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
	ctx = x.tally.Counted(ctx)
	closed := sync.OnceValue(x.close)
	defer func() { err = errors.Join(err, closed()) }()
	if err := x.prepare(ctx, head, at); err != nil {
		return nil, nil, interrupted(ctx, err)
	}
	x.run.Start()
	at(live.StageExpand, x.run.Shares)
	if err := x.pass(ctx); err != nil { // what was gathered counts
		return nil, nil, errors.Join(interrupted(ctx, err), x.run.Keep())
	}
	gathered, made, _ := x.run.Counts()
	x.sum.Resumed, x.sum.Rows = gathered-made, made
	x.sum.Seconds = x.run.Seconds()
	if !x.o.bounded() {
		x.sum.DistancesPerSecond = float64(x.sum.Rows) * float64(x.g.N) / max(x.sum.Seconds, 1e-9)
	}
	if x.sums != nil {
		ofRows := x.run
		if err := x.leaveDevices(); err != nil {
			return nil, nil, errors.Join(err, ofRows.Keep())
		}
		if err := x.addBetween(ctx, at); err != nil {
			err = interrupted(ctx, err)
			if errors.Is(err, task.ErrInterrupted) { // the run of betweenness knows nothing of rows
				err = errors.Join(err, ofRows.Keep())
			}
			return nil, nil, errors.Join(err, x.run.Keep())
		}
	}
	if d := x.device; o.Values != nil && d != nil && !d.Info().SharedCores {
		x.sum.Alone = d.Info().Name + " adds no values up"
	}
	go closed() // meanwhile: results need nothing that it gives back
	r, err := x.result()
	if err != nil {
		return nil, nil, err
	}
	done = true
	return r, &x.sum, nil
}

// Distances is how many distances there are to gather that a device may compute.
func (o *GraphOptions) Distances(g *graph.Graph) float64 {
	if o.Values != nil {
		return 0
	}
	return float64(o.rows(g)) * float64(g.N)
}

// rows is how many rows there are to gather.
func (o *GraphOptions) rows(g *graph.Graph) int {
	return cmp.Or(len(o.Sources), g.N)
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
		Decay: o.Decay.String(), Betweenness: o.Betweenness.String(),
	}
	if o.Values != nil {
		h.Values = digest(entry.Bytes(o.Values))
	}
	if len(o.Sources) > 0 {
		h.Sources = digest(entry.Bytes([]int32(o.Sources)))
	}
	if targets := o.Betweenness.Targets; len(targets) > 0 {
		h.Targets = digest(entry.Bytes(targets))
	}
	return h
}

func digest(list []byte) string {
	sum := sha256.Sum256(list)
	return hex.EncodeToString(sum[:])
}

// graphGathering is one call of OfGraph.
type graphGathering struct {
	*gathering
	o       GraphOptions
	g       *graph.Graph
	ready   rows.Ready     // nil: not yet
	device  kernels.Device // nil: none, or it is not open yet
	opening *opening       // nil: no devices add up rows
	end     func(error)    // ends what makes the graph ready; nil: nothing does
	file    *saved
	slot    slotHead // what the next slot will say, apart from bands and time
	began   time.Time
	tally   cancel.Tally // of the stage at hand
	sum     summary

	sums    *between.Sums  // nil: not asked for
	between *between.Ready // nil: not yet
}

// question makes the gatherers, and returns what an engine is asked that computes their rows.
func (x *graphGathering) question() (rows.Question, error) {
	meta := &tiles.Meta{
		N: x.g.N, Kind: x.g.Kind, Scale: x.g.Scale, Directed: x.g.Directed, Negative: x.g.Negative,
		Sources: x.o.Sources,
	}
	x.gathering = newGathering(meta, x.o.Options)
	x.symmetric, x.each = x.g.Symmetric && len(x.o.Sources) == 0, x.o.each
	if err := x.makeGatherers(); err != nil {
		return rows.Question{}, err
	}
	return rows.Question{Rows: len(x.o.Sources), Memory: x.o.Memory, After: x.o.after, Open: x.devices()}, nil
}

// devices opens the device and finds out what it does, once.
func (x *graphGathering) devices() func(*rows.Question) error {
	open := sync.OnceValues(func() (now rows.Question, err error) {
		if x.o.Open != nil {
			x.device, err = x.o.Open()
		}
		if err != nil || x.device == nil {
			return now, err
		}
		if now.Pieces = x.mostUpper(); now.Pieces > 0 {
			now.Device = x.device
		}
		if x.counted() {
			now.Counts = x.device
		}
		if devices, _ := x.askDevices(); len(devices) > 0 {
			now.Sums = x.device
		}
		return now, nil
	})
	return func(q *rows.Question) error {
		now, err := open()
		q.Device, q.Counts, q.Sums, q.Pieces = now.Device, now.Counts, now.Sums, now.Pieces
		return err
	}
}

// Offers returns what engines of rows take to gather statistics of a graph; that of the first is what OfGraph does. See
// rows.Offers.
func Offers(ctx context.Context, g *graph.Graph, o GraphOptions) ([]rows.Offer, error) {
	x := &graphGathering{o: o, g: g}
	q, err := x.question()
	if err = cmp.Or(g.Check(ctx), err); err != nil {
		return nil, err
	}
	offers, err := engine.OffersOfRows(ctx, g, q)
	for i := range offers {
		if !offers[i].Counted {
			offers[i].Seconds += takeSeconds * o.Distances(g) / float64(runtime.GOMAXPROCS(0))
		}
		offers[i].Memory += g.Facts().Memory() + vertexBytes*int64(g.N) +
			columnBytes*int64(g.N)*int64(runtime.GOMAXPROCS(0))
	}
	return offers, err
}

// Measured on two threads with AVX-512 (docs/benchmarks.md).
const (
	takeSeconds = 0.5e-9 // of a thread, to gather from a distance that is computed
	vertexBytes = 250    // of a vertex, for its results and what is made of them
)

// prepare makes the gatherers and what computes rows. It takes over what the file has, and goes on with the engine of
// the call that began it, which eliminates as many vertices: that decides the order of rows and columns. It calls at
// when a stage begins.
func (x *graphGathering) prepare(ctx context.Context, head func() savedHead,
	at func(live.Stage, live.StageShares)) (err error) {
	began := time.Now()
	q, err := x.question()
	if x.o.bounded() || x.g.Negative {
		err = cmp.Or(x.g.Check(ctx), err)
	}
	if err != nil {
		return err
	}
	for _, g := range x.gatherers {
		x.file.state = append(x.file.state, g.state()...)
	}
	if x.o.Betweenness.Any() {
		x.sums = x.o.Betweenness.Sums(x.g)
		x.file.state = append(x.file.state, x.sums.State()...)
	}
	was, err := x.file.load()
	if err != nil {
		return err
	}
	if x.o.bounded() {
		if _, err := q.Opened(); err != nil {
			return err
		}
		from, err := x.near(ctx)
		if err != nil {
			return err
		}
		x.reads(from)
		x.run.Columns = 0 // which have no rate
		x.sum, x.slot = summary{Engine: nearName}, slotHead{Order: x.order()}
	} else if err := x.engine(ctx, q, was, at); err != nil {
		return err
	}
	copy(x.slot.Engine[:], x.sum.Engine)
	x.sum.ReadySeconds = time.Since(began).Seconds()
	if x.sums != nil {
		if err := x.prepareBetween(ctx); err != nil {
			return err
		}
	}
	if was == nil {
		err = x.file.begin(head())
	} else if was.Order != x.slot.Order || was.Eliminated != x.slot.Eliminated || was.Bands > int64(x.run.Units()) {
		err = x.otherOrder()
	} else {
		x.slot.Elapsed, x.slot.Units, x.run.First = was.Elapsed, was.Units, int(was.Bands)
	}
	x.run.Control, x.run.Every, x.run.Save = x.o.Control, x.o.Checkpoint, x.save
	return err
}

// bounded reports whether searches that stop early find all that is asked for.
func (o *GraphOptions) bounded() bool { return o.Values != nil && !math.IsInf(o.reach(), 1) }

// engine makes the graph ready for rows by the engine that takes least time, or by that of an earlier call.
func (x *graphGathering) engine(ctx context.Context, q rows.Question, was *slotHead,
	at func(live.Stage, live.StageShares)) error {
	first := q
	ctx, end := context.WithCancelCause(ctx)
	go func() { // meanwhile; nothing else is needed where the device does not open
		if _, err := first.Opened(); err != nil {
			end(err)
		}
	}()
	x.end = end
	q.Stage, q.Cut = at, func(e *sparse.Elimination) {
		now, _ := first.Opened() // without an error by now
		x.open(ctx, e, now.Pieces)
	}
	if was != nil {
		eliminated := int(was.Eliminated)
		q.Engine, q.After = was.engine(), &eliminated
		q.Open = func(q *rows.Question) error {
			err := first.Open(q)
			if q.Pieces = int(was.Pieces); q.Pieces == 0 { // what the processor has begun, it ends
				q.Device, q.Sums = nil, nil
			}
			return err
		}
	}
	var checking errgroup.Group // meanwhile; a negative cycle is known by now
	checking.Go(func() error { return x.g.Check(ctx) })
	offer, err := x.o.offer(ctx, x.g, q)
	q, failed := q.Opened()
	if err = cmp.Or(checking.Wait(), failed, err); err == nil {
		x.ready, err = offer.Prepare(ctx)
		x.opening.closed(x.ready, err)
	}
	switch {
	case was != nil && errors.Is(err, rows.ErrNoEngine):
		return x.otherOrder()
	case was != nil && errors.Is(err, device.ErrMemory):
		return fmt.Errorf("%s: %w; or remove this file, and the same command begins again", x.o.File, err)
	case err != nil:
		return err
	}
	x.sum = summary{Engine: offer.Engine}
	f, eliminated := x.ready.(*factors.Factors)
	_, inLanes := x.ready.(rows.LaneReady)
	if inLanes = inLanes && !eliminated; inLanes && was == nil {
		x.openSearch(offer.Counted, heightOf(x.o.rows(x.g))) // meanwhile
	}
	from, err := newComputed(x.ready, x.g.Kind, x.o.Sources, x.symmetric, x.o.Memory)
	if err != nil {
		return err
	}
	from.missed = missedBy(x.g)
	x.reads(from)
	x.slot = slotHead{Order: x.order(), Pieces: int64(q.Pieces)}
	if s, ok := x.ready.(interface{ Stopped() int }); ok {
		x.slot.Eliminated = int64(s.Stopped())
	}
	if eliminated {
		x.sum.Eliminated, x.sum.Core = f.Elimination.Work.Eliminated, f.Elimination.Work.Core
		x.run.Shares = factors.Shares(f.Elimination.Work)
		return x.onDevices(f)
	}
	if inLanes && was != nil { // a device may have had the memory for fewer lanes
		for lanes := fewerLanes(x.from.height); lanes > 0 && x.slot.Order != was.Order; lanes = fewerLanes(lanes) {
			x.bandsOf(lanes)
		}
		x.openSearch(offer.Counted, x.from.height)
	}
	if inLanes {
		return x.searchOnDevices(was != nil)
	}
	if x.sum.Alone = searches.Alone(x.ready, q.Counts, offer.Counted); offer.Counted {
		return x.countOnDevices()
	}
	return nil
}

// otherOrder is the error of a file from which this program cannot go on.
func (x *graphGathering) otherOrder() error {
	return fmt.Errorf("%s: %w: it counts rows in another order than this program; remove it, and the same command "+
		"begins "+
		"again", x.o.File, errOther)
}

// close gives back what prepare has opened.
func (x *graphGathering) close() (err error) {
	err = x.opening.close()
	if x.end != nil {
		x.end(nil)
	}
	if x.gathering != nil && x.from.close != nil {
		err = errors.Join(err, x.from.close())
	}
	if x.between != nil {
		err = errors.Join(err, x.between.Close())
	}
	if x.ready != nil {
		err = errors.Join(err, x.ready.Close())
	}
	if x.device != nil {
		_ = x.device.Close() // what it has computed is there
	}
	return err
}

// order is a digest of the vertices of all rows and of all columns, in their orders, and of where bands start.
func (x *graphGathering) order() (digest [32]byte) {
	h := sha256.New()
	h.Write(entry.Bytes(x.from.order)) // hashes do not fail
	h.Write(entry.Bytes(x.from.columns))
	h.Write(entry.Bytes(x.from.starts))
	copy(digest[:], h.Sum(nil))
	return digest
}

// save writes what so many bands have given to the file.
func (x *graphGathering) save(bands int) error {
	h := x.slot
	h.Bands, h.Elapsed = int64(bands), h.Elapsed+x.o.Control.Now().Sub(x.began)
	return x.file.save(h)
}

// rowsShare is about what rows take of all work where betweenness is added up, too.
const rowsShare = 0.1

// look returns what tells how far the call is in a stage.
func (x *graphGathering) look(stage live.Stage, shares live.StageShares) func() live.Live {
	st := live.Status{
		Store: x.o.Name, Vertices: x.g.N, Arcs: x.g.Arcs(), Kind: string(x.g.Kind),
		Algorithm: cmp.Or(x.sum.Engine, factors.Name), // until one is chosen
		Rows:      x.o.rows(x.g), ETA: -1, PID: os.Getpid(),
	}
	before, expands := x.slot.Elapsed, stage == live.StageExpand || stage == live.StageBetween
	var run *rows.Run
	if expands {
		run = x.run
		st.Device = x.from.device
	}
	return func() live.Live {
		st := st
		st.Elapsed = (before + x.o.Control.Now().Sub(x.began)).Seconds()
		st.Checkpoint = x.o.Control.CheckpointState(false)
		if st.Count(stage, shares, 0, &x.tally, x.o.Control); expands {
			run.Status(&st)
			if st.RowsDone == st.Rows {
				st.RestorePoint = 1
			}
		}
		switch {
		case stage == live.StageBetween:
			st.Progress = rowsShare + (1-rowsShare)*st.Progress
			st.RestorePoint = rowsShare + (1-rowsShare)*st.RestorePoint
		case x.o.Betweenness.Any(): // which takes longer
			st.Progress, st.RestorePoint, st.ETA = rowsShare*st.Progress, rowsShare*st.RestorePoint, -1
		}
		return live.Live{Status: st}
	}
}
