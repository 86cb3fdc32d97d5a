package cancel

import (
	"context"
	"sync/atomic"
	"time"
)

// Tally counts what a long computation has done, of how much, in units of its own. Any number of goroutines may use it.
// The zero value has counted nothing.
type Tally struct {
	Done  atomic.Int64
	of    atomic.Int64 // 0: not known
	began atomic.Int64 // by the system's clock, in nanoseconds
}

type tallyKey struct{}

// Counted returns a context whose computations are counted by t.
func (t *Tally) Counted(ctx context.Context) context.Context {
	return context.WithValue(ctx, tallyKey{}, t)
}

// Begin begins to count a computation of so many units, by the tally of ctx, or by one that nobody looks at.
func Begin(ctx context.Context, of int64) *Tally {
	t, _ := ctx.Value(tallyKey{}).(*Tally)
	if t == nil {
		t = new(Tally)
	}
	t.Begin(of)
	return t
}

// Begin begins to count, from 0 to so many units. 0: how many there will be is not known.
func (t *Tally) Begin(of int64) {
	t.of.Store(0) // or what was counted before would be a share of these
	t.Done.Store(0)
	t.began.Store(time.Now().UnixNano())
	t.of.Store(of)
}

// Look returns the share of the units that is done, and how many are done in a second. Both are 0 before any is.
func (t *Tally) Look() (share, perSecond float64) {
	done, of := float64(t.Done.Load()), float64(t.of.Load())
	if done <= 0 || of <= 0 {
		return 0, 0
	}
	return min(1, done/of), done / max(1e-9, time.Since(time.Unix(0, t.began.Load())).Seconds())
}
