package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/engine/graph"
	"ooc/engine/graph/gen"
	"ooc/engine/graph/write"
)

type genOptions struct {
	line
	gen.Options
}

func genCommand() *cobra.Command {
	o := &genOptions{}
	var kinds, formats strings.Builder
	var names []string
	for _, g := range gen.Kinds {
		names = append(names, g.Name)
		fmt.Fprintf(&kinds, "\n  %-10s %s", g.Name, g.Title)
	}
	for _, w := range write.Formats {
		fmt.Fprintf(&formats, " %s", strings.Join(w.Extensions, " "))
	}
	cmd := &cobra.Command{
		Use:       "gen KIND -n N [-m M] [--seed S] FILE",
		Short:     "Generate a graph",
		Long:      longHelp("gen", formats.String(), kinds.String()),
		ValidArgs: names,
		Args:      cobra.ExactArgs(2),
	}
	fl := cmd.Flags()
	fl.VarP(flagvalue.Between(&o.N, 1, graph.MaxVertices), "vertices", "n", "vertices")
	fl.VarP(flagvalue.Between(&o.M, 0, math.MaxInt64/2), "arcs", "m",
		"arcs, undirected edges, of kinds with M of them (default: 10 a vertex)")
	o.Seed = 1
	fl.Var(flagvalue.Seed(&o.Seed), "seed", "seed of the generator")
	fl.BoolVar(&o.Undirected, "undirected", false, "an edge for each arc, of one weight both ways")
	fl.BoolVar(&o.Unweighted, "unweighted", false, "all weights are 1")
	fl.BoolVar(&o.Overwrite, "overwrite", false, "replace FILE if it is there")
	return runs(cmd, &o.line, o.run)
}

func (o *genOptions) run(ctx context.Context) error {
	kind, file := o.args[0], o.args[1]
	err := cmp.Or(exit.Refuse(o.N <= 0, "give the number of vertices: -n N"), o.output(file, o.Overwrite).Check())
	if err != nil {
		return err
	}
	asked := func(g gen.Kind) bool { return g.Name == kind && g.Arcs == nil } // it has as many arcs as it is asked for
	if !o.has("arcs") && slices.ContainsFunc(gen.Kinds, asked) {
		o.M = 10 * o.N
	}
	exit.Graceful.Store(true)
	return gen.File(ctx, kind, o.Options, file)
}
