package main

import (
	"errors"
	"fmt"

	"ooc/cmd/ooc/show"
	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/tiles"
)

// wayOut adds to an error of a store that is not solved what to do about it: to go on, or to follow the process that does.
// It leaves other errors as they are.
func wayOut(dir string, err error) error {
	if !errors.Is(err, engine.ErrUnsolved) || tiles.PartsIn(dir) != nil { // of these the error says it
		return err
	}
	w := show.Watched{Dir: dir}
	if w.Look(); w.Err != nil || !w.View.Running {
		return fmt.Errorf("%w; continue with: %s", err, terminal.Command("solve", nil, dir))
	}
	if w.Halted() {
		return fmt.Errorf("%s is %w: %s; next: %s", dir, engine.ErrUnsolved, w.Told(), w.Next())
	}
	return fmt.Errorf("%s is %w: process %d on %s is solving it, %.1f %% done; follow it with: %s",
		dir, engine.ErrUnsolved, w.View.PID, w.View.Host, 100*w.View.Progress, w.Next())
}

// ask opens a store to answer a question from it.
func ask(dir string, question func(p *engine.Problem) error) error {
	p, err := engine.OpenReadOnly(dir)
	if err != nil {
		return err
	}
	defer p.Close()
	return wayOut(dir, question(p))
}
