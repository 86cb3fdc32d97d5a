package graph

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"ooc/engine/internal/cancel"
	"ooc/engine/text"
	"ooc/kernels/entry"
)

// Check proves that a distance matrix of the graph's kind can be computed: that no cycle is negative, else a
// *NegativeCycleError names one, and that every distance fits the kind, else a *RangeError says what could be shown. It
// costs little for a graph without negative arcs whose weights are small. It fails with the cause of ctx if that ends
// first.
func (g *Graph) Check(ctx context.Context) error {
	if g.Negative {
		if _, err := g.Potentials(ctx); err != nil {
			return err
		}
	}
	return g.CheckRange(ctx)
}

// CheckRange is the part of Check about distances, for a graph without a negative cycle.
func (g *Graph) CheckRange(ctx context.Context) error {
	longest := func(enough float64) (float64, error) { return g.longestPath(ctx, enough) }
	return g.Facts().CheckRange(g.File, g.sumOfLargest, longest)
}

// Up to so many arcs FitsScaled and Fits search a graph: the first one so that an import takes little longer.
const (
	fewArcs  = 1 << 18
	manyArcs = 1<<21 - 1
)

// FitsScaled reports whether CheckRange would let the graph's input pass in kind i32 with another scale. It is not
// sure of a refusal where it takes a search to know, and the graph is large.
func (g *Graph) FitsScaled(scale int64) (fits, sure bool) {
	factor := float64(scale) / float64(g.Scale) * (1 + 1./(1<<20)) // weights here are rounded
	if factor*max(g.MaxWeight, -g.MinWeight) > math.MaxInt32 {
		return false, true
	}
	return g.fits(context.Background(), entry.KindI32, factor, fewArcs)
}

// fits reports whether the weights times a factor pass CheckRange in another kind, and whether it is sure of that
// though it did not search a graph of more than most arcs.
func (g *Graph) fits(ctx context.Context, kind entry.Kind, factor float64, most int64) (fits, sure bool) {
	f := g.Facts()
	f.Kind, f.MinWeight, f.MaxWeight = kind, factor*f.MinWeight, factor*f.MaxWeight
	var longest func(enough float64) (float64, error)
	if g.Arcs() <= most {
		longest = func(enough float64) (float64, error) {
			most, err := g.longestPath(ctx, enough/factor)
			return factor * most, err
		}
	}
	err := f.CheckRange(g.File, func() float64 { return factor * g.sumOfLargest() }, longest)
	return err == nil, longest != nil || g.Negative
}

// Fits reports whether the distances of a graph of kind i32 fit a narrower one. Of a graph with many arcs, it says so
// where the weights alone show it.
func (g *Graph) Fits(ctx context.Context, kind entry.Kind) bool {
	fits, _ := g.fits(ctx, kind, 1, manyArcs)
	return fits && g.Kind == entry.KindI32 && !g.Negative
}

// CheckRange compares bounds of the magnitude of a distance with what the kind can hold. It returns a *RangeError if
// none is small enough. A shortest path visits no vertex twice, so it has at most N-1 arcs, each from another vertex.
// The first bound is N-1 times the largest weight, and the next the sum of the largest weights of all vertices. The
// last one, for a graph without negative arcs, is what no distance is above: longest, if not nil, computes it, and may
// stop early with one that is below enough. file is for the error.
func (f Facts) CheckRange(file string, sumOfLargest func() float64,
	longest func(enough float64) (float64, error)) error {
	switch {
	case f.Kind.Wide() != f.Kind && f.Negative:
		return &InputError{File: file, Reason: fmt.Sprintf("kind %s holds no negative weights: use --kind i32", f.Kind)}
	case f.Kind == entry.KindU8 && f.Arcs > 0 && (f.MinWeight < f.MaxWeight || f.MinWeight == 0):
		return &InputError{File: file,
			Reason: fmt.Sprintf("kind u8 is for arcs of one weight above 0, and these have %s to %s: use --kind u16, "+
				"or count arcs with --unweighted",
				text.Numbers{}.Text(f.MinWeight), text.Numbers{}.Text(f.MaxWeight))}
	}
	limit, widest := f.limit(), max(f.MaxWeight, -f.MinWeight)
	bound := float64(f.N-1) * widest
	what := fmt.Sprintf("a path may have %d arcs of weight %s and be as long as", f.N-1, text.Numbers{}.Text(widest))
	if bound >= limit {
		if sum := sumOfLargest(); sum < bound {
			bound, what = sum, "a path may be as long as the largest weights of all vertices together,"
		}
	}
	if bound >= limit && longest != nil && !f.Negative {
		most, err := longest(limit)
		if err != nil {
			return err
		}
		if most < bound {
			bound, what = most, "a shortest path may be as long as"
		}
	}
	if bound < limit {
		return nil
	}
	return &RangeError{File: file, Kind: f.Kind, Bound: bound, Limit: limit, What: what,
		Hint: kindHint(f.Kind, f.Scale)}
}

