package sssp

import "context"

// auto is a product for many sources, and else the coarse form, in which one thread a vertex is one of the groups to
// choose from.
var auto = Method{
	Name: "auto", Title: "product from several sources, else coarse, with the fastest group",
	run: func(ctx context.Context, p *problem) (*Result, error) {
		if len(p.Sources) >= severalSources && p.Group == 0 {
			return product.run(ctx, p)
		}
		return p.bySweeps(ctx, form{name: coarse.Name, transposed: true, groups: append([]int{1}, p.groupChoices()...)})
	},
}

// severalSources is from how many sources on a product is faster than a vector for each, by measurement
// (docs/methods.md).
const severalSources = 4

// groupChoices are worth trying on the device: a processor's threads have a few minima each in registers, a GPU's
// groups are warps and blocks.
func (p *problem) groupChoices() []int {
	switch {
	case p.Device.Info().SharedCores:
		return []int{2, 4, 8, 16}
	case p.into != nil: // most vertices have few arcs
		return []int{2, 4, 8, 16, 32}
	}
	return []int{8, 16, 32, 64, 128, 256}
}
