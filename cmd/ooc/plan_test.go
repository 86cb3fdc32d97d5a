package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"ooc/tiles/class"
)

// TestPredecessorsOfSparseGraphs solves roads with predecessors by an elimination, and wants those that an export finds
// of a store without.
func TestPredecessorsOfSparseGraphs(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "roads.gr", string(readFile(t, rome(t))))
	ooc(t, dir, "plan", "roads.gr", "--device", "cpu", "--predecessors").want(t, 0, "algorithm eliminate",
		"3,353 by eliminate")
	ooc(t, dir, "solve", "roads.gr", "--predecessors", "--out", "kept.ooc").want(t, 0, "3,353 rows by eliminate")
	ooc(t, dir, "solve", "roads.gr", "--predecessors", "--out", "kept.ooc").want(t, 0, "already solved")
	ooc(t, dir, "solve", "roads.gr").want(t, 0)
	ooc(t, dir, "export", "kept.ooc", "kept.npy", "--predecessors").want(t, 0)
	ooc(t, dir, "export", "roads.ooc", "found.npy", "--predecessors").want(t, 0)
	if !bytes.Equal(readFile(t, dir, "kept.npy"), readFile(t, dir, "found.npy")) {
		t.Error("the predecessors differ")
	}
	ooc(t, dir, "verify", "kept.ooc", "--full").want(t, 0, "the predecessors of each row lead back")
	if a, b := ooc(t, dir, "path", "kept.ooc", "1", "3353").want(t, 0),
		ooc(t, dir, "path", "roads.ooc", "1", "3353").want(t, 0); !strings.HasPrefix(b.stdout,
		strings.Join(strings.Fields(a.stdout)[:3], "\t")) {
		t.Errorf("%s\n%s", a.stdout, b.stdout)
	}
}

// TestPlanForStats plans statistics, which are then gathered by the engine that was said.
func TestPlanForStats(t *testing.T) {
	dir := t.TempDir()
	ooc(t, dir, "gen", "powerlaw", "hops.gr", "-n", "3000", "-m", "15000", "--undirected", "--unweighted").want(t, 0)
	writeFile(t, dir, "roads.gr", string(readFile(t, rome(t))))
	ooc(t, dir, "gen", "road", "small.gr", "-n", "100").want(t, 0)
	ooc(t, dir, "solve", "small.gr").want(t, 0)
	ooc(t, dir, "export", "small.ooc", "small.npy").want(t, 0)
	for _, c := range [][]string{
		{"hops.gr", "searches", "made ready for searches", "as all weights are equal, about", "by factors"},
		{"roads.gr", "factors", "eliminated", "a core of", "by searches"},
	} {
		ooc(t, dir, "plan", c[0], "--for", "stats").want(t, 0, "engine    "+c[1]+": ", c[3], c[4])
		ooc(t, dir, "stats", c[0]).want(t, 0, c[2])
	}
	few := jsonLines(t, ooc(t, dir, "plan", "roads.gr", "--for", "stats", "--sources", "random:7", "--json").want(t,
		0).stdout)[0]
	if few["rows"] != 7.0 || len(few["engines"].([]any)) != 2 {
		t.Errorf("plan of 7 rows: %v", few)
	}
	ooc(t, dir, "plan", "small.npy", "--no-arc", "2147483647", "--for", "stats").want(t, class.Input,
		"statistics of a matrix need a store")
	ooc(t, dir, "plan", "small.ooc", "--for", "stats").want(t, class.Usage, "those of a store read it once")
	ooc(t, dir, "plan", "hops.gr", "--for", "stats", "--tile", "64").want(t, class.Usage, "--tile is for solves")
	ooc(t, dir, "plan", "--for", "stats").want(t, class.Usage, "plan takes a graph")
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
