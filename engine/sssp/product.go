package sssp

import (
	"context"
	"fmt"
	"math"

	"ooc/engine/graph"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// product makes of the sources' vectors a matrix, and of a sweep one (min,+) product of it and the matrix of
// weights, so that an arc is read once for all of them. Predecessors follow from the distances in the end.
var product = Method{
	Name: "product", Title: "a (min,+) product a sweep, for a batch of sources",
	run: func(ctx context.Context, p *problem) (*Result, error) {
		if _, lanes := kernels.As[kernels.HostLaneOps](p.Device); p.into != nil && !lanes {
			// A device with memory of its own takes a vector a source: what an arc is read for is there for all of them.
			return p.bySweeps(ctx, form{name: "product", transposed: true, groups: append([]int{1}, p.groupChoices()...)})
		}
		if err := p.refuseCycles(ctx); err != nil {
			return nil, err
		}
		r := &Result{Summary: Summary{Method: "product"}}
		for lo := 0; lo < len(p.Sources); {
			hi := min(len(p.Sources), lo+p.batch())
			b := batch{problem: p, sources: p.Sources[lo:hi], before: lo, sum: &r.Summary}
			dist, err := b.solve(ctx)
			if err != nil {
				return nil, err
			}
			pred, err := p.trees(b.sources, dist)
			if err != nil {
				return nil, err
			}
			r.Dist, r.Pred = append(r.Dist, dist...), append(r.Pred, pred...)
			lo = hi
		}
		return r, nil
	},
}

// refuseCycles finds a negative cycle that some source reaches, with one vector for all of them.
func (p *problem) refuseCycles(ctx context.Context) error {
	if !p.facts.Negative {
		return nil
	}
	f := form{name: "product", transposed: true, groups: []int{1}}
	return p.sweepFrom(ctx, f, [][]int{p.Sources}, &Result{})
}

// The most sources of a batch: past a few cache lines a row nothing is gained.
const (
	mostLanes = 256
	laneBytes = 1 << 30
)

// batch returns how many sources are taken at a time.
func (p *problem) batch() int {
	if p.into == nil {
		return mostLanes
	}
	return max(kernels.HostLaneUnit, min(mostLanes, int(laneBytes/(2*entry.EntryBytes*int64(p.facts.N)))/kernels.HostLaneUnit*kernels.HostLaneUnit))
}

// batch is one product after another, for some of the sources.
type batch struct {
	*problem
	sources []int
	before  int // sources settled
	sum     *Summary
}

func (b *batch) solve(ctx context.Context) ([][]uint32, error) {
	if b.into == nil {
		return b.byTiles(ctx)
	}
	return b.byLanes(ctx)
}

// swept books a sweep, and fails where the context has ended or where rounding keeps distances falling.
func (b *batch) swept(ctx context.Context, sweeps int) error {
	b.sum.Sweeps++
	b.sum.Relaxations += float64(len(b.sources)) * b.pairs()
	b.report(b.before, b.sum.Sweeps)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if sweeps > b.facts.N {
		return fmt.Errorf("%w after %d sweeps: --scale keeps decimal weights exact", ErrRounding, sweeps)
	}
	return nil
}

// trees returns predecessors for distances that are settled: of each source, all vertices in the order of their
// fewest arcs from it, each found by the least of the vertices before it. An arc belongs to a shortest path if the
// distance of its beginning and its weight add up to that of its end, as the sweeps have added them. An arc is read
// once for all sources that need it at the same number of arcs.
func (p *problem) trees(sources []int, dist [][]uint32) ([][]int32, error) {
	t := trees{problem: p, sources: sources, dist: dist, now: make([][]int32, p.facts.N), at: make([][]int32, p.facts.N)}
	for i, s := range sources {
		pred := make([]int32, p.facts.N)
		for v := range pred {
			pred[v] = entry.NoVertex
		}
		t.pred = append(t.pred, pred)
		t.at[s] = append(t.at[s], int32(i))
	}
	rows := p.rows()
	for left := true; left; {
		t.now, t.at = t.at, t.now
		left = false
		for u, of := range t.now {
			if len(of) == 0 {
				continue
			}
			ends, weights, err := rows(u)
			if err != nil {
				return nil, err
			}
			for _, i := range of {
				left = t.follow(i, int32(u), ends, weights) || left
			}
			t.now[u] = of[:0]
		}
	}
	return t.pred, nil
}

type trees struct {
	*problem
	sources []int
	dist    [][]uint32
	pred    [][]int32
	now, at [][]int32 // by vertex: the sources, by index, that have found it with this many arcs, and with one more
}

// follow finds the ends of the arcs from u that are on shortest paths from source i.
func (t *trees) follow(i, u int32, ends []int32, weights []uint32) (found bool) {
	dist, pred, source := t.dist[i], t.pred[i], int32(t.sources[i])
	for k, v := range ends {
		if pred[v] == entry.NoVertex && v != source && t.add(dist[u], weights[k]) == dist[v] {
			pred[v] = u
			t.at[v] = append(t.at[v], i)
			found = true
		}
	}
	return found
}

// add adds as the kernels do.
func (p *problem) add(d, w uint32) uint32 {
	if p.variant.Float() {
		return math.Float32bits(math.Float32frombits(d) + math.Float32frombits(w))
	}
	return uint32(int32(d) + int32(w))
}

// rowReader returns the arcs from a vertex: their ends and the bits of their weights.
type rowReader func(u int) (ends []int32, weights []uint32, err error)

// rows returns what reads the arcs from vertices, in ascending order at best.
func (p *problem) rows() rowReader {
	g, ok := p.arcs.(*graph.Graph)
	if !ok {
		return p.matrixRows()
	}
	bits := entry.View[uint32](g.WeightBytes())
	return func(u int) ([]int32, []uint32, error) {
		lo, hi := g.Offsets[u], g.Offsets[u+1]
		return g.Targets[lo:hi], bits[lo:hi], nil
	}
}

// stripEdge is the edge of the tiles that rows of a matrix are read in.
const stripEdge = 64

// matrixRows reads a strip of rows at a time.
func (p *problem) matrixRows() rowReader {
	n, tiles := p.facts.N, (p.facts.N+stripEdge-1)/stripEdge
	strip := make([]uint32, tiles*stripEdge*stripEdge)
	holds, none := -1, p.variant.Unreachable()
	ends, weights := make([]int32, 0, n), make([]uint32, 0, n)
	return func(u int) ([]int32, []uint32, error) {
		const tile = stripEdge * stripEdge
		if u/stripEdge != holds {
			for j := range tiles {
				if err := p.arcs.FillTile(entry.Bytes(strip[j*tile:(j+1)*tile]), stripEdge, u/stripEdge, j); err != nil {
					return nil, nil, err
				}
			}
			holds = u / stripEdge
		}
		ends, weights = ends[:0], weights[:0]
		for v := range n {
			if w := strip[v/stripEdge*tile+u%stripEdge*stripEdge+v%stripEdge]; w != none && v != u {
				ends, weights = append(ends, int32(v)), append(weights, w)
			}
		}
		return ends, weights, nil
	}
}
