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
	laneStart  = 0.1     // to begin
	loadArc    = 0.1e-6  // for each arc, to make the graph ready
	laneByte   = 3.2e-12 // for each source, arc and byte of a distance
	laneSum    = 1.5e-11 // for each distance
	laneColumn = 3.5e-11 // and more where columns are added up, too
	laneSweep  = 4e-6    // for each sweep of a batch
	sweepArc   = 4e-12   // and for each arc
	leastSweep = 20      // of a batch
	nearSweeps = 2       // more for each time that the longest distance is laneNear
	laneNear   = 32      // times as far as on processors, distances are found together
)

// lanesSeconds is about how many seconds devices take to add up so many rows, of which the longest distance is about so
// far; +Inf: they cannot.
func lanesSeconds(r *laned, count int, far float64, d kernels.Device) float64 {
	arcs, rows, batches := float64(r.g.Arcs()), float64(count), float64(entry.CeilDiv(count, mostLanes))
	sum := laneSum
	if !r.g.Symmetric || count < r.g.N {
		sum += laneColumn
	}
	near := far / (laneNear * nearOf(r.g))
	sweeps := leastSweep + nearSweeps*near
	seconds := rows*(arcs*again(near, count, mostLanes)*laneByte*float64(r.kind.Bytes())+sum*float64(r.g.N)) +
		batches*sweeps*(laneSweep+sweepArc*arcs)
	return laneStart + loadArc*arcs + shared[kernels.SearchOps](r.g, d, seconds)
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
	if !is || r.down != nil {
		return nil
	}
	in, weights := r.out, r.weights
	if !r.g.Symmetric {
		back := r.g.Reverse()
		in = r.arcs(back)
		weights = r.weigh(back, in)
	}
	return &LaneGraph{Variant: r.kind.Variant(false), Vertices: r.order, Rank: r.place, Starts: in.start,
		Ends: in.ends, Weights: weights, Near: laneNear * nearOf(r.g)}
}
