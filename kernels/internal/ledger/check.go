package ledger

import (
	"fmt"
	"math/bits"

	"ooc/kernels"
)

// Check keeps the first error of an operation. Its methods are what more than one device wants.
type Check struct{ Err error }

// Want notes an error unless ok.
func (c *Check) Want(ok bool, format string, args ...any) {
	if c.Err == nil && !ok {
		c.Err = fmt.Errorf(format, args...)
	}
}

// Group wants a number of threads that reduce together.
func (c *Check) Group(group int) {
	c.Want(group >= 1 && group <= kernels.MaxGroup && bits.OnesCount(uint(group)) == 1,
		"group of %d: want a power of two up to %d", group, kernels.MaxGroup)
}

// Block wants a part of a graph's arcs.
func (c *Check) Block(b *kernels.Block) {
	c.Want(b.Lo >= 0 && b.Hi >= b.Lo && (b.Edge == 0 || b.Edge >= b.Hi-b.Lo && b.Rows >= 0 && b.Row >= 0),
		"block of the vertices %d…%d, %d×%d entries from row %d on", b.Lo, b.Hi-1, b.Rows, b.Edge, b.Row)
}

// Lanes wants a number of lanes that kernels.LaneOps take.
func (c *Check) Lanes(width int) {
	c.Want(width > 0 && width%kernels.DeviceLaneUnit == 0 && width <= kernels.MostLanes,
		"%d lanes: want a multiple of %d, at most %d", width, kernels.DeviceLaneUnit, kernels.MostLanes)
}

// Level wants ranges of rows. It returns the end of the last.
func (c *Check) Level(ranges []kernels.LevelRange) (rows int32) {
	for _, g := range ranges {
		c.Want(g.Lo >= 0 && g.Hi >= g.Lo && g.Degree >= 0, "rows from %d to %d with %d arcs: there are none such", g.Lo,
			g.Hi, g.Degree)
		rows = max(rows, g.Hi)
	}
	return rows
}

// Product wants operands of which none is the result.
func (c *Check) Product(p *kernels.LaneProduct) {
	c.Want(p.Edge > 0 && p.Edge%kernels.DeviceLaneUnit == 0, "weights of edge %d: want a multiple of %d", p.Edge,
		kernels.DeviceLaneUnit)
	c.Want(p.Dst != p.Src && p.Dst != p.Weights, "the result is also an operand")
}

// Transpose wants lanes that fill tiles, but for the last one of a column of them.
func (c *Check) Transpose(t *kernels.LaneTranspose) {
	c.Want(t.Edge > 0 && t.Edge%kernels.DeviceLaneUnit == 0 && t.Side > 0 && (t.Side == 1 || t.Width%t.Edge == 0),
		"%d lanes to %d tiles of edge %d: want an edge that is a multiple of %d, and lanes that are one of it",
		t.Width, t.Side, t.Edge, kernels.DeviceLaneUnit)
}

// Rows wants rows of lanes, of which some count.
func (c *Check) Rows(rows, count, width int) {
	c.Want(rows >= 0 && count >= 0 && count <= width, "%d rows, %d of %d lanes", rows, count, width)
}

// OneIf is 1 if b is true, as kernels take it, and else 0.
func OneIf[N int | int32](b bool) N {
	if b {
		return 1
	}
	return 0
}
