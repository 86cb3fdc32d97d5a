package cuda

import (
	"errors"
	"fmt"
	"unsafe"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// leastParam is Least of reduce.cuh.
type leastParam struct {
	source, result, parts, arrived address
	n, pad                         uint32
}

// growParam is Grow of reduce.cuh.
type growParam struct {
	offsets, ends, weights address
	keys, parents, tree    address
	least                  leastParam
	steps, pad             int32
}

const (
	// leastShare is how many entries a block of threads reduces at least, where there are several.
	leastShare  = 8192
	leastBlocks = 264 // two for each multiprocessor of the largest chips there are
	// growAlone is the most vertices whose steps of Prim's algorithm are one block's work, and all of them one
	// launch. With more, a step is two: one that takes a vertex, and one that reduces.
	growAlone = 1 << 16
	// takeBlocks go through a vertex's neighbours, of which there may be few or as many as vertices.
	takeBlocks = 16
)

// reduction is scratch memory of a stream: what blocks of threads have found, and a counter of the blocks that are
// done.
type reduction struct{ at address }

const reductionBytes = leastBlocks*8 + 8

// need allocates it. The counter, in front, is 0 between launches.
func (r *reduction) need(s *stream) error {
	if r.at != 0 {
		return nil
	}
	at, err := s.device.allocOwn(reductionBytes)
	if err != nil {
		return fmt.Errorf("scratch for reductions: %w", err)
	}
	zero := new(uint64)
	err = s.device.call("cuMemcpyHtoDAsync", func() Result {
		return s.device.driver.copyIn(at, unsafe.Pointer(zero), 8, s.handle)
	})
	if err != nil {
		return errors.Join(err, s.device.freeOwn(at, reductionBytes))
	}
	r.at = at
	return nil
}

// close releases the scratch of an idle stream.
func (r *reduction) close(d *Device) error {
	if r.at == 0 {
		return nil
	}
	return d.freeOwn(r.at, reductionBytes)
}

// leastOf fills in what a reduction of n entries needs, and returns its blocks.
func (s *stream) leastOf(r *resolver, source, result kernels.Tile, n int) (leastParam, int) {
	if r.err == nil && (n < 1 || int64(n) > 1<<31-1) {
		r.err = fmt.Errorf("%d entries: want one at least, and at most %d", n, 1<<31-1)
	}
	p := leastParam{source: r.vector("source", source, n), result: r.vector("result", result, 2), n: uint32(n)}
	if r.err == nil {
		r.err = s.reduction.need(s)
		p.arrived, p.parts = s.reduction.at, s.reduction.at+8
	}
	return p, max(1, min(n/leastShare, leastBlocks))
}

// Least implements kernels.VectorOps: one launch, in which the block of threads that ends last reduces the results of
// the others.
func (d *Device) Least(s kernels.Stream, l kernels.Least) error {
	own, err := d.ownStream(s, entry.I32)
	r := &resolver{device: d, err: err}
	p, blocks := own.leastOf(r, l.Source, l.Result, l.N)
	if r.err == nil {
		r.err = own.serve(least, blocks, paramOf(&p))
	}
	return in("least", r.err)
}

// Grow implements kernels.VectorOps.
func (d *Device) Grow(s kernels.Stream, g kernels.Grow) error {
	own, err := d.ownStream(s, entry.I32)
	r := &resolver{device: d, err: err}
	p := &growParam{offsets: r.vector("offsets", g.Offsets, g.N+1), ends: r.toEnd("ends", g.Ends), weights: r.toEnd("weights", g.Weights),
		keys: r.vector("keys", g.Keys, g.N), parents: r.vector("parents", g.Parents, g.N), tree: r.vector("tree", g.Tree, g.N)}
	if r.err == nil && (g.Steps < 1 || g.Steps > 1<<31-1) {
		r.err = fmt.Errorf("%d steps: want one at least", g.Steps)
	}
	var blocks int
	p.least, blocks = own.leastOf(r, g.Keys, g.Least, g.N)
	if p.steps = int32(g.Steps); r.err == nil && g.N <= growAlone {
		r.err = own.serve(growSteps, 1, paramOf(p))
	} else {
		for step := 0; step < g.Steps && r.err == nil; step++ {
			if r.err = own.serve(growTake, takeBlocks, paramOf(p)); r.err == nil {
				r.err = own.serve(least, blocks, paramOf(&p.least))
			}
		}
	}
	return in("grow", r.err)
}