// limit returns what the magnitude of every distance must stay below.
func (f Facts) limit() float64 {
	switch {
	case f.Kind == entry.KindF64:
		return math.MaxFloat64
	case f.Kind == entry.KindF32:
		return math.MaxFloat32
	case f.Kind.Wide() != f.Kind:
		return float64(f.Kind.Unreachable())
	case f.Negative:
		return float64(entry.Limit32)
	}
	return float64(entry.Inf32)
}

func (g *Graph) sumOfLargest() float64 {
	sum := 0.0
	for u := range g.N {
		largest := 0.0
		for k := g.Offsets[u]; k < g.Offsets[u+1]; k++ {
			largest = max(largest, math.Abs(g.Weight(k)))
		}
		sum += largest
	}
	return sum
}

// longestPath bounds every distance of a graph without negative arcs. Inside a strongly connected component, no
// distance is more than the distance to the component's root plus that from it. A shortest path goes through
// components in their topological order and never returns to one. So the longest chain of these bounds, and of the
// arcs between components, is a bound.
//
// Paths of the fewest arcs are found ten times faster than shortest ones, and are no shorter: they are tried first.
// In a symmetric graph it goes on until the bound is below enough, where that takes few searches.
func (g *Graph) longestPath(ctx context.Context, enough float64) (longest float64, err error) {
	var c components
	var both errgroup.Group
	both.Go(func() (err error) {
		c, err = stronglyConnected(g, &cancel.Poll{Ctx: ctx})
		return err
	})
	forward := NewSearch(g)
	back := forward
	if !g.Symmetric {
		back = NewSearch(g.Reverse())
	}
	if err := both.Wait(); err != nil {
		return 0, err
	}
	forward.only, back.only = c.of, c.of
	forward.poll, back.poll = &cancel.Poll{Ctx: ctx}, &cancel.Poll{Ctx: ctx}
	for _, fewest := range []bool{true, false} {
		forward.fewest, back.fewest = fewest, fewest
		longest = c.longestChain(g, forward, back, enough)
		if err = cmp.Or(forward.err, back.err); err != nil || longest < enough {
			break
		}
	}
	return longest, err
}

// longestChain is longestPath by searches forward and back.
func (c *components) longestChain(g *Graph, forward, back *Search, enough float64) (longest float64) {
	forward.reset()
	back.reset()
	chain := make([]float64, len(c.start)-1)
	for number := 0; number < len(chain) && forward.err == nil; number++ {
		members := c.order[c.start[number]:c.start[number+1]]
		onward := 0.0
		for _, u := range members {
			for k := g.Offsets[u]; k < g.Offsets[u+1]; k++ {
				if to := c.of[g.Targets[k]]; to != int32(number) {
					onward = max(onward, g.Weight(k)+chain[to])
				}
			}
		}
		chain[number] = onward + farAround(forward, back, members)
		if g.Symmetric && chain[number] >= enough && !forward.fewest {
			chain[number] = forward.farthestOfAll(members, enough)
		}
		longest = max(longest, chain[number])
	}
	return longest
}

// farAround returns the largest distance from a member of a component, its middle, to the others plus the largest back.
// back is forward where these are the same.
func farAround(forward, back *Search, members []int32) float64 {
	if len(members) == 1 {
		return 0
	}
	root := forward.middle(members)
	if forward == back {
		far, _ := forward.farthest(root, members)
		return 2 * far
	}
	var to float64
	var other sync.WaitGroup
	other.Go(func() { to, _ = back.farthest(root, members) })
	from, _ := forward.farthest(root, members)
	other.Wait()
	return from + to
}

