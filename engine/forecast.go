package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"ooc/engine/graph"
	"ooc/engine/graph/dense"
	"ooc/engine/plan"
	"ooc/engine/text"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/disk"
)

// Forecast is a plan, what it is for, and the rates that it was made with.
type Forecast struct {
	Vertices  int          `json:"vertices"`
	Arcs      int64        `json:"arcs"`
	Kind      string       `json:"kind"`
	Rows      int          `json:"rows"` // of distances
	Done      int64        `json:"done"` // pivot vertices, or rows
	Rates     plan.Rates   `json:"rates"`
	Algorithm string       `json:"algorithm"`
	Layout    tiles.Layout `json:"layout"`
	Plans     plan.Plans   `json:"-"` // of all algorithms that were looked at, or that of none; in JSON, a member each

	StoreBytes int64 `json:"store_bytes"` // of a store that is not there yet
	// more, beside it for a while: of the core's store, or of a copy of the input
	BesideBytes int64 `json:"beside_bytes"`
	Room        int64 `json:"room_bytes"`   // that the volume has for both; 0: unknown
	MemoryBytes int64 `json:"memory_bytes"` // about the most of the host that a solve takes
	// why what would be faster is not done: the volume has no room; nil: nothing would
	Lacks error `json:"-"`

	basis  *plan.Basis
	choice plan.Choice
}

// Fits fails with disk.ErrNoSpace if the volume is known to have no room for the plan.
func (f *Forecast) Fits() error {
	q := plan.Basis{Request: plan.Request{Room: f.Room}}
	return q.Fits(f.StoreBytes+f.BesideBytes, "a solve by "+f.Algorithm)
}

// Seconds is the predicted time that is left.
func (f *Forecast) Seconds() float64 { return f.choice.Left }

// Lines is how people read the plan: in the words of its algorithm, with the time that others would take.
func (f *Forecast) Lines() []plan.Line {
	lines := f.choice.Plan.Lines(f.basis)
	for _, o := range f.choice.Offers {
		if o.Algorithm != f.Algorithm {
			lines[len(lines)-1].Text += fmt.Sprintf("; by algorithm %s %s", o.Algorithm, text.Time(o.Left))
		}
	}
	return lines
}

// ForecastGraph plans the solve of a graph that has no store yet. To time the disk it writes and removes a file of
// 128 MiB in the folder dir; if dir is "" it writes nothing, and the plan leaves out syncs. If nothing fits the room
// that the limits give, it plans what would be done without that limit.
func ForecastGraph(ctx context.Context, w graph.Weights, d kernels.Device, l plan.Request, dir string) (*Forecast,
	error) {
	if err := check(ctx, w, l.Sources); err != nil {
		return nil, err
	}
	f, err := predict(ctx, basisFor(w, l), d, dir)
	if m, ok := w.(*dense.Matrix); ok {
		f.BesideBytes += m.Spooled()
	}
	return f, err
}

// Forecast plans what is left of a store. It times the disk of the folder dir as ForecastGraph does.
func (p *Problem) Forecast(ctx context.Context, d kernels.Device, l plan.Request, dir string) (*Forecast, error) {
	state, _, err := p.store.Ahead()
	if err != nil {
		return nil, err
	}
	if p.geom.Factors {
		return nil, text.ErrorOf(plan.ErrLayout, "%s keeps factors, and plans are made for a matrix of distances",
			p.Dir())
	}
	begun, err := p.begun(state)
	if err != nil {
		return nil, err
	}
	if l.Algorithm, err = p.goesOn(l.Algorithm, begun); err != nil {
		return nil, err
	}
	q, err := p.basis(l)
	if err != nil {
		return nil, err
	}
	q.Store, q.State = p.store, state
	f, err := predict(ctx, q, d, dir)
	core := p.store.CoreBytes() // which is gone on with, or replaced
	f.BesideBytes = max(0, f.BesideBytes-core)
	if f.Room > 0 {
		f.Room = max(1, f.Room-core)
	}
	return f, err
}

// ForecastMatrix plans the solve of a matrix of n vertices that has no store yet, without looking at its entries or
// timing a disk.
func ForecastMatrix(ctx context.Context, e graph.Extent, d kernels.Device, l plan.Request) (*Forecast, error) {
	q := &plan.Basis{Facts: graph.Facts{N: e.N, Kind: cmp.Or(l.Kind, entry.KindI32), Symmetric: e.Symmetric,
		IDs: e.IDs}, Dense: true, Request: l}
	f, err := predict(ctx, q, d, "")
	f.BesideBytes += e.Spool
	return f, err
}

// predict measures the device, and the disk of the folder dir unless that is "", and makes the plan that q asks for.
func predict(ctx context.Context, q *plan.Basis, d kernels.Device, dir string) (f *Forecast, err error) {
	f = &Forecast{
		Vertices: q.Facts.N, Arcs: q.Facts.Arcs, Kind: string(q.Facts.Kind),
		Rows: cmp.Or(len(q.Sources), q.Facts.N), Done: q.State.Done,
	}
	if d, err = q.Device(d); err != nil {
		return f, err
	}
	q.Exact = true
	if err := q.Measure(planned(), d); err != nil {
		return f, err
	}
	if dir != "" {
		if err := q.Rates.MeasureDisk(dir, int64(q.Facts.N)*int64(q.Facts.N)*int64(q.Facts.Kind.Bytes()),
			q.Info.SharedCores); err != nil {
			return f, err
		}
	}
	f.Rates = q.Rates
	f.Room = q.Room
	c, err := q.Choose(ctx, planned())
	if errors.Is(err, disk.ErrNoSpace) {
		q.Room = 0
		c, err = q.Choose(ctx, planned())
	}
	if err != nil {
		return f, err
	}
	f.basis, f.choice, f.Plans = q, *c, noPlans()
	for _, o := range c.Offers {
		f.Plans = f.Plans.With(o.Plan)
	}
	f.Algorithm, f.Layout, f.Lacks = c.Algorithm, c.Layout, c.Lacks
	f.StoreBytes, f.BesideBytes, f.MemoryBytes = q.StoreBytes(c.Tile), c.Beside, c.Memory+q.Facts.Memory()
	return f, nil
}
