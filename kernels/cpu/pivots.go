package cpu

import (
	"bytes"
	"fmt"
	"sync/atomic"
	"unsafe"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// Pivots implements kernels.TileOps. Climb of kernels.HostLaneOps does the work: it lowers all rows that reach the
// pivot by the pivot's row.
func (d *Device) Pivots(s kernels.Stream, v entry.Variant, t int, tiles []kernels.Tile, lo, hi int) error {
	own, err := d.ownStream(s)
	if err != nil {
		return fmt.Errorf("cpu: pivots: %w", err)
	}
	ops, err := own.shape(v, t)
	if err != nil {
		return fmt.Errorf("cpu: pivots: %w", err)
	}
	p, err := d.newPivot(t, ops.entryBytes, tiles)
	if err != nil {
		return fmt.Errorf("cpu: pivots: %w", err)
	}
	m := p.m
	if lo < 0 || hi < lo || hi > m*t {
		return fmt.Errorf("cpu: pivots %d…%d of %d tiles of %d", lo, hi-1, len(tiles), t)
	}
	x := &rankOne{pivot: p, arithmetic: ops, variant: v, ends: make([][]int32, m), weights: make([][]uint32, m)}
	return own.enqueue(func() {
		for k := lo; k < hi; k++ {
			x.reach(k)
			d.pool.run(m*m, func(_ *worker, tile int) { x.lower(k, tile/m, tile%m) })
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
	v := &views{device: d}
	mark := view32[int32](v, "flag", flag, 1)
	x, xerr := d.resolve(a, size)
	y, yerr := d.resolve(b, size)
	for _, err := range []error{v.Err, xerr, yerr} {
		if err != nil {
			return fmt.Errorf("cpu: differ: %w", err)
		}
	}
	return d.enqueueOn(s, func() {
		if atomic.LoadInt32(&mark[0]) == 0 && !bytes.Equal(x, y) {
			atomic.StoreInt32(&mark[0], 1)
		}
	})
}
