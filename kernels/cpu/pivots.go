package cpu

import (
	"bytes"
	"sync/atomic"
	"unsafe"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// Pivots implements kernels.TileOps. Climb of kernels.HostLaneOps does the work: it lowers all rows that reach the
// pivot by the pivot's row.
func (d *Device) Pivots(s kernels.Stream, v entry.Variant, t int, tiles []kernels.Tile, lo, hi int) error {
	c, x := d.on(s), &rankOne{variant: v}
	if c.Err == nil {
		x.arithmetic, c.Err = c.stream.shape(v, t)
	}
	if c.Err == nil {
		x.pivot, c.Err = d.newPivot(t, x.entryBytes, tiles)
	}
	if c.Err == nil {
		x.ends, x.weights = make([][]int32, x.m), make([][]uint32, x.m)
		c.Want(lo >= 0 && hi >= lo && hi <= x.m*t, "%d…%d of %d tiles of %d", lo, hi-1, len(tiles), t)
	}
	return c.run("pivots", func() {
		for k := lo; k < hi; k++ {
			x.reach(k)
			d.pool.run(x.m*x.m, func(_ *worker, tile int) { x.lower(k, tile/x.m, tile%x.m) })
		}
	})
}

// rankOne is a matrix that is lowered pivot by pivot.
type rankOne struct {
	*pivot
	arithmetic
	variant entry.Variant
	ends    [][]int32  // by row of tiles: the rows that reach the pivot
	weights [][]uint32 // and how far it is from them, as in kernels.Arcs
}

// reach copies the pivot's column. Other threads write it while it is used, though only with the values that it has.
func (x *rankOne) reach(k int) {
	kind := x.variant.Kind()
	for i := range x.m {
		x.ends[i], x.weights[i] = x.ends[i][:0], x.weights[i][:0]
		for r := range x.t {
			w := kind.At(unsafe.Slice(x.at(i*x.t+r, k).p, kind.Bytes()), 0)
			if w == kind.Unreachable() || i*x.t+r == k {
				continue
			}
			x.ends[i], x.weights[i] = append(x.ends[i], int32(r)), append(x.weights[i], uint32(w))
			if x.variant.WeightBytes() == 8 {
				x.weights[i] = append(x.weights[i], uint32(w>>32))
			}
		}
	}
}

// lower lowers tile (i, j) by the pivot's row.
func (x *rankOne) lower(k, i, j int) {
	if len(x.ends[i]) == 0 {
		return
	}
	row, tile, stride := x.at(k, j*x.t).p, x.at(i*x.t, j*x.t).p, x.t*x.entryBytes
	for b := 0; b < stride; b += x.climbBytes {
		x.climb(addr(row, b), addr(tile, b), at(x.ends[i], 0), at(x.weights[i], 0), len(x.ends[i]), stride)
	}
}

// Differ implements kernels.TileOps.
func (d *Device) Differ(s kernels.Stream, flag, a, b kernels.Tile, size int64) error {
	c := d.on(s)
	mark, x, y := vector[int32](c, "flag", flag, 1), c.bytes("a", a, size), c.bytes("b", b, size)
	return c.run("differ", func() {
		if atomic.LoadInt32(&mark[0]) == 0 && !bytes.Equal(x, y) {
			atomic.StoreInt32(&mark[0], 1)
		}
	})
}
