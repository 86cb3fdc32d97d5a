package show

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/term"

	"ooc/cmd/ooc/terminal"
	"ooc/engine/live"
)

// steering lets people steer the solves of this process: with keys, if the block is shown on a terminal that is also
// the input, and with a signal that asks for the status.
type steering struct {
	interrupt func() // does what Ctrl-C does

	mu     sync.Mutex
	runs   map[*live.Control]*steered // solves; guarded by mu, as those below
	paused bool
	kept   bool // a checkpoint was asked for: said until the next key
}

// steered is a solve.
type steered struct {
	asked atomic.Bool                 // for its status
	last  atomic.Pointer[live.Status] // that it reported; it reports each stage as it begins
}

// Begin steers one more solve. It returns the function for the solve's Progress, which calls answer if somebody asked
// for the status, and otherwise progress. end is called after the solve.
func (s *steering) Begin(progress, answer func(live.Status)) (c *live.Control, wrapped func(live.Status), end func()) {
	c = new(live.Control)
	run := new(steered)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs == nil {
		s.runs = map[*live.Control]*steered{}
	}
	s.runs[c] = run
	if s.paused {
		c.Pause()
	}
	wrapped = func(st live.Status) {
		run.last.Store(&st)
		if run.asked.Swap(false) {
			answer(st)
		} else {
			progress(st)
		}
	}
	return c, wrapped, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.runs, c)
	}
}

// report asks every solve for its status, and returns how many there are.
func (s *steering) report() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c, run := range s.runs {
		run.asked.Store(true)
		c.Report()
	}
	return len(s.runs)
}

// key does what a key means.
func (s *steering) key(k byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = false
	switch k {
	case 'p':
		s.pause(!s.paused)
	case 'r':
		s.pause(false)
	case 'c':
		s.kept = true
		for c := range s.runs {
			c.Checkpoint()
		}
	case 'q':
		if s.interrupt != nil {
			s.interrupt()
		}
	}
	for c := range s.runs {
		c.Report() // so that the block shows it
	}
}

// pause pauses or resumes all solves, also those that begin later. Call it with mu held.
func (s *steering) pause(on bool) {
	s.paused = on
	for c := range s.runs {
		if on {
			c.Pause()
		} else {
			c.Resume()
		}
	}
}

// help is the row of the block that names the keys.
func (s *steering) help(width int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	words := []string{"p pause", "c checkpoint now", "q quit, resumable"}
	if s.paused {
		words[0] = "p resume"
	}
	if s.kept {
		words[1] = "c checkpoint asked for"
	}
	return row(width, "keys", words...)
}

// suspended keeps the time in which the process is stopped out of the rates of solves.
func (s *steering) suspended(stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.paused
	s.pause(true)
	stop()
	s.pause(was)
}

// OnAsking answers the signal that asks for the status, until stop is called.
func (d *Display) OnAsking() (stop func()) {
	asked, gone := make(chan os.Signal, 1), make(chan struct{})
	if len(statusSignals) > 0 { // none would mean all
		signal.Notify(asked, statusSignals...)
	}
	go func() {
		defer close(gone)
		for range asked {
			if d.Steering.report() == 0 {
				d.Note("nothing is being solved yet")
			}
		}
	}()
	return func() {
		signal.Stop(asked) // nothing is sent from now on
		close(asked)
		<-gone
	}
}

// OnStopping says at once that solves are being stopped and what becomes of their work, when ctx ends before the
// returned function is called.
func (d *Display) OnStopping(ctx context.Context) (done func()) {
	forget := context.AfterFunc(ctx, func() { d.say("%s", d.Steering.stopping()) })
	return func() { forget() }
}

// stopping says what becomes of the work of all solves.
func (s *steering) stopping() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var fates []string
	for _, run := range s.runs {
		if st := run.last.Load(); st != nil {
			fates = append(fates, fate(st))
		}
	}
	slices.Sort(fates)
	says := "stopping"
	if fates = slices.Compact(fates); len(fates) > 0 {
		says += ": " + strings.Join(fates, "; ")
	}
	return says + "; Ctrl-C again ends at once, and is resumable too"
}

// fate is what becomes of the work of a solve that is stopped.
func fate(st *live.Status) string {
	switch {
	case st.Stage == live.StageExpand:
		return "keeps the rows that are done"
	case st.Stage == live.StageBetween:
		return "keeps the sources that are done"
	case st.Stage == live.StageWrite:
		return "the factors are being written, which goes on to the end"
	case st.Stage == live.StageRounds && st.RestorePoint == 1:
		return "all distances are on disk, and what is left to check is done by the same command"
	case st.Stage == live.StageRounds, st.Stage == live.StageCore && st.Rounds > 0: // of a core in a store
		return "finishes what is in flight, then takes a checkpoint of the rounds that are done"
	}
	return "the elimination and its core are in memory alone, and the same command begins with them again"
}

// Keyboard reads keys from standard input if that is a terminal and the block is shown, until stop is called. The
// terminal is then as it was.
func (d *Display) Keyboard(ctx context.Context) (stop func()) {
	if d.block == nil || !term.IsTerminal(int(os.Stdin.Fd())) || !term.IsTerminal(int(os.Stderr.Fd())) {
		return func() {}
	}
	d.Steering.interrupt, _ = ctx.Value(terminal.InterruptKey{}).(func())
	closeKeyboard, err := terminal.OpenKeyboard(int(os.Stdin.Fd()), terminal.Keys{
		Typed: func(typed []byte) {
			for _, key := range bytes.ToLower(typed) {
				d.Steering.key(key)
			}
		},
		Suspended: func(stop func()) { // the shell goes on below what was drawn
			d.block.Aside(true, func() { d.Steering.suspended(stop) })
		},
	})
	if err != nil {
		return func() {} // a terminal without such modes shows the block all the same
	}
	d.setHelp(d.Steering.help)
	return func() {
		d.setHelp(nil)
		closeKeyboard()
	}
}

func (d *Display) setHelp(help func(width int) string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.help = help
}

// Answer shows a status that was asked for.
func (d *Display) Answer(s live.Status) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.json:
		terminal.PrintJSON("status", objectOfStatus(s))
	case d.block == nil:
		fmt.Fprintln(terminal.Err, statusLine(s))
	}
}
