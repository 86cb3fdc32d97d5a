package main

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"ooc/cmd/ooc/about"
	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/cmd/ooc/terminal"
	"ooc/cmd/ooc/vertices"
	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/stats"
	"ooc/engine/statsplot"
	"ooc/engine/text"
	"ooc/kernels/entry"
)

type statsOptions struct {
	line
	json, csv, overwrite bool
	plot, bins, within   string
	values, decay        string
	nearest              int
	betweenness          string
	endpoints            bool
	targets              string

	// Of graphs alone:
	matrixFlags // not all of them
	progressFlags
	out, store string
}

func statsCommand() *cobra.Command {
	f := &statsOptions{}
	cmd := about.Command("stats", cobra.ExactArgs(1), statsExt)
	f.graphFlags.add(cmd, entry.Kinds...)
	f.deviceFlags.add(cmd)
	f.progressFlags.add(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.sources, "sources", "",
		"only distances from these vertices: ids and ranges a,b..c, a file of them, or random:K (default: all)")
	fl.StringVar(&f.out, "out", "",
		"the file that keeps what was gathered until all is (default: GRAPH's base name with "+statsExt+
			", in the current directory)")
	fl.StringVar(&f.store, "store", "", "where neither elimination nor searches can, or the graph is a matrix: "+
		"solve into this store, which must not be there or be empty, and remove it at the end")
	_ = cmd.MarkFlagDirname("store")
	fl.Var(flagvalue.Size(&f.HostMemory), "host-memory", "memory for elimination, and again to compute rows in "+
		"(default: what is free, and half of it)")
	fl.BoolVar(&f.json, "json", false, "one JSON object, with arrays of what there is of each vertex")
	fl.BoolVar(&f.csv, "csv", false, "a table with one line a vertex")
	fl.StringVar(&f.bins, "bins", "",
		"histograms: how many bins at most, all of one round width, or their edges: 0,100,500,1000")
	fl.Var(flagvalue.AtLeast(&f.nearest, 1), "k-nearest", "list so many nearest vertices of each; with --csv or --json")
	fl.StringVar(&f.within, "within", "", "count, for each vertex, those within these distances: 100,500")
	fl.Var(flagvalue.Word(&f.betweenness, "vertices", "edges", "both"), "betweenness", "of a graph: how many shortest "+
		"paths lead through each: vertices, edges or both")
	fl.BoolVar(&f.endpoints, "endpoints", false, "for --betweenness of vertices, paths also lead through their ends")
	fl.StringVar(&f.targets, "targets", "", "for --betweenness, only paths that end at these vertices, given as the "+
		"sources; numbers are those of networkx's _subset")
	fl.StringVar(&f.values, "values", "", "add up, for each vertex, the values of those within each distance of "+
		"--within, itself too, and no other statistics: a table with ids, FILE or FILE:COLUMN, or a .npy file")
	fl.StringVar(&f.decay, "decay", "", "with --values, how much of a value counts at a distance: "+stats.DecayForms())
	fl.StringVar(&f.plot, "plot", "", "draw the histograms of distances and of eccentricities to this .png or .svg")
	fl.BoolVar(&f.overwrite, "overwrite", false, "replace the --plot file if it is there")
	return runs(cmd, &f.line, f.run)
}

func (o *statsOptions) run(ctx context.Context) error {
	q, err := o.question()
	if err != nil {
		return err
	}
	in := resolve(o.args[0])
	if in.form != aStore && in.form != aFolder {
		return o.ofGraph(ctx, in, q)
	}
	err = o.without("--%s is for graphs, and this is a store: leave it out, or give the graph's file instead",
		"betweenness", "endpoints", "targets", "sources", "out", "store", "device", "device-memory", "host-memory",
		"checkpoint", "progress")
	if err = cmp.Or(err, o.noGraphFlags()); err != nil {
		return err
	}
	return ask(in.name, func(p *engine.Problem) error { return o.ofStore(ctx, p, p.Dir(), q, note) })
}

// ofStore gathers statistics of a store, which has a name. say is told how fast it was read.
func (o *statsOptions) ofStore(
	ctx context.Context, p *engine.Problem, name string, q stats.Options, say func(format string, args ...any),
) error {
	ids, err := p.IDs()
	if err == nil {
		err = o.readValues(&q, verticesIn(p, ids))
	}
	if err != nil {
		return err
	}
	if err := q.Check(p.Geometry().N); err != nil {
		return exit.UsageError(err)
	}
	s, err := o.draw(ctx, func() (*stats.Result, error) {
		began := time.Now()
		s, err := stats.Of(ctx, p, q)
		if err != nil {
			return nil, err
		}
		took, size := time.Since(began).Seconds(), p.Geometry().MatrixBytes()
		say("read %s in %s, %s", humanize.IBytes(uint64(size)), text.Time(took),
			text.Per(float64(size)/took, "B"))
		return s, nil
	})
	if err != nil {
		return err
	}
	return o.print(s, name, ids)
}

