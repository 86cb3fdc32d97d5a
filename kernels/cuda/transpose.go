package cuda

import (
	"errors"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// TransposeTile implements kernels.TileOps by the kernel of LaneTranspose: a tile is its own edge of lanes, and every
// row of it a column of one tile.
func (d *Device) TransposeTile(on kernels.Stream, v entry.Variant, t int, dst, src kernels.Tile) error {
	s, err := d.laneStream(on, v, t)
	if err == nil && dst == src {
		err = errors.New("the result is also the operand")
	}
	r := &resolver{device: d, err: err}
	area := int64(t) * int64(t) * int64(v.Bytes())
	p := &laneTransposeParam{width: int32(t), edge: int32(t), side: 1, to: r.aligned("result", dst, area), lanes: r.aligned("operand", src, area)}
	if r.err == nil {
		p.columns, r.err = s.send(inOrder(t))
	}
	if r.err == nil {
		r.err = s.launch(v, laneTranspose, (t/patchEdge)*(t/patchEdge), paramOf(p))
	}
	return in("transposition of a tile", r.err)
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
