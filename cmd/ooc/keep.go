package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/show"
	"ooc/engine"
	"ooc/engine/graph"
	"ooc/kernels"
)

// checkKeep refuses flags that say how a matrix is made, where none is.
func (f *solveFlags) checkKeep(cmd *cobra.Command, args []string) error {
	if f.keep != string(engine.KeepFactors) {
		return nil
	}
	if f.isBatch(args) || f.dryRun {
		return exit.UsageError(errors.New("--keep factors is for one graph, and not for a batch or --dry-run"))
	}
	for _, name := range []string{"sources", "predecessors", "layout", "tile", "round", "streams", "algorithm", "timeline"} {
		if cmd.Flags().Changed(name) {
			return exit.UsageError(fmt.Errorf("--%s does not go with --keep factors, which makes no matrix", name))
		}
	}
	return nil
}

// keepsRowsNow reports whether a store of factors is to keep rows in their place.
func (f *solveFlags) keepsRowsNow(p *engine.Problem) bool {
	return f.keep == string(engine.KeepRows) && p.Keeps() == engine.KeepFactors
}

// keepRows makes the store of the same graph anew, with a matrix in the place of the factors.
func (f *solveFlags) keepRows(cmd *cobra.Command, p *engine.Problem, d kernels.Device, show *show.Display) (*engine.Problem, error) {
	o, g, err := engine.CreateOptions{}, (*graph.Graph)(nil), error(nil)
	if g, err = p.Graph(); err == nil {
		limits := f.Request
		if limits.Sources, limits.Tile, err = sourcesOf(g.Facts(), f.sources, limits.Tile); err == nil {
			o, err = f.planRows(cmd, g, p.Dir(), p.Dir(), limits, d, show)
		}
	}
	if err == nil {
		err = p.Store().CheckOwn()
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	o.Input, o.Command = p.Meta().Input, os.Args
	show.Note("%s keeps rows of distances from now on, in the place of its factors", p.Dir())
	return p.Replace(cmd.Context(), g, o)
}
