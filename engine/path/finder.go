package path

import (
	"context"
	"math"
	"slices"

	"ooc/engine/graph"
	"ooc/kernels/entry"
)

// Finder finds shortest paths in a graph that is not solved: between two vertices by a search from both of them, which
// sees a small part of most graphs. It is for one goroutine.
type Finder struct {
	g, back *graph.Graph
	equal   bool // all weights are one positive number
	ends    [2]end
	lines   [2]line // rows, and columns
}

// end is one of the two searches: from the first vertex, or against the arcs from the second.
type end struct {
	g    *graph.Graph
	best []label
	seen []int32   // the vertices with a label
	next []waiting // a heap by label; where all weights are equal a queue
}

// label is a path between a vertex and the search's own. Of two of one length, that of fewer arcs is better. So labels
// grow with every arc, also with those of weight 0.
type label struct {
	dist float64 // in stored units; +Inf: none
	arcs int32
	to   int32 // the next vertex on the path
}

func (l label) less(m label) bool { return l.dist < m.dist || l.dist == m.dist && l.arcs < m.arcs }

// plus is a path of both.
func (l label) plus(m label) label { return label{l.dist + m.dist, l.arcs + m.arcs, m.to} }

var noLabel = label{dist: math.Inf(1)}

type waiting struct {
	label
	vertex int32
}

// line is a row or column of distances.
type line struct {
	search *graph.Search // made on first use
	of     int
	dist   []float64
}

// NewFinder returns a Finder, which takes about 100 bytes a vertex and, where arcs are directed, as much as the graph.
// Where arcs are negative it first proves that no cycle is, and fails as graph.Graph.Check does.
func NewFinder(ctx context.Context, g *graph.Graph) (*Finder, error) {
	f := &Finder{g: g, back: g.Reverse(), equal: g.MinWeight == g.MaxWeight && g.MinWeight > 0}
	if g.Negative {
		return f, g.Check(ctx)
	}
	for i, g := range []*graph.Graph{f.g, f.back} {
		f.ends[i] = end{g: g, best: slices.Repeat([]label{noLabel}, g.N)}
	}
	return f, nil
}

// Between returns a shortest path from row u to row v. Of integer weights of 0 or more it is one of the fewest arcs,
// and of several the one whose vertices, from v back, come first in the order of rows. Where there is none,
// Route.Vertices is empty. The length is the sum of the weights in their order, in f32 rounded once. Between does not
// fail.
func (f *Finder) Between(u, v int) (Route, error) {
	way := []int32{int32(u)}
	switch {
	case u == v:
	case f.g.Negative:
		if way = nil; !math.IsInf(f.line(0, u)[v], 1) {
			for x := int32(v); x >= 0; x = f.lines[0].search.Pred()[x] {
				way = append(way, x)
			}
			slices.Reverse(way)
		}
	default:
		way = f.meet(int32(u), int32(v))
	}
	r := Route{From: u, To: v, Vertices: way}
	for i := 1; i < len(way); i++ {
		w := f.g.Weight(f.g.Find(int(way[i-1]), int(way[i])))
		r.Length += w
		r.Weights = append(r.Weights, w/float64(f.g.Scale))
	}
	if !r.Reachable() {
		r.Length = math.Inf(1)
	}
	r.Length = f.inUnits(r.Length)
	return r, nil
}

// Distance returns the length of such a path in the input's units; +Inf where there is none. It does not fail.
func (f *Finder) Distance(u, v int) (float64, error) {
	r, err := f.Between(u, v)
	return r.Length, err
}

// Row fills dst, of N elements, with the distances from row u to every row, in the input's units, by one search. It
// does not fail.
func (f *Finder) Row(dst []float64, u int) error { return f.fill(dst, 0, u) }

// Col is Row for the distances from every row to row v.
func (f *Finder) Col(dst []float64, v int) error { return f.fill(dst, 1, v) }

func (f *Finder) fill(dst []float64, way, of int) error {
	for v, d := range f.line(way, of) {
		dst[v] = f.inUnits(d)
	}
	return nil
}

// line searches from a row, or against the arcs, unless the search before was that.
func (f *Finder) line(way, of int) []float64 {
	l := &f.lines[way]
	if l.search == nil {
		l.search, l.of = graph.NewSearch([]*graph.Graph{f.g, f.back}[way]), -1
	}
	if l.of != of {
		l.of, l.dist = of, l.search.From(of)
	}
	return l.dist
}

func (f *Finder) inUnits(d float64) float64 {
	if f.g.Kind == entry.KindF32 {
		d = float64(float32(d))
	}
	return d / float64(f.g.Scale)
}

