package rows

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ooc/engine/internal/seeds"
	"ooc/engine/live"
)

var errBroken = errors.New("broken")

// play is a Run whose hands do nothing but keep to the rules, and that sees whether the Run does, too.
type play struct {
	*Run
	t      *testing.T
	r      *rand.Rand // guarded by mu, as all below
	inTurn bool
	early  chan int // units that are ended after Do; nil: none are

	fail    int // the unit that fails; -1: none does
	most    int // units at once; 0: one
	noSave  int // Save fails once so many units are done
	stop    func()
	stopAt  int          // the unit at which ctx ends; -1: none
	ending  atomic.Int32 // units that end, or are saved, in this moment
	mu      sync.Mutex
	given   []int
	ended   []bool
	order   []int // in which units have ended
	saves   []int
	open    int // hands
	noted   int
	trouble int // times that Save has failed
}

func newPlay(t *testing.T, r *rand.Rand) *play {
	p := &play{t: t, r: r, fail: -1, stopAt: -1, noSave: 1 << 30, inTurn: r.IntN(2) == 0}
	p.Run = &Run{Rows: 1 + r.IntN(300), Height: 1 + r.IntN(20), Columns: 10}
	if r.IntN(2) == 0 { // units of any height
		for at := 0; at < p.Rows; at += 1 + r.IntN(20) {
			p.Starts = append(p.Starts, int32(at))
		}
		p.Starts, p.Height = append(p.Starts, int32(p.Rows)), 0
	}
	p.Every = []time.Duration{0, 50 * time.Microsecond, time.Hour}[r.IntN(3)]
	if p.most = r.IntN(4); p.most > 0 {
		p.AtOnce = func(left int) int { return 1 + left%p.most }
	}
	p.First = r.IntN(p.Units() + 1)
	p.ended = make([]bool, p.Units())
	if r.IntN(5) > 0 {
		p.Save = p.save
	}
	if !p.inTurn {
		p.Note = p.note
		if r.IntN(2) == 0 {
			p.early = make(chan int, p.Units())
		}
	}
	return p
}

// before is how many rows there are before a unit.
func (p *play) before(unit int) int {
	if p.Starts != nil {
		return int(p.Starts[unit])
	}
	return min(unit*p.Height, p.Rows)
}

func (p *play) save(units int) error {
	if p.ending.Add(1) > 1 && p.inTurn {
		p.t.Error("a unit ends while others are saved")
	}
	defer p.ending.Add(-1)
	runtime.Gosched()
	p.mu.Lock()
	defer p.mu.Unlock()
	for u := p.First; u < units; u++ {
		if !p.ended[u] {
			p.t.Errorf("%d units saved, and %d has not ended", units, u)
		}
	}
	if p.inTurn && len(p.order) != units-p.First {
		p.t.Errorf("%d units saved, and %d have ended", units, len(p.order)+p.First)
	}
	if last := len(p.saves) - 1; last >= 0 && units <= p.saves[last] {
		p.t.Errorf("%d units saved after %d", units, p.saves[last])
	}
	if units >= p.noSave {
		p.trouble++
		return errBroken
	}
	p.saves = append(p.saves, units)
	return nil
}

func (p *play) note(units int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.noted = max(p.noted, units)
	return nil
}

const mostHands = 4

// run is Do with some hands. It ends with the error of the run.
func (p *play) run(ctx context.Context) error {
	var open []func() (Hand, error)
	for range 1 + p.random(mostHands) {
		open = append(open, func() (Hand, error) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.open++
			return p, nil
		})
	}
	if p.early == nil {
		return p.Run.Do(ctx, open)
	}
	return p.Run.Do(ctx, open, func(ctx context.Context) error { // ends units that hands have given away
		for range p.Units() - p.First {
			select {
			case u := <-p.early:
				if err := p.end(ctx, u); err != nil {
					return err
				}
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return nil
	})
}

func (p *play) Do(ctx context.Context, first, count int) error {
	if count < 1 || count > max(1, p.most) || first+count > p.Units() {
		p.t.Errorf("units %d to %d of %d at once", first, first+count-1, p.Units())
	}
	p.mu.Lock()
	wait := time.Duration(p.r.IntN(100)) * time.Microsecond
	for u := first; u < first+count; u++ {
		p.given = append(p.given, u)
	}
	p.mu.Unlock()
	time.Sleep(wait)
	for u := first; u < first+count; u++ {
		if u == p.stopAt {
			p.stop()
		}
		if u == p.fail {
			return fmt.Errorf("unit %d: %w", u, errBroken)
		}
		if p.early != nil {
			p.early <- u
			continue
		}
		if err := p.end(ctx, u); err != nil {
			return err
		}
	}
	return nil
}

func (p *play) end(ctx context.Context, u int) error {
	if !p.inTurn {
		p.record(u)
		return p.Done(u)
	}
	return p.InTurn(ctx, u, func() error {
		if p.ending.Add(1) > 1 {
			p.t.Error("two units end, or one is saved, at a time")
		}
		defer p.ending.Add(-1)
		runtime.Gosched()
		p.record(u)
		return nil
	})
}

func (p *play) record(u int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended[u] {
		p.t.Errorf("unit %d ends twice", u)
	}
	p.ended[u] = true
	p.order = append(p.order, u)
}

func (p *play) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open--
	return nil
}

