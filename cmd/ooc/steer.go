package main

import (
	"context"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/term"

	"ooc/engine"
)

// steering lets people steer the solves of this process: by keys, where a block is shown on a terminal that also gives
// the input, and by a signal that asks for the status.
type steering struct {
	interrupt func() // does what Ctrl-C does

	mu     sync.Mutex
	runs   map[*engine.Control]*atomic.Bool // solves, and whether their status was asked for; guarded by mu, as those below
	paused bool
	kept   bool // a checkpoint was asked for: said until the next key
}

// begin steers one more solve. Its Progress is to be what is returned, which calls answer where somebody asked, and
// progress otherwise. end is called after the solve.
func (s *steering) begin(progress, answer func(engine.Status)) (c *engine.Control, wrapped func(engine.Status), end func()) {
	c = new(engine.Control)
	asked := new(atomic.Bool)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs == nil {
		s.runs = map[*engine.Control]*atomic.Bool{}
	}
	s.runs[c] = asked
	if s.paused {
		c.Pause()
	}
	wrapped = func(st engine.Status) {
		if asked.Swap(false) {
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

// report has every solve answer how far it is, and says how many there are.
func (s *steering) report() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c, asked := range s.runs {
		asked.Store(true)
		c.Report()
	}
	return len(s.runs)
}

// key does what a key stands for.
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

// pause pauses all solves, those to come too, or lets them go on. Call it with mu held.
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
	return labelled(width, "keys", words...)
}

// suspended keeps the time that the process is stopped out of the solves' rates.
func (s *steering) suspended(stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.paused
	s.pause(true)
	stop()
	s.pause(was)
}

// onAsking answers the signal that asks for the status, until the function it returns is called.
func (d *display) onAsking() (stop func()) {
	asked, quit, gone := make(chan os.Signal, 1), make(chan struct{}), make(chan struct{})
	if len(statusSignals) > 0 { // none would mean all
		signal.Notify(asked, statusSignals...)
	}
	go func() {
		defer close(gone)
		for {
			select {
			case <-asked:
				if d.steering.report() == 0 {
					d.note("nothing is being solved yet")
				}
			case <-quit:
				return
			}
		}
	}()
	return func() {
		signal.Stop(asked)
		close(quit)
		<-gone
	}
}

// keyboard reads keys from standard input if it is a terminal and the block is shown, until the function it returns is
// called. The terminal is then as it was.
func (d *display) keyboard(ctx context.Context) (stop func()) {
	if d.mode != block || !term.IsTerminal(int(os.Stdin.Fd())) || !term.IsTerminal(int(d.out.Fd())) {
		return func() {}
	}
	d.steering.interrupt, _ = ctx.Value(interruptKey{}).(func())
	k, err := openKeyboard(int(os.Stdin.Fd()), d)
	if err != nil {
		return func() {} // a terminal without such modes shows the block all the same
	}
	d.setHelp(d.steering.help)
	return func() {
		d.setHelp(nil)
		k.close()
	}
}

func (d *display) setHelp(help func(width int) string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.help = help
}

// answer shows a status that was asked for.
func (d *display) answer(s engine.Status) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.json:
		printJSON(os.Stdout, "status", s)
	case d.mode != block:
		d.out.WriteString(statusLine(s) + "\n")
	}
}

// restoreTerminal puts the terminal back, whatever goroutine ends the process; nil: it is as it was.
var restoreTerminal atomic.Pointer[func()]

// exit ends the process at once.
func exit(code int) {
	if restore := restoreTerminal.Load(); restore != nil {
		(*restore)()
	}
	os.Exit(code)
}

// typed hands keys to a steering.
func (s *steering) typed(keys []byte) {
	for _, k := range []byte(strings.ToLower(string(keys))) {
		s.key(k)
	}
}
