package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"ooc/kernels"
	"ooc/stream"
)

// ErrInterrupted is wrapped by the error of a solve whose context ended: it took a checkpoint first, and
// the same call goes on from there.
var ErrInterrupted = errors.New("interrupted")

// Options tune a solve. The zero value solves on the device that OpenDevice("auto") gives, with defaults.
type Options struct {
	Device     kernels.Device // nil: opened for this solve
	HostMemory int64          // bytes of host cache; 0: as the plan sees fit
	Round      int            // round width in vertices, a multiple of the tile; 0: as the plan sees fit
	Streams    int            // device streams; 0: as the plan sees fit
	Checkpoint time.Duration  // between checkpoints; 0: DefaultCheckpoint
	Progress   func(Status)   // called at the start, in each new stage, every Interval, when Control.Report asks, and at the end; from one goroutine
	Interval   time.Duration  // 0: one second
	Control    *Control       // steers the solve while it runs; nil: nobody does
	Algorithm  string         // one of Algorithms; "": that which was begun with, or as the plan sees fit
	Input      string         // where the matrix is now that the store was made from; "": where it was then
	Timeline   io.Writer      // takes what each stage of the rounds did when, as trace events in JSON; nil: nobody wants to know
}

// DefaultCheckpoint is the time between two checkpoints.
const DefaultCheckpoint = 60 * time.Second

// Summary says how a solve went. Times are seconds.
type Summary struct {
	Store          string  `json:"store"`
	Vertices       int     `json:"vertices"`
	Arcs           int64   `json:"arcs"`
	Kind           string  `json:"kind"`
	Algorithm      string  `json:"algorithm"`
	Device         string  `json:"device"`
	AlreadySolved  bool    `json:"already_solved"`
	ResumedFrom    float64 `json:"resumed_from"`    // fraction of the pivot vertices, or of the rows, done before this run
	SetupSeconds   float64 `json:"setup_seconds"`   // planning, taking memory on the device and the host, and giving it back
	RoundsSeconds  float64 `json:"rounds_seconds"`  // this run, until the last product was done
	SyncSeconds    float64 `json:"sync_seconds"`    // writing what memory still held, the final sync, and checksums
	ElapsedSeconds float64 `json:"elapsed_seconds"` // all runs
	Relaxations    float64 `json:"relaxations"`     // this run, padding not counted
	Rate           float64 `json:"relaxations_per_second"`
	Ceiling        float64 `json:"ceiling_relaxations_per_second,omitempty"` // of the device
	BytesIn        int64   `json:"bytes_in"`                                 // to the device
	BytesOut       int64   `json:"bytes_out"`                                // from the device
	BytesRead      int64   `json:"bytes_read"`                               // from the matrix or the graph
	BytesWritten   int64   `json:"bytes_written"`                            // to the matrix
	Busy           Busy    `json:"busy_seconds"`                             // by stage
	Plan           Plan    `json:"plan"`

	// Of an elimination; rounds and rates above are then those of its core, and setup, of which expansion is told with it,
	// is that of an expansion on the device.
	Eliminate        *EliminatePlan `json:"eliminate,omitempty"`
	EliminateSeconds float64        `json:"eliminate_seconds,omitempty"`
	CoreSeconds      float64        `json:"core_seconds,omitempty"`
	ExpandSeconds    float64        `json:"expand_seconds,omitempty"`
}

// Solve computes every distance, from wherever the store is to the end. When ctx ends it takes a
// checkpoint and returns an error that wraps ErrInterrupted. Any other error leaves the store at its
// last restore point. A device that was given stays open.
func (p *Problem) Solve(ctx context.Context, o Options) (sum Summary, err error) {
	p.summed.Store(false)
	lines := newTimeline(o.Timeline)
	if o.Control == nil {
		o.Control = new(Control)
	}
	defer o.Control.begun() // a checkpoint that was asked for last is that of the end
	sum, err = p.solve(ctx, o, watchers{lines: lines, show: func(look func() Live) func() { return p.startReports(o, look).stop }})
	if lerr := lines.close(); err == nil && lerr != nil {
		err = fmt.Errorf("timeline: %w", lerr)
	}
	return sum, err
}

