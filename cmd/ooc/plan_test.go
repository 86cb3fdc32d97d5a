package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"ooc/tiles/crashtest"
)

// TestPriceOfPredecessors wants it said, before it is paid, that predecessors forbid an elimination: by the plan and
// by the first lines of a solve, and not where none would be faster or another algorithm is asked for. It does as
// that says.
func TestPriceOfPredecessors(t *testing.T) {
	crashtest.Slow(t)
	const says = "keeps no predecessors, so rounds are run; leave --predecessors away: ooc path and ooc export --predecessors"
	dir := t.TempDir()
	writeFile(t, dir, "roads.gr", string(readFile(t, rome(t))))
	ooc(t, dir, "gen", "complete", "c.gr", "-n", "200").want(t, 0)
	for line, want := range map[string]bool{
		"roads.gr --predecessors": true, "roads.gr": false, "roads.gr --predecessors --algorithm blocked": false,
		"c.gr --predecessors": false,
	} {
		words := append([]string{"plan", "--device", "cpu"}, strings.Fields(line)...)
		if r := ooc(t, dir, words...).want(t, 0); strings.Contains(r.stdout, says) != want {
			t.Errorf("plan %s:\n%s", line, r.stdout)
		}
		var plan struct {
			Without *float64 `json:"without_predecessors_seconds"`
			Plan    struct {
				Seconds float64 `json:"seconds"`
			}
		}
		r := ooc(t, dir, append(words, "--json")...).want(t, 0)
		err := json.Unmarshal([]byte(r.stdout), &plan)
		if err != nil || (plan.Without != nil) != want || want && *plan.Without >= plan.Plan.Seconds {
			t.Errorf("plan %s --json: %v\n%s", line, err, r.stdout)
		}
	}
	r := ooc(t, dir, "solve", "roads.gr", "--device", "cpu", "--predecessors", "--out", "kept.ooc").want(t, 0, says)
	if strings.Index(r.stderr, says) > strings.Index(r.stderr, "round 1 of") {
		t.Errorf("it is said too late:\n%s", r.stderr)
	}
	if r := ooc(t, dir, "solve", "roads.gr", "--device", "cpu").want(t, 0); strings.Contains(r.stderr, says) {
		t.Errorf("without predecessors:\n%s", r.stderr)
	}
	ooc(t, dir, "path", "roads.ooc", "1", "3353").want(t, 0)
	ooc(t, dir, "export", "roads.ooc", "p.npy", "--predecessors").want(t, 0)
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
