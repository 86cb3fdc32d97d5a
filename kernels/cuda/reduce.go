package cuda

import (
	"errors"
	"unsafe"

	"ooc/kernels"
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

const reductionBytes = leastBlocks*8 + 8

// needReduction allocates scratch. The counter, in front, is 0 between launches.
func (s *stream) needReduction() error {
	if s.reduction.Bytes > 0 {
		return nil
	}
	if err := s.device.Need(&s.reduction, reductionBytes, s.Sync); err != nil {
		return err
	}
	zero := new(uint64)
	err := s.device.call("cuMemcpyHtoDAsync", func() Result {
		return s.device.driver.copyIn(s.reduction.At.at, unsafe.Pointer(zero), 8, s.handle)
	})
	if err != nil {
		err = errors.Join(err, s.device.Drop(&s.reduction))
	}
	return err
}

// leastOf fills in what a reduction of n entries needs, and returns its blocks.
func (c *call) leastOf(source, result kernels.Tile, n int) (leastParam, int) {
	c.Want(n >= 1 && int64(n) <= 1<<31-1, "%d entries: want one at least, and at most %d", n, 1<<31-1)
	p := leastParam{source: c.vector("source", source, n), result: c.vector("result", result, 2), n: uint32(n)}
	if s := c.stream; c.Err == nil {
		c.Err = s.needReduction()
		p.arrived, p.parts = s.reduction.At.at, s.reduction.At.at+8
	}
	return p, max(1, min(n/leastShare, leastBlocks))
}

// Least implements kernels.VectorOps: one launch, in which the block of threads that ends last reduces the results of
// the others.
func (d *Device) Least(s kernels.Stream, l kernels.Least) error {
	c := d.on(s, forAll)
	p, blocks := c.leastOf(l.Source, l.Result, l.N)
	c.launch(least, blocks, paramOf(&p))
	return c.end("least")
}

// Grow implements kernels.VectorOps.
func (d *Device) Grow(s kernels.Stream, g kernels.Grow) error {
	c := d.on(s, forAll)
	p := &growParam{offsets: c.vector("offsets", g.Offsets, g.N+1), ends: c.toEnd("ends", g.Ends),
		weights: c.toEnd("weights", g.Weights),
		keys:    c.vector("keys", g.Keys, g.N), parents: c.vector("parents", g.Parents, g.N),
		tree: c.vector("tree", g.Tree, g.N), steps: int32(g.Steps)}
	c.Want(g.Steps >= 1 && g.Steps <= 1<<31-1, "%d steps: want one at least", g.Steps)
	var blocks int
	if p.least, blocks = c.leastOf(g.Keys, g.Least, g.N); g.N <= growAlone {
		c.launch(growSteps, 1, paramOf(p))
		return c.end("grow")
	}
	for step := 0; step < g.Steps && c.Err == nil; step++ {
		c.launch(growTake, takeBlocks, paramOf(p))
		c.launch(least, blocks, paramOf(&p.least))
	}
	return c.end("grow")
}