// watchers take what a solve tells while it runs.
type watchers struct {
	lines *timeline                              // nil: nobody wants one
	show  func(look func() Live) (rounds func()) // reports on the rounds by look, until the function it returns is called
}

func (p *Problem) solve(ctx context.Context, o Options, to watchers) (sum Summary, err error) {
	began := o.Control.now()
	if o.Device == nil {
		d, _, err := OpenDevice("auto", 0)
		if err != nil {
			return Summary{}, err
		}
		o.Device = d
		defer func() { err = errors.Join(err, d.Close()) }()
	}
	if o.Device, err = p.device(o.Device); err != nil {
		return Summary{}, err
	}
	state, counts, err := p.store.Recover()
	if err != nil {
		return Summary{}, err
	}
	sum = p.summary(o.Device)
	sum.ElapsedSeconds = state.Elapsed.Seconds()
	if counts {
		sum.Algorithm = state.Algorithm
	}
	if counts && state.Done == int64(p.geom.RowCount()) {
		sum.ResumedFrom = 1
		if sum.AlreadySolved, err = p.settled(); err != nil {
			return sum, err
		}
		return sum, errors.Join(p.finishSums(ctx, o.Control), p.store.RemoveCore())
	}
	sum.ResumedFrom = float64(state.Done) / float64(p.geom.RowCount())
	begun, err := p.begun(state)
	if err != nil {
		return sum, err
	}
	choice, err := p.choose(o, begun)
	if err != nil {
		return sum, err
	}
	if sum.Algorithm = choice.Algorithm; sum.Algorithm == AlgorithmEliminate {
		return sum, p.eliminate(ctx, o, choice, state, &sum, to.lines)
	}
	var w Weights
	if !counts {
		if w, err = p.weights(o.Input); err != nil {
			return sum, err
		}
	}
	setup, way := time.Now(), roundsNamed(choice.Algorithm)
	plan, rates, err := p.plan(o, way, state.Done)
	if err != nil {
		return sum, err
	}
	sum.Plan = plan
	x, err := p.newExecutor(o.Device, way, w, plan)
	if err != nil {
		return sum, err
	}
	sum.SetupSeconds = time.Since(setup).Seconds()
	x.clock = func() time.Duration { return state.Elapsed + o.Control.now().Sub(began) }
	run := &run{p: p, o: o, x: x, plan: plan, rates: rates, start: way.units(p.geom, state.Done), last: way.last(p.geom), onDisk: counts,
		began: began, prior: state.Elapsed, sum: &sum, watchers: to}
	x.synced = o.Control.touch
	x.track, x.grid = newTracker(p.geom.Side(), run.last, run.start, counts), newGrid(p.geom.Side(), run.last, run.start)
	x.track.restore = state.Done
	err = run.rounds(ctx)
	freeing := time.Now()
	if ferr := x.free(o.Device); err == nil { // a device that failed has said so
		err = ferr
	}
	sum.SetupSeconds += time.Since(freeing).Seconds()
	return sum, err
}

// run is one call of Solve.
type run struct {
	watchers
	p      *Problem
	o      Options
	x      *executor
	plan   Plan
	rates  Rates         // that the plan reckoned with
	start  int           // units done before
	last   int           // units in all
	onDisk bool          // the matrix counts
	began  time.Time     // by the control's clock, as all times of a run
	prior  time.Duration // work of earlier runs
	sum    *Summary
}

