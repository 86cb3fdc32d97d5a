package eliminate

import (
	"ooc/engine/plan"
	"ooc/engine/sparse"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// batchesAtOnce is how many batches an expansion keeps in flight on a device: one is computed while another is copied
// out.
const batchesAtOnce = 3

// deviceShape fits an expansion to the memory of a device. It returns the lanes of a batch, which fill whole rows of
// tiles, and the number of batches. Both are 0 if not even one row of tiles fits, or if the tile edge does not suit
// devices.
func deviceShape(s sparse.Shape, info kernels.Info, tileRows int) (lanes, batches int) {
	room := info.Memory - info.Scratch - s.FixedBytes()
	if s.Edge%kernels.DeviceLaneUnit != 0 || tileRows <= 0 {
		return 0, 0
	}
	fits := func() bool {
		s.Lanes = lanes
		return s.BatchBytes()*int64(batches) <= room
	}
	lanes, batches = s.Edge*min(max(1, plan.BatchLanes/s.Edge), tileRows), batchesAtOnce
	batches = min(batches, entry.CeilDiv(tileRows*s.Edge, lanes))
	for !fits() {
		switch {
		case batches > 2:
			batches--
		case lanes > s.Edge:
			lanes = max(s.Edge, lanes/2/s.Edge*s.Edge)
		case batches > 1:
			batches--
		default:
			return 0, 0
		}
	}
	return lanes, batches
}

// shape returns the shape of the expansion if elimination stops at w.
func (x *planner) shape(w sparse.Work) sparse.Shape {
	return sparse.Shape{Variant: x.Graph.Kind.Variant(x.Graph.Negative), Vertices: w.Vertices, Core: w.Core,
		Arcs: 2 * w.Fill, Edge: x.tile}
}

// onDevice is deviceShape for the expansion if elimination stops at w; both are 0 where the processor has to do it.
func (x *planner) onDevice(w sparse.Work) (lanes, batches int) {
	if x.Rates.Levels == 0 {
		return 0, 0
	}
	return deviceShape(x.shape(w), x.Info, entry.CeilDiv(x.rows, x.tile))
}

// Measured on an H100 (docs/benchmarks.md). levelShare is the rate of real levels as a share of the sample's, whose
// rows all have the same number of arcs. Copies and levels overlap; overlapLoss is the share of the shorter of the
// two that still adds to the time.
const (
	levelShare  = 0.45
	overlapLoss = 0.3
)

// launchSeconds is the time of an almost empty launch on an H100 (docs/cuda.md).
const launchSeconds = 3e-6

// deviceSeconds is the time to set up a GPU: memory, streams and the first launch. It matters for small problems.
const deviceSeconds = 30e-3

// moveToDevice moves the expansion to the device if it fits there and takes at most the given seconds. The estimate
// counts on overlap: some batches are computed while others are copied out and others are written.
func (x *planner) moveToDevice(p *Plan, w sparse.Work, most float64) {
	lanes, batches := x.onDevice(w)
	if lanes == 0 {
		return
	}
	r, s := &x.Rates, x.shape(w)
	rows, n, core := float64(x.rows), float64(w.Vertices), float64(w.Core)
	// 5n: the climb writes each entry, the sweep down and the transposition each read and write it.
	compute := rows*(2*float64(w.Fill)+5*n)/(levelShare*r.Levels) + rows*core*core/r.Kernel
	link := x.RowBytes(x.tile, x.rows) / r.Out
	first := (compute + link) * min(1, float64(lanes)/rows) // nothing overlaps with the first batch
	if devices := float64(x.Info.Devices); devices > 1 {
		compute, link = compute/devices, link/devices
	}
	both := max(compute, link) + overlapLoss*min(compute, link)
	seconds := max(both, x.RowSeconds(x.tile, x.rows)) + first + deviceSeconds
	seconds += float64(oneTile(w.Core, x.Graph.Kind)) * coreCopies
	if r.Lock > 0 {
		seconds += float64(x.hostRows()) * float64(entry.CeilDiv(w.Vertices,
			x.tile)*x.tile*x.tile) * float64(x.Graph.Kind.Bytes()) / r.Lock
	}
	if seconds > most {
		return
	}
	s.Lanes = lanes
	p.ExpandSeconds = seconds
	p.Lanes, p.Batches, p.DeviceBytes = lanes, batches, s.FixedBytes()+int64(batches)*s.BatchBytes()
}

// hostRows is how many rows of tiles host memory is allocated for.
func (x *planner) hostRows() int {
	return min(tileRowsAtOnce(x.Rates.Threads()), entry.CeilDiv(x.rows, x.tile))
}

// tileRowsAtOnce is how many rows of tiles to hold in host memory at once: one for each writer, and some that are being
// copied.
func tileRowsAtOnce(threads int) int { return writers(threads) + 4 }

// writers is how many goroutines write rows of tiles. More than eight would only wait for each other at the file.
func writers(threads int) int { return min(threads, 8) }
