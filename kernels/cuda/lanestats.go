package cuda

import (
	"errors"
	"fmt"

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
	s, err := d.laneStream(on, v, l.Width)
	if err == nil && (l.Rows < 0 || l.Count < 0 || l.Count > l.Width) {
		err = fmt.Errorf("%d rows, %d of %d lanes", l.Rows, l.Count, l.Width)
	}
	a := &laneAsker{resolver: resolver{device: d, err: err}, stream: s, variant: v, LaneRows: l}
	switch q := q.(type) {
	case kernels.LaneBelow:
		a.edges(q, laneBelow, belowRows, len(q.Edges))
	case kernels.LaneBins:
		a.edges(q, laneBins, binRows, len(q.Edges))
	case kernels.LaneNearest:
		a.nearest(q)
	default:
		a.err = errors.Join(a.err, fmt.Errorf("no kernel answers a %T", q))
	}
	return in("statistics of lanes", a.err)
}

// laneAsker asks a question, and keeps the first error.
type laneAsker struct {
	resolver
	stream  *stream
	variant entry.Variant
	kernels.LaneRows
}

// begin resolves the lanes and the memory: where the answer, the data and the memory to work in are.
func (a *laneAsker) begin(q kernels.LaneQuestion) (lanes, answer, data, work address) {
	if a.err != nil {
		return 0, 0, 0, 0
	}
	toData, toWork, all := q.Room(a.variant, a.Width, a.Rows).Places()
	answer = a.aligned("memory", a.Memory, int64(all))
	lanes = a.aligned("lanes", a.Lanes, int64(a.Rows)*int64(a.Width)*int64(a.variant.Bytes()))
	return lanes, answer, answer + address(toData), answer + address(toWork)
}

// edges counts between so many bytes of edges, some rows in each block.
func (a *laneAsker) edges(q kernels.LaneQuestion, k kernel, rows, bytes int) {
	lanes, answer, data, _ := a.begin(q)
	p := &laneEdgesParam{lanes: lanes, edges: data, counts: answer, width: int32(a.Width), rows: int32(a.Rows), count: int32(a.Count),
		edge: int32(bytes / a.variant.Bytes())}
	a.launch(k, a.strips()*entry.CeilDiv(a.Rows, rows), paramOf(p))
}

func (a *laneAsker) nearest(q kernels.LaneNearest) {
	if a.err == nil && (q.K < 1 || q.K > kernels.MostLaneNear) {
		a.err = fmt.Errorf("the %d nearest: want 1 to %d", q.K, kernels.MostLaneNear)
	}
	lanes, answer, _, work := a.begin(q)
	p := &laneNearestParam{lanes: lanes, names: a.aligned("names", a.Names, 4*int64(a.Rows)), all: answer, parts: work,
		width: int32(a.Width), rows: int32(a.Rows), k: int32(q.K), partRows: int32(q.PartRows())}
	a.launch(laneNearest, a.strips()*entry.CeilDiv(a.Rows, q.PartRows()), paramOf(p))
	a.launch(nearestOfAll, a.strips(), paramOf(p))
}

func (a *laneAsker) strips() int { return entry.CeilDiv(a.Width, statStrip) }

func (a *laneAsker) launch(k kernel, blocks int, p param) {
	if a.err == nil && blocks > 0 {
		a.err = a.stream.launch(a.variant, k, blocks, p)
	}
}
