package cuda

import (
	"errors"
	"fmt"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// levelParam is Level of levels.cuh.
type levelParam struct {
	offsets, ends, weights address
	lanes, sources         address
	width                  int32
	lo, hi                 int32
	group                  int32
	fresh, pad             int32
}

// laneTransposeParam is LaneTranspose of levels.cuh.
type laneTransposeParam struct {
	to, lanes, columns, sources address
	width, edge, side           int32
	pad                         int32
}

// What a block of levels.cuh takes.
const (
	levelWarps = 8   // warps of a block
	levelStrip = 256 // lanes of a warp
	patchEdge  = 64  // rows and columns
)

// warpArcs is how many arcs of a row a warp takes at least before another shares them with it.
const warpArcs = 16

// Level implements kernels.LaneOps: each range is a launch.
func (d *Device) Level(on kernels.Stream, v entry.Variant, l kernels.Level) error {
	s, err := d.laneStream(on, v, l.Width)
	r := &resolver{device: d, err: err}
	rows := int32(0)
	for _, g := range l.Ranges {
		if r.err == nil && (g.Lo < 0 || g.Hi < g.Lo || g.Degree < 0) {
			r.err = fmt.Errorf("rows from %d to %d with %d arcs: there are none such", g.Lo, g.Hi, g.Degree)
		}
		rows = max(rows, g.Hi)
	}
	p := &levelParam{width: int32(l.Width), fresh: oneIf(l.Fresh), lanes: r.aligned("lanes", l.Lanes, int64(rows)*int64(l.Width)*int64(v.Bytes())),
		offsets: r.aligned("offsets", l.Offsets, 4*(int64(rows)+1)), ends: r.aligned("ends", l.Ends, 0), weights: r.aligned("weights", l.Weights, 0),
		sources: r.sources(l.Sources, l.Width)}
	for _, g := range l.Ranges {
		if r.err == nil && g.Lo < g.Hi {
			r.err = s.level(v, p, g)
		}
	}
	return in("level", r.err)
}

// level enqueues a range of rows.
func (s *stream) level(v entry.Variant, p *levelParam, g kernels.LevelRange) error {
	p.lo, p.hi, p.group = g.Lo, g.Hi, groupFor(int(g.Degree))
	strips, perBlock := entry.CeilDiv(int(p.width), levelStrip), levelWarps/int(p.group)
	return s.launch(v, levelRows, entry.CeilDiv(int(g.Hi-g.Lo)*strips, perBlock), paramOf(p))
}

// groupFor returns how many warps share the arcs of a row where a row has so many at most.
func groupFor(degree int) int32 {
	group := 1
	for group < levelWarps && degree >= 2*group*warpArcs {
		group *= 2
	}
	return int32(group)
}

// LaneProduct implements kernels.LaneOps by the kernel of MinPlus.
func (d *Device) LaneProduct(on kernels.Stream, v entry.Variant, p kernels.LaneProduct) error {
	s, err := d.laneStream(on, v, p.Width)
	switch {
	case err != nil:
	case p.Edge <= 0 || p.Edge%baseEdge != 0:
		err = fmt.Errorf("weights of edge %d: want a multiple of %d", p.Edge, baseEdge)
	case p.Dst == p.Src || p.Dst == p.Weights:
		err = errors.New("the result is also an operand")
	}
	r := &resolver{device: d, err: err}
	edge, width := int64(p.Edge), int64(p.Width)*int64(v.Bytes())
	to, from, weights := r.aligned("result", p.Dst, edge*width), r.aligned("lanes", p.Src, edge*width), r.aligned("weights", p.Weights, edge*edge*int64(v.Bytes()))
	if r.err == nil {
		list := []listEntry{jobEntry(to, 1, 1, true), {uint64(weights), uint64(from)}}
		r.err = s.multiply(v, list, 1, operandShape{rows: p.Edge, cols: p.Width, lda: p.Edge, ldb: p.Width, ldc: p.Width, depth: p.Edge})
	}
	return in("product of lanes", r.err)
}

// LaneTranspose implements kernels.LaneOps.
func (d *Device) LaneTranspose(on kernels.Stream, v entry.Variant, t kernels.LaneTranspose) error {
	s, err := d.laneStream(on, v, t.Width)
	if err == nil && (t.Edge <= 0 || t.Edge%patchEdge != 0 || t.Width%t.Edge != 0 || t.Side <= 0) {
		err = fmt.Errorf("%d lanes to %d tiles of edge %d: want an edge that is a multiple of %d, and lanes that are one of it", t.Width, t.Side, t.Edge, patchEdge)
	}
	r := &resolver{device: d, err: err}
	columns := int64(t.Side) * int64(t.Edge)
	p := &laneTransposeParam{width: int32(t.Width), edge: int32(t.Edge), side: int32(t.Side), to: r.aligned("result", t.Dst, columns*int64(t.Width)*int64(v.Bytes())),
		lanes:   r.aligned("lanes", t.Lanes, 0), // which rows are looked at, Columns says
		columns: r.aligned("columns", t.Columns, 4*columns), sources: r.sources(t.Sources, t.Width)}
	if r.err == nil {
		r.err = s.launch(v, laneTranspose, int(columns/patchEdge)*(t.Width/patchEdge), paramOf(p))
	}
	return in("transposition of lanes", r.err)
}

// laneStream is ownStream for operations on lanes, of which there are so many.
func (d *Device) laneStream(on kernels.Stream, v entry.Variant, width int) (*stream, error) {
	s, err := d.ownStream(on, v)
	if err == nil && (width <= 0 || width%kernels.DeviceLaneUnit != 0 || width > kernels.MostLanes) {
		err = fmt.Errorf("%d lanes: want a multiple of %d, at most %d", width, kernels.DeviceLaneUnit, kernels.MostLanes)
	}
	return s, err
}

// sources resolves the sources of so many lanes, if there are any.
func (r *resolver) sources(t kernels.Tile, width int) address {
	if t == (kernels.Tile{}) {
		return 0
	}
	return r.aligned("sources", t, 4*int64(width))
}
