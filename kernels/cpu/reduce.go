package cpu

import (
	"ooc/kernels"
)

// leastPart is how many entries a worker reduces at least.
const leastPart = 1 << 14

// Least implements kernels.VectorOps: each worker reduces a part, and one of them the parts' results.
func (d *Device) Least(s kernels.Stream, l kernels.Least) error {
	c := d.on(s)
	c.Want(l.N >= 1, "%d entries: want one at least", l.N)
	source, result := vector[int32](c, "source", l.Source, l.N), vector[int32](c, "result", l.Result, 2)
	return c.run("least", func() { d.least(source, result) })
}

func (d *Device) least(source, result []int32) {
	parts := min(len(source)/leastPart, d.threads)
	if parts < 2 {
		result[0], result[1] = leastOf(source)
		return
	}
	type found struct{ value, index int32 }
	of := make([]found, parts)
	d.pool.run(parts, func(_ *worker, p int) {
		lo, hi := len(source)*p/parts, len(source)*(p+1)/parts
		value, index := leastOf(source[lo:hi])
		of[p] = found{value, index + int32(lo)}
	})
	best := of[0]
	for _, f := range of[1:] {
		if f.value < best.value {
			best = f
		}
	}
	result[0], result[1] = best.value, best.index
}

// leastOf returns the least entry and where it is first. It looks for the value alone and then for the place: a
// minimum without an index needs no branch.
func leastOf(source []int32) (value, index int32) {
	value = source[0]
	block := 0
	for lo := 0; lo < len(source); lo += leastBlock {
		if m := minimum(source[lo:min(lo+leastBlock, len(source))]); m < value {
			value, block = m, lo
		}
	}
	for i, x := range source[block:] {
		if x == value {
			return value, int32(block + i)
		}
	}
	panic("cpu: a minimum that is not there")
}

const leastBlock = 1024

func minimum(s []int32) int32 {
	a, b, c, d := s[0], s[0], s[0], s[0]
	for ; len(s) >= 4; s = s[4:] {
		a, b, c, d = min(a, s[0]), min(b, s[1]), min(c, s[2]), min(d, s[3])
	}
	for _, x := range s {
		a = min(a, x)
	}
	return min(a, b, c, d)
}

// Grow implements kernels.VectorOps.
func (d *Device) Grow(s kernels.Stream, g kernels.Grow) error {
	c := d.on(s)
	c.Want(g.N >= 1 && g.Steps >= 1, "%d steps over %d vertices: want one at least", g.Steps, g.N)
	x := grower{
		offsets: vector[int32](c, "offsets", g.Offsets, g.N+1), ends: toEnd[int32](c, "ends", g.Ends),
		weights: toEnd[int32](c, "weights", g.Weights), keys: vector[int32](c, "keys", g.Keys, g.N),
		parents: vector[int32](c, "parents", g.Parents, g.N), tree: vector[int32](c, "tree", g.Tree, g.N),
		least: vector[int32](c, "least", g.Least, 2),
	}
	return c.run("grow", func() {
		for range g.Steps {
			x.take()
			d.least(x.keys, x.least)
		}
	})
}

type grower struct {
	offsets, ends, weights []int32
	keys, parents, tree    []int32
	least                  []int32
}

// take takes the vertex that least names.
func (x *grower) take() {
	u := x.least[1]
	x.tree[u], x.keys[u] = x.least[0], kernels.KeyTaken
	lo, hi := x.offsets[u], x.offsets[u+1]
	weights := x.weights[lo:hi]
	for k, v := range x.ends[lo:hi] {
		if w := weights[k]; w < x.keys[v] && x.keys[v] != kernels.KeyTaken {
			x.keys[v], x.parents[v] = w, u
		}
	}
}
