package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestPredecessorsOfSparseGraphs solves roads with predecessors by an elimination, and wants those that an export finds
// of a store without.
func TestPredecessorsOfSparseGraphs(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "roads.gr", string(readFile(t, rome(t))))
	ooc(t, dir, "plan", "roads.gr", "--device", "cpu", "--predecessors").want(t, 0, "algorithm eliminate", "3,353 by eliminate")
	ooc(t, dir, "solve", "roads.gr", "--predecessors", "--out", "kept.ooc").want(t, 0, "3,353 rows by eliminate")
	ooc(t, dir, "solve", "roads.gr", "--predecessors", "--out", "kept.ooc").want(t, 0, "already solved")
	ooc(t, dir, "solve", "roads.gr").want(t, 0)
	ooc(t, dir, "export", "kept.ooc", "kept.npy", "--predecessors").want(t, 0)
	ooc(t, dir, "export", "roads.ooc", "found.npy", "--predecessors").want(t, 0)
	if !bytes.Equal(readFile(t, dir, "kept.npy"), readFile(t, dir, "found.npy")) {
		t.Error("the predecessors differ")
	}
	ooc(t, dir, "verify", "kept.ooc", "--full").want(t, 0, "the predecessors of each row lead back")
	if a, b := ooc(t, dir, "path", "kept.ooc", "1", "3353").want(t, 0), ooc(t, dir, "path", "roads.ooc", "1", "3353").want(t, 0); !strings.HasPrefix(b.stdout, strings.Join(strings.Fields(a.stdout)[:3], "\t")) {
		t.Errorf("%s\n%s", a.stdout, b.stdout)
	}
}

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
