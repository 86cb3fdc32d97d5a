package cpu

import (
	"errors"
	"fmt"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// transposeRows is how many rows of a tile a worker transposes at a time.
const transposeRows = 64

// TransposeTile implements kernels.TileOps by Transpose of kernels.HostLaneOps.
func (d *Device) TransposeTile(s kernels.Stream, v entry.Variant, t int, dst, src kernels.Tile) error {
	own, err := d.ownStream(s)
	if err == nil {
		_, err = own.shape(v, t)
	}
	if err == nil && dst == src {
		err = errors.New("the result is also the operand")
	}
	each := v.Bytes()
	size := int64(t) * int64(t) * int64(each)
	to, terr := d.resolve(dst, size)
	from, ferr := d.resolve(src, size)
	if err := errors.Join(err, terr, ferr); err != nil {
		return fmt.Errorf("cpu: transpose: %w", err)
	}
	return d.enqueueOn(s, func() {
		places, rows := make([]int64, t), make([]int32, t)
		for i := range places {
			places[i], rows[i] = int64(i*t)*int64(each), int32(i)
		}
		d.pool.run(t/transposeRows, func(_ *worker, part int) {
			first := part * transposeRows
			d.Transpose(to[first*each:], places, kernels.Lanes{Data: from, Width: t, Entry: each}, rows[first:first+transposeRows], false)
		})
	})
}
