package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"ooc/engine/graph"
)

func genCommand() *cobra.Command {
	var o graph.GenerateOptions
	var kinds []string
	for _, g := range graph.Generators {
		kinds = append(kinds, g.Name+": "+g.Title)
	}
	cmd := &cobra.Command{
		Use:   "gen KIND FILE",
		Short: "Generate a graph",
		Long:  "gen writes a graph to FILE, in the format and compression that its extensions name. The same seed gives the\nsame bytes on every platform. Kinds:\n  " + strings.Join(kinds, "\n  "),
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.N <= 0 {
				return usageError{errors.New("give the number of vertices: -n N")}
			}
			if !cmd.Flags().Changed("arcs") {
				o.M = 10 * o.N
			}
			graceful.Store(true)
			err := graph.Generate(cmd.Context(), args[0], o, args[1])
			if errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("%w; replace it with --overwrite", err)
			}
			return err
		},
	}
	fl := cmd.Flags()
	fl.Int64VarP(&o.N, "vertices", "n", 0, "vertices")
	fl.Int64VarP(&o.M, "arcs", "m", 0, "arcs (default: 10 a vertex)")
	fl.Uint64Var(&o.Seed, "seed", 1, "seed of the generator")
	fl.BoolVar(&o.Overwrite, "overwrite", false, "replace FILE if it is there")
	return cmd
}
