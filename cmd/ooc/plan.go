package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/show"
	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/graph/read"
	"ooc/engine/plan"
	"ooc/kernels"
	"ooc/tiles"
)

func planCommand() *cobra.Command {
	var gf graphFlags
	var df deviceFlags
	var af aheadFlags
	var asJSON bool
	var sources string
	cmd := &cobra.Command{
		Use:   "plan GRAPH | plan --vertices N",
		Short: "Say how a graph or store would be solved, what that moves and how long it takes",
		Long: "plan says how a graph or a store would be solved, what that moves and how long it takes, here or on machines that are not here:\n" +
			"--nodes, --gpus-per-node, --node-link and --node-disk describe these, and --device may name a GPU of a table.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if (len(args) == 1) == (af.vertices > 0) {
				return exit.UsageError(errors.New("plan takes a graph, a store, or --vertices"))
			}
			if af.vertices > 0 {
				args = []string{""}
			}
			if isStore(args[0]) {
				if err := noGraphFlags(cmd); err != nil {
					return err
				}
			}
			if isStore(args[0]) && (sources != "" || df.Predecessors || df.Layout != "") {
				return exit.UsageError(errors.New("--sources, --predecessors, --layout: a store has those that it was made with"))
			}
			if af.vertices > 0 && sources != "" {
				return exit.UsageError(errors.New("--sources: rounds solve all rows; give a graph"))
			}
			d, err := af.open(&df)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, d.Close()) }()
			var f *engine.Forecast
			if af.vertices > 0 {
				if f, err = af.forecast(cmd, &gf, d, af.limits(df.Request)); err != nil {
					return err
				}
			} else if isStore(args[0]) {
				p, err := engine.OpenReadOnly(args[0])
				if err != nil {
					return err
				}
				defer p.Close()
				defer planning(note, p.Dir(), p.Meta().N)()
				f, err = p.Forecast(cmd.Context(), d, af.limits(df.Request), af.timed(filepath.Dir(p.Dir())))
				if err != nil {
					return err
				}
			} else {
				limits := df.Request
				limits.Room = engine.Room(read.BaseName(args[0]) + ".ooc")
				if f, err = gf.forecast(cmd, args[0], sources, d, af.limits(limits), af.timed(".")); err != nil {
					return err
				}
			}
			if asJSON {
				show.PlanJSON(f)
				return nil
			}
			show.Plan(f, d.Info().Model, af.vertices > 0)
			return nil
		},
	}
	gf.add(cmd)
	df.add(cmd)
	af.add(cmd, &df)
	addSources(cmd, &sources)
	addPredecessors(cmd, &df.Predecessors)
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

// forecast plans the solve of a graph.
func (gf *graphFlags) forecast(cmd *cobra.Command, input, sources string, d kernels.Device, limits plan.Request, dir string) (f *engine.Forecast, err error) {
	in, err := gf.read(cmd, input, ".")
	if errors.Is(err, tiles.ErrNoSpace) && isFile(input) { // for a copy of a compressed matrix: its size alone will do
		e, err := read.Measure(input, gf.options(cmd, "."))
		if err != nil {
			return nil, err
		}
		if limits.Sources, limits.Tile, err = sourcesOf(graph.Facts{N: e.N, IDs: e.IDs}, sources, limits.Tile); err != nil {
			return nil, err
		}
		return engine.ForecastMatrix(cmd.Context(), e, d, limits)
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.close()) }()
	if limits.Sources, limits.Tile, err = sourcesOf(in.weights.Facts(), sources, limits.Tile); err != nil {
		return nil, err
	}
	in.hint(cmd, limits)
	in.remark()
	defer planning(note, in.src.Name, in.weights.Facts().N)()
	return engine.ForecastGraph(cmd.Context(), in.weights, d, limits, dir)
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

// note prints a line for people.
func note(format string, args ...any) { fmt.Fprintf(terminal.Err, format+"\n", args...) }

// isFile reports whether an input can be read twice.
func isFile(input string) bool {
	info, err := os.Stat(input)
	return err == nil && info.Mode().IsRegular()
}
