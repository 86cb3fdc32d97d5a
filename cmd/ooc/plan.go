package main

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"ooc/cmd/ooc/about"
	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/cmd/ooc/show"
	"ooc/engine"
	"ooc/engine/device/registry"
	"ooc/engine/graph"
	"ooc/engine/graph/read"
	"ooc/engine/plan"
	"ooc/engine/stats"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles/disk"
)

type planOptions struct {
	line
	matrixFlags
	vertices int
	json     bool
	purpose  string
}

func planCommand() *cobra.Command {
	f := &planOptions{}
	cmd := about.Command("plan", cobra.MaximumNArgs(1))
	f.matrixFlags.add(cmd)
	fl := cmd.Flags()
	fl.Var(flagvalue.Between(&f.vertices, 1, mostPlanned), "vertices",
		"plan for any graph of so many vertices, in rounds, without one")
	fl.Var(flagvalue.Between(&f.Nodes, 1, 10_000), "nodes", "plan for so many machines that share the rounds")
	fl.Var(flagvalue.Between(&f.Devices, 1, 64), "gpus-per-node", "GPUs like --device that each of them has")
	fl.Var(flagvalue.PerSecond(&f.Link), "node-link", "what a node receives over the network, such as 50GB/s or "+
		"400Gb/s, while it sends as much")
	fl.Var(flagvalue.PerSecond(&f.Disk), "node-disk", "the rate of a node's disk, such as 2GB/s (default: that of the "+
		"disk here for a plan for here, else left out)")
	f.purpose = "solve"
	fl.Var(flagvalue.Word(&f.purpose, "solve", "stats"), "for",
		"solve, or stats: what ooc stats GRAPH does, and by which engine of rows")
	names := about.Names(plan.Models)
	device := fl.Lookup("device")
	device.Value = flagvalue.Device(&f.device, names...)
	device.Usage += "; " + strings.Join(names, ", ") + " for one that is not here"
	fl.BoolVar(&f.json, "json", false, "one JSON object")
	return runs(cmd, &f.line, f.run)
}

func (o *planOptions) run(ctx context.Context) (err error) {
	var in input
	if len(o.args) > 0 {
		in = resolve(o.args[0])
	}
	if in.form == aStore {
		err = cmp.Or(o.noGraphFlags(), exit.Refuse(o.sources != "" || o.Predecessors || o.Layout != "",
			"--sources, --predecessors, --layout: a store has those that it was made with"))
	}
	if o.purpose == "stats" {
		err = cmp.Or(err, exit.Refuse(o.kind == entry.KindU8, "--kind u8 is for stores: statistics keep no distances"),
			exit.Refuse(in.form == aStore,
				"--for stats plans statistics of a graph, and those of a store read it once"),
			o.without("--%s is for solves, and --for stats plans rows that are not kept", "algorithm", "gpus-per-node",
				"layout", "node-disk",
				"node-link", "nodes", "predecessors", "round", "streams", "tile", "vertices"))
	}
	if err = cmp.Or(
		exit.Refuse((len(o.args) == 1) == (o.vertices > 0), "plan takes a graph, a store, or --vertices"), err,
		exit.Refuse(o.vertices > 0 && o.sources != "", "--sources: rounds solve all rows; give a graph")); err != nil {
		return err
	}
	if o.purpose == "stats" {
		return o.forStats(ctx, in)
	}
	d, err := o.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	f, err := o.forecast(ctx, in, d)
	if err == nil {
		show.Plan(f, d.Info().Model, o.vertices > 0, o.json)
	}
	return err
}

// forStats plans statistics of a graph.
func (o *planOptions) forStats(ctx context.Context, in input) (err error) {
	n, err := o.readArcs(&o.line)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.close()) }()
	g := n.graph()
	if g == nil {
		return statsOfMatrix(in)
	}
	all := stats.GraphOptions{Memory: o.HostMemory}
	if all.Sources, _, err = sourcesOf(g.Facts(), o.sources, 0); err != nil {
		return err
	}
	d, err := registry.OpenFaster(o.device, o.deviceMemory, all.Distances(g))
	if err != nil {
		return o.orAuto(err)
	}
	if d != nil {
		defer d.Close()
	}
	all.Open = func() (kernels.Device, error) { return d, nil }
	defer planning(note, n.src.Name, g.N)()
	offers, err := stats.Offers(ctx, g, all)
	if err == nil {
		show.StatsPlan(g.Facts(), cmp.Or(len(all.Sources), g.N), offers, o.json)
	}
	return err
}

// forecast plans the solve of an input, or of a number of vertices.
func (o *planOptions) forecast(ctx context.Context, in input, d kernels.Device) (f *engine.Forecast, err error) {
	switch {
	case o.vertices > 0:
		want := o.Request
		want.Kind = o.kind
		return engine.ForecastMatrix(ctx, graph.Extent{N: o.vertices, Symmetric: o.undirected}, d, want)
	case in.form == aStore:
		p, err := engine.OpenReadOnly(in.name)
		if err != nil {
			return nil, err
		}
		defer p.Close()
		defer planning(note, p.Dir(), p.Meta().N)()
		return p.Forecast(ctx, d, o.Request, o.timed(filepath.Dir(p.Dir())))
	}
	n, err := o.read(in, ".", false)
	if errors.Is(err, disk.ErrNoSpace) && in.form == aFile { // of a compressed matrix: its size alone will do
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
	want, err := o.requestFor(g)
	if o.Nodes == 0 {
		store := read.BaseName(in.name) + ".ooc"
		want.Room, want.InMemory = engine.Room(store), disk.InMemory(store)
	}
	return want, err
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

// mostPlanned is a number of vertices whose matrix takes 400 TB: more would take minutes to plan.
const mostPlanned = 10_000_000

// open opens the device to plan for, or takes it from the table of models.
func (o *planOptions) open() (kernels.Device, error) {
	d, isModel := plan.Modeled(o.device, o.deviceMemory)
	if o.Nodes == 0 && (isModel || o.Devices > 0 || o.Disk > 0) {
		o.Nodes = 1
	}
	err := cmp.Or(o.check(),
		exit.Refuse(o.Nodes > 1 && o.Link == 0, "--nodes %d: give --node-link, what a node receives over the network, "+
			"such as 50GB/s", o.Nodes),
		exit.Refuse(o.Nodes <= 1 && o.Link > 0, "--node-link is between --nodes of two or more"),
		exit.Refuse(o.Nodes > 0 && o.Algorithm != plan.Auto && !engine.TraitsOf(o.Algorithm).Parts,
			"--algorithm %s: plans for other machines are made for %s alone", o.Algorithm, sharing()),
		exit.Refuse(o.Nodes > 0 && o.sources != "",
			"plans for other machines are made for %s alone, which solves all rows: leave --sources away", sharing()))
	if err == nil && !isModel {
		d, _, err = o.openFree()
	}
	if err != nil {
		return nil, err
	}
	if o.Devices > 0 && d.Info().SharedCores {
		return nil, errors.Join(exit.UsageError(errors.New("--gpus-per-node is for GPUs: name one with --device, such "+
			"as h100")), d.Close())
	}
	if o.Nodes > 0 {
		o.Algorithm = sharing()
	}
	return d, nil
}

// timed is the folder whose disk is timed for a plan, "" if that is no matter.
func (o *planOptions) timed(dir string) string {
	if o.Nodes > 0 {
		return ""
	}
	return dir
}
