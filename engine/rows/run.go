package rows

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"ooc/engine/live"
)

// Run shares rows out to hands, and counts those that are done. Rows are dealt in units of Height, the last of which
// may be smaller, or as Starts says. Set the fields before Do; the methods may be called by any goroutine from then on.
type Run struct {
	Rows, Height int
	Starts       []int32            // the first row of each unit, and Rows; nil: units have Height rows
	Columns      int                // distances of a row
	First        int                // units that earlier runs have done
	AtOnce       func(left int) int // units that a hand is given when so many are left; nil: one
	Control      *live.Control      // pauses the run; nil: nothing does
	Every        time.Duration      // between two restore points
	Shares       live.StageShares   // what stages take, of which rows are the last; zero: rows are all

	// Save makes the first so many units durable: that is a restore point. It is called now and then, and when
	// Control asks for it, one call at a time. No unit ends in its turn meanwhile. nil: nothing is kept.
	Save func(units int) error
	// Note is called when more units are done without a gap, with how many there are. It may be nil.
	Note func(units int) error

	group *errgroup.Group
	turn  sync.Mutex // of who ends a unit in its turn, or saves

	mu      sync.Mutex
	began   time.Time // by the clock of Control; guarded by mu, as all below
	next    int       // the unit to deal next
	done    []bool    // by unit
	prefix  int       // units that are done from the first on without a gap
	rows    int       // rows that this run has done
	saved   int       // units of the newest restore point
	saving  bool
	failed  bool // the newest attempt to save
	synced  time.Time
	changed chan struct{} // closed when prefix has grown
}

// Hand works on units, for one goroutine.
type Hand interface {
	// Do works on units first…first+count-1. For each it sees to it that Done or InTurn is called, before it returns
	// or later.
	Do(ctx context.Context, first, count int) error
	// Close gives back what the hand has. Units that it was given may not be done yet.
	Close() error
}

// Units is how many units there are.
func (r *Run) Units() int {
	if r.Starts != nil {
		return len(r.Starts) - 1
	}
	return (r.Rows + r.Height - 1) / r.Height
}

// RowsOf returns the first row of a unit, and the one after its last.
func (r *Run) RowsOf(unit int) (lo, hi int) { return r.before(unit), r.before(unit + 1) }

// before is how many rows there are before a unit.
func (r *Run) before(unit int) int {
	if r.Starts != nil {
		return int(r.Starts[unit])
	}
	return min(unit*r.Height, r.Rows)
}

// Start makes the run ready. Do calls it, unless it was called before so that Status can tell of the run.
func (r *Run) Start() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Control == nil {
		r.Control = new(live.Control)
	}
	r.began, r.synced, r.changed = r.Control.Now(), time.Now(), make(chan struct{})
	r.next, r.prefix, r.saved, r.done = r.First, r.First, r.First, make([]bool, r.Units())
}

// Do makes a hand with each of open, and deals out all units that are left. It ends with the first error, or when ctx
// ends, which is no error of its own: Left tells whether all is done. more are what hands need done beside them, with
// the same ctx.
func (r *Run) Do(ctx context.Context, open []func() (Hand, error), more ...func(ctx context.Context) error) error {
	if r.done == nil {
		r.Start()
	}
	var running context.Context
	r.group, running = errgroup.WithContext(context.Background())
	either, end := context.WithCancelCause(ctx) // ends with ctx, or the first error
	defer end(nil)
	defer context.AfterFunc(running, func() { end(context.Cause(running)) })()
	start := func(f func(ctx context.Context) error) {
		r.group.Go(func() error {
			err := f(either)
			if either.Err() != nil && errors.Is(err, context.Cause(either)) {
				return nil // what has ended it is known, and must not hide what fails because of that
			}
			return err
		})
	}
	for _, f := range more {
		start(f)
	}
	// The first units are dealt in the order of the hands. Where units end in their turn, later ones follow that order,
	// so if hands are of two devices in turn, each device gets about as many of the last units.
	for _, f := range open {
		first, count := 0, 0
		if !r.Control.Paused() {
			first, count = r.take()
		}
		start(func(ctx context.Context) error { return r.work(ctx, f, first, count) })
	}
	return r.group.Wait()
}

// work gives units to one hand, first those that it was dealt, until there are no more, or ctx ends.
func (r *Run) work(ctx context.Context, open func() (Hand, error), first, count int) (err error) {
	h, err := open()
	if err != nil {
		return err
	}
	defer func() {
		if cerr := h.Close(); err == nil { // after a failure, the first error is the one to report
			err = cerr
		}
	}()
	for {
		if count > 0 {
			if err := h.Do(ctx, first, count); err != nil {
				return err
			}
		}
		if err := r.Control.Hold(ctx, func() error { return r.keep(false) }); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return nil
		}
		if first, count = r.take(); count == 0 {
			return nil
		}
	}
}