// check looks at what there is after a run.
func (p *play) check() {
	p.t.Helper()
	if p.open != 0 {
		p.t.Errorf("%d hands are open", p.open)
	}
	slices.Sort(p.given)
	for i, u := range p.given {
		if u != p.First+i {
			p.t.Fatalf("units given from %d on: %v", p.First, p.given)
		}
	}
	if p.inTurn && !slices.IsSorted(p.order) {
		p.t.Errorf("units have ended in the order %v", p.order)
	}
	left, rows := 0, 0
	for u := p.First; u < p.Units(); u++ {
		if lo, hi := p.RowsOf(u); p.ended[u] {
			rows += hi - lo
		}
		if left > 0 || !p.ended[u] {
			left++
		}
	}
	done, made, restore := p.Counts()
	if p.Left() != left || made != rows || done != p.before(p.First)+rows {
		p.t.Errorf("%d units left, want %d; %d rows of %d made, want %d", p.Left(), left, made, done, rows)
	}
	saved := p.First
	if len(p.saves) > 0 {
		saved = p.saves[len(p.saves)-1]
	}
	if want := p.before(saved); restore != want {
		p.t.Errorf("the restore point has %d rows, want %d", restore, want)
	}
	if p.Note != nil && p.noted != max(p.Units()-left, 0) && len(p.order) > 0 && left < p.Units()-p.First {
		p.t.Errorf("told of %d units, and %d are done", p.noted, p.Units()-left)
	}
}

// kept wants all that is done in a row to be saved after Keep.
func (p *play) kept() {
	p.t.Helper()
	if err := p.Keep(); err != nil {
		p.t.Error(err)
	}
	saved := p.First
	if len(p.saves) > 0 {
		saved = p.saves[len(p.saves)-1]
	}
	if p.Save != nil && saved != p.Units()-p.Left() {
		p.t.Errorf("%d units saved, and %d are done", saved, p.Units()-p.Left())
	}
}

// TestRun deals out units of random sizes to random numbers of hands, from random places on.
func TestRun(t *testing.T) {
	r := seeds.New(t)
	for range 200 {
		p := newPlay(t, r)
		if err := p.run(t.Context()); err != nil || p.Left() != 0 {
			t.Fatalf("%v, %d units left", err, p.Left())
		}
		p.check()
		if p.Every == 0 && p.inTurn && p.Save != nil && len(p.saves) != p.Units()-p.First {
			t.Errorf("%d restore points of %d units", len(p.saves), p.Units()-p.First)
		}
		if p.Every == time.Hour && len(p.saves) > 0 {
			t.Errorf("restore points after %v, and none is due", p.saves)
		}
		p.kept()
		var st live.Status
		if p.Status(&st); st.Rows != p.Rows || st.RowsDone != p.Rows || math.Abs(st.Progress-1) > 1e-9 {
			t.Errorf("%+v", st)
		}
	}
}

// TestRunFails has a hand that fails, or a context that ends, or both.
func TestRunFails(t *testing.T) {
	r := seeds.New(t)
	failed, stopped := 0, 0
	for range 300 {
		p := newPlay(t, r)
		ctx, stop := context.WithCancelCause(t.Context())
		p.stop = func() { stop(errors.New("stopped")) }
		if p.First < p.Units() {
			if r.IntN(2) == 0 {
				p.fail = p.First + r.IntN(p.Units()-p.First)
			}
			if r.IntN(2) == 0 {
				p.stopAt = p.First + r.IntN(p.Units()-p.First)
			}
		}
		err := p.run(ctx)
		p.check()
		switch met := p.fail >= 0 && slices.Contains(p.given, p.fail); {
		case met && p.stopAt < 0 && !errors.Is(err, errBroken),
			err != nil && !met,
			err != nil && !errors.Is(err, errBroken):
			t.Errorf("unit %d fails, the context ends at %d: %v", p.fail, p.stopAt, err)
		case err != nil:
			failed++
		case p.Left() > 0:
			stopped++
		}
		if err == nil && p.Left() > 0 && ctx.Err() == nil {
			t.Errorf("%d units left without a reason", p.Left())
		}
		p.kept()
		stop(nil)
	}
	if failed == 0 || stopped == 0 {
		t.Errorf("%d runs failed, %d were stopped", failed, stopped)
	}
}

