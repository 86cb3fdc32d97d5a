package eliminate

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"math"
	"strings"

	"github.com/dustin/go-humanize"

	"ooc/engine/device"
	"ooc/engine/factors"
	"ooc/engine/graph"
	"ooc/engine/internal/cancel"
	"ooc/engine/live"
	"ooc/engine/plan"
	"ooc/engine/rows"
	"ooc/engine/rowtiles"
	"ooc/engine/sparse"
	"ooc/engine/task"
	"ooc/engine/text"
	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/lock"
)

// Algorithm eliminates vertices, closes the core that is left, and expands the core's distances to all vertices.
// Package sparse explains it. Its fields tune it, mostly for tests: the zero value is the best known from measurements.
type Algorithm struct {
	// CoreAtOnce is the largest core, in vertices, that is closed in memory and without restore points, since that
	// takes only a moment. A GPU takes cores fasterAtOnce times as large. A larger core is solved in a store inside
	// the store, with restore points of its own. 0: 4096; negative: every core is solved in a store.
	CoreAtOnce int
	// PreferDevice p keeps the expansion on the device, which the user asked for, even if the processor would be
	// faster: as long as the device takes at most 1+p times as long, plus p seconds. It does not affect where
	// elimination stops. 0: a quarter.
	PreferDevice float64
	// Sink takes each finished row of tiles instead of the store; nil: the store does.
	Sink func(i int, tiles []byte) error
	// Free is how many bytes of memory are taken to be free; 0: as many as are.
	Free int64
}

// coreAtOnce is CoreAtOnce, or the default in its place.
func (a Algorithm) coreAtOnce() int { return max(0, cmp.Or(a.CoreAtOnce, 4096)) }

// fasterAtOnce is how many times larger than the processor's a core may be that a GPU closes in memory.
const fasterAtOnce = 3

// closesAtOnce reports whether the device should close the core in its memory. It takes none for a core without
// vertices.
func (a Algorithm) closesAtOnce(core int, kind entry.Kind, info kernels.Info) bool {
	most := a.coreAtOnce()
	if !info.SharedCores {
		most *= fasterAtOnce
	}
	return core == 0 || core <= most && oneTile(core, kind) <= info.Memory-info.Scratch
}

// spills reports whether a solve on the device has to close the core in a store, because neither the device nor the
// processor beside it closes it in memory.
func (a Algorithm) spills(core int, kind entry.Kind, info kernels.Info) bool {
	beside := kernels.Info{Memory: math.MaxInt64, SharedCores: true}
	return !a.closesAtOnce(core, kind, info) && (info.SharedCores || !a.closesAtOnce(core, kind, beside))
}

// Name is the algorithm's name.
const Name = "eliminate"

// withPredecessors solves where predecessors are kept: they are found in whole rows, on the processor.
var withPredecessors = rowtiles.Algorithm{Engine: renamed{factors.Engine{}}}

// renamed is the engine of factors under the name of the algorithm.
type renamed struct{ rows.Engine }

func (renamed) Name() string { return Name }

// Name returns the algorithm's name.
func (Algorithm) Name() string { return Name }

// Traits implements plan.Algorithm.
func (Algorithm) Traits() plan.Traits {
	return plan.Traits{Title: "elimination", Plan: (*Plan)(nil), Automatic: true, Predecessors: true, Sources: true,
		Arcs: true, Kernels: true, Rows: true, Devices: true, Upper: true}
}

// Measure times the levels of an expansion on the device.
func (Algorithm) Measure(r *plan.Rates, d kernels.Device, v entry.Variant, n int) error {
	return r.MeasureLevels(d, v, n)
}

// Left completes the status of a store in which an elimination has written rows, or was solving a core.
func (Algorithm) Left(st *live.Status, s *tiles.Store, counts bool) (bool, error) {
	st.Rows = s.Geometry().RowCount()
	if counts {
		state, _, err := s.Ahead()
		st.Stage, st.RowsDone = live.StageExpand, int(state.Done)
		return false, err
	}
	core, err := coreLeft(s)
	st.Stage = live.StageCore
	return core > 0, err
}

