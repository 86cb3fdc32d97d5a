package sssp

import "context"

// coarse is reduce over the transposed matrix, so that a group reads neighbouring entries. In compressed rows the
// arcs into a vertex are neighbours anyway, so there coarse and reduce are the same.
var coarse = method{
	Name: "coarse", Title: "the same over the transposed matrix, so that a group reads neighbours",
	Run: func(ctx context.Context, p *problem) (*Result, error) {
		return p.byVectors(ctx, form{name: "coarse", transposed: true, groups: p.groupChoices()})
	},
}
