package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ooc/engine/task"
	"ooc/tiles"
	"ooc/tiles/lock"
)

// patience is how long a process that is ending is waited for. Gigabytes of page-locked memory take seconds to give back.
const patience = 2 * time.Minute

// patient calls try again while that fails for a lock that is held by a process which is ending.
func patient[T any](ctx context.Context, note func(format string, args ...any), try func() (T, error)) (T, error) {
	said := 0
	for began := time.Now(); ; {
		v, err := try()
		var locked *lock.LockedError
		if !errors.As(err, &locked) || time.Since(began) > patience {
			return v, err
		}
		between := said != 0 && locked.PID == 0 // it is given back, or the next holder has not written its name
		if !locked.Ending && !between {
			return v, err
		}
		if said != locked.PID && !between {
			said = locked.PID
			note("%s: process %d is ending and still gives memory back; waiting", locked.Dir, locked.PID)
		}
		select {
		case <-ctx.Done():
			return v, fmt.Errorf("%w while waiting: %w", task.ErrInterrupted, err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// vacant waits until no process that is ending has the place for a new store, and fails where none can be made.
func vacant(ctx context.Context, note func(format string, args ...any), dir string) error {
	_, err := patient(ctx, note, func() (struct{}, error) { return struct{}{}, tiles.Vacant(dir) })
	return err
}
