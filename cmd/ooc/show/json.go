package show

import (
	"encoding/json"

	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/engine/live"
	"ooc/engine/task"
)

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