func (r *run) rounds(ctx context.Context) error {
	if err := r.openPipeline(); err != nil {
		return err
	}
	s := newSchedule(r.p.geom.Side(), r.plan.Width, r.plan.Slots, r.plan.Pages, r.plan.Streams, r.plan.LookAhead, r.start, nil)
	s.way, s.last, s.differed = r.x.way, r.last, r.x.differed
	if r.onDisk {
		s.resume()
	}
	r.steer(ctx, s)
	s.emit = r.x.submit
	var roundsDone time.Time
	s.rounds = func() error { // what is timed as rounds ends before the last tiles are written and synced
		err := r.x.pipe.Drain()
		roundsDone = r.o.Control.now()
		return err
	}
	report := r.startReports()
	rounds := r.o.Control.now()
	err := s.run()
	if err == nil {
		err = r.x.pipe.Drain()
	}
	if cerr := r.x.pipe.Close(); err == nil {
		err = cerr
	}
	if roundsDone.IsZero() {
		roundsDone = r.o.Control.now()
	}
	r.tally(roundsDone.Sub(rounds))
	if err == nil && !s.stopped {
		err = r.p.finish(ctx, r.o.Control, r.x.track.sums, r.x.track.summed)
	}
	r.sum.SyncSeconds = r.o.Control.now().Sub(roundsDone).Seconds()
	r.sum.ElapsedSeconds = (r.prior + r.o.Control.now().Sub(r.began)).Seconds()
	report()
	if err == nil && s.stopped {
		err = fmt.Errorf("%w at %.1f %%", ErrInterrupted, 100*float64(r.x.track.restorePoint())/float64(r.p.geom.N))
	}
	return err
}

// steer lets the schedule ask when to stop, to stand still, and to take a checkpoint: each while, and when somebody
// asked for one, if more is done than when the last began.
func (r *run) steer(ctx context.Context, s *schedule) {
	c, last, lastSync := r.o.Control, r.start, time.Now()
	var change <-chan struct{}
	hurry := false // somebody waits for the checkpoint on its way
	s.stop = func() bool {
		change = c.changes() // before anything is looked at, so that none is missed
		return ctx.Err() != nil
	}
	s.paused = c.Paused
	s.wait = func() error {
		select {
		case <-change:
		case <-ctx.Done():
		case <-r.x.pipe.Failed():
			return r.x.pipe.Err()
		}
		return nil
	}
	s.due = func(done int, midway bool) bool {
		timely := !midway && time.Since(lastSync) >= r.o.checkpointEvery()
		if done == r.last || done == last || !timely && !c.wanted() {
			return false
		}
		select {
		case r.x.syncing <- struct{}{}:
			last, lastSync, hurry = done, time.Now(), c.wanted()
			c.begun()
			return true
		default: // the one before is still on its way
			return false
		}
	}
	s.room = func() bool { return hurry || c.wanted() || c.Paused() || r.x.flushing.Load() < int64(r.plan.flushes()) }
}

// openPipeline starts the goroutines that run the plan. They outlive ctx: an interrupted solve still has
// to write its checkpoint.
func (r *run) openPipeline() error {
	pipe, err := stream.New(context.Background(), r.o.Device, stream.Options{
		Lanes: r.plan.Streams + 1, Readers: r.plan.Readers, Writers: r.plan.Writers, Window: r.plan.Window,
		Trace: r.lines.span(),
	})
	r.x.pipe = pipe
	return err
}

func (o *Options) checkpointEvery() time.Duration {
	if o.Checkpoint > 0 {
		return o.Checkpoint
	}
	return DefaultCheckpoint
}

// tally books the traffic and the rate of this run.
func (r *run) tally(rounds time.Duration) {
	st := r.x.pipe.Stats()
	r.sum.RoundsSeconds = rounds.Seconds()
	r.sum.Relaxations = r.useful(st[stream.Kernel].Work)
	r.sum.Rate = r.sum.Relaxations / rounds.Seconds()
	r.sum.BytesIn, r.sum.BytesOut = st[stream.In].Bytes, st[stream.Out].Bytes
	r.sum.Busy = busy(stream.Stats{}, st, time.Second)
	r.sum.BytesRead, r.sum.BytesWritten = st[stream.Read].Bytes, st[stream.Write].Bytes
}

