package ordering

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"ooc/engine/internal/cancel"
)

const (
	// leafVertices is the size of a region that is not dissected: its vertices are ordered by minimum degrees.
	leafVertices = 1500
	// thickVertices is the size of the largest region without a thin separator for which the rest of a graph is
	// dissected all the same.
	thickVertices = 4 * leafVertices
	// forkVertices is the size of a region from which its halves are dissected at the same time.
	forkVertices = 20000
	// thick is how many times the square root of a region's vertices a separator may have. Where one has more, the
	// region is ordered by minimum degrees.
	thick = 3
)

// block is some vertices that follow one another in an order by dissection: a separator, or a region that was not
// dissected.
type block struct {
	region   int     // vertices of the region that the separator separates
	vertices []int32 // in the order of their elimination
}

// Dissect orders all vertices by nested dissection (A. George, Nested dissection of a regular finite element mesh,
// 1973): a separator is eliminated after the two halves that it leaves, and these are dissected likewise. Blocks of
// larger regions come later, so that what is left at any stopping point are the separators of the largest. It returns
// nil if a region of more than 6,000 vertices (thickVertices) has no thin separator: then minimum degrees leave fewer
// arcs. It fails with the cause of ctx if that ends first. The order does not depend on the number of processors.
func Dissect(ctx context.Context, p *Pattern) ([]int32, error) {
	vertices := make([]int32, p.n())
	for v := range vertices {
		vertices[v] = int32(v)
	}
	whole := &region{vertices: vertices, start: make([]int32, p.n()+1), adj: p.Adj}
	for v := range vertices {
		whole.start[v+1] = int32(p.Start[v+1])
	}
	d := &dissection{tally: cancel.Begin(ctx, int64(p.n())), free: make(chan struct{}, runtime.GOMAXPROCS(0)-1)}
	blocks, err := d.blocks(ctx, whole)
	if err != nil || d.thick.Load() {
		return nil, err
	}
	slices.SortStableFunc(blocks, func(a, b block) int { return a.region - b.region })
	order := make([]int32, 0, p.n())
	for _, b := range blocks {
		order = append(order, b.vertices...)
	}
	return order, nil
}

// dissection is the work of ordering one graph.
type dissection struct {
	tally *cancel.Tally // counts vertices
	thick atomic.Bool   // a region of more than thickVertices has no thin separator
	free  chan struct{} // has room for each processor beyond the first
}

// blocks dissects a region. Its blocks are those of its parts, one part after another, and its separator.
func (d *dissection) blocks(ctx context.Context, r *region) ([]block, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var parts []*region
	var separator []int32
	if r.n() > leafVertices && !r.leaf {
		parts, separator = r.divide(ctx)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if parts == nil && r.n() > thickVertices && !r.leaf {
		d.thick.Store(true)
	}
	if d.thick.Load() {
		return nil, nil
	}
	if parts == nil {
		defer d.tally.Done.Add(int64(r.n()))
		return []block{{r.smallest(), r.minimumDegree()}}, nil
	}
	d.tally.Done.Add(int64(len(separator)))
	n := r.n()
	r.start, r.adj, r.vertices = nil, nil, nil // not needed any more
	of := make([][]block, len(parts))
	var g errgroup.Group
	for i, part := range parts {
		do := func() (err error) {
			of[i], err = d.blocks(ctx, part)
			return err
		}
		if n >= forkVertices && i+1 < len(parts) {
			select {
			case d.free <- struct{}{}:
				g.Go(func() error {
					defer func() { <-d.free }()
					return do()
				})
				continue
			default:
			}
		}
		if err := do(); err != nil {
			g.Wait()
			return nil, err
		}
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	blocks := slices.Concat(of...)
	if len(separator) > 0 {
		blocks = append(blocks, block{n, separator})
	}
	return blocks, nil
}

// region is a part of a graph: its vertices, and the arcs between them in numbers of the region.
type region struct {
	vertices []int32 // of the graph; a coarse region has none
	start    []int32
	adj      []int32
	leaf     bool // small components, which are not dissected
}

func (r *region) n() int { return len(r.start) - 1 }

func (r *region) row(v int32) []int32 { return r.adj[r.start[v]:r.start[v+1]] }

// smallest is the size of a region that is not dissected, or of the largest part that it may have if it is small
// components.
func (r *region) smallest() int {
	if r.leaf {
		return min(r.n(), leafVertices)
	}
	return r.n()
}

// minimumDegree orders the vertices of a region that is not dissected.
func (r *region) minimumDegree() []int32 {
	n := r.n()
	p := &Pattern{make([]int64, n+1), r.adj}
	for v := range n {
		p.Start[v+1] = int64(r.start[v+1])
	}
	order, ordered := make([]int32, 0, n), make([]bool, n)
	for step := range MinimumDegree(p, nil) {
		for _, v := range step.Vertices {
			order, ordered[v] = append(order, r.vertices[v]), true
		}
	}
	for v, done := range ordered { // those that were set apart
		if !done {
			order = append(order, r.vertices[v])
		}
	}
	return order
}

// divide cuts a region into parts without arcs between them, and their separator, vertices of the graph. There are no
// parts if the region has no thin separator, or ctx has ended.
func (r *region) divide(ctx context.Context) (parts []*region, separator []int32) {
	var side, order []int32
	if r.n() >= coarsenFrom {
		side, order = r.separateCoarsely(ctx)
	}
	if side == nil {
		b := newSearcher(ctx, r)
		if !b.main() {
			return r.components(), nil
		}
		side, order = r.separate(b)
	}
	if side == nil {
		return nil, nil
	}
	for v, s := range side {
		if s == between {
			separator = append(separator, r.vertices[v])
		}
	}
	return r.split(side, 2, order), separator
}

// components returns the components of a region, those of at most leafVertices as one part.
func (r *region) components() []*region {
	part, order := slices.Repeat([]int32{between}, r.n()), make([]int32, 0, r.n()) // small components: 0
	large := int32(1)
	for v := range int32(r.n()) {
		if part[v] != between {
			continue
		}
		first := len(order)
		part[v], order = large, append(order, v)
		for i := first; i < len(order); i++ {
			for _, u := range r.row(order[i]) {
				if part[u] == between {
					part[u], order = large, append(order, u)
				}
			}
		}
		if len(order)-first > leafVertices {
			large++
			continue
		}
		for _, u := range order[first:] {
			part[u] = 0
		}
	}
	parts := r.split(part, int(large), order)
	parts[0].leaf = true
	return parts
}

// split returns the regions of the vertices of each of some parts, numbered in the given order of all vertices, in
// which neighbours are near each other. Those between are in none.
func (r *region) split(part []int32, count int, order []int32) []*region {
	size, arcs := make([]int32, count), make([]int32, count)
	number := make([]int32, r.n())
	for _, v := range order {
		if s := part[v]; s >= 0 {
			number[v] = size[s]
			size[s]++
			arcs[s] += r.start[v+1] - r.start[v]
		}
	}
	all := make([]*region, count)
	for i := range all {
		all[i] = &region{vertices: make([]int32, 0, size[i]), start: append(make([]int32, 0, size[i]+1), 0),
			adj: make([]int32, 0, arcs[i])}
	}
	for _, v := range order {
		s := part[v]
		if s < 0 {
			continue
		}
		to := all[s]
		to.vertices = append(to.vertices, r.vertices[v])
		for _, u := range r.row(v) {
			if part[u] == s {
				to.adj = append(to.adj, number[u])
			}
		}
		to.start = append(to.start, int32(len(to.adj)))
	}
	return all
}
