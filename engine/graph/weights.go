package graph

import "context"

// Weights is the matrix that a solve begins with: a *graph.Graph, or a *dense.Matrix, whose entries stay in their
// file. Its methods may be called by several goroutines.
type Weights interface {
	// Facts describe the matrix for making and planning a store.
	Facts() Facts
	// Check proves that no cycle is negative and that a matrix of the kind can hold every distance. It fails with the
	// cause of ctx if that ends first.
	Check(ctx context.Context) error
	// FillTile writes tile (i, j) of edge t, row by row, into dst, t·t entries of the kind.
	FillTile(dst []byte, t, i, j int) error
}
