package live

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
	before     time.Duration // the length of all pauses that are over
	checkpoint bool          // wanted, and not begun yet
	changed    chan struct{} // closed when one of these changes; nil: nobody waits for that
	report     chan struct{} // a token while a report is wanted; made when first needed
}

// Pause makes the solve finish what is in flight and start nothing new. It keeps its memory and its lock.
func (c *Control) Pause() { c.setPaused(true) }

// Resume ends a pause.
func (c *Control) Resume() { c.setPaused(false) }

// Paused reports whether the solve should be paused.
func (c *Control) Paused() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.paused
}

// Checkpoint asks for a checkpoint now, also in a pause. If nothing was finished since the last one, it is taken at the
// end of the current round or row.
func (c *Control) Checkpoint() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.checkpoint = true
	c.wake()
}

// Waiting reports whether a solve is waiting for the control to change.
func (c *Control) Waiting() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changed != nil
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

// wake wakes those who wait for a change. Call it with mu held.
func (c *Control) wake() {
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
}

// Touch makes those who wait for a change look again.
func (c *Control) Touch() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wake()
}

// Changes returns a channel that the next change closes.
func (c *Control) Changes() <-chan struct{} {
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

// Now returns the time by a clock that stops during pauses.
func (c *Control) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if c.paused {
		now = c.since
	}
	return now.Add(-c.before)
}

// Wanted reports whether a checkpoint was asked for and not begun.
func (c *Control) Wanted() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.checkpoint
}

// CheckpointState is how far the solve's checkpoint is. underWay says that one is being written.
func (c *Control) CheckpointState(underWay bool) checkpoint {
	switch {
	case underWay:
		return CheckpointUnderWay
	case c.Wanted():
		return CheckpointAsked
	}
	return ""
}

// Begun records that the checkpoint that was asked for has begun.
func (c *Control) Begun() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.checkpoint = false
}

// Hold returns when the solve is not paused or ctx has ended. In a pause it calls meanwhile at once and after each
// change.
func (c *Control) Hold(ctx context.Context, meanwhile func() error) error {
	for {
		change := c.Changes()
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