// meet returns the vertices of a path from u to another vertex v, nil if there is none. Each step is from the end where
// fewer vertices wait. Once both searches together have come as far as the best path that they have found, no other is
// better (I. Pohl, Bi-directional search, 1971).
func (f *Finder) meet(u, v int32) []int32 {
	best, middle := noLabel, int32(-1)
	for i, x := range []int32{u, v} {
		e := &f.ends[i]
		for _, y := range e.seen {
			e.best[y] = noLabel
		}
		e.best[x] = label{}
		e.seen, e.next = append(e.seen[:0], x), append(e.next[:0], waiting{vertex: x})
	}
	here, there := &f.ends[0], &f.ends[1]
	for len(here.next) > 0 && len(there.next) > 0 && here.next[0].plus(there.next[0].label).less(best) {
		if len(there.next) < len(here.next) {
			here, there = there, here
		}
		w := f.take(here)
		if here.best[w.vertex].less(w.label) {
			continue // a better path has come since
		}
		for k := here.g.Offsets[w.vertex]; k < here.g.Offsets[w.vertex+1]; k++ {
			x := here.g.Targets[k]
			l := w.plus(label{here.g.Weight(k), 1, w.vertex})
			if !l.less(here.best[x]) {
				continue
			}
			if math.IsInf(here.best[x].dist, 1) {
				here.seen = append(here.seen, x)
			}
			here.best[x] = l
			f.put(here, waiting{l, x})
			if all := l.plus(there.best[x]); all.less(best) {
				best, middle = all, x
			}
		}
	}
	if middle < 0 {
		return nil
	}
	if !f.g.Kind.Float() {
		return f.first(u, v, best)
	}
	var way []int32
	for x := middle; x != u; x = f.ends[0].best[x].to {
		way = append(way, x)
	}
	way = append(way, u)
	slices.Reverse(way)
	for x := middle; x != v; {
		x = f.ends[1].best[x].to
		way = append(way, x)
	}
	return way
}

// first returns of the best paths that which Between promises. It goes back from v and takes, of the vertices before,
// the first from which the rest is as long as it should be. Every best path lies among what the searches have seen. A
// vertex that the search from v alone has seen may be on none of them: it is tried, and left again.
func (f *Finder) first(u, v int32, best label) []int32 {
	type step struct {
		rest waiting // from the vertex to v
		next int64   // the arc into it that is looked at next
	}
	way, tried := []step{{waiting{vertex: v}, f.back.Offsets[v]}}, map[waiting]bool{}
	for {
		top := &way[len(way)-1]
		y := top.rest.vertex
		if y == u {
			break
		}
		if top.next == f.back.Offsets[y+1] {
			way = way[:len(way)-1]
			continue
		}
		x, rest := f.back.Targets[top.next], top.rest.plus(label{f.back.Weight(top.next), 1, y})
		top.next++
		all, from := f.ends[0].best[x].plus(rest), f.ends[1].best[x]
		isOn := all.dist == best.dist && all.arcs == best.arcs
		mayBe := x != u && from.dist == rest.dist && from.arcs == rest.arcs && rest.less(best)
		at := waiting{label{dist: rest.dist, arcs: rest.arcs}, x}
		if (isOn || mayBe) && !tried[at] {
			tried[at] = true
			way = append(way, step{waiting{rest, x}, f.back.Offsets[x]})
		}
	}
	vertices := make([]int32, len(way))
	for i, s := range way {
		vertices[len(way)-1-i] = s.rest.vertex
	}
	return vertices
}

// put has a vertex wait.
func (f *Finder) put(e *end, w waiting) {
	e.next = append(e.next, w)
	if f.equal { // and so it is the last
		return
	}
	i := len(e.next) - 1
	for ; i > 0 && w.less(e.next[(i-1)/2].label); i = (i - 1) / 2 {
		e.next[i] = e.next[(i-1)/2]
	}
	e.next[i] = w
}

// take takes the vertex with the least label.
func (f *Finder) take(e *end) waiting {
	w := e.next[0]
	if f.equal {
		e.next = e.next[1:]
		return w
	}
	last := len(e.next) - 1
	moved := e.next[last]
	e.next = e.next[:last]
	i := 0
	for c := 1; c < last; c = 2*i + 1 {
		if c+1 < last && e.next[c+1].less(e.next[c].label) {
			c++
		}
		if !e.next[c].less(moved.label) {
			break
		}
		e.next[i] = e.next[c]
		i = c
	}
	if last > 0 {
		e.next[i] = moved
	}
	return w
}
