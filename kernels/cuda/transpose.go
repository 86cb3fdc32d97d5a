package cuda

import (
	"ooc/kernels"
	"ooc/kernels/entry"
)

// TransposeTile implements kernels.TileOps by the kernel of LaneTranspose: a tile is its own edge of lanes, and every
// row of it a column of one tile.
func (d *Device) TransposeTile(on kernels.Stream, v entry.Variant, t int, dst, src kernels.Tile) error {
	c := d.onLanes(on, v, t)
	c.Want(dst != src, "the result is also the operand")
	area := int64(t) * int64(t) * int64(v.Bytes())
	p := &laneTransposeParam{width: int32(t), edge: int32(t), side: 1, to: c.aligned("result", dst, area),
		lanes: c.aligned("operand", src, area)}
	if c.Err == nil {
		p.columns, c.Err = c.stream.send(inOrder(t))
	}
	c.launch(laneTranspose, (t/patchEdge)*(t/patchEdge), paramOf(p))
	return c.end("transposition of a tile")
}

// inOrder returns the numbers from 0 to n-1 as int32, four to an entry; 4 divides n.
func inOrder(n int) []listEntry {
	list := make([]listEntry, n/4)
	for i := range list {
		k := uint64(4 * i)
		list[i] = listEntry{k | (k+1)<<32, k + 2 | (k+3)<<32}
	}
	return list
}
