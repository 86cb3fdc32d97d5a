package main

import (
	"cmp"
	"context"
	"math"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/about"
	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/engine/graph"
	"ooc/engine/graph/gen"
)

type genOptions struct {
	line
	gen.Options
}

func genCommand() *cobra.Command {
	o := &genOptions{}
	cmd := about.Command("gen", cobra.ExactArgs(2), about.Extensions(),
		about.List(gen.Kinds, "\n  %-10s %s", "Name", "Title"))
	cmd.ValidArgs = about.Names(gen.Kinds)
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
	for _, k := range gen.Kinds {
		if k.Name == kind && k.Arcs == nil && !o.has("arcs") { // it has as many arcs as it is asked for
			o.M = 10 * o.N
		}
	}
	exit.Graceful.Store(true)
	return gen.File(ctx, kind, o.Options, file)
}
