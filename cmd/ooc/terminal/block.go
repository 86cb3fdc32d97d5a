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

// size is that of a terminal, or of an ordinary one where that cannot be.
func size(f *os.File) (width, height int) {
	width, height, err := term.GetSize(int(f.Fd()))
	if err != nil || width < 20 {
		width = 80
	}
	if err != nil || height < 2 {
		height = 24
	}
	return width, height
}

// Block draws rows on a terminal, again and again in their place: at the end of what is there, or on the screen that a
// terminal has beside that of the shell. Its methods may be called by any goroutine.
type Block struct {
	out   *os.File
	other bool // it is on the other screen

	mu    sync.Mutex
	drawn []string // the rows that are on the screen, whose first one has the cursor; nil: none. Guarded by mu
	width int      // of the terminal when they were drawn; guarded by mu
}

// NewBlock returns a block that is drawn on out. If the process ends by Restore, the cursor goes below it, or back to
// the shell's screen.
func NewBlock(out *os.File, other bool) *Block {
	b := &Block{out: out, other: other}
	onLeaving(func() {
		for range 20 { // who holds mu may be waiting for the terminal
			if b.mu.TryLock() { // and nothing is drawn after that
				b.leave()
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	})
	return b
}

// Draw draws rows over those before, and puts the cursor on the first one. There it stays with that row when the
// terminal is resized, whether or not the terminal wraps the rows below. rows returns them for a terminal in which so
// many fit, which have at most so many characters; of more, the last ones are drawn.
func (b *Block) Draw(rows func(width, height int) []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	width, height := size(b.out)
	before, begin := b.drawn, ""
	if b.other && before == nil {
		begin = "\x1b[?1049h\x1b[?25l\x1b[H" // the other screen, without a cursor
	}
	if !b.other || width != b.width {
		before = nil // another program may have written there, or the terminal has wrapped rows
	}
	now := rows(width-1, height-1)
	b.drawn, b.width = now[max(0, len(now)-height+1):], width // the cursor goes below them once
	io.WriteString(b.out, begin+over(b.drawn, before)+fmt.Sprintf("\x1b[%dA", len(b.drawn)))
}

// over is what writes rows over those from the cursor on, of which some are there already, clears all that is below
// them, and leaves the cursor there.
func over(rows, before []string) string {
	var b strings.Builder
	b.WriteByte('\r')
	for i, row := range rows {
		if i >= len(before) || row != before[i] {
			b.WriteString(row + "\x1b[K")
		}
		b.WriteString("\r\n")
	}
	return b.String() + "\x1b[J"
}

// Aside leaves the block where it is, or takes it away, and goes back to the shell's screen. Then it calls do, and
// nothing is drawn before that returns. Where there is no block, it calls do.
func (b *Block) Aside(leave bool, do func()) {
	if b == nil {
		do()
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if leave {
		b.leave()
	} else if b.drawn != nil {
		io.WriteString(b.out, "\r\x1b[J")
		b.drawn = nil
	}
	do()
}

// leave puts the cursor below the block, or on the shell's screen. Call it with mu held.
func (b *Block) leave() {
	switch {
	case b.drawn == nil:
	case b.other:
		io.WriteString(b.out, "\x1b[?25h\x1b[?1049l")
	default:
		io.WriteString(b.out, over(b.drawn, nil))
	}
	b.drawn = nil
}

// Leave leaves the block where it is, or the other screen.
func (b *Block) Leave() { b.Aside(true, func() {}) }
