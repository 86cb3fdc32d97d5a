package engine

import (
	"runtime"
	"testing"

	"ooc/engine/live"
)

// TestControlIsCheap bounds what steering costs a visit: it allocates nothing.
func TestControlIsCheap(t *testing.T) {
	c := new(live.Control)
	c.Changes()
	if n := testing.AllocsPerRun(100, func() {
		c.Changes()
		if c.Paused() || c.Wanted() {
			runtime.Gosched()
		}
	}); n != 0 {
		t.Errorf("%v allocations a visit", n)
	}
}
