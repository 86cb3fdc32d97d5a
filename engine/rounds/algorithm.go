package rounds

import (
	"context"
	"errors"
	"fmt"

	"ooc/engine/device"
	"ooc/engine/live"
	"ooc/engine/plan"
	"ooc/engine/task"
	"ooc/engine/text"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// algorithm is an algorithm that works through the tiles of the whole matrix in steps. This package plans, schedules,
// overlaps and resumes all of them alike. Each counts its progress in iterations, and defines what one iteration is.
type algorithm struct {
	name   string
	traits plan.Traits

	iterations func(g tiles.Geometry) int                   // of a whole solve
	toVertices func(g tiles.Geometry, iterations int) int64 // finished iterations as State.Done stores them
	// fromVertices: the reverse of toVertices; never more than were finished.
	fromVertices func(g tiles.Geometry, vertices int64) int
	round        func(p *Plan) int // iterations per round, for displays
	// roundStart: iterations that every tile had finished when the current round began.
	roundStart func(done, round, last int) int
	work       func(g tiles.Geometry) int // at most how many times n³ relaxations a solve takes
	// compares: its steps compare tiles, and need a flag in device memory.
	compares bool

	// plan picks slots, pages and the width of rounds for the rest of a solve. It fails with device.ErrMemory, naming
	// the memory it would need.
	plan func(q *plan.Basis, geom tiles.Geometry) (Plan, error)
	// count replaces the plan's estimate of traffic by a count of the steps; nil: the estimate is exact.
	count func(a *algorithm, q *plan.Basis, p *Plan, geom tiles.Geometry) error
	// measure times what only this algorithm's plan needs; nil: nothing.
	measure func(r *plan.Rates, d kernels.Device, v entry.Variant, n int) error
	// steps emits the steps that follow iteration s.done and raises s.done as it goes, until it reaches s.last or
	// s.alive returns false.
	steps func(s *schedule)
}

// Name returns the name that users give to --algorithm.
func (a *algorithm) Name() string { return a.name }

// Traits implements plan.Algorithm.
func (a *algorithm) Traits() plan.Traits {
	t := a.traits
	t.Title, t.Plan, t.Kernels = a.name, new(Plan), true
	return t
}

// Told is how a solve in rounds went, for people.
func Told(s *task.Summary) string {
	rate := text.Per(s.Rate, "relax")
	if s.Ceiling > 0 {
		rate += fmt.Sprintf(", %.0f %% of the ceiling", 100*s.Rate/s.Ceiling)
	}
	predicted := 0.0
	if p := plan.Of[*Plan](s.Plans); p != nil {
		predicted = p.roundsSeconds()
	}
	return fmt.Sprintf("rounds %s (%s; predicted %s), sync %s", text.Time(s.RoundsSeconds), rate, text.Time(predicted),
		text.Time(s.SyncSeconds))
}

// Measure implements plan.Algorithm.
func (a *algorithm) Measure(r *plan.Rates, d kernels.Device, v entry.Variant, n int) error {
	if a.measure == nil {
		return nil
	}
	return a.measure(r, d, v, n)
}

// Plan picks the tile edge and the width of rounds, unless the request fixes them, and plans the rounds.
func (a *algorithm) Plan(_ context.Context, q *plan.Basis, _ []plan.Offer) (plan.Offer, error) {
	if q.Info.Devices > 1 && !a.traits.Devices {
		return plan.Offer{}, text.ErrorOf(plan.ErrAlgorithm,
			"%s runs on one device; use --algorithm %s, or name one --device", a.name, blockedName)
	}
	chooser := q.Chooser()
	geom, p, err := a.choose(chooser)
	seconds, known := p.Seconds-p.SyncSeconds, err == nil && chooser != q
	if chooser != q {
		if chooser.Tile = q.Tile; chooser.Tile > 0 {
			geom, p, err = a.choose(chooser)
		}
		// Tiles and width are chosen. What they take here is another matter.
		if err == nil {
			here := *q
			here.Round = p.Width * geom.T
			p, err = a.plan(&here, geom)
		}
		// Less memory than the choice needs allows another one alone.
		if errors.Is(err, device.ErrMemory) {
			chooser.Info = q.Info
			geom, p, err = a.choose(chooser)
		}
	}
	// Counting step by step takes about 0.3 µs a step; where that would take seconds, the estimate is used.
	if side := int64(geom.Side()); err == nil && q.Exact && a.count != nil && p.Devices == 1 &&
		side*side*int64(p.Rounds) < 20e6 {
		err = a.count(a, q, &p, geom)
	}
	if err != nil {
		return plan.Offer{}, err
	}
	if !known {
		seconds = p.Seconds - p.SyncSeconds // as it was counted
	}
	offer := plan.Offer{Plan: &p, Left: p.Seconds, Seconds: seconds, Tile: geom.T, Memory: p.HostBytes}
	if q.Info.SharedCores {
		offer.Memory += p.DeviceBytes
	}
	return offer, nil
}

// choose picks the tile edge, unless the request fixes it, and plans the rounds.
func (a *algorithm) choose(q *plan.Basis) (tiles.Geometry, Plan, error) {
	geom := tiles.Geometry{N: q.Facts.N, T: q.Tile, EntryBytes: q.EntryBytes(), Upper: q.Upper()}
	if geom.T == 0 {
		geom.T = chooseTile(q)
	}
	p, err := a.plan(q, geom)
	return geom, p, err
}

// Size implements plan.Algorithm.
func (a *algorithm) Size(q *plan.Basis) (tile int, beside int64, err error) {
	if q.Tile > 0 {
		return q.Tile, 0, nil
	}
	geom, _, err := a.choose(q)
	return geom.T, 0, err
}

// Left reports that nothing is left outside the store's state: rounds keep their progress there alone.
func (a *algorithm) Left(*live.Status, *tiles.Store, bool) (bool, error) { return false, nil }

// Run solves in rounds, starting from the task's state.
func (a *algorithm) Run(ctx context.Context, t *task.Task) (err error) {
	setup := t.Control.Now()
	r := &run{
		Task: t, algorithm: a, start: a.fromVertices(t.Geometry, t.State.Done), last: a.iterations(t.Geometry),
		decided: map[int]bool{},
	}
	rows, cols := len(device.Each(t.Device)), 1
	if t.Ranks != nil {
		if rows, cols, err = GridFor(t.Ranks.Size(), t.Grid); err != nil {
			return err
		}
		if !a.traits.Parts {
			return text.ErrorOf(plan.ErrAlgorithm,
				"several processes share %s only, and this is %s; use --algorithm %s", blockedName, a.name, blockedName)
		}
	}
	if err := r.planRounds(ctx, [2]int{rows, cols}); err != nil {
		return err
	}
	if err := r.open(); err != nil {
		return err
	}
	one := r.parts[0].x.device
	t.Summary.Ceiling = float64(len(r.parts)) * device.Ceiling(one, t.Meta.Variant(), t.Geometry.N)
	t.Summary.SetupSeconds = t.Since(setup)
	err = r.rounds(ctx)
	freeing := t.Control.Now()
	if ferr := r.free(); err == nil { // after a failure, the first error is the one to report
		err = ferr
	}
	t.Summary.SetupSeconds += t.Since(freeing)
	t.Summary.Text = Told(t.Summary)
	return err
}

// planRounds plans the rest of the solve, with parts in a grid. The plan of rank 0 is that of all. Where they are to
// stop, they do that in the rounds.
func (r *run) planRounds(ctx context.Context, grid [2]int) error {
	if !r.leads() {
		return r.Ranks.Hear(context.Background(), &r.plan)
	}
	q := r.Basis()
	q.Algorithm, q.Grid = r.algorithm.name, grid
	if r.Choice != nil {
		q.Info, q.Rates = r.Choice.Info, r.Choice.Rates
	}
	if err := q.Measure([]plan.Algorithm{r.algorithm}, r.Device); err != nil {
		return err
	}
	if !q.Info.SharedCores && q.Info.Memory+q.HostMemory < r.Geometry.MatrixBytes() {
		// Every round will go through the disk or the page cache. Their rates decide how wide rounds should be.
		// MeasureDisk may fail on a full disk; the matrix has its space already.
		_ = q.Rates.MeasureDisk(r.Store.Dir(), r.Store.MatrixBytes(), false)
	}
	offer, err := r.algorithm.Plan(ctx, q, nil)
	if err != nil {
		return err
	}
	r.plan, r.rates = *offer.Plan.(*Plan), q.Rates
	r.Summary.Plans = r.Summary.Plans.With(offer.Plan)
	if r.Ranks != nil {
		return r.Ranks.Tell(context.Background(), r.plan)
	}
	return nil
}

// open allocates the memory that the plan asks for, on each device.
func (r *run) open() error {
	r.track, r.grid = newTracker(r.Geometry.Tiles(), r.Meta.SumsPerTile(), r.last, r.start, r.Weights == nil),
		newGrid(r.Geometry, r.last, r.start)
	r.track.restore.Store(r.State.Done)
	for _, d := range device.Each(r.Device) {
		p := &partRun{run: r, held: device.Held{On: d}, done: r.start}
		r.parts = append(r.parts, p)
		if err := p.open(d); err != nil {
			return errors.Join(err, r.free())
		}
	}
	return nil
}

func (p *partRun) open(d kernels.Device) error {
	plan, tb := &p.plan, p.Geometry.TileBytes()
	buf := p.held.Buffer(int64(plan.Slots) * tb)
	if err := p.held.Err(); err != nil {
		hint := "" // where less memory is free than the plan counted on
		if errors.Is(err, kernels.ErrNoMemory) {
			hint = "; another process may hold the rest: wait for it, or take less with --device-memory"
		}
		return fmt.Errorf("%s: %d slots of %d bytes: %w%s", d.Info().Name, plan.Slots, tb, err, hint)
	}
	host := p.held.Host(int64(plan.Pages) * tb)
	if err := p.held.Err(); err != nil {
		return fmt.Errorf("%s: %d pages of %d bytes: %w", d.Info().Name, plan.Pages, tb, err)
	}
	w := p.Weights
	if p.Meta.Predecessors && w != nil {
		w = pairs{w, p.Meta.Kind}
	}
	p.x = newExecutor(p, d, w, buf, host)
	if p.algorithm.compares {
		return p.x.flag.open(&p.held)
	}
	return nil
}

// free gives back the memory of all devices.
func (r *run) free() error {
	var err error
	for _, p := range r.parts {
		err = errors.Join(err, p.held.Close())
	}
	return err
}
