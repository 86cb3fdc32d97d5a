package graph

import "context"

// Weights is the matrix that a solve begins with: *graph.Graph, or *graph.Dense, whose entries stay in their
// file. Its methods may be called by several goroutines.
type Weights interface {
	// Facts are what the store is made and planned by.
	Facts() Facts
	// Check proves that no cycle is negative and that a matrix of the kind can hold every distance. It fails with why
	// ctx ended, if that is sooner.
	Check(ctx context.Context) error
	// FillTile writes tile (i, j) of edge t, row by row, into dst, 4·t·t bytes.
	FillTile(dst []byte, t, i, j int) error
}
