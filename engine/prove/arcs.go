package prove

import (
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

func newTightArcs(g *graph.Graph, width int) (*tightArcs, error) {
	if g.Arcs() > math.MaxInt32 {
		return nil, fmt.Errorf("%d arcs are too many for a proof; sample rows instead", g.Arcs())
	}
	a := &tightArcs{}
	if !g.Kind.Float() && g.MinWeight <= 0 {
		a.join(g)
	}
	back := g.Reverse()
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
func (a *tightArcs) join(g *graph.Graph) {
	h := potentials(g)
	group := components(g, func(u, k int) bool { return int64(g.I32[k])+h[u] == h[g.Targets[k]] })
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
}

// potentials returns h with w(u,v) + h(u) − h(v) ≥ 0 for every arc: the distances from a virtual source with an
// arc of length 0 to every vertex, by Bellman–Ford. The graph has no negative cycle.
func potentials(g *graph.Graph) []int64 {
	h := make([]int64, g.N)
	if !g.Negative {
		return h
	}
	waits, queue, next := make([]bool, g.N), make([]int32, g.N), []int32(nil)
	for v := range queue {
		queue[v], waits[v] = int32(v), true
	}
	for len(queue) > 0 {
		for _, u := range queue {
			waits[u] = false
			for k := g.Offsets[u]; k < g.Offsets[u+1]; k++ {
				v := g.Targets[k]
				if d := h[u] + int64(g.I32[k]); d < h[v] {
					h[v] = d
					if !waits[v] {
						waits[v], next = true, append(next, v)
					}
				}
			}
		}
		queue, next = next, queue[:0]
	}
	return h
}

// components returns for each vertex the first of its strongly connected component, if only the arcs count that
// use accepts, by their tail and index (R. Tarjan, Depth-first search and linear graph algorithms, 1972).
func components(g *graph.Graph, use func(u, k int) bool) []int32 {
	t := tarjan{low: make([]int32, g.N), at: make([]int64, g.N), first: make([]int32, g.N)}
	for v := range g.N {
		t.first[v] = -1
	}
	for v := range g.N {
		if t.low[v] == 0 {
			t.visit(g, int32(v), use)
		}
	}
	return t.first
}

type tarjan struct {
	visits int32
	low    []int32 // the earliest visit known to be in the component; 0: not visited
	at     []int64 // the arc to look at next
	first  []int32 // the result; -1: still on open
	open   []int32 // visited, component not complete
	path   []int32 // from the root
	number []int32 // visit of each vertex of path
}

func (t *tarjan) enter(g *graph.Graph, v int32) {
	t.visits++
	t.low[v], t.at[v] = t.visits, g.Offsets[v]
	t.open, t.path, t.number = append(t.open, v), append(t.path, v), append(t.number, t.visits)
}

func (t *tarjan) visit(g *graph.Graph, root int32, use func(u, k int) bool) {
	t.enter(g, root)
	for len(t.path) > 0 {
		u := t.path[len(t.path)-1]
		if k := t.at[u]; k < g.Offsets[u+1] {
			t.at[u]++
			v := g.Targets[k]
			if !use(int(u), int(k)) {
				continue
			}
			if t.low[v] == 0 {
				t.enter(g, v)
			} else if t.first[v] < 0 {
				t.low[u] = min(t.low[u], t.low[v])
			}
			continue
		}
		t.leave(u)
	}
}

// leave ends the visit of u, and of its component if that is where the component was entered.
func (t *tarjan) leave(u int32) {
	top := len(t.path) - 1
	number := t.number[top]
	t.path, t.number = t.path[:top], t.number[:top]
	if top > 0 {
		parent := t.path[top-1]
		t.low[parent] = min(t.low[parent], t.low[u])
	}
	if t.low[u] != number {
		return
	}
	from := len(t.open) - 1
	least := t.open[from]
	for t.open[from] != u {
		from--
		least = min(least, t.open[from])
	}
	for _, v := range t.open[from:] {
		t.first[v] = least
	}
	t.open = t.open[:from]
}
