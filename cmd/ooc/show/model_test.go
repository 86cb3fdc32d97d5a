package show

import (
	"strings"
	"testing"

	"ooc/engine/live"
)

// TestStages wants the line and the rows of each stage in which something is done to say its share, or which row or
// round it is, and how fast that goes; and neither to have a rate of 0.
func TestStages(t *testing.T) {
	for _, c := range []struct {
		status live.Status
		line   string
		row    string
	}{
		{live.Status{Stage: live.StageOrder, StageProgress: 0.431, VertexRate: 1.5e6},
			"ordering vertices, 43.1 % of that, progress", "rate      1.5 Mvertices/s"},
		{live.Status{Stage: live.StageEliminate, StageProgress: 0.5, Rate: 3e8},
			"eliminating vertices, 50.0 % of that, progress", "rate      300 Mrelax/s"},
		{live.Status{Stage: live.StageCore, StageProgress: 0.5, Rate: 3e10},
			"closing the core, 50.0 % of that, progress", "rate      30 Grelax/s"},
		{live.Status{Stage: live.StageCore},
			"closing the core, progress", "stage     closing the core"}, // on a GPU
		{live.Status{Stage: live.StageCore, Rounds: 9, Round: 3, Rate: 3e10, Ceiling: 6e10},
			"the core's round 3 of 9, progress", "30 Grelax/s of 60 Grelax/s"},
		{live.Status{Stage: live.StageRounds, Rounds: 9, Round: 3, Rate: 3e10, Ceiling: 6e10},
			"30 Grelax/s (50 % of the ceiling)", "stage     round 3 of 9"},
		{live.Status{Stage: live.StageExpand, Rows: 9000, RowsDone: 3000, DistanceRate: 2e9},
			"3,000 of 9,000 rows, progress", "rate      2 Gdistances/s"},
		{live.Status{Stage: live.StageBetween, Vertices: 9000, Rows: 9000, RowsDone: 3000, DistanceRate: 18e6},
			"betweenness from 3,000 of 9,000 sources, progress", "rate      2 ksources/s"},
		{live.Status{Stage: live.StageWrite, StageProgress: 0.25, WriteRate: 2e9},
			"writing factors, 25.0 % of that", "rate      2 GB/s written"},
	} {
		c.status.Busy = live.Busy{"kernel": 0.5}
		line, block := statusLine(c.status), strings.Join(statusBlock(c.status, 100), "\n")
		if !strings.Contains(line, c.line) || !strings.Contains(block, c.row) {
			t.Errorf("no %q in %q, or no %q in\n%s", c.line, line, c.row, block)
		}
		if all := line + block; strings.Contains(all, " 0 relax/s") || strings.Contains(all, "kernel 0 %") {
			t.Errorf("a rate of 0 in %q, or in\n%s", line, block)
		}
	}
}
