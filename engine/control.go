package engine

import (
	"context"
	"sync"
	"time"
)

// Control steers a solve from outside while it runs. The zero value is ready; its methods may be called by any
// goroutine, before, during and after the solve. To end a solve, end its context.
type Control struct {
	mu         sync.Mutex
	paused     bool // guarded by mu, as all below
	since      time.Time
	before     time.Duration // in all pauses that are over
	checkpoint bool          // wanted, and not begun yet
	changed    chan struct{} // closed when one of these changes; nil: nobody waits for that
	report     chan struct{} // a token while a report is wanted; nil: as yet nobody asked
}

// Pause makes the solve finish what is in flight and begin nothing more. It keeps its memory and its lock.
func (c *Control) Pause() { c.setPaused(true) }

// Resume ends a pause.
func (c *Control) Resume() { c.setPaused(false) }

// Paused reports whether the solve is to stand still.
func (c *Control) Paused() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.paused
}

// Checkpoint asks for a checkpoint now, also in a pause. Where nothing was finished since the last one, it is taken
// as soon as there is: at the end of the round or row in hand.
func (c *Control) Checkpoint() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.checkpoint = true
	c.wake()
}

// Report asks for a call of Progress now.
func (c *Control) Report() {
	select {
	case c.reports() <- struct{}{}:
	default:
	}
}

func (c *Control) setPaused(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if on == c.paused {
		return
	}
	if c.paused = on; on {
		c.since = time.Now()
	} else {
		c.before += time.Since(c.since)
	}
	c.wake()
}

// wake tells who waits. Call it with mu held.
func (c *Control) wake() {
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
}

// touch wakes who waits to look again.
func (c *Control) touch() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wake()
}

// changes returns a channel that the next change closes.
func (c *Control) changes() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changed == nil {
		c.changed = make(chan struct{})
	}
	return c.changed
}

func (c *Control) reports() chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.report == nil {
		c.report = make(chan struct{}, 1)
	}
	return c.report
}

// now is the time by a clock that stands still in pauses.
func (c *Control) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if c.paused {
		now = c.since
	}
	return now.Add(-c.before)
}

// wanted reports whether a checkpoint was asked for and not begun.
func (c *Control) wanted() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.checkpoint
}

// begun says that a checkpoint of all that is done has begun.
func (c *Control) begun() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.checkpoint = false
}

// hold returns once there is no pause, or ctx has ended. In a pause it calls meanwhile, first and after each change.
func (c *Control) hold(ctx context.Context, meanwhile func() error) error {
	for {
		change := c.changes()
		if !c.Paused() || ctx.Err() != nil {
			return nil
		}
		if err := meanwhile(); err != nil {
			return err
		}
		select {
		case <-change:
		case <-ctx.Done():
		}
	}
}
