package sssp

import (
	"context"
	"fmt"
	"math"
	"slices"

	"ooc/engine/graph"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// product treats the sources' vectors as one matrix, and a sweep as its (min,+) product with the matrix of weights.
// So an arc is read once for all sources. Predecessors are found from the final distances.
var product = method{
	Name: "product", Title: "a (min,+) product a sweep, for a batch of sources",
	Run: func(ctx context.Context, p *problem) (*Result, error) {
		if _, lanes := kernels.As[kernels.HostLaneOps](p.Device); p.into != nil && !lanes {
			// On a device with memory of its own, a vector for each source does the same: a step reads an arc once
			// for all of them.
			return p.byVectors(ctx, form{name: "product", transposed: true,
				groups: append([]int{1}, p.groupChoices()...)})
		}
		if err := p.refuseCycles(ctx); err != nil {
			return nil, err
		}
		r := &Result{Summary: summary{Method: "product"}}
		for sources := range slices.Chunk(p.Sources, p.batch()) {
			b := batch{problem: p, sources: sources, before: len(r.Dist), sum: &r.Summary}
			dist, err := b.solve(ctx)
			if err != nil {
				return nil, err
			}
			pred, err := p.trees(b.sources, dist)
			if err != nil {
				return nil, err
			}
			r.Dist, r.Pred = append(r.Dist, dist...), append(r.Pred, pred...)
		}
		return r, nil
	},
}

// refuseCycles looks for a negative cycle that some source reaches, with one vector for all sources.
func (p *problem) refuseCycles(ctx context.Context) error {
	if !p.facts.Negative {
		return nil
	}
	f := form{name: "product", transposed: true, groups: []int{1}}
	return p.runVectors(ctx, f, [][]int{p.Sources}, &Result{})
}

// The limits of a batch. Rows longer than a few cache lines gain nothing.
const (
	mostLanes = 256
	laneBytes = 1 << 30
)

// batch returns how many sources to take at a time.
func (p *problem) batch() int {
	if p.into == nil {
		return mostLanes
	}
	return max(kernels.HostLaneUnit,
		min(mostLanes, int(laneBytes/(2*entry.WordBytes*int64(p.facts.N)))/kernels.HostLaneUnit*kernels.HostLaneUnit))
}

// batch is one product after another, for some of the sources.
type batch struct {
	*problem
	sources []int
	before  int // sources settled
	sum     *summary
}

func (b *batch) solve(ctx context.Context) ([][]uint32, error) {
	if b.into == nil {
		return b.byTiles(ctx)
	}
	return b.byLanes(ctx)
}

// rows returns the distances from each source, of which at tells those to a vertex.
func (b *batch) rows(at func(source, v int) uint32) [][]uint32 {
	rows := make([][]uint32, len(b.sources))
	for i := range rows {
		rows[i] = make([]uint32, b.facts.N)
		for v := range rows[i] {
			rows[i][v] = at(i, v)
		}
	}
	return rows
}

// countSweep counts a sweep. It fails if the context has ended, or if distances still fall after as many sweeps as
// there are vertices.
func (b *batch) countSweep(ctx context.Context, sweeps int) error {
	b.sum.Sweeps++
	b.sum.Relaxations += float64(len(b.sources)) * b.pairs()
	b.report(b.before, b.sum.Sweeps)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if sweeps > b.facts.N {
		return fmt.Errorf("%w after %d sweeps: --scale keeps decimal weights exact", errRounding, sweeps)
	}
	return nil
}

// trees returns predecessors for final distances. An arc is on a shortest path if the distance of its tail plus its
// weight, added as in the sweeps, is the distance of its head. trees searches along these arcs from each source,
// breadth first: so each vertex gets a predecessor on a path of the fewest arcs, and of several the one with the
// lowest number. An arc is read once for all sources that reach its tail with the same number of arcs.
func (p *problem) trees(sources []int, dist [][]uint32) ([][]int32, error) {
	t := trees{problem: p, sources: sources, dist: dist, now: make([][]int32, p.facts.N),
		at: make([][]int32, p.facts.N)}
	for i, s := range sources {
		t.pred = append(t.pred, slices.Repeat([]int32{entry.NoVertex}, p.facts.N))
		t.at[s] = append(t.at[s], int32(i))
	}
	rows := p.arcsFrom()
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

// arcsFrom returns what reads the arcs from vertices. It is fastest in ascending order.
func (p *problem) arcsFrom() rowReader {
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
	n, tiles := p.facts.N, entry.CeilDiv(p.facts.N, stripEdge)
	strip := make([]uint32, tiles*stripEdge*stripEdge)
	holds, none := -1, uint32(p.variant.Unreachable())
	ends, weights := make([]int32, 0, n), make([]uint32, 0, n)
	return func(u int) ([]int32, []uint32, error) {
		const tile = stripEdge * stripEdge
		if u/stripEdge != holds {
			for j := range tiles {
				if err := p.arcs.FillTile(entry.Bytes(strip[j*tile:(j+1)*tile]), stripEdge, u/stripEdge,
					j); err != nil {
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
