package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/exit"
	"ooc/engine/graph"
	"ooc/tiles"
)

// addSources adds --sources.
func addSources(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "sources", "", "keep only the rows of these vertices: ids and ranges a,b..c, a file of them, or random:K (default: all)")
}

// sourcesOf returns the rows that --sources names, ascending; none for all.
func sourcesOf(f graph.Facts, list string) (tiles.RowSet, error) {
	if list == "" {
		return nil, nil
	}
	v := verticesOf(f)
	if text, ok := strings.CutPrefix(list, "random:"); ok {
		return randomSources(text, f.N)
	}
	if _, err := v.Find(list); err != nil {
		if info, err := os.Stat(list); err == nil && info.Mode().IsRegular() {
			list = "@" + list
		}
	}
	at, err := v.Selection("sources", list)
	if err != nil {
		return nil, err
	}
	rows := make(tiles.RowSet, len(at))
	for i, row := range at {
		rows[i] = int32(row)
	}
	slices.Sort(rows)
	return slices.Compact(rows), nil
}

// randomSources picks K of n vertices, the same in every run, so that the same command continues its store.
func randomSources(text string, n int) (tiles.RowSet, error) {
	k, err := strconv.Atoi(text)
	if err != nil || k < 1 || k > n {
		return nil, exit.UsageError(fmt.Errorf("--sources random:%s: want a number from 1 to %d", text, n))
	}
	rows := make(tiles.RowSet, 0, k)
	r := rand.New(rand.NewPCG(uint64(n), uint64(k)))
	for v := range n { // Knuth's algorithm S
		if r.IntN(n-v) < k-len(rows) {
			rows = append(rows, int32(v))
		}
	}
	return rows, nil
}
