package searches

import (
	"ooc/engine/rows"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// mostLanes is how many sources there are in a batch on a device at most.
const mostLanes = 512

// Measured on an H100 (docs/benchmarks.md).
const (
	laneStart = 0.1     // to copy a graph to a device
	laneBatch = 0.5e-3  // for each batch
	laneArc   = 5.5e-12 // for each source and arc
	laneByte  = 3.5e-12 // and for each byte of a distance
	laneNear  = 32      // times as far as on processors, distances are found together
)

// lanesSeconds is about how many seconds devices take to add up so many rows; +Inf: they cannot.
func lanesSeconds(r *laned, count int, d kernels.Device) float64 {
	batches := float64(entry.CeilDiv(count, mostLanes))
	arc := laneArc + laneByte*float64(r.kind.Bytes())
	seconds := batches*laneBatch + arc*float64(r.g.Arcs())*float64(count)
	return laneStart + shared[kernels.SearchOps](r.g, d, seconds)
}

// LaneGraph is a graph as devices search it by lanes. Vertices are ranks.
type LaneGraph struct {
	Variant        entry.Variant // of the lanes
	Vertices, Rank []int32       // by rank, and the rank of each
	Starts         []int64       // of the arcs into each rank, and where all end
	Ends           []int32       // the ranks from which they lead
	Weights        []uint32      // as Variant.Weights has them
	Near           float64       // distances that are no farther apart are found together
}

// InLanes returns a graph that is searched by lanes; nil: it is not.
func InLanes(ready rows.Ready) *LaneGraph {
	r, is := ready.(*laned)
	if !is {
		return nil
	}
	in, weights := r.out, r.weights
	if !r.g.Symmetric {
		back := r.g.Reverse()
		in, weights = r.arcs(back), r.weigh(back)
	}
	return &LaneGraph{Variant: r.kind.Variant(false), Vertices: r.order, Rank: r.place, Starts: in.start,
		Ends: in.ends, Weights: weights, Near: laneNear * nearOf(r.g)}
}