// TestRunSaveFails ends a run whose restore point cannot be taken, and does not try that again at once.
func TestRunSaveFails(t *testing.T) {
	r := seeds.New(t)
	for range 100 {
		p := newPlay(t, r)
		if p.Every, p.Save = 0, p.save; p.First == p.Units() {
			continue
		}
		p.noSave = p.First + 1 + r.IntN(p.Units()-p.First)
		err := p.run(t.Context())
		if err == nil && !p.inTurn && p.trouble == 0 { // the last units were done while others were saved
			err = p.Keep()
		}
		if !errors.Is(err, errBroken) {
			t.Errorf("%d units cannot be saved: %v", p.noSave, err)
		}
		p.check()
		trouble := p.trouble
		if err := p.Keep(); err != nil || p.trouble != trouble {
			t.Errorf("%v, tried %d times more", err, p.trouble-trouble)
		}
	}
}

// failing is a hand that fails after the context has ended.
type failing struct{ stop func() }

func (f failing) Do(ctx context.Context, _, _ int) error {
	f.stop()
	<-ctx.Done()
	return errBroken
}

func (f failing) Close() error { return nil }

// waiting is a hand that ends with the context.
type waiting struct{}

func (waiting) Do(ctx context.Context, _, _ int) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

func (waiting) Close() error { return nil }

// TestRunHidesNothing has a failure after the end of the context, which other hands have told of before.
func TestRunHidesNothing(t *testing.T) {
	for range 50 {
		ctx, stop := context.WithCancel(t.Context())
		r := &Run{Rows: 3, Height: 1}
		err := r.Do(ctx, []func() (Hand, error){
			func() (Hand, error) { return waiting{}, nil },
			func() (Hand, error) { return failing{stop}, nil },
			func() (Hand, error) { return waiting{}, nil },
		})
		if !errors.Is(err, errBroken) {
			t.Fatalf("%v, want the failure", err)
		}
		stop()
	}
}

// TestRunPauses pauses runs again and again, and asks for restore points in the pauses.
func TestRunPauses(t *testing.T) {
	r := seeds.New(t)
	asked := 0
	for range 30 {
		p := newPlay(t, r)
		p.Control, p.Every, p.Save = new(live.Control), time.Hour, p.save
		p.Control.Pause()
		p.Start()
		ended := make(chan error, 1)
		go func() { ended <- p.run(t.Context()) }()
		// until waits for something, and reports whether the run goes on.
		until := func(what string, is func() bool) bool {
			for begun := time.Now(); !is(); runtime.Gosched() {
				if len(ended) > 0 {
					return false
				}
				if time.Since(begun) > 10*time.Second {
					t.Fatal(what)
				}
			}
			return true
		}
		for until("it never pauses", func() bool { return p.idle() && p.Control.Waiting() }) {
			before, saves := p.Left(), p.saved()
			p.Control.Checkpoint()
			until("no restore point in the pause", func() bool {
				_, _, restore := p.Counts()
				return restore == p.before(p.Units()-p.Left())
			})
			asked += p.saved() - saves
			if most := mostHands * max(1, p.most); before-p.Left() > most { // some hand may have been about to begin
				t.Errorf("%d units are done in a pause", before-p.Left())
			}
			p.Control.Resume()
			time.Sleep(time.Duration(p.random(200)) * time.Microsecond)
			p.Control.Pause()
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
		p.check()
	}
	if asked == 0 {
		t.Error("no restore point was taken in a pause")
	}
}

// idle reports whether all units that were given have ended.
func (p *play) idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	next := 0
	p.Look(func(_ []bool, n int) { next = n })
	return len(p.order) == len(p.given) && len(p.given) == next-p.First
}

func (p *play) saved() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.saves)
}

func (p *play) random(n int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.r.IntN(n)
}
