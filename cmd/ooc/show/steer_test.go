package show

import (
	"testing"

	"ooc/engine/live"
)

// TestStopping wants what is said at a stop to be what happens in the stage that each solve is in.
func TestStopping(t *testing.T) {
	const again = "; Ctrl-C again ends at once, and is resumable too"
	const lost = "the elimination and its core are in memory alone, and the same command begins with them again"
	const kept = "finishes what is in flight, then takes a checkpoint of the rounds that are done"
	const checks = "all distances are on disk, and what is left to check is done by the same command"
	const writes = "the factors are being written, which goes on to the end"
	const rows = "keeps the rows that are done"
	rounds := live.Status{Stage: live.StageRounds, RestorePoint: 0.5}
	eliminate, expand := live.Status{Stage: live.StageEliminate}, live.Status{Stage: live.StageExpand}
	for _, c := range []struct {
		want string
		all  []live.Status
	}{
		{"stopping" + again, nil},
		{"stopping: " + kept + again, []live.Status{rounds, {Stage: live.StageRounds}}},
		{"stopping: " + checks + again, []live.Status{{Stage: live.StageRounds, RestorePoint: 1}}},
		{"stopping: " + lost + again, []live.Status{eliminate}},
		{"stopping: " + lost + again, []live.Status{{Stage: live.StageCore}}},
		{"stopping: " + kept + again, []live.Status{{Stage: live.StageCore, Rounds: 9}}},
		{"stopping: " + rows + again, []live.Status{expand}},
		{"stopping: keeps the sources that are done" + again, []live.Status{{Stage: live.StageBetween}}},
		{"stopping: " + writes + again, []live.Status{{Stage: live.StageWrite}}},
		{"stopping: " + kept + "; " + rows + "; " + lost + again, []live.Status{expand, eliminate, rounds}},
	} {
		var s steering
		s.Begin(func(live.Status) {}, nil) // of which nothing is known yet
		for _, st := range c.all {
			_, progress, _ := s.Begin(func(live.Status) {}, nil)
			progress(live.Status{Stage: live.StageEliminate})
			progress(st)
		}
		if got := s.stopping(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.all, got, c.want)
		}
	}
}
