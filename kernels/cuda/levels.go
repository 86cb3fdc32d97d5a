package cuda

import (
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/kernels/internal/ledger"
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

// arcProductParam is ArcProduct of levels.cuh.
type arcProductParam struct {
	to, offsets, ends, weights address
	offsets2, ends2, weights2  address
	edge, fresh                int32
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
	c := d.onLanes(on, v, l.Width)
	rows := c.Level(l.Ranges)
	p := &levelParam{width: int32(l.Width), fresh: ledger.OneIf[int32](l.Fresh),
		lanes:   c.aligned("lanes", l.Lanes, int64(rows)*int64(l.Width)*int64(v.Bytes())),
		offsets: c.aligned("offsets", l.Offsets, 4*(int64(rows)+1)), ends: c.aligned("ends", l.Ends, 0),
		weights: c.aligned("weights", l.Weights, 0),
		sources: c.sources(l.Sources, l.Width)}
	for _, g := range l.Ranges {
		p.lo, p.hi, p.group = g.Lo, g.Hi, groupFor(int(g.Degree))
		strips, perBlock := entry.CeilDiv(l.Width, levelStrip), levelWarps/int(p.group)
		c.launch(levelRows, entry.CeilDiv(int(g.Hi-g.Lo)*strips, perBlock), paramOf(p))
	}
	return c.end("level")
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
	c := d.onLanes(on, v, p.Width)
	c.Product(&p)
	edge, width := int64(p.Edge), int64(p.Width)*int64(v.Bytes())
	to, from, weights := c.aligned("result", p.Dst, edge*width), c.aligned("lanes", p.Src, edge*width),
		c.aligned("weights", p.Weights, edge*edge*int64(v.Bytes()))
	if c.Err == nil {
		list := []listEntry{jobEntry(to, 1, 1, true), {uint64(weights), uint64(from)}}
		c.Err = c.stream.multiply(v, list, 1, operandShape{rows: p.Edge, cols: p.Width, lda: p.Edge, ldb: p.Width,
			ldc: p.Width, depth: p.Edge})
	}
	return c.end("product of lanes")
}

// ArcProduct implements kernels.LaneOps: a block of threads takes a row.
func (d *Device) ArcProduct(on kernels.Stream, v entry.Variant, a kernels.ArcProduct) error {
	c := d.onLanes(on, v, a.Edge)
	p := &arcProductParam{edge: int32(a.Edge), fresh: ledger.OneIf[int32](a.Fresh),
		to:       c.aligned("result", a.Dst, int64(a.Edge)*int64(a.Edge)*int64(v.Bytes())),
		offsets:  c.aligned("offsets", a.Offsets, 4*(int64(a.Edge)+1)),
		ends:     c.aligned("ends", a.Ends, 0),
		weights:  c.aligned("weights", a.Weights, 0),
		offsets2: c.aligned("offsets of the second list", a.Offsets2, 0),
		ends2:    c.aligned("ends of the second list", a.Ends2, 0),
		weights2: c.aligned("weights of the second list", a.Weights2, 0)}
	c.launch(arcProduct, a.Edge, paramOf(p))
	return c.end("product of arcs")
}

// LaneTranspose implements kernels.LaneOps.
func (d *Device) LaneTranspose(on kernels.Stream, v entry.Variant, t kernels.LaneTranspose) error {
	c := d.onLanes(on, v, t.Width)
	c.Transpose(&t)
	columns := int64(t.Side) * int64(t.Edge)
	p := &laneTransposeParam{width: int32(t.Width), edge: int32(t.Edge), side: int32(t.Side),
		to:      c.aligned("result", t.Dst, columns*int64(t.Width)*int64(v.Bytes())),
		lanes:   c.aligned("lanes", t.Lanes, 0), // which rows are looked at, Columns says
		columns: c.aligned("columns", t.Columns, 4*columns), sources: c.sources(t.Sources, t.Width)}
	c.launch(laneTranspose, int(columns/patchEdge)*(t.Width/patchEdge), paramOf(p))
	return c.end("transposition of lanes")
}

// sources resolves the sources of so many lanes, if there are any.
func (c *call) sources(t kernels.Tile, width int) address {
	if t == (kernels.Tile{}) {
		return 0
	}
	return c.aligned("sources", t, 4*int64(width))
}
