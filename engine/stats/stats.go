package stats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"ooc/engine"
	"ooc/engine/text"
	"ooc/tiles"
)

// Result holds the statistics of a solved matrix d of N vertices; d(u,v) is the distance from u to v. Distances are
// in the input's units, vertices are rows. A pair is an ordered pair of two different vertices; it is reachable if
// its distance is finite. What has the name of a networkx function equals what that returns; docs/stats.md has the
// formulas, and what stands here where networkx raises an exception. Where only the rows of chosen sources are known,
// pairs are those from a source, and everything is of these: what is of a row is 0 for other vertices.
type Result struct {
	N        int
	Kind     string // of the matrix: the numbers of "f32" are good to float32's precision
	Directed bool
	Sources  []int32 // the vertices whose rows there are, ascending; nil: all

	ReachablePairs int64
	Connected      bool // every pair is reachable; in directed graphs: strongly connected

	// Diameter and Radius are the greatest and the least eccentricity, each with a pair that has that distance
	// and whose first vertex has that eccentricity. They may be +Inf, and their pair then is not reachable.
	Diameter, Radius         float64
	DiameterPair, RadiusPair [2]int

	LongestDistance float64 // the greatest distance of a reachable pair, 0 without one: the diameter, if connected
	LongestPair     [2]int

	Center     []int // all whose eccentricity is Radius; none if that is +Inf
	Periphery  []int // all whose eccentricity is Diameter; none if that is +Inf
	Barycenter []int // all with the least DistanceSum; none unless connected

	TotalDistance             float64 // of the reachable pairs
	MeanDistance              float64 // of the reachable pairs; NaN where there are none
	AverageShortestPathLength float64 // of all pairs, so +Inf unless connected
	WienerIndex               float64 // sum over all pairs, or all unordered pairs; +Inf unless connected
	GlobalEfficiency          float64 // mean over all pairs of 1/d(u,v), which is 0 where there is no path

	DistanceHistogram     *Histogram // of the distances of reachable pairs; nil if not asked for
	EccentricityHistogram *Histogram // of Longest, which are the eccentricities if connected; nil if not asked for

	// Of each vertex v.
	Eccentricity  []float64 // max over u of d(v,u); +Inf if v does not reach all
	Longest       []float64 // max over the u that v reaches, itself one of them
	Farthest      []int32   // the first u at that distance; v itself if that is 0
	Descendants   []int32   // number of other vertices that v reaches
	Ancestors     []int32   // number of other vertices that reach v
	DistanceSum   []float64 // of d(v,u) over descendants u
	DistanceSumIn []float64 // of d(u,v) over ancestors u
	Closeness     []float64 // of incoming distances, with Wasserman and Faust's factor
	ClosenessOut  []float64 // the same of outgoing distances
	Harmonic      []float64 // sum of 1/d(u,v) over u
	HarmonicOut   []float64 // sum of 1/d(v,u) over u

	Between *pathShares // nil if not asked for

	Within  []withinDistance // the distances of Options.Within
	Sums    []sum            // the same distances, or +Inf; nil without Options.Values
	Nearest [][]neighbor     // of each vertex; nil if not asked for

	More map[string][]float64 // what has no field here, by the name of its column: a number of each vertex

	numbers text.Numbers // how distances are written
	near    int          // neighbors that a list of Nearest may have
}

// Options say what to gather beside what is always gathered. The zero value is nothing.
type Options struct {
	Bins    int       // histograms of at most so many bins, 2 to MaxBins, all of one round width; 0: none
	Edges   []float64 // histograms of the bins between these edges, which ascend; not with Bins
	Nearest int       // this many nearest other vertices of each
	Within  []float64 // how many other vertices of each are no farther than this
	// Values are one number of each vertex. With them, Within and Sums are all that is gathered; of a graph, they are
	// found by searches that stop where nothing counts any more.
	Values []float64
	Decay  decay // of Values
}

// errOptions is wrapped by the error of Of for options that cannot be used.
var errOptions = errors.New("cannot gather that")

// nearestMemory is the most memory that the lists of neighbors may take.
const nearestMemory = 2 << 30

