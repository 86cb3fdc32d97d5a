package sssp

import "context"

// reduce has a group of threads for each vertex, which deal what leads there among them and then reduce their
// minima, each with its predecessor, to one. The arcs lie as they are given: in a matrix, those into a vertex are a
// column.
var reduce = Method{
	Name: "reduce", Title: "a group of threads reduces each vertex",
	run: func(ctx context.Context, p *problem) (*Result, error) {
		return p.bySweeps(ctx, form{name: "reduce", groups: p.groupChoices()})
	},
}
