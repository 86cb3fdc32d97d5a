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

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/show"
	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/engine/batch"
	"ooc/engine/live"
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
	w := &show.Watched{Dir: dir}
	if look(w); w.Err != nil && !errors.Is(w.Err, tiles.ErrIncomplete) {
		return w.Err
	}
	if !term.IsTerminal(int(os.Stdout.Fd())) || os.Getenv("TERM") == "dumb" {
		return printLines(ctx, w, terminal.Out)
	}
	exit.Graceful.Store(true) // a signal ends the context, and the terminal is put back
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

// look looks at a store or a batch again.
func look(w *show.Watched) {
	if batch.Is(w.Dir) {
		lookBatch(w)
		return
	}
	v, err := engine.Look(w.Dir)
	if w.Err = err; err != nil {
		v = engine.View{}
	}
	w.View = v
	w.Remember(v.Lanes)
}

// lookBatch looks at a batch and at the stores of the jobs that run.
func lookBatch(w *show.Watched) {
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
		job := show.Watched{Dir: q.Jobs[i].Store}
		for k := range before {
			if before[k].Dir == job.Dir {
				job = before[k] // with the lanes as they were
			}
		}
		look(&job)
		w.Jobs = append(w.Jobs, job)
	}
}

// stillRunning reports whether a process is solving.
func stillRunning(w *show.Watched) bool {
	if w.Queue != nil {
		return w.Queue.Running
	}
	return w.Err == nil && w.View.Running
}

// finished reports whether there is nothing left to wait for.
func finished(w *show.Watched) bool {
	if w.Queue != nil {
		n := w.Queue.Counts()
		return !w.Queue.Running && n[batch.Solved]+n[batch.Failed] == len(w.Queue.Jobs)
	}
	return w.Err == nil && !w.View.Running && w.View.State == live.Solved
}

func wait(w *show.Watched) time.Duration {
	if stillRunning(w) {
		return lookEvery
	}
	return restEvery
}

// printLines prints a line whenever the state changes, and now and then the progress. It ends when everything is solved or has
// failed, or with ctx.
func printLines(ctx context.Context, w *show.Watched, out io.Writer) error {
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
		if stillRunning(w) && at.Sub(told) >= show.LinesEvery {
			told = at
			err = errors.Join(err, printProgress(w, out))
		}
		if err == nil && finished(w) && w.Queue != nil && w.Queue.Counts()[batch.Failed] > 0 {
			err = fmt.Errorf("%w: %s says which", batch.ErrSomeFailed, terminal.Command("status", nil, w.Queue.Dir))
		}
		if err != nil || finished(w) {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(wait(w)):
		}
		look(w)
	}
}

// printProgress prints a line for each store that is being solved.
func printProgress(w *show.Watched, out io.Writer) error {
	if w.Queue != nil {
		for i := range w.Jobs {
			if err := printProgress(&w.Jobs[i], out); err != nil {
				return err
			}
		}
		return nil
	}
	if w.Err != nil || w.View.Stage == "" {
		return nil // it has said nothing yet
	}
	line := show.StatusLine(w.View.Status)
	if w.Halted() {
		line = fmt.Sprintf("%s: %s", w.Dir, w.Told())
	}
	_, err := fmt.Fprintln(out, line)
	return err
}

// watchModel is the screen of watch.
type watchModel struct {
	w             *show.Watched
	paint         terminal.Paint
	width, height int
}

// lookMsg says that it is time to look again.
type lookMsg struct{}

func (m watchModel) Init() tea.Cmd { return m.later() }

func (m watchModel) later() tea.Cmd {
	return tea.Tick(wait(m.w), func(time.Time) tea.Msg { return lookMsg{} })
}

func (m watchModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case lookMsg:
		look(m.w)
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
	v := tea.NewView(m.w.Screen(m.width, m.height, m.paint))
	v.AltScreen = true
	return v
}
