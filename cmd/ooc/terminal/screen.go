package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// CanDraw reports whether a file is a terminal that moves its cursor as it is told.
func CanDraw(f *os.File) bool {
	return term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" && takesEscapes(f)
}

// Size is that of a terminal, or of an ordinary one where that cannot be.
func Size(f *os.File) (width, height int) {
	width, height, err := term.GetSize(int(f.Fd()))
	if err != nil || width < 20 {
		width = 80
	}
	if err != nil || height < 2 {
		height = 24
	}
	return width, height
}

// Screen draws on standard output, on the screen that a terminal has beside that of the shell.
type Screen struct {
	mu            sync.Mutex
	drawn         []string // rows; nil: all has to be drawn. Guarded by mu, as those below
	width, height int      // when they were drawn
	away          bool     // the terminal shows the shell's screen
}

const (
	enterScreen = "\x1b[?1049h\x1b[?25l" // the other screen, without a cursor
	leaveScreen = "\x1b[?25h\x1b[?1049l"
)

// OpenScreen shows the other screen, until Close, or Restore if the process ends at once.
func OpenScreen() *Screen {
	s := &Screen{away: true}
	OnLeaving(func() {
		if LockSoon(&s.mu) { // and nothing is drawn after that
			s.leave()
		}
	})
	return s
}

// Draw draws what has changed since the last time. rows returns the rows of a screen of some size, none of them longer.
func (s *Screen) Draw(rows func(width, height int) []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	width, height := Size(os.Stdout)
	var b strings.Builder
	if s.away {
		b.WriteString(enterScreen)
	}
	if s.away || width != s.width || height != s.height {
		b.WriteString("\x1b[2J")
		s.drawn, s.away = nil, false
	}
	now := rows(width, height)
	for i := range max(len(now), len(s.drawn)) {
		var row, before string
		if i < len(now) {
			row = now[i]
		}
		if i < len(s.drawn) {
			before = s.drawn[i]
		}
		if row != before {
			fmt.Fprintf(&b, "\x1b[%d;1H\x1b[K%s", i+1, row)
		}
	}
	s.drawn, s.width, s.height = now, width, height
	io.WriteString(Raw, b.String()) // Out keeps the error
}

// Away shows the shell's screen while do runs. The next Draw comes back.
func (s *Screen) Away(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leave()
	do()
}

// leave shows the shell's screen. Call it with mu held.
func (s *Screen) leave() {
	if !s.away {
		s.away = true
		io.WriteString(Raw, leaveScreen)
	}
}

// LockSoon locks mu for a process that ends at once, unless that takes long: who holds it may be waiting for the terminal.
func LockSoon(mu *sync.Mutex) bool {
	for range 20 {
		if mu.TryLock() {
			return true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return false
}

// Close shows the shell's screen again.
func (s *Screen) Close() { s.Away(func() {}) }
