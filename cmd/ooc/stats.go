package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/stats"
	"ooc/engine/statsplot"
)

// statsFlags are those of stats.
type statsFlags struct {
	graphStatsFlags
	json, csv, overwrite bool
	plot, bins, within   string
	nearest              int
}

func statsCommand() *cobra.Command {
	var f statsFlags
	cmd := &cobra.Command{
		Use:   "stats STORE|GRAPH",
		Short: "Print eccentricities, centralities, means and histograms of all distances",
		Long: "stats reads the matrix of a store once. Of a GRAPH (a file, or - for standard input) it computes every distance,\n" +
			"by elimination, and keeps none. Ctrl-C writes what was gathered to a small file, NAME" + statsExt + ", from which the\n" +
			"same command goes on. Where elimination does not pay, --store DIR solves into a store, asks that, and removes it. The flags\n" +
			"--sources, --out, --store, --device, --device-memory, --host-memory, --checkpoint and --progress, and those that say how a\n" +
			"graph is read, are for graphs alone.\n\n" +
			"stats prints diameter, radius, center, mean distance, efficiency, the most central vertices and what the\n" +
			"flags ask for. --csv prints a table with one line a vertex instead: eccentricity, closeness and harmonic\n" +
			"centrality, counts and sums; --json prints all of both as one object. docs/stats.md defines each number;\n" +
			"those that networkx has too go by its names. Distances are directed: closeness and harmonic centrality count the\n" +
			"incoming ones, as networkx does, and their columns that end in _out the outgoing ones.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runStats(cmd, args[0], &f) },
	}
	f.graphStatsFlags.add(cmd)
	fl := cmd.Flags()
	fl.BoolVar(&f.json, "json", false, "one JSON object, with arrays of what there is of each vertex")
	fl.BoolVar(&f.csv, "csv", false, "a table with one line a vertex")
	fl.StringVar(&f.bins, "bins", "", "histograms: how many bins at most, all of one round width, or their edges: 0,100,500,1000")
	fl.Var(flagvalue.AtLeast(&f.nearest, 1), "k-nearest", "list so many nearest vertices of each; with --csv or --json")
	fl.StringVar(&f.within, "within", "", "count, for each vertex, those within these distances: 100,500")
	fl.StringVar(&f.plot, "plot", "", "draw the histograms of distances and of eccentricities to this .png or .svg")
	fl.BoolVar(&f.overwrite, "overwrite", false, "replace the --plot file if it is there")
	return cmd
}

func runStats(cmd *cobra.Command, dir string, f *statsFlags) error {
	o, err := f.options()
	if err != nil {
		return exit.UsageError(err)
	}
	if f.plot != "" {
		if err := output(cmd, f.plot, f.overwrite).Check(); err != nil {
			return err
		}
	}
	if flagvalue.IsFolder(dir) != nil {
		return f.ofGraph(cmd, dir, o)
	}
	if err := f.noGraph(cmd); err != nil {
		return err
	}
	p, err := engine.OpenReadOnly(dir)
	if err != nil {
		return err
	}
	defer p.Close()
	if err := o.Check(p.Geometry().N); err != nil {
		return exit.UsageError(err)
	}
	ids, err := p.IDs()
	if err != nil {
		return err
	}
	s, err := f.draw(cmd.Context(), func() (*stats.Result, error) {
		began := time.Now()
		s, err := stats.Of(cmd.Context(), p, o)
		if err != nil {
			return nil, err
		}
		took, size := time.Since(began).Seconds(), p.Geometry().MatrixBytes()
		fmt.Fprintf(terminal.Err, "read %s in %s, %s\n", humanize.IBytes(uint64(size)), terminal.Time(took), terminal.PerSecond(float64(size)/took))
		return s, nil
	})
	if err != nil {
		return wayOut(p.Dir(), err)
	}
	return f.print(s, p.Dir(), ids)
}

// draw gathers the statistics and, if asked for, draws the picture, whose file the first signal must not leave half
// written.
func (f *statsFlags) draw(ctx context.Context, gather func() (*stats.Result, error)) (s *stats.Result, err error) {
	if f.plot == "" {
		return gather()
	}
	exit.Graceful.Store(true)
	defer exit.Graceful.Store(false)
	if err := statsplot.Write(f.plot, f.overwrite, func() (*stats.Result, error) {
		s, err = gather()
		return s, err
	}); err != nil {
		return nil, err
	}
	return s, context.Cause(ctx)
}

// print writes the statistics of what has a name.
func (f *statsFlags) print(s *stats.Result, name string, ids graph.IDs) error {
	switch {
	case f.json:
		return s.WriteJSON(terminal.Out, ids)
	case f.csv:
		return s.WriteCSV(terminal.Out, ids)
	}
	return s.WriteText(terminal.Out, name, ids)
}

// options reads the flags.
func (f *statsFlags) options() (o stats.Options, err error) {
	if f.json && f.csv {
		return o, errors.New("give one of --json and --csv")
	}
	if f.nearest > 0 && !f.json && !f.csv {
		return o, errors.New("--k-nearest lists vertices for each vertex: it needs --csv or --json; for one vertex: ooc query STORE U --k-nearest K")
	}
	o.Nearest = f.nearest
	if o.Within, err = flagvalue.Numbers("within", f.within); err != nil {
		return o, err
	}
	if f.plot != "" {
		if err := statsplot.Check(f.plot); err != nil {
			return o, fmt.Errorf("--plot %s: %w", f.plot, err)
		}
		o.Bins = 50
	}
	if f.bins == "" {
		return o, nil
	}
	if n, err := strconv.Atoi(f.bins); err == nil {
		if n < 2 || n > stats.MaxBins {
			return o, fmt.Errorf("--bins %d: want 2 to %d bins, or the edges of bins, as in 0,100,500", n, stats.MaxBins)
		}
		o.Bins = n
		return o, nil
	}
	o.Bins = 0
	o.Edges, err = flagvalue.Numbers("bins", f.bins)
	return o, err
}
