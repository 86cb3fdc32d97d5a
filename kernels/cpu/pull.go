package cpu

import (
	"sync/atomic"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// arcs are a kernels.Block with its addresses.
type arcs[E number] struct {
	kernels.Block
	offsets, ends []int32
	weights       []E
}

// blockArcs resolves a block. Offsets are read when the block is used, not before: their copy may still be
// in flight.
func blockArcs[E number](c *call, b kernels.Block) *arcs[E] {
	a := &arcs[E]{Block: b}
	if c.Block(&b); b.Edge == 0 {
		a.offsets = vector[int32](c, "offsets", b.Offsets, b.Hi-b.Lo+1)
		a.ends = toEnd[int32](c, "ends", b.Ends)
		a.weights = toEnd[E](c, "weights", b.Weights)
	} else {
		a.weights = vector[E](c, "weights", b.Weights, b.Rows*b.Edge)
	}
	return a
}

// shape returns how many arcs vertex i of the block has, where their weights begin, and how far apart these are. ends
// is where the vertices that they come from begin in ends; it is −1 if these are consecutive from Row on.
func (a *arcs[E]) shape(i int) (count, first, step, ends int) {
	switch {
	case a.Edge == 0:
		lo := int(a.offsets[i])
		return int(a.offsets[i+1]) - lo, lo, 1, lo
	case a.Transposed:
		return a.Rows, i * a.Rows, 1, -1
	}
	return a.Rows, i, a.Edge, -1
}

// vertexTask is the least number of vertices of a task: fewer are not worth handing to another thread.
const vertexTask = 16

// eachVertex runs do for ranges of the block's vertices on all workers.
func (d *Device) eachVertex(count int, do func(lo, hi int)) {
	tasks := max(1, min(count/vertexTask, 8*d.threads))
	if d.threads == 1 {
		tasks = 1
	}
	d.pool.run(tasks, func(_ *worker, t int) { do(count*t/tasks, count*(t+1)/tasks) })
}

// Pull implements kernels.VectorOps. One thread does the work of a group: several minima side by side were no faster.
func (d *Device) Pull(s kernels.Stream, v entry.Variant, p kernels.Pull) error {
	for i := range max(1, p.Count) {
		c := d.on(s)
		c.Group(p.Group)
		var work func()
		switch v {
		case entry.I32:
			work = pullWork(c, p.Vector(i), entry.Inf32)
		case entry.I32Signed:
			work = pullWork(c, p.Vector(i), entry.Limit32)
		case entry.F32, entry.F32Signed:
			work = pullWork(c, p.Vector(i), entry.PosInf)
		default:
			c.noVectors(v)
		}
		if err := c.run("pull", work); err != nil {
			return err
		}
	}
	return nil
}

func (c *call) noVectors(v entry.Variant) { c.Want(false, "no variant %d of vectors", v) }

// pullWork returns the work of a step. Offers of limit or more do not count.
func pullWork[E number](c *call, p kernels.Pull, limit E) func() {
	x := &puller[E]{arcs: blockArcs[E](c, p.Block), first: p.First, limit: limit, dist: toEnd[E](c, "dist", p.Dist),
		next: vector[E](c, "next", p.Next, p.Block.Hi), pred: vector[int32](c, "pred", p.Pred, p.Block.Hi)}
	changed := vector[int32](c, "changed", p.Changed, 1)
	return func() {
		c.device.eachVertex(p.Block.Hi-p.Block.Lo, func(lo, hi int) {
			if x.pull(lo, hi) {
				atomic.StoreInt32(&changed[0], 1)
			}
		})
	}
}

type puller[E number] struct {
	*arcs[E]
	dist, next []E
	pred       []int32
	first      bool
	limit      E
}

// pull takes the vertices lo…hi-1 of the block, and reports whether any took an offer.
func (x *puller[E]) pull(lo, hi int) (changed bool) {
	for i := lo; i < hi; i++ {
		v := x.Lo + i
		has := x.next[v]
		if x.first {
			has = x.dist[v]
		}
		if least := x.least(i, min(has, x.limit)); least.from >= 0 {
			has, x.pred[v], changed = least.offer, least.from, true
		}
		x.next[v] = has
	}
	return changed
}

// offer is the least offer so far, and the vertex that it comes from; −1: none is less than the vertex's distance.
type offer[E number] struct {
	offer E
	from  int32
}

// least returns the least offer to a vertex that is less than best.
func (x *puller[E]) least(i int, best E) offer[E] {
	count, first, step, at := x.shape(i)
	found := offer[E]{best, entry.NoVertex}
	if at >= 0 {
		ends, weights := x.ends[at:at+count], x.weights[first:first+count]
		for k, u := range ends {
			if s := x.dist[u] + weights[k]; s < found.offer {
				found = offer[E]{s, u}
			}
		}
		return found
	}
	dist := x.dist[x.Row:]
	for k := range count {
		if s := dist[k] + x.weights[first+k*step]; s < found.offer {
			found = offer[E]{s, int32(x.Row + k)}
		}
	}
	return found
}

// Link implements kernels.VectorOps.
func (d *Device) Link(s kernels.Stream, v entry.Variant, l kernels.Link) error {
	c := d.on(s)
	var work func()
	switch v {
	case entry.I32, entry.I32Signed:
		work = linkWork(c, l, entry.Inf32)
	case entry.F32, entry.F32Signed:
		work = linkWork(c, l, entry.PosInf)
	default:
		c.noVectors(v)
	}
	return c.run("link", work)
}

func linkWork[E number](c *call, l kernels.Link, none E) func() {
	a := blockArcs[E](c, l.Block)
	component := toEnd[int32](c, "component", l.Component)
	light, from := vector[E](c, "light", l.Light, l.Block.Hi), vector[int32](c, "ends", l.Ends, l.Block.Hi)
	return func() {
		c.device.eachVertex(l.Block.Hi-l.Block.Lo, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				to := a.Lo + i
				best := offer[E]{none, entry.NoVertex}
				if !l.First {
					best = offer[E]{light[to], from[to]}
				}
				best = a.lightest(i, best, component, component[to])
				light[to], from[to] = best.offer, best.from
			}
		})
	}
}

// lightest returns the lightest arc into vertex i of the block from other components than its own.
func (a *arcs[E]) lightest(i int, best offer[E], component []int32, own int32) offer[E] {
	count, first, step, at := a.shape(i)
	for k := range count {
		u := int32(a.Row + k)
		if at >= 0 {
			u = a.ends[at+k]
		}
		if w := a.weights[first+k*step]; w < best.offer && component[u] != own {
			best = offer[E]{w, u}
		}
	}
	return best
}
