package main

import (
	"fmt"
	"testing"
	"time"
)

// TestPlanningIsSaid wants a line about a plan that takes long, and none about one that does not.
func TestPlanningIsSaid(t *testing.T) {
	defer func(before time.Duration) { slow = before }(slow)
	said := make(chan string, 1)
	note := func(format string, args ...any) { said <- fmt.Sprintf(format, args...) }
	slow = time.Hour
	planning(note, "g.gr", 7)()
	slow = 0
	done := planning(note, "g.gr", 1_000_000)
	if got, want := <-said, "g.gr: planning; to find an order of 1,000,000 vertices may take minutes"; got != want {
		t.Errorf("said: %q", got)
	}
	done()
}
