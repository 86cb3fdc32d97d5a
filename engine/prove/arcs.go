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
		if err := a.join(ctx, g, back); err != nil {
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
func (a *tightArcs) join(ctx context.Context, g, back *graph.Graph) (err error) {
	h := make([]float64, g.N)
	if g.Negative {
		if h, err = g.Potentials(ctx); err != nil {
			return err
		}
	}
	group := components(g, back, h)
	a.offset, a.next = make([]int32, g.N), make([]int32, g.N)
	last := make([]int32, g.N) // of the group, so far
	for v, first := range group {
		a.next[v], last[v] = -1, int32(v)
		if int(first) == v {
			continue
		}
		a.offset[v] = int32(h[v] - h[first])
		a.next[last[first]], last[first] = int32(v), int32(v)
		a.members = append(a.members, int32(v))
	}
	if len(a.members) > 0 {
		a.group = group
	}
	return nil
}

// components returns for each vertex the first of its strongly connected component, if only the arcs count whose
// weight is 0 by potentials. It searches on these arcs in depth, and then backwards from the vertices that were done
// last (M. Sharir, A strong-connectivity algorithm and its applications in data flow analysis, 1981).
func components(g, back *graph.Graph, h []float64) []int32 {
	first := make([]int32, g.N)
	for v := range first {
		first[v] = -1
	}
	done := inDepth(g, h)
	for _, root := range slices.Backward(done) {
		if first[root] >= 0 {
			continue
		}
		members := []int32{root}
		first[root] = root
		for at := 0; at < len(members); at++ {
			v := members[at]
			for k := back.Offsets[v]; k < back.Offsets[v+1]; k++ {
				if x := back.Targets[k]; first[x] < 0 && back.Weight(k)+h[x] == h[v] {
					first[x] = root
					members = append(members, x)
				}
			}
		}
		least := slices.Min(members)
		for _, v := range members {
			first[v] = least
		}
	}
	return first
}

// inDepth lists the vertices in the order in which a search in depth on such arcs is done with them.
func inDepth(g *graph.Graph, h []float64) (done []int32) {
	seen, next := make([]bool, g.N), slices.Clone(g.Offsets) // the arc to look at next
	var path []int32
	for root := range g.N {
		if seen[root] {
			continue
		}
		seen[root] = true
		for path = append(path, int32(root)); len(path) > 0; {
			u := path[len(path)-1]
			k := next[u]
			if next[u]++; k == g.Offsets[u+1] {
				path, done = path[:len(path)-1], append(done, u)
			} else if v := g.Targets[k]; !seen[v] && g.Weight(k)+h[u] == h[v] {
				seen[v] = true
				path = append(path, v)
			}
		}
	}
	return done
}