// Run solves by elimination. It continues after the rows that the task's state counts as done.
func (a Algorithm) Run(ctx context.Context, t *task.Task) (err error) {
	if t.Meta.Predecessors {
		return withPredecessors.Run(ctx, t)
	}
	x := &run{Task: t, algorithm: a, tally: new(cancel.Tally)}
	defer func() { t.Reports.Stop(err == nil) }()
	if err := x.planned(ctx); err != nil {
		return err
	}
	err = x.run(x.tally.Counted(ctx))
	t.Summary.Text = x.plan.told(t.Summary)
	return err
}

// run is one solve by elimination.
type run struct {
	*task.Task
	algorithm Algorithm
	plan      Plan
	lanes     kernels.HostLaneOps
	host      kernels.Device   // allocates host memory, and does what needs HostLaneOps
	closers   []kernels.Device // that may close the core in memory; none: it is solved in a store
	closer    string           // what did, as tiles.State.Closer has it
	rings     []ring           // for an expansion on devices, one each; nil: none is taken
	tally     *cancel.Tally    // of the stage at hand
}

// planned takes the task's plan, or makes one. Where an earlier run has written rows or begun to solve a core,
// elimination stops at the same vertex again.
func (x *run) planned(ctx context.Context) error {
	p, ok := x.Choice.Plan.(*Plan)
	if !ok {
		ordering := run{Task: x.Task, plan: Plan{Rows: x.Geometry.RowCount(), Seconds: math.NaN()}, tally: x.tally}
		x.Reports.Show(ordering.inStage(live.StageOrder)) // which may take minutes
		q := x.Basis()
		g, err := x.Graph()
		if err != nil {
			return err
		}
		q.Graph, q.Algorithm = g, Name
		c, err := q.ChooseOn(x.tally.Counted(ctx), []plan.Algorithm{x.algorithm}, x.Device)
		if err != nil {
			return err
		}
		p = c.Plan.(*Plan)
	}
	x.plan = *p
	x.Summary.Plans = x.Summary.Plans.With(&x.plan)
	return nil
}

// stopAt is what State.Stop says of so many vertices.
func stopAt(eliminated int) int64 { return int64(eliminated) + 1 }

// stopped returns how many vertices an earlier run has eliminated: by the store's state, or by the core that it was
// solving.
// -1: that is not known, or there was none.
func stopped(s *tiles.Store, state tiles.State) (int, error) {
	if state.Algorithm == Name && state.Stop > 0 {
		return int(state.Stop - 1), nil
	}
	core, err := coreLeft(s)
	if core == 0 || err != nil {
		return -1, err
	}
	return s.Geometry().N - core, nil
}

// run runs the stages one after another.
func (x *run) run(ctx context.Context) (err error) {
	if err := x.openHost(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.closeHost()) }()
	defer func() {
		if ferr := x.freeRings(); err == nil { // after a failure, the first error is the one to report
			err = ferr
		}
	}()
	if err := x.findClosers(); err != nil {
		return err
	}
	// Not if the core is solved in a store: that needs host memory first.
	if x.plan.Lanes > 0 && len(x.closers) > 0 {
		x.rings = lockRings(device.Each(x.Device), x.rowAndSums(), x.Geometry.Down()-int(x.State.Done)/x.Geometry.T,
			x.budget())
	}
	x.Reports.Show(x.inStage(live.StageEliminate))
	g, err := x.Graph()
	if err != nil {
		return err
	}
	e, err := x.plan.Order.Eliminate(ctx, g, x.plan.Eliminated)
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("%s: %w", x.Store.Dir(), err)
	}
	x.Summary.EliminateSeconds = x.plan.OrderSeconds + x.Since(x.Began)
	if err := x.Control.Hold(ctx, x.nothingToKeep); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%w while vertices were eliminated", task.ErrInterrupted)
	}
	closing := x.Control.Now()
	core, err := x.core(ctx, e, g)
	if err != nil {
		return err
	}
	x.Summary.CoreSeconds = x.Since(closing)
	return x.expand(ctx, e, core)
}

