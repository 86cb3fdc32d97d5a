package rowtiles

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"ooc/engine/device"
	"ooc/engine/graph"
	"ooc/engine/live"
	"ooc/engine/plan"
	"ooc/engine/rows"
	"ooc/engine/searches"
	"ooc/engine/task"
	"ooc/engine/text"
	"ooc/engine/tree"
	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// Algorithm makes of an engine of rows an algorithm that solves.
type Algorithm struct{ Engine rows.Engine }

// Name implements plan.Algorithm.
func (a Algorithm) Name() string { return a.Engine.Name() }

// Traits implements plan.Algorithm.
func (a Algorithm) Traits() plan.Traits {
	return plan.Traits{Title: a.Name(), Plan: &rowsPlan{name: a.Name()}, Automatic: true,
		Predecessors: true, Sources: true,
		Arcs: true, Rows: true, Upper: true}
}

// Measure implements plan.Algorithm: engines say what they take.
func (Algorithm) Measure(*plan.Rates, kernels.Device, entry.Variant, int) error { return nil }

// rowsPlan is what a solve by an engine of rows means to do.
type rowsPlan struct {
	name    string
	Rows    int     `json:"rows"`
	Seconds float64 `json:"seconds"`
	offer   rows.Offer
}

// Member implements plan.Plan.
// Searches of a core have the member of all searches.
func (p *rowsPlan) Member() string { return strings.TrimPrefix(p.name, "core-") }

// Lines implements plan.Plan.
func (p *rowsPlan) Lines(*plan.Basis) []plan.Line {
	return []plan.Line{{Name: "rows", Text: humanize.Comma(int64(p.Rows)) + " by " + p.name},
		{Name: "time", Text: text.Time(p.Seconds)}}
}

// Plan implements plan.Algorithm.
func (a Algorithm) Plan(ctx context.Context, q *plan.Basis, before []plan.Offer) (plan.Offer, error) {
	if q.Graph == nil {
		return plan.Offer{Seconds: math.Inf(1)}, nil
	}
	n := q.Graph.N
	p := &rowsPlan{name: a.Name(), Rows: cmp.Or(len(q.Sources), n)}
	var err error
	// A limit of host memory is for rows that are computed, not for what they are computed from.
	question := rows.Question{Rows: p.Rows}
	if !q.Graph.Kind.Float() { // where an order ends decides how sums of floats are rounded
		question.Most = func() float64 { return plan.Least(before) }
	}
	if q.State.Stop > 0 { // floats are rounded as in the rows that are there
		after := int(q.State.Stop - 1)
		question.After = &after
	}
	o := plan.Offer{Plan: p}
	p.offer, err = a.Engine.Offer(ctx, q.Graph, question)
	switch {
	case errors.Is(err, plan.ErrAlgorithm) && q.Algorithm != a.Name():
		return plan.Offer{Seconds: math.Inf(1)}, nil
	case errors.Is(err, device.ErrMemory) && p.offer.Prepare != nil && q.Graph.Kind.Float():
		o.Short = err // another choice would round otherwise
	case err != nil:
		return plan.Offer{}, err
	}
	trees := 0.0
	if q.Predecessors {
		arc := treeArc
		if q.Graph.Kind.Float() || q.Graph.MinWeight <= 0 {
			arc = treeArcAlone
		}
		trees = (treeVertex*float64(n) + arc*float64(q.Graph.Arcs())) * float64(p.Rows)
	}
	seconds := func(q *plan.Basis) (all float64, tile int) {
		tile, _, _ = a.Size(q)
		computing := (p.offer.Seconds*float64(runtime.GOMAXPROCS(0)) + trees) / float64(q.Rates.Threads())
		return computing + q.RowSeconds(tile, p.Rows), tile
	}
	o.Seconds, _ = seconds(q.Chooser())
	p.Seconds, o.Tile = seconds(q)
	o.Left = p.Seconds * (1 - float64(q.State.Done)/float64(p.Rows))
	x := a.processor(q.Request, q.Graph, o.Tile, p.offer)
	o.Memory = p.offer.Memory + x.Memory(q.Geometry(o.Tile))
	least := p.offer.Least + lineBytes(q.Graph) + treeBytes(q.Graph, q.Predecessors) +
		int64(entry.CeilDiv(n, o.Tile))*int64(o.Tile)*int64(o.Tile)*int64(q.EntryBytes())
	if q.HostMemory > 0 && least > q.HostMemory {
		return plan.Offer{}, fmt.Errorf("%w: host memory %d bytes; rows of %d vertices by %s need at least %d bytes",
			device.ErrMemory, q.HostMemory, n, a.Name(), least)
	}
	return o, nil
}

// About what it takes to find the predecessors in a row, on one thread of two with AVX-512, for each vertex and for
// each arc. It is not measured where it is needed, since engines are chosen by it, and others round floats differently.
const (
	treeVertex   = 4e-9
	treeArc      = 0.2e-9
	treeArcAlone = 2.5e-9 // where rows are taken one by one
)