// Check says what is wrong with the options for n vertices; the error wraps errOptions.
func (o *Options) Check(n int) error {
	fail := func(format string, args ...any) error {
		return text.ErrorOf(errOptions, format, args...)
	}
	most := nearestMemory / neighborBytes / n
	switch {
	case o.Bins < 0 || o.Bins == 1 || o.Bins > MaxBins:
		return fail("%d bins; want 2 to %d", o.Bins, MaxBins)
	case o.Bins > 0 && o.Edges != nil:
		return fail("there are both a number of bins and their edges")
	case o.Edges != nil && !usableEdges(o.Edges):
		return fail("the edges of bins are %v; want two or more finite numbers that ascend", o.Edges)
	case o.Nearest < 0:
		return fail("%d nearest vertices; want 0 or more", o.Nearest)
	case min(o.Nearest, n-1) > most:
		return fail("the %d nearest of each of %d vertices do not fit in memory; ask for at most %d", o.Nearest, n,
			most)
	}
	if o.Values != nil && len(o.Values) != n {
		return fail("%d values of %d vertices", len(o.Values), n)
	}
	if o.Values != nil && (o.Bins > 0 || o.Edges != nil || o.Nearest > 0) {
		return fail("sums of values come with no other statistics")
	}
	for _, r := range o.Within {
		if math.IsNaN(r) {
			return fail("distances to be within have to be numbers, not %v", r)
		}
	}
	return nil
}

// Of reads the matrix once, from the first tile to the last, and gathers its statistics. Sums are exact in
// i32; in f32 they are of float64, added up in an order that only the tile edge decides, so that no result
// depends on how many processors there are. Memory: some 100 bytes a vertex for the results and 24 for each
// goroutine (at most 16), 16 for each neighbor asked for, and less than 64 MiB apart from that. It fails with
// engine.ErrUnsolved, with errOptions, the
// cause of ctx, or a *tiles.FaultError.
func Of(ctx context.Context, p *engine.Problem, o Options) (_ *Result, err error) {
	if err := o.Check(p.Geometry().N); err != nil {
		return nil, err
	}
	if err := p.Solved(); err != nil {
		return nil, err
	}
	x, err := gatheringOf(p, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, x.from.close()) }()
	if err := x.makeGatherers(); err != nil {
		return nil, err
	}
	if err := x.pass(ctx); err != nil {
		return nil, fmt.Errorf("statistics: %w", err)
	}
	if err := p.Solved(); err != nil { // another process may have begun it again
		return nil, err
	}
	return x.result()
}

// gatheringOf reads the matrix of a store, or computes rows from what it keeps.
func gatheringOf(p *engine.Problem, o Options) (*gathering, error) {
	x := newGathering(p.Meta(), o)
	if p.Geometry().Factors {
		ready, err := p.Ready()
		if err != nil {
			return nil, err
		}
		x.symmetric = !p.Meta().Directed
		from, err := newComputed(ready, p.Meta().Kind, nil, x.symmetric, 0)
		x.reads(from)
		return x, err
	}
	// In floats, an expansion adds up u→v and v→u in different orders.
	x.symmetric = p.Geometry().Upper || !p.Meta().Directed && !p.Meta().Kind.Float() && len(p.Meta().Sources) == 0
	x.reads(newStored(p))
	return x, nil
}

func newGathering(meta *tiles.Meta, o Options) *gathering {
	kind := meta.Kind.Wide()
	r := &Result{N: meta.N, Kind: string(meta.Kind), Directed: meta.Directed, Sources: meta.Sources,
		numbers: text.NumbersOf(meta.Kind, meta.Scale)}
	return &gathering{meta: meta, o: o, r: r, kind: kind, inLanes: meta.Kind, float: kind.Float(),
		none: kind.Unreachable()}
}

func (x *gathering) makeGatherers() error {
	for _, one := range tableOf(x.o.Values != nil) {
		if one.gather == nil {
			continue
		}
		switch g, err := one.gather(x); {
		case err != nil:
			return fmt.Errorf("statistics: %w", err)
		case g != nil:
			x.gatherers = append(x.gatherers, g)
		}
	}
	return nil
}

// result computes what follows from what was gathered.
func (x *gathering) result() (*Result, error) {
	for _, g := range x.gatherers {
		g.finish()
	}
	for _, one := range tableOf(x.o.Values != nil) {
		if one.derive == nil {
			continue
		}
		if err := one.derive(x); err != nil {
			return nil, fmt.Errorf("statistics: %w", err)
		}
	}
	return x.r, nil
}

// Rows returns the vertices whose rows there are.
func (r *Result) Rows() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range r.count() {
			if !yield(tiles.RowSet(r.Sources).Vertex(i)) {
				return
			}
		}
	}
}

// count is how many rows there are.
func (r *Result) count() int {
	return cmp.Or(len(r.Sources), r.N)
}

// has reports whether there is a vertex's row.
func (r *Result) has(v int) bool {
	_, found := tiles.RowSet(r.Sources).Index(v)
	return found
}

// others is how many rows there are of other vertices, for each vertex.
func (r *Result) others() []int32 {
	others := slices.Repeat([]int32{int32(r.count())}, r.N)
	for v := range r.Rows() {
		others[v]--
	}
	return others
}
