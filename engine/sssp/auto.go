package sssp

import "context"

// auto is the product if there are several sources, and otherwise the coarse form, with one thread per vertex as one
// of the groups to choose from.
var auto = method{
	Name: "auto", Title: "product from several sources, else coarse, with the fastest group",
	Run: func(ctx context.Context, p *problem) (*Result, error) {
		if len(p.Sources) >= severalSources && p.Group == 0 {
			return product.Run(ctx, p)
		}
		return p.byVectors(ctx, form{name: coarse.Name, transposed: true,
			groups: append([]int{1}, p.groupChoices()...)})
	},
}

// severalSources is the number of sources from which on a product is faster than a vector for each source (measured:
// docs/methods.md).
const severalSources = 4

// groupChoices returns the groups that are worth trying on the device. On a processor one thread does the work of a
// group; on a GPU a group is a part of a warp, or several warps.
func (p *problem) groupChoices() []int {
	switch {
	case p.Device.Info().SharedCores:
		return []int{2, 4, 8, 16}
	case p.into != nil: // most vertices have few arcs
		return []int{2, 4, 8, 16, 32}
	}
	return []int{8, 16, 32, 64, 128, 256}
}
