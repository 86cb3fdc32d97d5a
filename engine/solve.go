package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"ooc/engine/device/registry"
	"ooc/engine/graph"
	"ooc/engine/live"
	"ooc/engine/plan"
	"ooc/engine/ranks"
	"ooc/engine/rounds"
	"ooc/engine/task"
	"ooc/engine/text"
	"ooc/kernels"
	"ooc/tiles"
)

// Options tune a solve. The zero value solves on the device that registry.Open("auto") gives, with defaults.
type Options struct {
	plan.Request                // what is wanted of it; the store has been made, and what that fixes counts
	Device       kernels.Device // nil: opened for this solve
	Checkpoint   time.Duration  // between checkpoints; 0: DefaultCheckpoint
	// Progress: called at the start, in each new stage, every Interval, when Control.Report asks, and at the end;
	// from one goroutine.
	Progress func(live.Status)
	Interval time.Duration // 0: one second
	Control  *live.Control // steers the solve while it runs; nil: it is not steered
	Input    string        // where the matrix is now that the store was made from; "": where it was then
	// Ranks: the processes that share the solve, in rounds; nil: this one alone. All but rank 0 have opened the store
	// by OpenBeside.
	Ranks *ranks.Group
	// Timeline: takes what each stage of the rounds did when, as trace events in JSON; nil: none is wanted.
	Timeline io.Writer
}

// Solve computes every distance, from wherever the store is to the end. When ctx ends it takes a
// checkpoint and returns an error that wraps ErrInterrupted. Any other error leaves the store at its
// last restore point. A device that was given stays open.
func (p *Problem) Solve(ctx context.Context, o Options) (sum task.Summary, err error) {
	lines := live.NewTimeline(o.Timeline)
	if o.Control == nil {
		o.Control = new(live.Control)
	}
	if o.Checkpoint <= 0 {
		o.Checkpoint = task.DefaultCheckpoint
	}
	defer o.Control.Begun() // a checkpoint that was asked for last is that of the end
	reports := live.NewReporter(live.ReporterOptions{Control: o.Control, Publish: p.store.SetLive, Progress: o.Progress,
		Interval: o.Interval})
	sum, err = p.solve(ctx, o, lines, reports)
	err = interrupted(ctx, err)
	if lerr := lines.Close(); err == nil && lerr != nil {
		err = fmt.Errorf("timeline: %w", lerr)
	}
	return sum, err
}

// interrupted makes an error that is why ctx ended match task.ErrInterrupted.
func interrupted(ctx context.Context, err error) error {
	if err != nil && errors.Is(err, context.Cause(ctx)) && !errors.Is(err, task.ErrInterrupted) {
		return fmt.Errorf("%w: %w", task.ErrInterrupted, err)
	}
	return err
}

func (p *Problem) solve(ctx context.Context, o Options, lines *live.Timeline, reports *live.Reporter) (sum task.Summary,
	err error) {
	began := o.Control.Now()
	if o.Device == nil {
		d, _, err := registry.Open("auto", 0)
		if err != nil {
			return task.Summary{}, err
		}
		o.Device = d
		defer func() { err = errors.Join(err, d.Close()) }()
	}
	if o.Device, err = p.device(o.Device); err != nil {
		return task.Summary{}, err
	}
	if o.Ranks != nil && o.Ranks.Rank() > 0 {
		return p.follow(ctx, o, began, lines, reports)
	}
	state, counts, err := p.recoverAll(o.Ranks)
	if err != nil {
		return task.Summary{}, err
	}
	sum = p.summary(o.Device)
	sum.ElapsedSeconds = state.Elapsed.Seconds()
	if counts {
		sum.Algorithm = state.Algorithm
	}
	if counts && state.Done == int64(p.geom.RowCount()) {
		sum.ResumedFrom = 1
		// Of a part, finishSums tells the other ranks, too.
		if sum.AlreadySolved, err = p.treesRooted(); err != nil && !p.store.IsPart() {
			return sum, err
		}
		if _, err := p.Entries(); err != nil {
			return sum, err
		}
		sum.Text = rounds.Told(&sum)
		return sum, p.agree(o.Ranks, errors.Join(p.finishSums(ctx, &o, state.Algorithm), p.store.RemoveCore()))
	}
	if p.geom.Factors {
		return sum, p.solveFactors(ctx, o, began, state, reports, &sum)
	}
	sum.ResumedFrom = float64(state.Done) / float64(p.geom.RowCount())
	begun, err := p.begun(state)
	if err != nil {
		return sum, err
	}
	choice, err := p.choose(ctx, o, begun)
	if err != nil {
		return sum, err
	}
	t, err := p.task(o, lines, reports, choice, state, counts)
	if err != nil {
		return sum, err
	}
	if o.Ranks != nil {
		o.Ranks.Begin()
		if err := o.Ranks.Tell(context.Background(), begin{state, counts, choice.Algorithm}); err != nil {
			return sum, err
		}
	}
	sum.Algorithm, t.Began, t.Summary = choice.Algorithm, began, &sum
	return sum, solverNamed(choice.Algorithm).Run(ctx, t)
}

