package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/dustin/go-humanize"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/show"
	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/engine/batch"
	"ooc/engine/graph"
	"ooc/engine/live"
	"ooc/engine/plan"
	"ooc/engine/text"
	"ooc/kernels"
	"ooc/tiles"
)

// jobForecast is what a job would do, in JSON.
type jobForecast struct {
	Job       int        `json:"job"` // from 1
	Input     string     `json:"input"`
	Store     string     `json:"store"`
	State     live.State `json:"state"`
	Vertices  int        `json:"vertices"`
	Arcs      int64      `json:"arcs"`
	Bytes     int64      `json:"bytes"` // that the store takes, with what is beside it while it is solved
	Algorithm string     `json:"algorithm"`
	Seconds   float64    `json:"seconds"` // that are left, as predicted
	Code      *int       `json:"exit_code"`
	Error     *string    `json:"error"`
}

// print prints it. What a job that would fail would do is null.
func (t jobForecast) print() {
	o := struct {
		jobForecast
		Vertices  *int     `json:"vertices"`
		Arcs      *int64   `json:"arcs"`
		Bytes     *int64   `json:"bytes"`
		Algorithm *string  `json:"algorithm"`
		Seconds   *float64 `json:"seconds"`
	}{jobForecast: t}
	if t.Error == nil {
		o.Vertices, o.Arcs, o.Bytes, o.Algorithm, o.Seconds = &t.Vertices, &t.Arcs, &t.Bytes, &t.Algorithm, &t.Seconds
	}
	terminal.PrintJSON("job", o)
}

// printForecasts says what a batch would do, and writes nothing.
func (f *solveFlags) printForecasts(jobs []job, list []batch.Job, d kernels.Device) error {
	w := tabwriter.NewWriter(terminal.Out, 0, 0, 2, ' ', 0)
	if !f.json {
		fmt.Fprintln(w, "JOB\tGRAPH\tSTORE\tSTATE\tVERTICES\tARCS\tSIZE\tALGORITHM\tTIME")
	}
	needs, extents := make([]batch.Need, len(jobs)), make([]graph.Extent, len(jobs))
	for i, j := range jobs {
		needs[i], extents[i] = j.need(list[i].Store, d)
	}
	share(jobs, list, needs, extents, d)
	room := batch.Room(list, needs)
	var bytes int64
	seconds, failing := 0.0, 0
	for i, j := range jobs {
		t := jobForecast{Job: i + 1, Input: list[i].Input, Store: list[i].Store, State: live.New, Vertices: needs[i].Vertices, Bytes: needs[i].Bytes}
		err := needs[i].Err
		if err == nil {
			err = j.describe(&t, &needs[i], extents[i], d)
		}
		if err != nil {
			t.Error, t.Code, needs[i].Err = terminal.Known(err.Error()), terminal.Known(exit.Code(err)), err
			failing++
		} else {
			bytes += needs[i].Bytes - needs[i].Has
		}
		seconds += t.Seconds
		if f.json {
			t.print()
			continue
		}
		outlook := t.Algorithm + "\t" + terminal.Time(t.Seconds)
		if err != nil {
			outlook = fmt.Sprintf("\texit code %d: %s", *t.Code, terminal.Clip(show.About(t.Input, *t.Error), 120))
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", t.Job, text.Line(t.Input), text.Line(t.Store), t.State, humanize.Comma(int64(t.Vertices)),
			humanize.Comma(t.Arcs), humanize.IBytes(uint64(t.Bytes)), outlook)
	}
	w.Flush()
	if !f.json {
		fmt.Fprintf(terminal.Out, "%s; stores that are not there yet take %s; %s, reading and syncs not counted\n", terminal.Count(len(jobs), "job", "jobs"), humanize.IBytes(uint64(bytes)), terminal.Time(seconds))
	}
	if room != nil || failing == 0 {
		return room
	}
	return fmt.Errorf("%w: %d of %d", batch.ErrWouldFail, failing, len(jobs))
}

// describe fills in what the job would do.
func (j job) describe(t *jobForecast, n *batch.Need, e graph.Extent, d kernels.Device) error {
	plan, err := j.forecast(t, e, d)
	if err != nil {
		return err
	}
	n.Beside = plan.BesideBytes // less than what room is kept for
	if plan.StoreBytes > 0 {
		n.Bytes = plan.StoreBytes
		n.Has = min(n.Has, n.Bytes)
	}
	t.Bytes = n.Bytes + n.Beside
	t.Vertices, t.Arcs, t.Algorithm, t.Seconds = plan.Vertices, plan.Arcs, plan.Algorithm, plan.Seconds()
	return nil
}

// forecast plans a job's solve. e is the size of its graph if there is no store to continue.
func (j job) forecast(t *jobForecast, e graph.Extent, d kernels.Device) (f *engine.Forecast, err error) {
	if isStore(t.Store) && (!j.restart || isStore(j.input)) {
		p, err := engine.OpenReadOnly(t.Store)
		if err != nil {
			return nil, err
		}
		defer p.Close()
		if err := j.same(j.cmd, p, j.input); err != nil {
			return nil, err
		}
		st, err := p.Status()
		if err != nil {
			return nil, err
		}
		if t.State = st.State; st.State == live.Solved && !j.restart {
			return &engine.Forecast{Vertices: st.Vertices, Arcs: st.Arcs, Algorithm: st.Algorithm}, nil
		}
		if j.restart {
			return again(j.cmd.Context(), p, d, j.Request)
		}
		return p.Forecast(j.cmd.Context(), d, j.Request, "")
	}
	limits := j.Request
	limits.Room = j.roomAt(t.Store)
	if e.Spool > 0 { // which writes nothing
		if limits.Sources, limits.Tile, err = sourcesOf(graph.Facts{N: e.N, IDs: e.IDs}, j.sources, limits.Tile); err != nil {
			return nil, err
		}
		return engine.ForecastMatrix(j.cmd.Context(), e, d, limits)
	}
	in, err := j.graphFlags.read(j.cmd, j.input, ".") // a matrix too, of which half is kept if it is symmetric
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.close()) }()
	if limits.Sources, limits.Tile, err = sourcesOf(in.weights.Facts(), j.sources, limits.Tile); err != nil {
		return nil, err
	}
	return engine.ForecastGraph(j.cmd.Context(), in.weights, d, limits, "")
}

// again plans all of a store, whatever is already done.
func again(ctx context.Context, p *engine.Problem, d kernels.Device, l plan.Request) (*engine.Forecast, error) {
	m := p.Meta()
	l.Tile, l.Sources, l.Predecessors, l.Layout = m.T, m.Sources, m.Predecessors, p.Geometry().Layout()
	if m.Dense {
		return engine.ForecastMatrix(ctx, graph.Extent{N: m.N, Symmetric: l.Layout == tiles.Upper}, d, l)
	}
	g, err := p.Graph()
	if err != nil {
		return nil, err
	}
	return engine.ForecastGraph(ctx, g, d, l, "")
}
