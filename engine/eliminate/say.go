package eliminate

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"ooc/engine/plan"
	"ooc/engine/sparse"
	"ooc/engine/task"
	"ooc/engine/text"
)

// Plan says what a solve by elimination will do and how long that should take.
type Plan struct {
	Eliminated int   `json:"eliminated"` // vertices
	Core       int   `json:"core"`       // vertices left
	Fill       int64 `json:"fill"`       // arcs kept from eliminated vertices up
	Rows       int   `json:"rows"`       // of distances, to be written

	// Of an expansion on the device; zero if the processor expands.
	Lanes       int   `json:"lanes"`        // rows of a batch
	Batches     int   `json:"batches"`      // in flight at a time
	DeviceBytes int64 `json:"device_bytes"` // for all of it

	OrderSeconds     float64 `json:"order_seconds"` // spent already
	EliminateSeconds float64 `json:"eliminate_seconds"`
	CoreSeconds      float64 `json:"core_seconds"`
	ExpandSeconds    float64 `json:"expand_seconds"`
	Seconds          float64 `json:"seconds"` // of these three

	Order *sparse.Order `json:"-"` // of the vertices
}

// Member implements plan.Plan.
func (p *Plan) Member() string { return Name }

// Lines implements plan.Plan.
func (p *Plan) Lines(q *plan.Basis) []plan.Line {
	expand := "by the processor"
	switch {
	case p.Lanes > 0:
		expand = fmt.Sprintf("on the device: %s of %s rows at a time, %s",
			text.Count(p.Batches, "batch", "batches"), humanize.Comma(int64(p.Lanes)),
			humanize.IBytes(uint64(p.DeviceBytes)))
	case q.Rates.Levels > 0:
		expand += ": the device has no room for a batch, or is slower"
	}
	n := uint64(q.Facts.N)
	entries := uint64(p.Rows) * n
	if q.Upper() {
		entries = (entries + n) / 2
	}
	return []plan.Line{
		{Name: "eliminate", Text: fmt.Sprintf("%s, a core of %s, %s kept; ordered in %s",
			text.Count(p.Eliminated, "vertex", "vertices"),
			humanize.Comma(int64(p.Core)), text.Count(p.Fill, "arc", "arcs"), text.Time(p.OrderSeconds))},
		{Name: "expand", Text: expand},
		{Name: "matrix", Text: fmt.Sprintf("%s, %s%s", text.Count(p.Rows, "row", "rows"),
			humanize.IBytes(uint64(q.Facts.Kind.Bytes())*entries), q.Half())},
		{Name: "time", Text: fmt.Sprintf("%s: elimination %s, core %s, expansion %s",
			text.Time(p.Seconds), text.Time(p.EliminateSeconds), text.Time(p.CoreSeconds), text.Time(p.ExpandSeconds))},
	}
}

// Told is how the first stages of a solve went, for people.
func (p *Plan) Told(s *task.Summary) string {
	return fmt.Sprintf("%s eliminated in %s, core of %s in %s", text.Count(p.Eliminated, "vertex", "vertices"),
		text.Time(s.EliminateSeconds), humanize.Comma(int64(p.Core)), text.Time(s.CoreSeconds))
}

// told is how the solve went.
func (p *Plan) told(s *task.Summary) string {
	distances := float64(s.RowsWritten) * float64(s.Vertices)
	return fmt.Sprintf("%s, %s in %s (%s), sync %s; predicted %s", p.Told(s), text.Count(s.RowsWritten, "row", "rows"),
		text.Time(s.ExpandSeconds), text.Per(distances/s.ExpandSeconds, "distances"), text.Time(s.SyncSeconds),
		text.Time(p.Seconds))
}
