package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/show"
	"ooc/engine"
	"ooc/engine/task"
	"ooc/tiles"
	"ooc/tiles/lock"
)

// ask opens a store to answer a question from it.
func ask(dir string, question func(p *engine.Problem) error) error {
	p, err := engine.OpenReadOnly(dir)
	if err != nil {
		return err
	}
	defer p.Close()
	return wayOut(dir, question(p))
}

// wayOut adds to an error of a store that is not solved what to do about it: to go on, or to follow the process that
// does. It leaves other errors as they are.
func wayOut(dir string, err error) error {
	if !errors.Is(err, engine.ErrUnsolved) || tiles.PartsIn(dir) != nil { // of these the error says it
		return err
	}
	w := show.Watched{Dir: dir}
	if w.Look(); w.Err != nil || !w.View.Running {
		w.View.State = "" // a solve that was killed in its last step has every distance, and no checksums
		return fmt.Errorf("%w; continue with: %s", err, w.Next())
	}
	if w.Halted() {
		return fmt.Errorf("%s is %w: %s; next: %s", dir, engine.ErrUnsolved, w.Told(), w.Next())
	}
	return fmt.Errorf("%s is %w: process %d on %s is solving it, %.1f %% done; follow it with: %s",
		dir, engine.ErrUnsolved, w.View.PID, w.View.Host, 100*w.View.Progress, w.Next())
}

// isSolved reports whether a path is a store whose distances are all final.
func isSolved(path string) bool {
	p, err := engine.OpenReadOnly(path)
	if err != nil {
		return false
	}
	defer p.Close()
	return p.Solved() == nil
}

// noStoreIn refuses a place for a store that is in another one or in a batch.
func noStoreIn(out string) error {
	abs, err := filepath.Abs(out)
	owner := tiles.Owner(abs)
	if err == nil && owner != "" && (tiles.IsStore(owner) || !tiles.IsStore(out)) { // a store in a batch goes on
		return exit.UsageError(fmt.Errorf("%s is in %s, and only ooc itself makes files in a store or a batch; name "+
			"another folder with --out", out, owner))
	}
	return err
}

// patience is how long a process that is ending is waited for. Gigabytes of page-locked memory take seconds to give
// back.
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