// begin is what rank 0 tells the others of the solve that it begins.
type begin struct {
	State     tiles.State
	Counts    bool // the matrix does
	Algorithm string
}

// follow solves what rank 0 does, which keeps the state of the store.
func (p *Problem) follow(ctx context.Context, o Options, began time.Time, lines *live.Timeline,
	reports *live.Reporter) (task.Summary, error) {
	sum := p.summary(o.Device)
	counts, err := false, error(nil)
	if p.store.IsPart() {
		var least tiles.State
		if least, counts, err = p.recoverAll(o.Ranks); err == nil && least.Done == int64(p.geom.N) {
			err = p.agree(o.Ranks, p.finishSums(ctx, &o, least.Algorithm))
		}
		if err != nil {
			return sum, err
		}
	}
	var b begin
	if err := o.Ranks.Hear(context.Background(), &b); err != nil {
		return sum, err
	}
	if !p.store.IsPart() {
		counts = b.Counts
	}
	t, err := p.task(o, lines, reports, nil, b.State, counts)
	if err != nil {
		return sum, err
	}
	sum.Algorithm, t.Began, t.Summary = b.Algorithm, began, &sum
	finish := t.Finish
	// Rank 0 has no part in it, and does not pass on who wants it to stop.
	t.Finish = func(_ context.Context, sums []uint32, summed []bool) error {
		return finish(ctx, sums, summed)
	}
	return sum, solverNamed(b.Algorithm).Run(ctx, t)
}

// task is the solve as its algorithm sees it.
func (p *Problem) task(o Options, lines *live.Timeline, reports *live.Reporter, c *plan.Choice, state tiles.State,
	counts bool) (*task.Task, error) {
	t := &task.Task{
		Store: p.store, Meta: &p.meta, Geometry: p.geom, State: state, Device: o.Device, Choice: c,
		Request: o.Request, Checkpoint: o.Checkpoint, Ranks: o.Ranks, Control: o.Control, Reports: reports,
		Timeline: lines, Graph: p.Graph,
		SolveCore: func(ctx context.Context, w graph.Weights, print string, reports *live.Reporter) (task.Summary,
			[]uint32, int, error) {
			o := o
			o.Algorithm, o.Round = plan.Auto, 0
			return p.solveCore(ctx, o, lines, w, print, reports)
		},
	}
	t.Finish = func(ctx context.Context, sums []uint32, summed []bool) error {
		return p.agree(o.Ranks, p.finish(ctx, &o, p.mends(t.Summary.Algorithm), sums, summed))
	}
	if q := p.meta.Part; q != nil {
		if o.Round > 0 && o.Round != q.Block*p.geom.T {
			return nil, text.ErrorOf(rounds.ErrRound,
				"%s was dealt in blocks of %d vertices, and rounds are as wide; leave --round away", p.Dir(),
				q.Block*p.geom.T)
		}
		t.Round, t.Grid = q.Block*p.geom.T, [2]int{q.Rows, q.Cols}
	}
	if counts {
		return t, nil
	}
	var err error
	t.Weights, err = p.weights(o.Input)
	return t, err
}

// device returns what the problem is solved on, of a device that was given.
func (p *Problem) device(d kernels.Device) (kernels.Device, error) {
	return (&plan.Request{Predecessors: p.meta.Predecessors}).Device(d)
}