// take reserves the next units.
func (r *Run) take() (first, count int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first, count = r.next, min(1, len(r.done)-r.next)
	if r.AtOnce != nil {
		count = min(r.AtOnce(len(r.done)-r.next), len(r.done)-r.next)
	}
	r.next += count
	return first, count
}

// Done records that a unit is done, and takes a restore point in the background if one is due.
func (r *Run) Done(unit int) error {
	units, rose, due := r.end(unit)
	if due {
		r.group.Go(func() error {
			r.turn.Lock()
			defer r.turn.Unlock()
			return r.saveInTurn(units)
		})
	}
	if rose && r.Note != nil {
		return r.Note(units)
	}
	return nil
}

// InTurn waits until all units before this one are done, calls end, which no other call does meanwhile, and records
// that the unit is done. It takes a restore point if one is due. It fails with the cause of ctx if that ends first.
func (r *Run) InTurn(ctx context.Context, unit int, end func() error) error {
	for {
		r.mu.Lock()
		ready, changed := r.prefix == unit, r.changed
		r.mu.Unlock()
		if ready {
			break
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	r.turn.Lock()
	defer r.turn.Unlock()
	if err := end(); err != nil {
		return err
	}
	units, _, due := r.end(unit)
	if due {
		return r.saveInTurn(units)
	}
	return nil
}

// end counts a unit that is done. It reports how many are done without a gap, whether these have become more, and
// whether to save them.
func (r *Run) end(unit int) (units int, rose, due bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	lo, hi := r.RowsOf(unit)
	r.done[unit] = true
	r.rows += hi - lo
	before := r.prefix
	for r.prefix < len(r.done) && r.done[r.prefix] {
		r.prefix++
	}
	if rose = r.prefix > before; rose {
		close(r.changed)
		r.changed = make(chan struct{})
	}
	return r.prefix, rose, rose && r.begin(time.Since(r.synced) >= r.Every)
}

// begin reports whether to save now: that is due or asked for, more would be kept, nobody saves, and no attempt has
// failed. Call it with mu held.
func (r *Run) begin(due bool) bool {
	if r.Save == nil || r.saving || r.failed || r.prefix <= r.saved || !due && !r.Control.Wanted() {
		return false
	}
	r.saving = true
	r.Control.Begun()
	return true
}

// Keep saves what is done and not saved yet, at the end of a run. It does not try again what has just failed.
func (r *Run) Keep() error { return r.keep(true) }

// keep saves what is done and not saved yet, if that is due or asked for.
func (r *Run) keep(due bool) error {
	r.turn.Lock()
	defer r.turn.Unlock()
	r.mu.Lock()
	units, due := r.prefix, r.begin(due)
	r.mu.Unlock()
	if !due {
		return nil
	}
	return r.saveInTurn(units)
}

// saveInTurn saves. Call it with turn held.
func (r *Run) saveInTurn(units int) error {
	err := r.Save(units)
	r.mu.Lock()
	r.saving, r.failed = false, err != nil
	if err == nil {
		r.saved, r.synced = units, time.Now()
	}
	r.mu.Unlock()
	if err == nil {
		r.Control.Touch() // in a pause, the next one may be waiting
	}
	return err
}

// Left is how many units are not done.
func (r *Run) Left() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.done) - r.prefix
}

// Look calls look with which units are done, and the first that no hand has been given. Units before First count as
// not done.
func (r *Run) Look(look func(done []bool, next int)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	look(r.done, r.next)
}

// Counts returns the rows that are done, by this run alone, and those of the newest restore point.
func (r *Run) Counts() (done, made, restore int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counts()
}

// counts is Counts with mu held.
func (r *Run) counts() (done, made, restore int) {
	return r.before(r.First) + r.rows, r.rows, r.before(r.saved)
}

// Seconds is how long the run takes so far, without pauses.
func (r *Run) Seconds() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.Control.Now().Sub(r.began).Seconds()
}

// Status tells how far the run is: rows, restore point, rate, and the time that is left.
func (r *Run) Status(st *live.Status) {
	r.mu.Lock()
	defer r.mu.Unlock()
	done, made, restore := r.counts()
	st.Rows, st.RowsDone = r.Rows, done
	before := float64(done-made) / float64(r.Rows)
	st.Progress = r.Shares.Progress(live.StageExpand, float64(made)/float64(max(1, r.Rows-done+made)), before)
	st.StageProgress, st.RestorePoint = float64(done)/float64(r.Rows), float64(restore)/float64(r.Rows)
	st.Checkpoint = r.Control.CheckpointState(r.saving)
	if st.ETA = -1; made == 0 {
		return
	}
	took := r.Control.Now().Sub(r.began).Seconds()
	st.ETA = float64(r.Rows-done) / float64(made) * took
	if !r.Control.Paused() && took > 0 {
		st.DistanceRate = float64(made) * float64(r.Columns) / took
	}
}
