package sssp

import "context"

// naive has one thread for each vertex, which goes through all arcs into it.
var naive = method{
	Name: "naive", Title: "one thread a vertex",
	Run: func(ctx context.Context, p *problem) (*Result, error) {
		return p.byVectors(ctx, form{name: "naive", groups: []int{1}})
	},
}