// openHost takes the solve's device if it can sweep, else the processor.
func (x *run) openHost() error {
	if s, ok := kernels.As[kernels.HostLaneOps](x.Device); ok {
		x.lanes, x.host = s, x.Device
		return nil
	}
	d, err := cpu.Open(cpu.Options{})
	if err == nil {
		x.lanes, x.host = d, d
	}
	return err
}

func (x *run) closeHost() error {
	if x.host == x.Device {
		return nil
	}
	return x.host.Close()
}

// inRounds is what State.Closer says of a core that was solved in a store of its own.
const inRounds = "rounds"

// kindOf is the kind of a device: its name without its number.
func kindOf(d kernels.Device) string {
	kind, _, _ := strings.Cut(d.Info().Name, ":")
	return kind
}

// findClosers finds what may close the core. Each kind of device adds sums of floats up in another order, and so do
// rounds: where there are rows already, that which closed it then does so again, or the solve is refused.
func (x *run) findClosers() error {
	was, core := x.State.Closer, x.plan.Core
	if !x.Meta.Kind.Float() {
		was = ""
	}
	found := false
	for _, d := range []kernels.Device{x.Device, x.host} {
		if was != "" && was != kindOf(d) {
			continue
		}
		found = true
		if x.algorithm.closesAtOnce(core, x.Meta.Kind, d.Info()) {
			x.closers = append(x.closers, d)
		}
	}
	const rest = "the distances so far were rounded as its core is when"
	switch {
	case was == "" || was == inRounds || len(x.closers) > 0:
		return nil
	case found:
		need := oneTile(core, x.Meta.Kind)
		return text.ErrorOf(device.ErrMemory,
			"%s: %s closed in memory, which takes %d bytes (%s) on a device of kind %s: "+
				"give it more with --device-memory, or begin again with --restart",
			x.Store.Dir(), rest, need, humanize.IBytes(uint64(need)), was)
	}
	return text.ErrorOf(device.ErrUnknown,
		"%s: %s closed on a device of kind %s: go on with --device %s, or begin again with --restart",
		x.Store.Dir(), rest, was, was)
}

// core closes what elimination left.
func (x *run) core(ctx context.Context, e *sparse.Elimination, g *graph.Graph) (*sparse.DenseCore, error) {
	x.Reports.Show(x.inStage(live.StageCore))
	for i, d := range x.closers {
		core, err := e.CloseCore(ctx, d, x.lanes, false)
		fixed := i+1 == len(x.closers) && x.State.Closer != "" && x.Meta.Kind.Float()
		// Other processes may hold the rest of its memory.
		if d != x.host && errors.Is(err, kernels.ErrNoMemory) && !fixed {
			continue
		}
		if e.Core() > 0 {
			x.closer = kindOf(d)
		}
		return core, err
	}
	x.closer = inRounds
	var last live.Status // of the rounds
	reports := x.Reports.Within(func(l live.Live) live.Live {
		last.Progress = l.Progress
		return x.showCore(l)
	}, func() { // its distances are read, which nothing counts
		x.Reports.Show(func() live.Live {
			l := x.showCore(live.Live{Status: last})
			l.StageProgress = 0
			return l
		})
	})
	sum, distances, pitch, err := x.SolveCore(ctx, coreWeights{e, g}, fingerprint(e), reports)
	x.Summary.Relaxations, x.Summary.Rate, x.Summary.Ceiling = sum.Relaxations, sum.Rate, sum.Ceiling
	x.Summary.Plans = sum.Plans.With(&x.plan)
	if err != nil {
		return nil, fmt.Errorf("the core: %w", err)
	}
	return &sparse.DenseCore{Host: x.lanes, Variant: e.Variant, Size: e.Core(), Matrix: distances, Pitch: pitch}, nil
}

// oneTile returns the bytes of a matrix of n vertices as one tile.
func oneTile(n int, kind entry.Kind) int64 {
	edge := int64(entry.RoundUp(n, 64))
	return edge * edge * int64(kind.Bytes())
}

