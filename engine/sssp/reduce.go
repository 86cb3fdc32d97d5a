package sssp

import "context"

// reduce has a group of threads for each vertex. They share the arcs into it, and then reduce their minima, each with
// its predecessor, to one. Arcs are read where they lie in the input: in a matrix, the arcs into a vertex are a
// column.
var reduce = method{
	Name: "reduce", Title: "a group of threads reduces each vertex",
	Run: func(ctx context.Context, p *problem) (*Result, error) {
		return p.byVectors(ctx, form{name: "reduce", groups: p.groupChoices()})
	},
}
