package show

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/engine/batch"
	"ooc/engine/live"
	"ooc/engine/task"
	"ooc/tiles"
)

// Watch shows what the process does that solves a store or a batch: on a terminal as a screen until q, elsewhere as
// lines until all is solved.
func Watch(ctx context.Context, dir string) error {
	w := &Watched{Dir: dir}
	if w.Look(); w.Err != nil && !errors.Is(w.Err, tiles.ErrIncomplete) {
		return w.Err
	}
	if !terminal.CanDraw(terminal.OutFile) {
		return w.printLines(ctx, terminal.Out)
	}
	return w.show(ctx)
}

// Times between two looks: at a solve that runs, and at a store that no process has.
const (
	lookEvery = 250 * time.Millisecond
	restEvery = time.Second
)

// Look looks at a store or a batch again.
func (w *Watched) Look() {
	if batch.Is(w.Dir) {
		w.lookBatch()
		return
	}
	v, err := engine.Look(w.Dir)
	if w.Err = err; err != nil {
		v = engine.View{}
	}
	w.View = v
	w.Remember(v.Workers)
}

// lookBatch looks at a batch and at the stores of the jobs that run.
func (w *Watched) lookBatch() {
	q, err := batch.Read(w.Dir)
	if w.Err = err; err != nil {
		return
	}
	w.Queue = q
	before := w.Jobs
	w.Jobs = nil
	for i := range q.Jobs {
		if q.Jobs[i].State != batch.Solving {
			continue
		}
		job := Watched{Dir: q.Jobs[i].Store}
		for k := range before {
			if before[k].Dir == job.Dir {
				job = before[k] // with the lanes as they were
			}
		}
		job.Look()
		w.Jobs = append(w.Jobs, job)
	}
}

// running reports whether a process is solving.
func (w *Watched) running() bool {
	if w.Queue != nil {
		return w.Queue.Running
	}
	return w.Err == nil && w.View.Running
}

// finished reports whether there is nothing left to wait for.
func (w *Watched) finished() bool {
	if w.Queue != nil {
		n := w.Queue.Counts()
		return !w.Queue.Running && n[batch.Solved]+n[batch.Failed] == len(w.Queue.Jobs)
	}
	return w.Err == nil && !w.View.Running && w.View.State == live.Solved
}

// wait is how long it takes until there may be news.
func (w *Watched) wait() time.Duration {
	if w.running() {
		return lookEvery
	}
	return restEvery
}

// printLines prints a line whenever the state changes, and now and then the progress. It ends when everything is
// solved or has failed, or with ctx.
func (w *Watched) printLines(ctx context.Context, out io.Writer) error {
	var said string
	var told time.Time
	for {
		state, at := w.State(), time.Now()
		if w.Queue == nil && w.Err == nil && !w.View.Running {
			state += "; next: " + w.Next()
		}
		var err error
		if state != said {
			said, told = state, time.Time{}
			if w.Halted() {
				state, told = w.Told(), at // without rates
			}
			_, err = fmt.Fprintf(out, "%s: %s\n", w.Dir, state)
		}
		if w.running() && at.Sub(told) >= LinesEvery {
			told = at
			err = errors.Join(err, w.printProgress(out))
		}
		if err == nil && w.finished() && w.Queue != nil && w.Queue.Counts()[batch.Failed] > 0 {
			err = fmt.Errorf("%w: %s says which", batch.ErrSomeFailed, terminal.Command("status", nil, w.Queue.Dir))
		}
		if err != nil || w.finished() {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(w.wait()):
		}
		w.Look()
	}
}

// printProgress prints a line for each store that is being solved.
func (w *Watched) printProgress(out io.Writer) error {
	if w.Queue != nil {
		for i := range w.Jobs {
			if err := w.Jobs[i].printProgress(out); err != nil {
				return err
			}
		}
		return nil
	}
	if w.Err != nil || w.View.Stage == "" {
		return nil // it has said nothing yet
	}
	line := statusLine(w.View.Status)
	if w.Halted() {
		line = fmt.Sprintf("%s: %s", w.Dir, w.Told())
	}
	_, err := fmt.Fprintln(out, line)
	return err
}

// show draws a screen until q or Ctrl-C.
func (w *Watched) show(ctx context.Context) error {
	ctx, quit := context.WithCancelCause(ctx)
	paint, block := paint(os.Getenv("NO_COLOR") == ""), terminal.NewBlock(terminal.OutFile, true)
	defer block.Leave()
	in := os.Stdin
	if !term.IsTerminal(int(in.Fd())) {
		if tty, err := os.Open("/dev/tty"); err == nil {
			defer tty.Close()
			in = tty
		}
	}
	closeKeyboard, err := terminal.OpenKeyboard(int(in.Fd()), terminal.Keys{
		Typed: func(typed []byte) {
			if bytes.ContainsAny(typed, "qQ") {
				quit(task.ErrInterrupted)
			}
		},
		Suspended: func(stop func()) { block.Aside(true, stop) },
	})
	if err == nil { // else Ctrl-C does it
		defer closeKeyboard()
	}
	for looked := time.Now(); ; {
		block.Draw(func(width, height int) []string { return w.Screen(width, height, paint) })
		select {
		case <-ctx.Done():
			if cause := context.Cause(ctx); cause != task.ErrInterrupted { // by a signal that is no key
				return cause
			}
			return nil
		case <-time.After(lookEvery): // the terminal may have another size
		}
		if time.Since(looked) >= w.wait() {
			w.Look()
			looked = time.Now()
		}
	}
}
