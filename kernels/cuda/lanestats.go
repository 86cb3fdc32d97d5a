package cuda

import (
	"ooc/kernels"
	"ooc/kernels/entry"
)

var _ kernels.LaneStats = (*Device)(nil)

// laneEdgesParam and laneNearestParam are LaneEdges and LaneNearest of lanestats.cuh.
type (
	laneEdgesParam struct {
		lanes, edges, counts     address
		width, rows, count, edge int32
	}
	laneNearestParam struct {
		lanes, names, all, parts address
		width, rows, k, partRows int32
	}
)

// What a block of lanestats.cuh takes.
const (
	statStrip = 128 // lanes
	belowRows = 1024
	binRows   = 2048
)

// LaneStat implements kernels.LaneStats.
func (d *Device) LaneStat(on kernels.Stream, v entry.Variant, l kernels.LaneRows, q kernels.LaneQuestion) error {
	a := &laneAsker{d.onLanes(on, v, l.Width), l}
	a.Rows(l.Rows, l.Count, l.Width)
	switch q := q.(type) {
	case kernels.LaneBelow:
		a.edges(q, laneBelow, belowRows, len(q.Edges))
	case kernels.LaneBins:
		a.edges(q, laneBins, binRows, len(q.Edges))
	case kernels.LaneNearest:
		a.nearest(q)
	default:
		a.Want(false, "no kernel answers a %T", q)
	}
	return a.end("statistics of lanes")
}

// laneAsker asks a question.
type laneAsker struct {
	*call
	of kernels.LaneRows
}

// begin resolves the lanes and the memory: where the answer, the data and the memory to work in are.
func (a *laneAsker) begin(q kernels.LaneQuestion) (lanes, answer, data, work address) {
	if a.Err != nil {
		return 0, 0, 0, 0
	}
	toData, toWork, all := q.Room(a.variant, a.of.Width, a.of.Rows).Places()
	answer = a.aligned("memory", a.of.Memory, int64(all))
	lanes = a.aligned("lanes", a.of.Lanes, int64(a.of.Rows)*int64(a.of.Width)*int64(a.variant.Bytes()))
	return lanes, answer, answer + address(toData), answer + address(toWork)
}

// edges counts between so many bytes of edges, some rows in each block.
func (a *laneAsker) edges(q kernels.LaneQuestion, k kernel, rows, bytes int) {
	lanes, answer, data, _ := a.begin(q)
	p := &laneEdgesParam{lanes: lanes, edges: data, counts: answer, width: int32(a.of.Width), rows: int32(a.of.Rows),
		count: int32(a.of.Count), edge: int32(bytes / a.variant.Bytes())}
	a.launch(k, a.strips()*entry.CeilDiv(a.of.Rows, rows), paramOf(p))
}

func (a *laneAsker) nearest(q kernels.LaneNearest) {
	a.Want(q.K >= 1 && q.K <= kernels.MostLaneNear, "the %d nearest: want 1 to %d", q.K, kernels.MostLaneNear)
	lanes, answer, _, work := a.begin(q)
	p := &laneNearestParam{lanes: lanes, names: a.aligned("names", a.of.Names, 4*int64(a.of.Rows)), all: answer,
		parts: work, width: int32(a.of.Width), rows: int32(a.of.Rows), k: int32(q.K), partRows: int32(q.PartRows())}
	a.launch(laneNearest, a.strips()*entry.CeilDiv(a.of.Rows, q.PartRows()), paramOf(p))
	a.launch(nearestOfAll, a.strips(), paramOf(p))
}

func (a *laneAsker) strips() int { return entry.CeilDiv(a.of.Width, statStrip) }
