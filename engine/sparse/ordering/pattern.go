package ordering

import (
	"slices"

	"ooc/engine/graph"
)

// Pattern is the adjacency of a graph whose arcs count in both directions, in compressed rows without
// self-loops. Vertices are numbered from 0. It is not changed once made.
type Pattern struct {
	start []int64 // n+1
	adj   []int32 // ascending within a row
}

func (p *Pattern) n() int { return len(p.start) - 1 }

// Row returns the neighbours of a vertex, ascending, only for reading.
func (p *Pattern) Row(v int32) []int32 { return p.adj[p.start[v]:p.start[v+1]] }

// clone returns a copy in memory of its own.
func (p *Pattern) clone() *Pattern { return &Pattern{slices.Clone(p.start), slices.Clone(p.adj)} }

// Symmetric returns the pattern of a graph. It may share the graph's memory.
func Symmetric(g *graph.Graph) *Pattern {
	if !g.Directed {
		return &Pattern{g.Offsets, g.Targets}
	}
	back := g.Reverse()
	p := &Pattern{make([]int64, g.N+1), make([]int32, 0, 2*len(g.Targets))}
	for v := range g.N {
		out := g.Targets[g.Offsets[v]:g.Offsets[v+1]]
		in := back.Targets[back.Offsets[v]:back.Offsets[v+1]]
		p.adj = appendUnion(p.adj, out, in)
		p.start[v+1] = int64(len(p.adj))
	}
	return p
}

// appendUnion merges two ascending lists.
func appendUnion(dst, a, b []int32) []int32 {
	for len(a) > 0 && len(b) > 0 {
		x, y := a[0], b[0]
		dst = append(dst, min(x, y))
		if x <= y {
			a = a[1:]
		}
		if y <= x {
			b = b[1:]
		}
	}
	return append(append(dst, a...), b...)
}
