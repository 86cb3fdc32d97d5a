package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"ooc/engine"
	"ooc/engine/batch"
	"ooc/tiles"
)

func watchCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "watch STORE|BATCH",
		Short: "Follow a solve from another terminal",
		Long: "watch shows what the process that solves STORE is doing: the board of tiles by their phase in the round, what each\n" +
			"lane is at, rates beside what was measured to be possible, the restore point and the time left. It reads only, stays\n" +
			"through interruptions, kills and resumes, and ends with q. Off a terminal it prints a line now and then, and ends\n" +
			"once all is solved. NO_COLOR in the environment leaves colours away.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return watch(cmd.Context(), args[0]) },
	}
}

func watch(ctx context.Context, dir string) error {
	w := &watched{dir: dir}
	if w.look(); w.err != nil && !errors.Is(w.err, tiles.ErrIncomplete) {
		return w.err
	}
	if !term.IsTerminal(int(os.Stdout.Fd())) || os.Getenv("TERM") == "dumb" {
		return w.lines(ctx, os.Stdout)
	}
	graceful.Store(true) // a signal ends the context, and the terminal is put back
	_, err := tea.NewProgram(watchModel{w: w, paint: os.Getenv("NO_COLOR") == "", width: 80, height: 24}, tea.WithContext(ctx), tea.WithoutSignalHandler()).Run()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// Times between two looks: at a solve that runs, and at a store that no process has.
const (
	lookEvery = 250 * time.Millisecond
	restEvery = time.Second
)

// look looks again.
func (w *watched) look() {
	if batch.Is(w.dir) {
		w.lookBatch()
		return
	}
	v, err := engine.Look(w.dir)
	if w.err = err; err != nil {
		v = engine.View{}
	}
	w.view = v
	w.remember(v.Lanes)
}

// lookBatch looks at a batch and at the stores of the jobs that run.
func (w *watched) lookBatch() {
	q, err := batch.Read(w.dir)
	if w.err = err; err != nil {
		return
	}
	w.queue = q
	before := w.jobs
	w.jobs = nil
	for i := range q.Jobs {
		if q.Jobs[i].State != batch.Solving {
			continue
		}
		job := watched{dir: q.Jobs[i].Store}
		for k := range before {
			if before[k].dir == job.dir {
				job = before[k] // with the lanes as they were
			}
		}
		job.look()
		w.jobs = append(w.jobs, job)
	}
}

// running reports whether a process is at it.
func (w *watched) running() bool {
	if w.queue != nil {
		return w.queue.Running
	}
	return w.err == nil && w.view.Running
}

// over reports whether nothing more will come.
func (w *watched) over() bool {
	if w.queue != nil {
		n := w.queue.Counts()
		return !w.queue.Running && n[batch.Solved]+n[batch.Failed] == len(w.queue.Jobs)
	}
	return w.err == nil && !w.view.Running && w.view.State == "solved"
}

func (w *watched) wait() time.Duration {
	if w.running() {
		return lookEvery
	}
	return restEvery
}

// lines prints a line whenever the state changes, and now and then how far it is, until all is solved or has failed, or
// ctx ends.
func (w *watched) lines(ctx context.Context, out io.Writer) error {
	var said string
	var told time.Time
	for {
		state, at := w.state(), time.Now()
		if w.queue == nil && w.err == nil && !w.view.Running {
			state += "; next: " + w.next()
		}
		var err error
		if state != said {
			said, told = state, time.Time{}
			_, err = fmt.Fprintf(out, "%s: %s\n", w.dir, state)
		}
		if w.running() && at.Sub(told) >= linesEvery {
			told = at
			err = errors.Join(err, w.printProgress(out))
		}
		if err == nil && w.over() && w.queue != nil && w.queue.Counts()[batch.Failed] > 0 {
			err = fmt.Errorf("%w: ooc status %s says which", batch.ErrSomeFailed, quote(w.queue.Dir))
		}
		if err != nil || w.over() {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(w.wait()):
		}
		w.look()
	}
}

// printProgress prints a line for each store that is being solved.
func (w *watched) printProgress(out io.Writer) error {
	if w.queue != nil {
		for i := range w.jobs {
			if err := w.jobs[i].printProgress(out); err != nil {
				return err
			}
		}
		return nil
	}
	if w.err != nil || w.view.Stage == "" {
		return nil // it has said nothing yet
	}
	_, err := fmt.Fprintln(out, statusLine(w.view.Status))
	return err
}

// watchModel is the screen of watch.
type watchModel struct {
	w             *watched
	paint         paint
	width, height int
}

// lookMsg says that it is time to look again.
type lookMsg struct{}

func (m watchModel) Init() tea.Cmd { return m.later() }

func (m watchModel) later() tea.Cmd {
	return tea.Tick(m.w.wait(), func(time.Time) tea.Msg { return lookMsg{} })
}

func (m watchModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case lookMsg:
		m.w.look()
		return m, m.later()
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		switch msg.String() {
		case "q", "ctrl+c":
			return m, tea.Quit
		case "ctrl+z":
			return m, tea.Suspend
		}
	}
	return m, nil
}

func (m watchModel) View() tea.View {
	v := tea.NewView(m.w.screen(m.width, m.height, m.paint))
	v.AltScreen = true
	return v
}
