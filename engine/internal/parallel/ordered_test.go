package parallel

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestOrderedStopped stops while the next result is there: it is not used, and why it stopped is the error.
func TestOrderedStopped(t *testing.T) {
	why := errors.New("stopped")
	for range 50 {
		ctx, stop := context.WithCancelCause(context.Background())
		last := make(chan struct{})
		err := Ordered(ctx, 2, 2, func(i int) (int, error) {
			if i == 1 {
				close(last)
			}
			return i, nil
		}, func(i int) error {
			if i == 1 {
				t.Error("used after the stop")
			}
			<-last
			time.Sleep(time.Millisecond) // until both goroutines have ended
			stop(why)
			return nil
		})
		if !errors.Is(err, why) {
			t.Fatalf("stopped before the last result: %v", err)
		}
	}
}