// lineBytes is what a row takes that is not computed in its place.
func lineBytes(g *graph.Graph) int64 { return int64(g.N) * int64(g.Kind.Wide().Bytes()) }

// treeBytes is about what a goroutine takes to find predecessors, if it does.
func treeBytes(g *graph.Graph, finds bool) int64 {
	if !finds {
		return 0
	}
	return int64(g.N) * tree.VertexBytes
}

// Size implements plan.Algorithm.
func (Algorithm) Size(q *plan.Basis) (tile int, beside int64, err error) {
	return q.RowTile(q.Facts.Kind, q.Facts.N, q.Upper()), 0, nil
}

// Left completes the status of a store in which an earlier run has written rows.
func (Algorithm) Left(st *live.Status, s *tiles.Store, counts bool) (bool, error) {
	st.Rows = s.Geometry().RowCount()
	if !counts {
		return false, nil
	}
	state, _, err := s.Ahead()
	st.Stage, st.RowsDone = live.StageExpand, int(state.Done)
	return false, err
}

// processor says how rows are computed on the processor, with the memory of what an engine gives, and not that of its
// workers.
func (Algorithm) processor(r plan.Request, g *graph.Graph, tile int, o rows.Offer) Processor {
	x := Processor{Unit: 1, Room: cmp.Or(r.HostMemory, device.FreeMemory()/4), Must: r.HostMemory > 0}
	line, trees := lineBytes(g), treeBytes(g, r.Predecessors)
	x.Batch = max(1, min(tile, int(linesBytes/line)))
	x.Bytes = func(rows int) int64 { return int64(rows)*line + trees }
	if o.Tiles && !r.Predecessors { // rows are computed in their places
		x.Bytes = func(int) int64 { return 0 }
		if x.Apart = o.Levels; x.Apart {
			x.Batch = min(g.N, rows.Lanes)
		}
	}
	return x
}

// linesBytes is about what rows take that a goroutine computes at a time.
const linesBytes = 64 << 20

// Run solves. It continues after the rows that the task's state counts as done.
func (a Algorithm) Run(ctx context.Context, t *task.Task) (err error) {
	defer func() { t.Reports.Stop(err == nil) }()
	g, err := t.Graph()
	if err != nil {
		return err
	}
	p, ok := t.Choice.Plan.(*rowsPlan)
	if !ok { // there was nothing to choose, or the choice was made for another process
		q := t.Basis()
		q.Graph, q.Algorithm = g, a.Name()
		offer, err := a.Plan(ctx, q, nil)
		if err != nil {
			return err
		}
		p = offer.Plan.(*rowsPlan)
	}
	t.Summary.Plans = t.Summary.Plans.With(p)
	host, err := cpu.Open(cpu.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, host.Close()) }()
	began := time.Now()
	ready, err := p.offer.Prepare(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ready.Close()) }()
	t.Summary.SetupSeconds = time.Since(began).Seconds()
	w := &Writer{Task: t, Host: host}
	if s, ok := ready.(interface{ Stopped() int }); ok {
		w.Mark = func(st *tiles.State) { st.Stop = int64(s.Stopped()) + 1 }
	}
	w.Start()
	by := a.Name()
	request := t.Request
	request.Predecessors = t.Meta.Predecessors
	x := a.processor(request, g, w.Geometry.T, p.offer)
	own := x.Bytes
	x.Bytes = func(rows int) int64 { return ready.WorkerBytes(rows) + own(rows) }
	x.Open, x.Order = ready.NewWorker, ready.Order()
	if x.Apart {
		var held []*searches.OnDevice
		held, err = w.onDevices(ready, p.offer.Seconds)
		for _, d := range held {
			defer func() { err = errors.Join(err, d.Close()) }()
			x.OnDevice = append(x.OnDevice, d.Batches...)
		}
		if err != nil {
			return err
		}
		if why := searches.Alone(ready, t.Device, w.asks(ready, p.offer.Seconds)); len(x.OnDevice) > 0 {
			by += " on " + t.Device.Info().Model
			x.Batch, x.Bytes = min(g.N, x.OnDevice[0].Lanes()), func(int) int64 { return 0 }
		} else if why != "" {
			by += " on the processor, as " + why + ","
		}
	}
	hands, err := w.Hands(x)
	if err == nil {
		err = w.Run.Do(ctx, hands)
	}
	err = w.Close(ctx, err)
	t.Summary.Text = fmt.Sprintf("%s rows by %s in %s, sync %s; predicted %s",
		humanize.Comma(int64(t.Summary.RowsWritten)), by,
		text.Time(t.Summary.ExpandSeconds), text.Time(t.Summary.SyncSeconds), text.Time(p.Seconds))
	return err
}
