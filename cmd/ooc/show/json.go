package show

import (
	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/engine/live"
	"ooc/engine/task"
	"ooc/tiles"
	"ooc/tiles/lock"
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
	var grid *string
	var part *int
	if q := p.Part(); q != nil {
		grid = terminal.Known(q.Grid())
		if p.Store().IsPart() {
			part = &q.Index
		}
	}
	terminal.PrintJSON("status", struct {
		statusObject
		Input        string             `json:"input"`
		Format       string             `json:"format"`
		Directed     bool               `json:"directed"`
		Scale        int64              `json:"scale"`
		Sources      *int               `json:"sources"`
		Predecessors bool               `json:"predecessors"`
		Tile         int                `json:"tile"`
		Layout       tiles.Layout       `json:"layout"`
		Grid         *string            `json:"grid"`
		Part         *int               `json:"part"`
		Process      *lock.ProcessState `json:"process"`
		Silent       *float64           `json:"no_news_seconds"`
		Next         string             `json:"next"`
	}{objectOfStatus(v.Status), m.Input.Name, m.Input.Format, m.Directed, m.Scale, terminal.Known(len(m.Sources)), m.Predecessors, m.T, p.Geometry().Layout(), grid, part,
		terminal.Known(v.Process), terminal.Known(v.Silent.Seconds()), w.Next()})
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
