package show

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/engine/batch"
	"ooc/engine/live"
	"ooc/engine/task"
	"ooc/engine/text"
	"ooc/tiles"
	"ooc/tiles/lock"
)

// PrintStatus says what a store or a batch is, how far it is, and what to run next.
func PrintStatus(dir string, asJSON bool) error {
	if batch.Is(dir) {
		return printBatch(dir, asJSON)
	}
	p, err := engine.OpenReadOnly(dir)
	if err != nil {
		return err
	}
	defer p.Close()
	v, err := engine.Look(dir)
	if err != nil {
		return err
	}
	if asJSON {
		printStore(p, &Watched{Dir: dir, View: v})
		return nil
	}
	m, geom, st := p.Meta(), p.Geometry(), v.Status
	printf("graph     %s (%s, %s), imported %s\n", m.Input.Name, m.Input.Format, humanize.IBytes(uint64(m.Input.Size)),
		m.Created.Local().Format(time.DateTime))
	if len(m.Command) > 0 {
		printf("          by: %s\n", SameCommand(m.Command))
	}
	number := p.Numbers()
	half := terminal.If(geom.Upper, ", the upper half of them")
	printf("          %s, %s, %s, weights %s…%s, %s\n", vertices(m.N), arcs(m.Arcs), directions[m.Directed],
		number.Text(m.MinWeight/float64(m.Scale)), number.Text(m.MaxWeight/float64(m.Scale)), m.Kind)
	if k := len(m.Sources); k > 0 {
		printf("rows      of %s\n", text.Count(k, "chosen source", "chosen sources"))
	}
	if m.Predecessors {
		printf("entries   distances with predecessors\n")
	}
	at, count := dir+"/"+tiles.MatrixName, fmt.Sprintf("%d×%d", geom.Down(), geom.Side())
	if q := p.Part(); q != nil {
		which := "all"
		if p.Store().IsPart() {
			which, count = fmt.Sprint(q.Index), fmt.Sprintf("%d of %s", p.Store().MatrixBytes()/geom.TileBytes(), count)
		} else {
			at = dir
		}
		printf("parts     %s of grid %s, dealt in blocks of %d vertices\n", which, q.Grid(), q.Block*geom.T)
	}
	if geom.Factors {
		printf("factors   %s, %s\n", p.Store().FactorsPath(), humanize.IBytes(uint64(p.Store().FactorsBytes())))
	} else {
		printf("matrix    %s, %s tiles of %d×%d%s, %s\n", at, count, geom.T, geom.T, half,
			humanize.IBytes(uint64(p.Store().MatrixBytes())))
	}
	if st.Algorithm != "" {
		printf("algorithm %s%s%s\n", st.Algorithm, terminal.If(st.Stage != "", ", stage %s", st.Stage),
			terminal.If(st.StageProgress > 0, ", %.1f %% of that", 100*st.StageProgress))
	}
	state := string(st.State)
	if v.Process == lock.ProcessStopped {
		state = string(v.Process)
	}
	printf("state     %s, progress %.1f %%, restore point %.1f %%, %s of work\n", state, 100*st.Progress,
		100*st.RestorePoint, text.Time(st.Elapsed))
	printNext(&Watched{Dir: dir, View: v})
	return nil
}

// statusWidth is that of rows of status about devices, on a terminal or not.
const statusWidth = 120

// printNext says which process has the store, or last had it, and what to run next.
func printNext(w *Watched) {
	v := &w.View
	if v.Running {
		says := rates(v.Status)
		if v.State == live.Paused {
			says = []string{"paused from its terminal"}
		}
		says = append(says, timeLeft(v.ETA))
		by := fmt.Sprintf("by process %d on %s, %s", v.PID, v.Host, strings.Join(says, ", "))
		if w.Halted() {
			by = w.Told()
		}
		printf("          %s\n", by)
		for _, row := range deviceRows(v.Status, statusWidth) {
			printf("%s\n", row)
		}
		printf("next      %s\n", w.Next())
		return
	}
	if v.State != live.Solved && v.Progress > v.RestorePoint {
		printf("          the next run goes on from %.1f %%, what was written before the last one was killed; "+
			"after a power cut it would from %.1f %%\n", 100*v.Progress, 100*v.RestorePoint)
	}
	if v.Died {
		printf("          process %d on %s had it and ended before it was done; what it wrote is kept\n", v.PID, v.Host)
	}
	printf("next      %s\n", w.Next())
}

// Objects as --json prints them, which docs/json.md describes. What is unknown, or does not apply, is null in them.

func objectOfStatus(s live.Status) json.RawMessage {
	o := struct {
		live.Status
		RowsDone     *int     `json:"rows_done"`
		DistanceRate *float64 `json:"distances_per_second"`
		ETA          *float64 `json:"eta_seconds"`
	}{Status: s}
	if s.Rows > 0 {
		o.RowsDone = &s.RowsDone
	}
	if s.Stage == live.StageExpand {
		o.DistanceRate = &s.DistanceRate
	}
	if s.ETA >= 0 {
		o.ETA = &s.ETA
	}
	return terminal.Object(o, "algorithm", "device", "stage", "stage_progress", "rows", "vertices_per_second",
		"ceiling_relaxations_per_second", "checkpoint", "pid", "devices")
}

// printStore is ooc status --json of a store.
func printStore(p *engine.Problem, w *Watched) {
	v, m := &w.View, p.Meta()
	if !v.Running {
		v.PID = 0 // that of a process which is gone
	}
	var grid, part any
	if q := p.Part(); q != nil {
		grid = q.Grid()
		if p.Store().IsPart() {
			part = q.Index
		}
	}
	terminal.PrintJSON("status", objectOfStatus(v.Status), terminal.Members("input", m.Input.Name,
		"format", m.Input.Format, "directed", m.Directed, "scale", m.Scale, "sources", terminal.Known(len(m.Sources)),
		"predecessors", m.Predecessors, "tile", m.T, "layout", p.Geometry().Layout(), "grid", grid, "part", part,
		"process", terminal.Known(v.Process), "no_news_seconds", terminal.Known(v.Silent.Seconds()), "next", w.Next()))
}

// objectOfSummary is a summary in JSON, null if there is none.
func objectOfSummary(s *task.Summary) any {
	if s == nil {
		return nil
	}
	return terminal.Object(s, "ceiling_relaxations_per_second")
}
