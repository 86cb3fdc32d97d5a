package main

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/show"
	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/graph/read"
	"ooc/engine/plan"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles"
)

type planOptions struct {
	line
	matrixFlags
	aheadFlags
	json bool
}

func planCommand() *cobra.Command {
	o := &planOptions{}
	cmd := &cobra.Command{
		Use:   "plan GRAPH | plan --vertices N",
		Short: "Say how a graph or store would be solved, what that moves and how long it takes",
		Long: "plan says how a graph or a store would be solved, what that moves and how long it takes, here or on machines that are not here:\n" +
			"--nodes, --gpus-per-node, --node-link and --node-disk describe these, and --device may name a GPU of a table.",
		Args: cobra.MaximumNArgs(1),
	}
	o.matrixFlags.add(cmd)
	o.aheadFlags.add(cmd, &o.device)
	cmd.Flags().BoolVar(&o.json, "json", false, "one JSON object")
	return runs(cmd, &o.line, o.run)
}

func (o *planOptions) run(ctx context.Context) (err error) {
	if (len(o.args) == 1) == (o.vertices > 0) {
		return exit.UsageError(errors.New("plan takes a graph, a store, or --vertices"))
	}
	var in input
	if o.vertices == 0 {
		in = resolve(o.args[0])
	}
	switch {
	case in.form == aStore:
		if err := o.noGraphFlags(); err != nil {
			return err
		}
		if o.sources != "" || o.Predecessors || o.Layout != "" {
			return exit.UsageError(errors.New("--sources, --predecessors, --layout: a store has those that it was made with"))
		}
	case o.vertices > 0 && o.sources != "":
		return exit.UsageError(errors.New("--sources: rounds solve all rows; give a graph"))
	}
	d, err := o.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	f, err := o.forecast(ctx, in, d)
	switch {
	case err != nil:
		return err
	case o.json:
		show.PlanJSON(f)
	default:
		show.Plan(f, d.Info().Model, o.vertices > 0)
	}
	return nil
}

// forecast plans the solve of an input, or of a number of vertices.
func (o *planOptions) forecast(ctx context.Context, in input, d kernels.Device) (f *engine.Forecast, err error) {
	switch {
	case o.vertices > 0:
		want := o.ahead(o.Request)
		want.Kind = entry.Kind(o.kind)
		return engine.ForecastMatrix(ctx, graph.Extent{N: o.vertices, Symmetric: o.undirected}, d, want)
	case in.form == aStore:
		p, err := engine.OpenReadOnly(in.name)
		if err != nil {
			return nil, err
		}
		defer p.Close()
		defer planning(note, p.Dir(), p.Meta().N)()
		return p.Forecast(ctx, d, o.ahead(o.Request), o.timed(filepath.Dir(p.Dir())))
	}
	n, err := o.read(in, ".")
	if errors.Is(err, tiles.ErrNoSpace) && in.form == aFile { // for a copy of a compressed matrix: its size alone will do
		e, err := read.Measure(in.name, o.options("."))
		if err != nil {
			return nil, err
		}
		want, err := o.requestIn(in, graph.Facts{N: e.N, IDs: e.IDs})
		if err != nil {
			return nil, err
		}
		return engine.ForecastMatrix(ctx, e, d, want)
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, n.close()) }()
	want, err := o.requestIn(in, n.weights.Facts())
	if err != nil {
		return nil, err
	}
	o.hint(ctx, n, want)
	n.remark()
	defer planning(note, n.src.Name, n.weights.Facts().N)()
	return engine.ForecastGraph(ctx, n.weights, d, want, o.timed("."))
}

// requestIn is what is wanted of the graph of an input.
func (o *planOptions) requestIn(in input, g graph.Facts) (plan.Request, error) {
	l, err := o.requestFor(g)
	l.Room = engine.Room(read.BaseName(in.name) + ".ooc")
	return o.ahead(l), err
}

// planning says that a plan takes long, once it does, until the returned function is called.
func planning(note func(format string, args ...any), name string, n int) (done func()) {
	timer := time.AfterFunc(slow, func() {
		note("%s: planning; to find an order of %s vertices may take minutes", name, humanize.Comma(int64(n)))
	})
	return func() { timer.Stop() }
}

// slow is when people wonder what a command is at. It is a variable only for tests.
var slow = 2 * time.Second