// draw gathers the statistics and, if asked for, draws the picture, whose file the first signal must not leave half
// written.
func (o *statsOptions) draw(ctx context.Context, gather func() (*stats.Result, error)) (s *stats.Result, err error) {
	if o.plot == "" {
		return gather()
	}
	exit.Graceful.Store(true)
	defer exit.Graceful.Store(false)
	if err := statsplot.Write(o.plot, o.overwrite, func() (*stats.Result, error) {
		s, err = gather()
		return s, err
	}); err != nil {
		return nil, err
	}
	return s, context.Cause(ctx)
}

// print writes the statistics of what has a name.
func (o *statsOptions) print(s *stats.Result, name string, ids graph.IDs) error {
	switch {
	case o.json:
		return s.WriteJSON(terminal.Out, ids)
	case o.csv && o.betweenness == "edges":
		return s.WriteEdgesCSV(terminal.Out, ids)
	case o.csv:
		return s.WriteCSV(terminal.Out, ids)
	}
	return s.WriteText(terminal.Out, name, ids)
}

// readValues reads --values, for a question about some vertices.
func (o *statsOptions) readValues(q *stats.Options, of vertices.Of) error {
	if o.values == "" {
		return nil
	}
	values, missing, err := of.Values(o.values)
	if err == nil && missing > 0 {
		note("%s has no value of %s: there it is 0", o.values, text.Count(missing, "vertex", "vertices"))
	}
	q.Values = values
	return err
}

// question reads the flags.
func (o *statsOptions) question() (q stats.Options, err error) {
	q.Nearest = o.nearest
	edges := []string{} // flags without columns in the table of edges
	if o.csv && o.betweenness == "edges" {
		edges = append(edges, "within", "k-nearest")
		if o.plot == "" {
			edges = append(edges, "bins")
		}
	}
	q.Within, err = flagvalue.Numbers("within", o.within)
	if err = cmp.Or(
		exit.Refuse(o.json && o.csv, "give one of --json and --csv"),
		exit.Refuse(o.csv && o.betweenness == "both", "--csv prints one table: give --betweenness vertices or edges, "+
			"or --json for both"),
		o.without("--csv of edges has no column for --%s: leave it out, or give --json instead", edges...),
		exit.Refuse(o.endpoints && o.betweenness != "vertices" && o.betweenness != "both",
			"--endpoints is for --betweenness vertices or both"),
		exit.Refuse(o.targets != "" && o.betweenness == "", "--targets is for --betweenness"),
		exit.Refuse(o.targets != "" && o.endpoints, "--targets comes without --endpoints: leave one of them out"),
		exit.Refuse(o.betweenness != "" && o.store != "", "--store is for a matrix, or a graph too large for "+
			"memory, and --betweenness for neither: leave one of them out"),
		exit.Refuse(o.nearest > 0 && !o.json && !o.csv, "--k-nearest lists vertices for each vertex: it needs --csv "+
			"or --json; "+
			"for one vertex: ooc query STORE U --k-nearest K"), err); err != nil {
		return q, err
	}
	if q.Decay, err = stats.ParseDecay(o.decay); err != nil {
		return q, exit.UsageError(fmt.Errorf("--%w", err))
	}
	others := cmp.Or(o.plot, o.bins, o.betweenness) != "" || o.nearest > 0
	if err = cmp.Or(exit.Refuse(o.decay != "" && o.values == "", "--decay is of values: give them with --values"),
		exit.Refuse(o.values != "" && o.within == "" && o.decay == "",
			"--values: say how far, with --within or --decay"),
		exit.Refuse(o.values != "" && others, "--values comes without --betweenness, --bins, --k-nearest and --plot: "+
			"ask for them in another run")); err != nil {
		return q, err
	}
	if o.plot != "" {
		if err := statsplot.Check(o.plot); err != nil {
			return q, exit.UsageError(fmt.Errorf("--plot %s: %w", o.plot, err))
		}
		q.Bins = 50
	}
	if n, failed := strconv.Atoi(o.bins); failed == nil {
		q.Bins = n
		err = exit.Refuse(n < 2 || n > stats.MaxBins, "--bins %d: want 2 to %d bins, or the edges of bins, as in "+
			"0,100,500", n, stats.MaxBins)
	} else if o.bins != "" {
		q.Bins = 0
		q.Edges, err = flagvalue.Numbers("bins", o.bins)
	}
	if err == nil && o.plot != "" {
		err = o.output(o.plot, o.overwrite).Check()
	}
	return q, err
}
