package sparse

import (
	"context"
	"fmt"
	"math"
	"sync"

	"golang.org/x/sync/errgroup"

	"ooc/engine/graph"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// Elimination is a graph without its eliminated vertices: the core, and what is needed to expand the core's distances
// to all vertices. It is not changed once made, so any number of goroutines may use it. Its slices are only for
// reading. They are plain slices, so that they can be copied to a device.
//
// A vertex's *rank* is its place in the sweep. The core has the ranks from 0 on, by ascending vertex or, in an order
// by dissection, in that order. Every other vertex comes after all vertices that it has arcs up to.
type Elimination struct {
	Work    Work          // as counted for the stopping point: not all arcs of Fill need exist in Up or Down
	Variant entry.Variant // of weights and distances

	Vertices []int32 // by rank
	Rank     []int32 // by vertex
	Parent   []int32 // by rank: the highest rank below its own in the elimination tree; -1: a root, or in the core

	Up *kernels.Arcs // by rank: arcs to lower ranks, ends ascending
	// Down: by rank: arcs from lower ranks, ends ascending; the core has none. It is Up in undirected graphs.
	Down *kernels.Arcs

	Pieces *Pieces // of EliminateInPieces; nil: arcs one by one are faster

	lists              sync.Once // makes what follows, unless they are there
	upLists, downLists *Lists

	chained sync.Once // makes what follows
	chains  []int32

	ownWindow    ownWindow
	graph        *graph.Graph
	host         kernels.HostLaneOps // adds up rows of arcs; may be nil
	coreArcLists struct {
		sync.Mutex
		rows, columns int // of the tiles, 0 before there are any; guarded by the mutex, as what follows
		down, up      *coreArcLists
	}
}

// Core returns the number of vertices that were not eliminated.
func (e *Elimination) Core() int { return e.Work.Core }

// Eliminate eliminates the first vertices of an order of g, between 0 and o.Limit of them. g has no negative cycle.
// In integer kinds the result is exact; in others each arc is the length of its path within the rounding of its
// additions. It fails with the cause of ctx if that ends first.
func (o *Order) Eliminate(ctx context.Context, g *graph.Graph, eliminated int) (*Elimination, error) {
	return eliminate(ctx, g, o, eliminated, Cutting{}, false, nil)
}

// EliminateAlike is Eliminate with the same ends in Up and Down, so that some weights may be unreachable; where these
// are many, it is Eliminate. host adds up rows of arcs, which is faster.
func (o *Order) EliminateAlike(ctx context.Context, g *graph.Graph, eliminated int,
	host kernels.HostLaneOps) (*Elimination, error) {
	return eliminate(ctx, g, o, eliminated, Cutting{}, true, host)
}

// EliminateInPieces is Eliminate for devices on which products are many times faster than arcs. It also cuts Pieces,
// which it takes several times as long to find: see Pieces.Find. host adds rows to others, which is faster; it may be
// nil.
func (o *Order) EliminateInPieces(ctx context.Context, g *graph.Graph, eliminated int, c Cutting,
	host kernels.HostLaneOps) (*Elimination, error) {
	if c.Sizes == nil {
		c.Sizes = pieceSizes
	}
	return eliminate(ctx, g, o, eliminated, c, false, host)
}

// Cutting says how EliminateInPieces cuts.
type Cutting struct {
	Sizes     []int // pieces of at most so many vertices are tried, and one size is taken in any case; none: the usual
	MostUpper int   // ranks; memory has to hold the distances between all of these, and as many entries of Pieces
}

// eliminate is Eliminate with pieces, or without if that is faster, or there are no sizes. alike asks for the same
// ends up and down; host may be nil.
func eliminate(ctx context.Context, g *graph.Graph, o *Order, eliminated int, c Cutting, alike bool,
	host kernels.HostLaneOps) (*Elimination, error) {
	if eliminated < 0 || eliminated > o.Limit || len(o.Vertices) != g.N {
		return nil, fmt.Errorf("eliminate %d vertices of %d: the order has %d of %d", eliminated, g.N, o.Limit,
			len(o.Vertices))
	}
	if fill := o.start[eliminated]; fill > math.MaxInt32 {
		return nil, fmt.Errorf("eliminate %d vertices: %d arcs: elimination leaves too many arcs; stop at fewer "+
			"vertices", eliminated, fill)
	}
	e := &Elimination{Work: o.At(eliminated), Variant: g.Kind.Variant(g.Negative), graph: g, host: host}
	l := newLayout(o, e.Work, c)
	if err := arithmetics[e.Variant].finish(ctx, e, l, alike); err != nil {
		return nil, err
	}
	return e, nil
}

// finish computes the weights, and keeps only what is needed afterwards.
func (a arithmetic[W]) finish(ctx context.Context, e *Elimination, l *layout, alike bool) error {
	v := newValues(l, e.graph, a)
	v.variant, v.host = e.Variant, e.host
	if err := v.eliminate(ctx); err != nil {
		return err
	}
	if e.Pieces = v.newPieces(); e.Pieces != nil {
		pieces, of := e.Pieces, v
		pieces.find = sync.OnceValue(func() error {
			defer func() { of = nil }()
			return of.cutOff(ctx, pieces)
		})
		if v.missing(v.up)+v.missing(v.down) > 0 { // then the arcs are packed in their place
			if err := pieces.find(); err != nil {
				return err
			}
		}
	}
	e.Vertices, e.Rank, e.Parent = v.vertices, v.rank, v.parent
	if alike && (v.missing(v.up)+v.missing(v.down))*mostMissing < 2*len(v.ends) {
		e.Up = v.arcs(v.up)
		if e.Down = e.Up; v.directed() {
			e.Down = &kernels.Arcs{Offsets: e.Up.Offsets, Ends: e.Up.Ends, Weights: entry.As[uint32](v.down)}
		}
		return nil
	}
	if !v.directed() {
		e.Up = pack(v, v.up)
		e.Down = e.Up
		return nil
	}
	var both errgroup.Group
	both.Go(func() error { e.Up = pack(v, v.up); return nil })
	e.Down = pack(v, v.down)
	return both.Wait()
}

// mostMissing is which part of the arcs may be unreachable for both directions to have the same ends.
const mostMissing = 8

// missing counts the weights that are unreachable.
func (v *values[W]) missing(weights []W) (count int) {
	for _, w := range weights {
		if w >= v.inf {
			count++
		}
	}
	return count
}

// arcs returns all arcs of one direction, as they are.
func (v *values[W]) arcs(weights []W) *kernels.Arcs {
	a := &kernels.Arcs{Offsets: make([]int32, v.n+1), Ends: v.ends, Weights: entry.As[uint32](weights)}
	for r, start := range v.start {
		a.Offsets[r] = int32(start)
	}
	return a
}

// pack returns the arcs of one direction without those that are unreachable. It replaces weights.
func pack[W weight](v *values[W], weights []W) *kernels.Arcs {
	missing := v.missing(weights)
	if missing == 0 {
		return v.arcs(weights)
	}
	a := &kernels.Arcs{Offsets: make([]int32, v.n+1), Ends: make([]int32, len(weights)-missing+1)}
	kept := 0
	for r := range v.n {
		for k := v.start[r]; k < v.start[r+1]; k++ {
			w := weights[k]
			// This overwrites the arc before if that does not exist: no branch to mispredict.
			a.Ends[kept], weights[kept] = v.ends[k], w
			if w < v.inf {
				kept++
			}
		}
		a.Offsets[r+1] = int32(kept)
	}
	a.Ends, a.Weights = a.Ends[:kept], entry.As[uint32](weights[:kept])
	return a
}
