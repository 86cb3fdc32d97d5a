package sparse

import (
	"context"
	"errors"
	"testing"
	"time"

	"ooc/tiles/crashtest"
)

// TestInterruptedElimination ends the context of an ordering that would take tens of seconds, and of an elimination
// that would, too.
func TestInterruptedElimination(t *testing.T) {
	crashtest.Slow(t)
	g := randomOfDegree(t, fresh(t), 200_000, 20)
	soon := func(what string, do func(ctx context.Context) error) {
		why := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		time.AfterFunc(50*time.Millisecond, func() { cancel(why) })
		if err := do(ctx); !errors.Is(err, why) { // nil: it went on to the end
			t.Errorf("%s: %v", what, err)
		}
	}
	soon("ordering", func(ctx context.Context) error {
		_, err := NewOrder(ctx, g, OrderOptions{})
		return err
	})

	dense := randomOfDegree(t, fresh(t), 5_000, 20)
	o := mustOrder(t, dense, OrderOptions{})
	soon("elimination", func(ctx context.Context) error {
		_, err := o.Eliminate(ctx, dense, o.Limit)
		return err
	})
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := o.Best(stopped, estimate); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
