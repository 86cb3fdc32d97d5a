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
	"ooc/engine/text"
	"ooc/tiles"
	"ooc/tiles/class"
	"ooc/tiles/disk"
)

// errWouldFail is wrapped by the error of a batch that is not run, with jobs that would fail.
var errWouldFail = class.New(class.SomeFailed, "jobs would fail")

// printForecasts says what a batch would do, and writes nothing.
func (o *solveOptions) printForecasts(ctx context.Context, jobs []*job, list []batch.Job) error {
	w := tabwriter.NewWriter(terminal.Out, 0, 0, 2, ' ', 0)
	if !o.json {
		fmt.Fprintln(w, "JOB\tGRAPH\tSTORE\tSTATE\tVERTICES\tARCS\tSIZE\tALGORITHM\tTIME")
	}
	needs := make([]batch.Need, len(jobs))
	for i, j := range jobs {
		needs[i] = j.need()
	}
	share(ctx, jobs, list, needs)
	room := batch.Room(list, needs)
	var bytes int64
	seconds, failing := 0.0, 0
	for i, j := range jobs {
		n := &needs[i]
		f := &engine.Forecast{Vertices: n.Vertices}
		size, err := n.Bytes, n.Err
		if err == nil {
			var plan *engine.Forecast
			if plan, err = j.forecast(ctx); err == nil {
				f = plan
				planned(n, f) // which takes less beside the store than what room is kept for
				size = n.Bytes + n.Beside
			}
		}
		in, store, secs := list[i].Input, list[i].Store, f.Seconds()
		outlook := f.Algorithm + "\t" + text.Time(secs)
		job := []any{"job", i + 1, "input", in, "store", store, "state", j.state}
		if n.Err = err; err != nil {
			job = append(job, "exit_code", exit.Code(err), "error", err.Error(), "vertices", nil, "arcs", nil,
				"bytes", nil, "algorithm", nil, "seconds", nil)
			outlook = fmt.Sprintf("\texit code %d: %s", exit.Code(err), terminal.Clip(show.About(in, err.Error()), 120))
			failing++
		} else { // bytes that the store takes, with what is beside it while it is solved, and seconds that are left
			job = append(job, "exit_code", nil, "error", nil, "vertices", f.Vertices, "arcs", f.Arcs, "bytes", size,
				"algorithm", f.Algorithm, "seconds", secs)
			bytes += n.Bytes - n.Has
			seconds += secs
		}
		if o.json {
			terminal.PrintJSON("job", terminal.Members(job...))
			continue
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", i+1, text.Line(in), text.Line(store), j.state,
			humanize.Comma(int64(f.Vertices)),
			humanize.Comma(f.Arcs), humanize.IBytes(uint64(size)), outlook)
	}
	w.Flush()
	if !o.json {
		fmt.Fprintf(terminal.Out, "%s; stores that are not there yet take %s; %s, reading and syncs not counted\n",
			text.Count(len(jobs), "job", "jobs"), humanize.IBytes(uint64(bytes)), text.Time(seconds))
	}
	if room != nil || failing == 0 {
		return room
	}
	return fmt.Errorf("%w: %d of %d", errWouldFail, failing, len(jobs))
}

// forecast plans the solve of a job whose needs are known.
func (j *job) forecast(ctx context.Context) (_ *engine.Forecast, err error) {
	if tiles.IsStore(j.store) && (!j.restart || j.in.form == aStore) {
		p, st, err := j.begun(ctx)
		if err != nil {
			return nil, err
		}
		defer p.Close()
		switch {
		case j.restart:
			return j.forecastAgain(ctx, p)
		case st.State == live.Solved:
			return &engine.Forecast{Vertices: st.Vertices, Arcs: st.Arcs, Algorithm: st.Algorithm}, nil
		}
		return p.Forecast(ctx, j.on, j.Request, "")
	}
	facts := graph.Facts{N: j.extent.N, IDs: j.extent.IDs}
	// A matrix is read, too: of a symmetric one half is kept. But not where a copy would be written.
	var n *incoming
	if j.extent.Spool == 0 {
		if n, err = j.graphFlags.read(j.in, ".", false); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, n.close()) }()
		facts = n.weights.Facts()
	}
	want, err := j.requestFor(facts)
	if err != nil {
		return nil, err
	}
	want.Room, want.InMemory = j.roomAt(j.store), disk.InMemory(j.store)
	if n == nil {
		return engine.ForecastMatrix(ctx, j.extent, j.on, want)
	}
	return engine.ForecastGraph(ctx, n.weights, j.on, want, "")
}

// forecastAgain plans all of a store, whatever is already done.
func (j *job) forecastAgain(ctx context.Context, p *engine.Problem) (*engine.Forecast, error) {
	m, l := p.Meta(), j.Request
	l.Tile, l.Kind, l.Sources, l.Predecessors = m.T, m.Kind, m.Sources, m.Predecessors
	l.Layout, l.InMemory = p.Geometry().Layout(), disk.InMemory(p.Dir())
	if m.Dense {
		return engine.ForecastMatrix(ctx, graph.Extent{N: m.N, Symmetric: l.Layout == tiles.Upper}, j.on, l)
	}
	g, err := p.Graph()
	if err != nil {
		return nil, err
	}
	return engine.ForecastGraph(ctx, g, j.on, l, "")
}
