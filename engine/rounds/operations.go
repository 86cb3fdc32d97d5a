package rounds

import (
	"fmt"

	"ooc/engine/plan"
	"ooc/engine/text"
	"ooc/kernels"
	"ooc/stream"
)

// The operations that algorithms share. Those of one algorithm alone stand in its file.
var (
	closure = operation{
		name: func(x *executor, s step) string {
			return fmt.Sprintf("phase 1 up to pivot tile %d of %d", s.done, x.geom.Side())
		},
		submit: (*executor).closure,
	}
	product = operation{
		name: func(x *executor, s step) string {
			return fmt.Sprintf("phase %d up to pivot tile %d of %d", s.phase, s.done, x.geom.Side())
		},
		submit: (*executor).product,
	}
	transposition = operation{
		name:   func(*executor, step) string { return "transpose" },
		submit: (*executor).transpose,
	}
)

// closure submits the closure of the pivot block on the slots in c, whose first tile the step names.
func (x *executor) closure(s step) error {
	pivot, m := x.tilesOf(s.c), 1
	for m*m < len(s.c) {
		m++
	}
	first, _ := x.geom.TileAt(s.tile)
	each := func(do func(tile int)) {
		for i := first; i < first+m; i++ {
			for j := max(first, x.geom.First(i)); j < first+m; j++ {
				do(x.geom.Index(i, j))
			}
		}
	}
	w, stored := int64(m)*int64(x.geom.T), int64(0) // what closes tiles that are not stored is not progress
	each(func(tile int) { x.grid.begun(tile); stored++ })
	return x.pipe.Submit(stream.Op{
		Stage: stream.Kernel, Stream: x.pivotStream, Work: w * int64(x.geom.T) * int64(x.geom.T) * stored,
		Writes: x.regions(s.c),
		Device: func(d kernels.Stream) error { return d.Closure(x.variant, x.geom.T, pivot) },
		Done:   func() { each(func(tile int) { x.grid.finished(tile, s.done, s.phase) }) },
		Name:   x.name(s),
	})
}

// product submits the product of the slots in a and b into the slot c[0].
func (x *executor) product(s step) error {
	t := int64(x.geom.T)
	x.grid.begun(s.tile)
	slot := &x.slots[s.c[0]]
	if s.fresh {
		slot.Stream = x.streams.take()
	}
	product := kernels.Product{C: slot.Tile, A: x.tilesOf(s.a), B: x.tilesOf(s.b), Fresh: s.fresh}
	if s.fresh {
		product.Before = x.slots[s.before].Tile
	}
	return x.pipe.Submit(stream.Op{
		Stage: stream.Kernel, Stream: slot.Stream, Work: t * t * t * int64(len(s.a)),
		Reads: append(x.regions(s.a), x.regions(s.b)...), Writes: x.regions(s.c),
		Device: func(d kernels.Stream) error { return d.MinPlus(x.variant, x.geom.T, []kernels.Product{product}) },
		Done: func() {
			if s.phase > 0 {
				x.grid.finished(s.tile, s.done, s.phase)
			}
		},
		Name: x.name(s),
	})
}

// tileOps fails for a device without the operations that something needs.
func tileOps(d kernels.Device, what string) (kernels.TileOps, error) {
	ops, ok := kernels.As[kernels.TileOps](d)
	if !ok {
		return nil, text.ErrorOf(plan.ErrAlgorithm, "%s has no kernel for %s; use another --device",
			d.Info().Name, what)
	}
	return ops, nil
}

// transpose submits the transposition of slot a[0] into slot c[0].
func (x *executor) transpose(s step) error {
	device, err := tileOps(x.device, "layout upper")
	if err != nil {
		return err
	}
	from, to := &x.slots[s.a[0]], &x.slots[s.c[0]]
	to.Stream = x.streams.take()
	return x.pipe.Submit(stream.Op{
		Stage: stream.Kernel, Stream: to.Stream,
		Reads: []*stream.Region{&from.Region}, Writes: []*stream.Region{&to.Region},
		Device: func(d kernels.Stream) error {
			return device.TransposeTile(d, x.variant, x.geom.T, to.Tile,
				from.Tile)
		},
		Name: x.name(s),
	})
}