// useful takes the share of padding out of a count of relaxations, so that a solve counts n³.
func (r *run) useful(work int64) float64 {
	n, padded := float64(r.p.geom.N), float64(r.p.geom.Side()*r.p.geom.T)
	share := n / padded
	return float64(work) * share * share * share
}

func (p *Problem) newExecutor(d kernels.Device, way *rounds, w Weights, plan Plan) (*executor, error) {
	tb := p.geom.TileBytes()
	buf, err := d.Alloc(int64(plan.Slots) * tb)
	if err != nil {
		return nil, fmt.Errorf("%s: %d slots of %d bytes: %w%s", d.Info().Name, plan.Slots, tb, err, lessMemory(err))
	}
	host, err := d.AllocHost(int64(plan.Pages) * tb)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %d pages of %d bytes: %w", d.Info().Name, plan.Pages, tb, err), buf.Free())
	}
	if p.meta.Predecessors && w != nil {
		w = pairWeights{w, p.noPath()}
	}
	x := &executor{
		store: p.store, way: way, device: d, weights: w, geom: p.geom, variant: p.variant(),
		slots: make([]stream.Slot, plan.Slots), pages: make([]stream.Page, plan.Pages),
		disk: make([]stream.Region, p.geom.Side()*p.geom.Side()), syncing: make(chan struct{}, 1),
		buf: buf, host: host, pivotLane: plan.Streams,
	}
	if way.differs {
		if err := x.flag.open(d); err != nil {
			return nil, errors.Join(err, x.free(d))
		}
	}
	for i := range x.slots {
		x.slots[i].Tile = kernels.Tile{Buf: buf, Off: int64(i) * tb}
		x.slots[i].Lane = i % plan.Streams
	}
	for i := range x.pages {
		x.pages[i].Data = host[int64(i)*tb : int64(i+1)*tb : int64(i+1)*tb]
	}
	return x, nil
}

// lessMemory is what to do where a device has less memory than a plan counted on.
func lessMemory(err error) string {
	if !errors.Is(err, kernels.ErrNoMemory) {
		return ""
	}
	return "; another process may hold the rest: wait for it, or take less with --device-memory"
}

func (x *executor) free(d kernels.Device) error {
	return errors.Join(x.buf.Free(), d.FreeHost(x.host), x.flag.free())
}

// finishSums makes sure that a solved matrix has its checksums. Those that are there and damaged are not replaced: by
// now the matrix may be damaged too, and the new ones would vouch for that.
func (p *Problem) finishSums(ctx context.Context, c *Control) error {
	if _, err := p.store.Sums(); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; if ooc verify --full proves the distances, remove it and solve again, which makes it anew", err)
	}
	return p.finish(ctx, c, make([]uint32, p.geom.Tiles()), make([]bool, p.geom.Tiles()))
}

// finish does what is left when all distances are final: it settles predecessors, if there are any, and then stores
// checksums. If ctx ends first, the next run does it.
func (p *Problem) finish(ctx context.Context, c *Control, sums []uint32, summed []bool) error {
	if !p.meta.Predecessors {
		return p.storeSums(sums, summed)
	}
	written, err := p.settle(ctx, c)
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w at 100 %%, while predecessors were looked through", ErrInterrupted)
		}
		return err
	}
	state, _, err := p.store.State()
	if err != nil {
		return err
	}
	// What the checksums speak of is durable before them, also what a run that was killed here has written.
	if err := p.store.Checkpoint(state); err != nil {
		return err
	}
	for i, w := range written {
		summed[i] = summed[i] && !w
	}
	return p.storeSums(sums, summed)
}

// storeSums stores a checksum for every tile of a solved matrix, reading only those that this run did not write
// itself.
func (p *Problem) storeSums(sums []uint32, summed []bool) (err error) {
	side := p.geom.Side()
	for i := range sums {
		if summed[i] {
			continue
		}
		if sums[i], err = p.store.TileSum(i/side, i%side); err != nil {
			return err
		}
	}
	err = p.store.WriteSums(sums)
	p.summed.Store(err == nil)
	return err
}
