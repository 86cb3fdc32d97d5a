package prove

import (
	"context"
	"fmt"
	"math"
	"slices"

	"ooc/engine/graph"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// tightArcs are the arcs of a graph with every arc reversed, laid out for sweeps: those of row width+v lead to the
// vertices that may precede v. The vertices of cycles of length 0 that touch one another form a group. The first
// vertex of a group has the arcs into all of it from outside.
type tightArcs struct {
	kernels.Arcs
	group   []int32 // the first vertex of each one's group; nil where every vertex is alone
	offset  []int32 // of each vertex: how much further it is than the first of its group, from anywhere
	next    []int32 // the next vertex of each one's group; -1: none
	members []int32 // the vertices that are not first
}

// of returns the first vertex of v's group and v's offset to it.
func (a *tightArcs) of(v int) (first int, offset int32) {
	if a.group == nil {
		return v, 0
	}
	return int(a.group[v]), a.offset[v]
}

func newTightArcs(ctx context.Context, g *graph.Graph, width int) (*tightArcs, error) {
	if g.Arcs() > math.MaxInt32 {
		return nil, fmt.Errorf("%d arcs are too many for a proof; sample rows instead", g.Arcs())
	}
	a, back := &tightArcs{}, g.Reverse()
	if !g.Kind.Float() && g.MinWeight <= 0 {
		if err := a.join(ctx, g); err != nil {
			return nil, err
		}
	}
	a.Offsets = make([]int32, width+g.N+1)
	if a.group == nil {
		a.Ends, a.Weights = back.Targets, weightWords(back)
		for v, k := range back.Offsets {
			a.Offsets[width+v] = int32(k)
		}
		return a, nil
	}
	for v := range g.N {
		if int(a.group[v]) == v {
			a.gather(back, int32(v))
		}
		a.Offsets[width+v+1] = int32(len(a.Ends))
	}
	return a, nil
}

// weightWords returns the weights of a graph as stored entries. An arc as long as unreachable is on no shortest path,
// and sums with what is longer would wrap.
func weightWords(g *graph.Graph) []uint32 {
	words := entry.View[uint32](g.WeightBytes())
	if g.Kind.Float() || g.MaxWeight <= float64(entry.Inf32) {
		return words
	}
	words = slices.Clone(words)
	for i, w := range words {
		words[i] = uint32(min(int32(w), entry.Inf32))
	}
	return words
}

// gather appends the arcs into the group of the vertex first, from outside of it.
func (a *tightArcs) gather(back *graph.Graph, first int32) {
	for v := first; v >= 0; v = a.next[v] {
		for k := back.Offsets[v]; k < back.Offsets[v+1]; k++ {
			if x := back.Targets[k]; a.group[x] != first {
				a.Ends = append(a.Ends, x)
				a.Weights = append(a.Weights, uint32(min(int64(back.I32[k])-int64(a.offset[v]), int64(entry.Inf32))))
			}
		}
	}
}

// join finds the groups: the sets of vertices that arcs of weight 0 connect strongly. If there are negative weights,
// potentials first make them non-negative without changing the length of any cycle (D. B. Johnson, Efficient
// algorithms for shortest paths in sparse networks, 1977).
func (a *tightArcs) join(ctx context.Context, g *graph.Graph) (err error) {
	h := make([]float64, g.N)
	if g.Negative {
		if h, err = g.Potentials(ctx); err != nil {
			return err
		}
	}
	of, err := tight(g, h).Components(ctx)
	if err != nil {
		return err
	}
	group := make([]int32, g.N)
	a.offset, a.next = make([]int32, g.N), make([]int32, g.N)
	first, last := slices.Repeat([]int32{-1}, g.N), make([]int32, g.N) // of each component, so far
	for i, c := range of {
		v := int32(i)
		if a.next[v] = -1; first[c] < 0 {
			first[c] = v
		} else {
			a.offset[v] = int32(h[v] - h[first[c]])
			a.next[last[c]] = v
			a.members = append(a.members, v)
		}
		group[v], last[c] = first[c], v
	}
	if len(a.members) > 0 {
		a.group = group
	}
	return nil
}

// tight returns the graph of the arcs whose weight is 0 by potentials.
func tight(g *graph.Graph, h []float64) *graph.Graph {
	t := &graph.Graph{N: g.N, Offsets: make([]int64, 1, g.N+1)}
	for u := range g.N {
		for k := g.Offsets[u]; k < g.Offsets[u+1]; k++ {
			if v := g.Targets[k]; g.Weight(k)+h[u] == h[v] {
				t.Targets = append(t.Targets, v)
			}
		}
		t.Offsets = append(t.Offsets, int64(len(t.Targets)))
	}
	return t
}
