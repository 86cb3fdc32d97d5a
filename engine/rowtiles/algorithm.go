package rowtiles

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/dustin/go-humanize"

	"ooc/engine/graph"
	"ooc/engine/live"
	"ooc/engine/plan"
	"ooc/engine/rows"
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
	return plan.Traits{Title: a.Name(), Plan: &Plan{name: a.Name()}, Automatic: true, Predecessors: true, Sources: true, Arcs: true, Rows: true, Upper: true}
}

// Measure implements plan.Algorithm: engines say what they take.
func (Algorithm) Measure(*plan.Rates, kernels.Device, entry.Variant, int) error { return nil }

// Plan is what a solve by an engine of rows means to do.
type Plan struct {
	name    string
	Rows    int     `json:"rows"`
	Seconds float64 `json:"seconds"`
	offer   rows.Offer
}

// Member implements plan.Plan.
func (p *Plan) Member() string { return p.name }

// Lines implements plan.Plan.
func (p *Plan) Lines(*plan.Basis) []plan.Line {
	return []plan.Line{{Name: "rows", Text: humanize.Comma(int64(p.Rows)) + " by " + p.name}, {Name: "time", Text: text.Time(p.Seconds)}}
}

// Plan implements plan.Algorithm.
func (a Algorithm) Plan(ctx context.Context, q *plan.Basis, before []plan.Offer) (plan.Offer, error) {
	if q.Graph == nil {
		return plan.Offer{Seconds: math.Inf(1)}, nil
	}
	n := q.Graph.N
	p := &Plan{name: a.Name(), Rows: cmp.Or(len(q.Sources), n)}
	var err error
	question := rows.Question{Rows: p.Rows, Memory: q.HostMemory, Most: plan.Least(before)}
	p.offer, err = a.Engine.Offer(ctx, q.Graph, question)
	if errors.Is(err, plan.ErrAlgorithm) && q.Algorithm != a.Name() {
		return plan.Offer{Seconds: math.Inf(1)}, nil
	}
	if err != nil {
		return plan.Offer{}, err
	}
	trees := 0.0
	if q.Predecessors {
		trees = treeSeconds(q.Graph) * float64(p.Rows)
	}
	seconds := func(q *plan.Basis) (all float64, tile int) {
		tile, _, _ = a.Size(q)
		computing := (p.offer.Seconds*float64(runtime.GOMAXPROCS(0)) + trees) / float64(q.Rates.Threads())
		return computing + q.RowSeconds(tile, p.Rows), tile
	}
	o := plan.Offer{Plan: p}
	o.Seconds, _ = seconds(q.Chooser())
	p.Seconds, o.Tile = seconds(q)
	o.Left = p.Seconds * (1 - float64(q.State.Done)/float64(p.Rows))
	return o, nil
}

// treeSeconds measures how long it takes to find the predecessors in a row.
func treeSeconds(g *graph.Graph) float64 {
	wide := g.Kind.Wide()
	row := wide.Append(nil, graph.NewSearch(g).From(0))
	m := tree.NewMaker(g, g.Reverse())
	m.Of(row, 0) // whose memory is new
	began := time.Now()
	m.Of(row, 0)
	return time.Since(began).Seconds()
}

// Size implements plan.Algorithm.
func (Algorithm) Size(q *plan.Basis) (tile int, beside int64, err error) {
	n := q.Facts.N
	return cmp.Or(q.Tile, plan.RowTile(q.Facts.Kind, cmp.Or(len(q.Sources), n), n, q.Upper())), 0, nil
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

// linesBytes is about what rows take that a goroutine computes at a time.
const linesBytes = 64 << 20

// Run solves. It continues after the rows that the task's state counts as done.
func (a Algorithm) Run(ctx context.Context, t *task.Task) (err error) {
	defer func() { t.Reports.Stop(err == nil) }()
	g, err := t.Graph()
	if err != nil {
		return err
	}
	p, ok := t.Choice.Plan.(*Plan)
	if !ok { // there was nothing to choose, or the choice was made for another process
		q := t.Basis()
		q.Graph, q.Algorithm = g, a.Name()
		offer, err := a.Plan(ctx, q, nil)
		if err != nil {
			return err
		}
		p = offer.Plan.(*Plan)
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
	w.Start()
	line := w.lineBytes()
	hands, err := w.Hands(Processor{
		Open: ready.NewWorker, Bytes: func(rows int) int64 { return ready.WorkerBytes(rows) + int64(rows)*line },
		Unit: 1, Batch: max(1, min(w.Geometry.T, int(linesBytes/line))), Room: t.HostMemory, Must: t.HostMemory > 0,
	})
	if err == nil {
		err = w.Run.Do(ctx, hands)
	}
	err = w.Close(ctx, err)
	t.Summary.Text = fmt.Sprintf("%s rows by %s in %s, sync %s; predicted %s", humanize.Comma(int64(t.Summary.RowsWritten)), a.Name(),
		text.Time(t.Summary.ExpandSeconds), text.Time(t.Summary.SyncSeconds), text.Time(p.Seconds))
	return err
}
