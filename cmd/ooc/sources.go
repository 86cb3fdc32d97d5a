package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/engine/graph"
	"ooc/engine/parts"
	"ooc/engine/plan"
	"ooc/tiles"
)

// addSources adds --sources.
func addSources(cmd *cobra.Command, to *string) {
	cmd.Flags().Var(flagvalue.Sources(to), "sources", "keep only the rows of these vertices: ids and ranges a,b..c, a file of them, random:K, or part:I/K, the I-th of K parts of all rows, which ooc merge puts together (default: all)")
}

// sourcesOf returns the rows that --sources names, ascending; none for all. A part has whole rows of tiles of the given edge; 0:
// that of a store of all rows, which does not depend on the part. The edge that a new store has to have is returned, 0 if any
// will do.
func sourcesOf(f graph.Facts, list string, tile int) (tiles.RowSet, int, error) {
	i, k, part, err := flagvalue.Part(list)
	if err != nil {
		return nil, 0, exit.UsageError(err)
	}
	if !part {
		rows, err := verticesOf(f).Sources(list)
		return rows, tile, err
	}
	tile = cmp.Or(tile, plan.RowTile(f.Kind, f.N, f.N, f.Symmetric))
	rows, err := parts.Rows(f.N, tile, i, k)
	if err != nil {
		err = exit.UsageError(fmt.Errorf("--sources %s: %w", list, err))
	}
	return rows, tile, err
}