// coreWeights is the matrix of a core. That of a symmetric graph is symmetric.
type coreWeights struct {
	e *sparse.Elimination
	g *graph.Graph
}

// Facts implements graph.Weights.
func (c coreWeights) Facts() graph.Facts {
	return graph.Facts{N: c.e.Core(), Kind: c.g.Kind, Directed: true, Symmetric: c.g.Symmetric, Negative: c.g.Negative,
		Scale: 1}
}

// Check has nothing to do: the core's distances are distances in the graph, which was checked.
func (coreWeights) Check(context.Context) error { return nil }

// FillTile implements graph.Weights.
func (c coreWeights) FillTile(dst []byte, t, i, j int) error {
	c.e.FillTile(dst, t, i, j)
	return nil
}

// fingerprint identifies an elimination, so that a core in a store is not mistaken for that of another.
func fingerprint(e *sparse.Elimination) string {
	h := sha256.New()
	for _, s := range [][]int32{e.Vertices, e.Up.Offsets, e.Up.Ends, e.Down.Offsets, e.Down.Ends} {
		hashWords(h, s)
	}
	for _, s := range [][]uint32{e.Up.Weights, e.Down.Weights} {
		hashWords(h, s)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func hashWords[E int32 | uint32](h hash.Hash, s []E) {
	var length [8]byte
	binary.LittleEndian.PutUint64(length[:], uint64(len(s)))
	h.Write(length[:])
	h.Write(entry.Bytes(s))
}

// showCore turns a report on the rounds of a core into one on the whole solve.
func (x *run) showCore(shown live.Live) live.Live {
	st, s := x.status(live.StageCore), shown.Status
	st.StageProgress, st.Progress = s.Progress, x.shares().Progress(live.StageCore, s.Progress, x.before())
	st.Round, st.Rounds, st.Rate, st.Ceiling, st.Busy = s.Round, s.Rounds, s.Rate, s.Ceiling, s.Busy
	st.InRate, st.OutRate, st.ReadRate, st.WriteRate = s.InRate, s.OutRate, s.ReadRate, s.WriteRate
	st.DeviceMemory, st.HostMemory, st.Checkpoint = s.DeviceMemory, s.HostMemory, s.Checkpoint
	shown.Status = st
	return shown
}

// inStage describes the solve in a stage that begins now, and reports no more than what it counts.
func (x *run) inStage(stage live.Stage) func() live.Live {
	return live.Counting(x.tally, func() live.Live { return live.Live{Status: x.status(stage)} })
}

// shares are what the stages take, by the plan.
func (x *run) shares() live.StageShares {
	return live.StageShares{Eliminate: x.plan.EliminateSeconds, Core: x.plan.CoreSeconds, Last: x.plan.ExpandSeconds}
}

// before is the share of all rows that earlier runs have written.
func (x *run) before() float64 { return float64(x.State.Done) / float64(x.Geometry.RowCount()) }

// status describes the solve in a stage before rows are written.
func (x *run) status(stage live.Stage) live.Status {
	st := x.Task.Status()
	st.RestorePoint = x.before()
	st.Count(stage, x.shares(), x.before(), x.tally, x.Control)
	st.Rows = x.plan.Rows
	st.Checkpoint = x.Control.CheckpointState(false)
	if st.ETA = math.Max(0, x.plan.Seconds-x.Since(x.Began)); math.IsNaN(st.ETA) {
		st.ETA = -1
	}
	return st
}

// nothingToKeep answers a request for a checkpoint before the first row: there is nothing to write yet.
func (x *run) nothingToKeep() error { return nil }

// coreLeft returns the vertices of the core that an earlier run was solving, or 0 if there is no usable one.
func coreLeft(s *tiles.Store) (int, error) {
	dir, err := s.CoreDir()
	if err != nil {
		return 0, err
	}
	core, err := tiles.OpenReadOnly(dir)
	switch {
	case err == nil:
		return core.Meta().N, core.Close()
	case tiles.Absent(err), tiles.Damaged(err), errors.Is(err, lock.ErrNotStore):
		return 0, nil
	}
	return 0, fmt.Errorf("the core: %w", err)
}
