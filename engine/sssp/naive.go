package sssp

import "context"

// naive has one thread for each vertex, which goes through all that lead there.
var naive = Method{
	Name: "naive", Title: "one thread a vertex",
	run: func(ctx context.Context, p *problem) (*Result, error) {
		return p.bySweeps(ctx, form{name: "naive", groups: []int{1}})
	},
}
