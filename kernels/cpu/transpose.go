package cpu

import (
	"ooc/kernels"
	"ooc/kernels/entry"
)

// transposeRows is how many rows of a tile a worker transposes at a time.
const transposeRows = 64

// TransposeTile implements kernels.TileOps by Transpose of kernels.HostLaneOps.
func (d *Device) TransposeTile(s kernels.Stream, v entry.Variant, t int, dst, src kernels.Tile) error {
	c := d.on(s)
	if c.Err == nil {
		_, c.Err = c.stream.shape(v, t)
	}
	c.Want(dst != src, "the result is also the operand")
	each := v.Bytes()
	size := int64(t) * int64(t) * int64(each)
	to, from := c.bytes("result", dst, size), c.bytes("operand", src, size)
	return c.run("transpose", func() {
		places, rows := make([]int64, t), make([]int32, t)
		for i := range places {
			places[i], rows[i] = int64(i*t)*int64(each), int32(i)
		}
		d.pool.run(t/transposeRows, func(_ *worker, part int) {
			first := part * transposeRows
			d.Transpose(to[first*each:], places, kernels.Lanes{Data: from, Width: t, Entry: each},
				rows[first:first+transposeRows], false)
		})
	})
}
