package feed

import (
	"ooc/engine/graph"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// compressed feeds the arcs of a graph in compressed rows, grouped by the vertices that they lead to: into is the graph
// with every arc reversed.
type compressed struct {
	into *graph.Graph
	o    Options
}

// layout returns where ends and weights are in a block of so many vertices and arcs, and where it ends.
func layout(vertices int, arcs int64) (ends, weights, end int64) {
	ends = Stride(vertices + 1)
	weights = ends + Stride(int(arcs))
	return ends, weights, weights + Stride(int(max(arcs, 1)))
}

// blocks cuts whole rows into blocks of the size wanted, or of one row where that is larger.
func (c *compressed) blocks() (specs []blockSpec) {
	_, most := c.o.room()
	offsets := c.into.Offsets
	size := func(lo, hi int) int64 {
		_, _, end := layout(hi-lo, offsets[hi]-offsets[lo])
		return end
	}
	for lo := 0; lo < c.into.N; {
		hi, past := lo+1, c.into.N+1
		for hi+1 < past { // the last hi that is not too large
			if mid := (hi + past) / 2; size(lo, mid) <= most {
				hi = mid
			} else {
				past = mid
			}
		}
		specs = append(specs, blockSpec{lo: lo, hi: hi, bytes: size(lo, hi)})
		lo = hi
	}
	return specs
}

func (c *compressed) fill(dst []byte, b blockSpec) error {
	lo, hi := c.into.Offsets[b.lo], c.into.Offsets[b.hi]
	ends, weights, _ := layout(b.hi-b.lo, hi-lo)
	words := entry.View[int32](dst)
	for i := range b.hi - b.lo + 1 {
		words[i] = int32(c.into.Offsets[b.lo+i] - lo)
	}
	copy(words[ends/entry.WordBytes:], c.into.Targets[lo:hi])
	to := words[weights/entry.WordBytes:]
	if c.into.Kind == entry.KindI32 {
		for k, w := range c.into.I32[lo:hi] {
			to[k] = min(w, entry.Inf32)
		}
	} else if hi > lo {
		copy(to, entry.As[int32](c.into.F32[lo:hi]))
	}
	return nil
}

func (c *compressed) place(b blockSpec, at kernels.Tile) kernels.Block {
	ends, weights, _ := layout(b.hi-b.lo, c.into.Offsets[b.hi]-c.into.Offsets[b.lo])
	return kernels.Block{Lo: b.lo, Hi: b.hi, Offsets: at,
		Ends: kernels.Tile{Buf: at.Buf, Off: at.Off + ends}, Weights: kernels.Tile{Buf: at.Buf, Off: at.Off + weights}}
}
