package terminal

import (
	"fmt"
	"os"
	"time"

	"ooc/engine/text"
)

// Counter shows the progress of a pass over a matrix on standard error: on a terminal in one line that it writes again,
// elsewhere in a line now and then.
type Counter struct {
	Verb, Unit string // what is done to what, as in "proved" and "rows"

	first       int // done when it was first told how many are, at began
	began, last time.Time
	block       *Block // nil: there are lines
	every       time.Duration
}

// Update shows how many are done. It is called by one goroutine at a time.
func (c *Counter) Update(done, of int) {
	now := time.Now()
	if c.began.IsZero() {
		c.first, c.began, c.last, c.every = done, now, now, 10*time.Second
		if CanDraw(os.Stderr) {
			c.block, c.every = NewBlock(os.Stderr, false), 200*time.Millisecond
		}
	}
	if now.Sub(c.last) < c.every {
		return
	}
	c.last = now
	line := fmt.Sprintf("%s %d of %d %s (%.1f %%)", c.Verb, done, of, c.Unit, 100*float64(done)/float64(of))
	if made := done - c.first; made > 0 {
		rate := float64(made) / now.Sub(c.began).Seconds()
		line += fmt.Sprintf(", %s, %s left", text.Per(rate, c.Unit), text.Time(float64(of-done)/rate))
	}
	if c.block == nil {
		fmt.Fprintln(os.Stderr, line)
		return
	}
	c.block.Draw(func(width, _ int) []string { return []string{Clip(line, width)} })
}

// Note prints a line that stays above the counter.
func (c *Counter) Note(format string, args ...any) {
	c.block.Aside(false, func() { fmt.Fprintf(Err, format+"\n", args...) })
}

// End clears the line.
func (c *Counter) End() { c.block.Aside(false, func() {}) }
