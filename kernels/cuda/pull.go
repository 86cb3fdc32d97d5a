package cuda

import (
	"fmt"
	"math/bits"

	"ooc/kernels"
	"ooc/kernels/entry"
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
	own, err := d.ownStream(s, v)
	if err == nil {
		err = checkGroup(p.Group)
	}
	if err == nil && (p.Count < 0 || p.Stride%4 != 0 || p.Stride < 0) {
		err = fmt.Errorf("%d vectors, %d bytes apart", p.Count, p.Stride)
	}
	r := &resolver{device: d, err: err}
	count := max(1, p.Count)
	behind := int(p.Stride/4)*(count-1) + p.Block.Hi // entries of all vectors
	q := &pullParam{block: r.block(p.Block), dist: r.toEnd("dist", p.Dist), next: r.vector("next", p.Next, behind),
		pred: r.vector("pred", p.Pred, behind), changed: r.vector("changed", p.Changed, count), first: oneIf(p.First), group: int32(p.Group),
		stride: p.Stride / 4}
	if r.err == nil {
		k := pulls
		if p.Group > kernelInfo[pulls].threads {
			k = largePulls
		}
		blocks := groupBlocks(k, p.Block.Hi-p.Block.Lo, p.Group)
		if most := mostBlocks / max(1, blocks); count > most {
			return d.pullSome(s, v, p, most)
		}
		q.blocks = int32(blocks)
		r.err = own.launchSome(v, k, blocks*count, paramOf(q))
	}
	return in("pull", r.err)
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
	own, err := d.ownStream(s, v)
	group := linkGroup
	if l.Block.Edge > 0 {
		group = linkGroupMatrix
	}
	r := &resolver{device: d, err: err}
	q := &linkParam{block: r.block(l.Block), component: r.toEnd("component", l.Component), light: r.vector("light", l.Light, l.Block.Hi),
		ends: r.vector("ends", l.Ends, l.Block.Hi), first: oneIf(l.First), group: int32(group)}
	if r.err == nil {
		r.err = own.launchSome(v, links, groupBlocks(links, l.Block.Hi-l.Block.Lo, group), paramOf(q))
	}
	return in("link", r.err)
}

// groupBlocks is how many blocks of threads have a group for each vertex.
func groupBlocks(k kernel, vertices, group int) int {
	each := kernelInfo[k].threads / group
	return entry.CeilDiv(vertices, each)
}

// launchSome starts a kernel unless there is nothing to do.
func (s *stream) launchSome(v entry.Variant, k kernel, blocks int, p param) error {
	if blocks == 0 {
		return nil
	}
	return s.launch(v, k, blocks, p)
}

func checkGroup(group int) error {
	if group < 1 || group > kernels.MaxGroup || bits.OnesCount(uint(group)) != 1 {
		return fmt.Errorf("group of %d: want a power of two up to %d", group, kernels.MaxGroup)
	}
	return nil
}

// block resolves the arcs of a block.
func (r *resolver) block(b kernels.Block) blockParam {
	p := blockParam{lo: int32(b.Lo), hi: int32(b.Hi), edge: int32(b.Edge), row: int32(b.Row), rows: int32(b.Rows), transposed: oneIf(b.Transposed)}
	switch {
	case r.err != nil:
	case b.Lo < 0 || b.Hi < b.Lo || b.Edge != 0 && (b.Edge < b.Hi-b.Lo || b.Rows < 0 || b.Row < 0):
		r.err = fmt.Errorf("block of the vertices %d…%d, %d×%d entries from row %d on", b.Lo, b.Hi-1, b.Rows, b.Edge, b.Row)
	case b.Edge == 0:
		p.offsets = r.vector("offsets", b.Offsets, b.Hi-b.Lo+1)
		p.ends, p.weights = r.toEnd("ends", b.Ends), r.toEnd("weights", b.Weights)
	default:
		p.weights = r.vector("weights", b.Weights, b.Rows*b.Edge)
	}
	return p
}
