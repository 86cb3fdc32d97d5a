package main

import (
	"github.com/spf13/cobra"

	"ooc/engine/graph"
	"ooc/tiles"
)

// addSources adds --sources.
func addSources(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "sources", "", "keep only the rows of these vertices: ids and ranges a,b..c, a file of them, or random:K (default: all)")
}

// sourcesOf returns the rows that --sources names, ascending; none for all.
func sourcesOf(f graph.Facts, list string) (tiles.RowSet, error) {
	rows, err := verticesOf(f).Sources(list)
	return rows, err
}
