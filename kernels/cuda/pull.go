package cuda

import (
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/kernels/internal/ledger"
)

// blockParam is Block of vectors.cuh.
type blockParam struct {
	offsets, ends, weights address
	lo, hi                 int32
	edge, row, rows        int32
	transposed             int32
}

// pullParam is Pull of vectors.cuh.
type pullParam struct {
	block                     blockParam
	dist, next, pred, changed address
	stride                    int64
	blocks, first, group, pad int32
}

// linkParam is Link of vectors.cuh.
type linkParam struct {
	block                  blockParam
	component, light, ends address
	first, group           int32
}

// Pull implements kernels.VectorOps: groups of up to 32 threads are parts of a warp, larger ones several warps.
func (d *Device) Pull(s kernels.Stream, v entry.Variant, p kernels.Pull) error {
	c := d.on(s, v)
	c.Group(p.Group)
	c.Want(p.Count >= 0 && p.Stride%4 == 0 && p.Stride >= 0, "%d vectors, %d bytes apart", p.Count, p.Stride)
	count := max(1, p.Count)
	behind := int(p.Stride/4)*(count-1) + p.Block.Hi // entries of all vectors
	q := &pullParam{block: c.block(p.Block), dist: c.toEnd("dist", p.Dist), next: c.vector("next", p.Next, behind),
		pred: c.vector("pred", p.Pred, behind), changed: c.vector("changed", p.Changed, count),
		first: ledger.OneIf[int32](p.First), group: int32(p.Group),
		stride: p.Stride / 4}
	if c.Err == nil {
		k := pulls
		if p.Group > kernelInfo[pulls].threads {
			k = largePulls
		}
		blocks := groupBlocks(k, p.Block.Hi-p.Block.Lo, p.Group)
		if most := mostBlocks / max(1, blocks); count > most {
			return d.pullSome(s, v, p, most)
		}
		q.blocks = int32(blocks)
		c.launch(k, blocks*count, paramOf(q))
	}
	return c.end("pull")
}

// mostBlocks is how many blocks of threads a launch may have.
const mostBlocks = 1<<31 - 1

// pullSome takes the vectors in several launches, of at most the given number each.
func (d *Device) pullSome(s kernels.Stream, v entry.Variant, p kernels.Pull, most int) error {
	for lo := 0; lo < p.Count; lo += most {
		part := p.Vector(lo)
		part.Count = min(most, p.Count-lo)
		if err := d.Pull(s, v, part); err != nil {
			return err
		}
	}
	return nil
}

// linkGroup is how many threads share the arcs of a vertex in a step of Borůvka's algorithm: in compressed rows, which
// are short, and in a piece of a matrix.
const (
	linkGroup       = 8
	linkGroupMatrix = 64
)

// Link implements kernels.VectorOps.
func (d *Device) Link(s kernels.Stream, v entry.Variant, l kernels.Link) error {
	c, group := d.on(s, v), linkGroup
	if l.Block.Edge > 0 {
		group = linkGroupMatrix
	}
	q := &linkParam{block: c.block(l.Block), component: c.toEnd("component", l.Component),
		light: c.vector("light", l.Light, l.Block.Hi),
		ends:  c.vector("ends", l.Ends, l.Block.Hi), first: ledger.OneIf[int32](l.First), group: int32(group)}
	c.launch(links, groupBlocks(links, l.Block.Hi-l.Block.Lo, group), paramOf(q))
	return c.end("link")
}

// groupBlocks is how many blocks of threads have a group for each vertex.
func groupBlocks(k kernel, vertices, group int) int {
	each := kernelInfo[k].threads / group
	return entry.CeilDiv(vertices, each)
}

// block resolves the arcs of a block.
func (c *call) block(b kernels.Block) blockParam {
	c.Block(&b)
	p := blockParam{lo: int32(b.Lo), hi: int32(b.Hi), edge: int32(b.Edge), row: int32(b.Row), rows: int32(b.Rows),
		transposed: ledger.OneIf[int32](b.Transposed)}
	if b.Edge == 0 {
		p.offsets = c.vector("offsets", b.Offsets, b.Hi-b.Lo+1)
		p.ends, p.weights = c.toEnd("ends", b.Ends), c.toEnd("weights", b.Weights)
	} else {
		p.weights = c.vector("weights", b.Weights, b.Rows*b.Edge)
	}
	return p
}