// middle returns the member of a component that longestPath takes as its root: any will do. In a symmetric graph it is
// halfway to the member that is farthest from the one that is farthest from the first: of a tree the centre, and mostly
// close to it. So the bound is close to the longest distance, which it may else be twice.
func (s *Search) middle(members []int32) int32 {
	if !s.g.Symmetric || len(members) < 3 {
		return members[0]
	}
	_, end := s.farthest(members[0], members)
	far, v := s.farthest(end, members)
	for v != end && s.dist[v] > far/2 {
		v = s.pred[v]
	}
	return v
}

// mostSearches is how many searches may tighten the bound of a component.
const mostSearches = 64

// farthestOfAll bounds the distances within a component of a symmetric graph after a search from its root. Two
// members at most so far from the root are at most twice as far apart. So members are searched from in turn, from the
// farthest on, until that is below enough (P. Crescenzi et al., On computing the diameter of real-world undirected
// graphs, 2013).
func (s *Search) farthestOfAll(members []int32, enough float64) (bound float64) {
	order, away := slices.Clone(members), make([]float64, len(members))
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(s.dist[b], s.dist[a]) })
	for k, v := range order {
		away[k] = s.dist[v]
	}
	for k, v := range order {
		if rest := 2 * away[k]; rest < max(enough, bound) || bound >= enough || k == mostSearches {
			return max(rest, bound)
		}
		far, _ := s.farthest(v, members)
		bound = max(bound, far)
	}
	return bound
}

// farthest returns the largest distance from a member of a component to the others, and which has it. It does not
// change what s holds for other components.
func (s *Search) farthest(root int32, members []int32) (far float64, last int32) {
	for _, v := range members {
		s.dist[v] = math.Inf(1)
	}
	last = root
	s.dijkstra(root)
	for _, v := range members {
		if s.dist[v] > far {
			far, last = s.dist[v], v
		}
	}
	return far, last
}

// components are the strongly connected components of a graph, numbered so that every arc leads to the
// same or a lower number.
type components struct {
	of    []int32 // of each vertex
	order []int32 // the vertices of component 0, then 1, …
	start []int32 // where each component begins in order, and their end
}

// Components returns the number of each vertex's strongly connected component, counted from 0. It fails with the cause
// of ctx if that ends first.
func (g *Graph) Components(ctx context.Context) (of []int32, err error) {
	c, err := stronglyConnected(g, &cancel.Poll{Ctx: ctx})
	return c.of, err
}

// stronglyConnected is Tarjan's algorithm with its recursion unrolled (R. Tarjan, Depth-first search and
// linear graph algorithms, 1972). An arc to a vertex that was not visited is looked at once more when that is done.
func stronglyConnected(g *Graph, poll *cancel.Poll) (components, error) {
	c := components{of: make([]int32, g.N), start: []int32{0}}
	index, low := make([]int32, g.N), make([]int32, g.N) // 0: not visited; low is done once a component has the vertex
	next := slices.Clone(g.Offsets[:g.N])
	var path, open []int32 // the current path, and the vertices without a component
	const done = math.MaxInt32
	visited := int32(0)
	visit := func(v int32) {
		visited++
		index[v], low[v] = visited, visited
		path, open = append(path, v), append(open, v)
	}
	for root := range int32(g.N) {
		if low[root] == 0 {
			visit(root)
		}
		for len(path) > 0 {
			if err := poll.After(1); err != nil {
				return components{}, err
			}
			u := path[len(path)-1]
			if next[u] < g.Offsets[u+1] {
				if v := g.Targets[next[u]]; low[v] == 0 {
					visit(v)
				} else {
					low[u] = min(low[u], low[v])
					next[u]++
				}
				continue
			}
			path = path[:len(path)-1]
			if low[u] < index[u] {
				continue
			}
			for low[u] != done {
				v := open[len(open)-1]
				open = open[:len(open)-1]
				c.of[v], low[v] = int32(len(c.start)-1), done
				c.order = append(c.order, v)
			}
			c.start = append(c.start, int32(len(c.order)))
		}
	}
	return c, nil
}
