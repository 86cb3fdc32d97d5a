package show

import (
	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/engine/live"
	"ooc/engine/task"
)

// Objects as --json prints them, which docs/json.md describes. What is unknown, or does not apply, is null in them.

type statusObject struct {
	live.Status
	Algorithm     *string          `json:"algorithm"`
	Device        *string          `json:"device"`
	Stage         *live.Stage      `json:"stage"`
	StageProgress *float64         `json:"stage_progress"`
	Rows          *int             `json:"rows"`
	RowsDone      *int             `json:"rows_done"`
	VertexRate    *float64         `json:"vertices_per_second"`
	DistanceRate  *float64         `json:"distances_per_second"`
	Ceiling       *float64         `json:"ceiling_relaxations_per_second"`
	Checkpoint    *live.Checkpoint `json:"checkpoint"`
	ETA           *float64         `json:"eta_seconds"`
	PID           *int             `json:"pid"`
	Devices       []live.Device    `json:"devices"`
}

func objectOfStatus(s live.Status) statusObject {
	o := statusObject{Status: s, Algorithm: terminal.Known(s.Algorithm), Device: terminal.Known(s.Device),
		Stage: terminal.Known(s.Stage), StageProgress: terminal.Known(s.StageProgress), Rows: terminal.Known(s.Rows),
		VertexRate: terminal.Known(s.VertexRate), Ceiling: terminal.Known(s.Ceiling),
		Checkpoint: terminal.Known(s.Checkpoint), PID: terminal.Known(s.PID), Devices: s.Devices}
	if s.Rows > 0 {
		o.RowsDone = &s.RowsDone
	}
	if s.Stage == live.StageExpand {
		o.DistanceRate = &s.DistanceRate
	}
	if s.ETA >= 0 {
		o.ETA = &s.ETA
	}
	return o
}

// printStore is ooc status --json of a store.
func printStore(p *engine.Problem, w *Watched) {
	v, m := &w.View, p.Meta()
	if !v.Running {
		v.PID = 0 // that of a process which is gone
	}
	more := map[string]any{
		"input": m.Input.Name, "format": m.Input.Format, "directed": m.Directed, "scale": m.Scale,
		"sources": terminal.Known(len(m.Sources)), "predecessors": m.Predecessors, "tile": m.T,
		"layout": p.Geometry().Layout(), "grid": nil, "part": nil, "process": terminal.Known(v.Process),
		"no_news_seconds": terminal.Known(v.Silent.Seconds()), "next": w.Next(),
	}
	if q := p.Part(); q != nil {
		more["grid"] = q.Grid()
		if p.Store().IsPart() {
			more["part"] = q.Index
		}
	}
	terminal.PrintJSON("status", objectOfStatus(v.Status), more)
}

// summaryObject is a summary in JSON, where what is not known is null.
type summaryObject task.Summary

// MarshalJSON has each plan as a member.
func (s summaryObject) MarshalJSON() ([]byte, error) {
	type plain summaryObject
	return s.Plans.JSON(struct {
		plain
		Ceiling *float64 `json:"ceiling_relaxations_per_second"`
	}{plain(s), terminal.Known(s.Ceiling)})
}

func objectOfSummary(s *task.Summary) *summaryObject { return (*summaryObject)(s) }
