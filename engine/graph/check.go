package graph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"ooc/engine/internal/cancel"
	"ooc/engine/text"
	"ooc/kernels/entry"
)

// Check proves that a distance matrix of the graph's kind can be computed: that no cycle is negative, else a
// *NegativeCycleError names one, and that every distance fits the kind, else a *RangeError says what could be shown. It
// costs little for a graph without negative arcs whose weights are small. It fails with the cause of ctx if that ends
// first.
func (g *Graph) Check(ctx context.Context) (err error) {
	switch {
	case !g.Negative:
	case g.Directed:
		_, err = g.Potentials(ctx)
	default:
		err = g.NegativeCycle(g.negativeEdge())
	}
	if err != nil {
		return err
	}
	return g.CheckRange(ctx)
}

// CheckRange is the part of Check about distances, for a graph without a negative cycle.
func (g *Graph) CheckRange(ctx context.Context) error {
	f := g.Facts()
	longest := func(enough float64) (float64, error) { return g.longestPath(ctx, enough) }
	return f.CheckRange(g.File, g.sumOfLargest, longest)
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
func (f *Facts) CheckRange(file string, sumOfLargest func() float64,
	longest func(enough float64) (float64, error)) error {
	switch {
	case f.Kind.Wide() != f.Kind && f.Negative:
		return &InputError{File: file, Reason: fmt.Sprintf("kind %s holds no negative weights: use --kind i32", f.Kind)}
	case f.Kind == entry.KindU8 && f.Arcs > 0 && (f.MinWeight < f.MaxWeight || f.MinWeight == 0):
		return &InputError{File: file,
			Reason: fmt.Sprintf("kind u8 is for arcs of one weight above 0, and these have %s to %s: use --kind u16, "+
				"or count arcs with --unweighted",
				text.Float64.Text(f.MinWeight), text.Float64.Text(f.MaxWeight))}
	}
	limit, widest := f.limit(), max(f.MaxWeight, -f.MinWeight)
	bound := float64(f.N-1) * widest
	what := fmt.Sprintf("a path may have %d arcs of weight %s and be as long as", f.N-1, text.Float64.Text(widest))
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
func (f *Facts) limit() float64 {
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
		c, err = stronglyConnected(g, cancel.NewPoll(ctx))
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
	forward.poll, back.poll = cancel.NewPoll(ctx), cancel.NewPoll(ctx)
	for _, fewest := range []bool{true, false} {
		forward.fewest, back.fewest = fewest, fewest
		if longest, err = c.longestChain(g, forward, back, enough); err != nil || longest < enough {
			break
		}
	}
	return longest, err
}

// longestChain is longestPath by searches forward and back.
func (c *components) longestChain(g *Graph, forward, back *Search, enough float64) (longest float64, err error) {
	forward.reset()
	back.reset()
	chain := make([]float64, c.count)
	for number := range c.count {
		members := c.order[c.start[number]:c.start[number+1]]
		onward := 0.0
		for _, u := range members {
			for k := g.Offsets[u]; k < g.Offsets[u+1]; k++ {
				if to := c.of[g.Targets[k]]; to != int32(number) {
					onward = max(onward, g.Weight(k)+chain[to])
				}
			}
		}
		root, err := forward.middle(members)
		if err != nil {
			return 0, err
		}
		around, err := farAround(forward, back, root, members)
		if err != nil {
			return 0, err
		}
		chain[number] = onward + around
		if g.Symmetric && chain[number] >= enough && !forward.fewest {
			if chain[number], err = forward.farthestOfAll(members, enough); err != nil {
				return 0, err
			}
		}
		longest = max(longest, chain[number])
	}
	return longest, nil
}

// atOnce is from how many members on a component is searched in both directions at the same time.
const atOnce = 1 << 12

// farAround returns the largest distance from a member of a component to the others plus the largest back. back is
// forward where these are the same.
func farAround(forward, back *Search, root int32, members []int32) (float64, error) {
	if forward == back {
		far, _, err := forward.farthest(root, members)
		return 2 * far, err
	}
	var from, to float64
	there := func() (err error) { from, _, err = forward.farthest(root, members); return err }
	again := func() (err error) { to, _, err = back.farthest(root, members); return err }
	if len(members) < atOnce {
		err := errors.Join(there(), again())
		return from + to, err
	}
	var both errgroup.Group
	both.Go(there)
	both.Go(again)
	err := both.Wait()
	return from + to, err
}

// middle returns the member of a component that longestPath takes as its root: any will do. In a symmetric graph it is
// halfway to the member that is farthest from the one that is farthest from the first: of a tree the centre, and mostly
// close to it. So the bound is close to the longest distance, which it may else be twice.
func (s *Search) middle(members []int32) (int32, error) {
	if !s.g.Symmetric || len(members) < 3 {
		return members[0], nil
	}
	_, end, err := s.farthest(members[0], members)
	if err != nil {
		return 0, err
	}
	far, v, err := s.farthest(end, members)
	for v != end && s.dist[v] > far/2 {
		v = s.pred[v]
	}
	return v, err
}

// mostSearches is how many searches may tighten the bound of a component.
const mostSearches = 64

// farthestOfAll bounds the distances within a component of a symmetric graph after a search from its root. Two
// members at most so far from the root are at most twice as far apart. So members are searched from in turn, from the
// farthest on, until that is below enough (P. Crescenzi et al., On computing the diameter of real-world undirected
// graphs, 2013).
func (s *Search) farthestOfAll(members []int32, enough float64) (bound float64, err error) {
	away := make([]float64, len(members))
	order := make([]int, len(members))
	for i, v := range members {
		away[i], order[i] = s.dist[v], i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(away[b], away[a]) })
	for k, i := range order {
		if rest := 2 * away[i]; rest < max(enough, bound) || bound >= enough || k == mostSearches {
			return max(rest, bound), nil
		}
		far, _, err := s.farthest(members[i], members)
		if err != nil {
			return 0, err
		}
		bound = max(bound, far)
	}
	return bound, nil
}

// farthest returns the largest distance from a member of a component to the others, and which has it. It does not
// change what s holds for other components.
func (s *Search) farthest(root int32, members []int32) (far float64, last int32, err error) {
	if len(members) == 1 {
		return 0, root, nil
	}
	for _, v := range members {
		s.dist[v] = math.Inf(1)
	}
	last = root
	err = s.dijkstra(root)
	for _, v := range members {
		if s.dist[v] > far {
			far, last = s.dist[v], v
		}
	}
	return far, last, err
}

// components are the strongly connected components of a graph, numbered so that every arc leads to the
// same or a lower number.
type components struct {
	count int
	of    []int32 // of each vertex
	order []int32 // the vertices of component 0, then 1, …
	start []int32 // where each component begins in order, and their end
}

// Components returns the number of each vertex's strongly connected component, counted from 0. It fails with the cause
// of ctx if that ends first.
func (g *Graph) Components(ctx context.Context) (of []int32, err error) {
	c, err := stronglyConnected(g, cancel.NewPoll(ctx))
	return c.of, err
}

// stronglyConnected is Tarjan's algorithm with its recursion unrolled (R. Tarjan, Depth-first search and
// linear graph algorithms, 1972).
func stronglyConnected(g *Graph, poll *cancel.Poll) (components, error) {
	c := components{of: make([]int32, g.N), start: []int32{0}}
	index, low := make([]int32, g.N), make([]int32, g.N) // index 0: not visited
	next := append([]int64(nil), g.Offsets[:g.N]...)
	var path, open []int32 // the current path, and the vertices without a component
	visited := int32(0)
	visit := func(v int32) {
		visited++
		index[v], low[v], c.of[v] = visited, visited, -1
		path, open = append(path, v), append(open, v)
	}
	for root := range g.N {
		if index[root] != 0 {
			continue
		}
		visit(int32(root))
		for len(path) > 0 {
			if err := poll.After(1); err != nil {
				return components{}, err
			}
			u := path[len(path)-1]
			if next[u] < g.Offsets[u+1] {
				v := g.Targets[next[u]]
				next[u]++
				if index[v] == 0 {
					visit(v)
				} else if c.of[v] < 0 {
					low[u] = min(low[u], index[v])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				parent := path[len(path)-1]
				low[parent] = min(low[parent], low[u])
			}
			if low[u] == index[u] {
				open = c.close(open, u)
			}
		}
	}
	return c, nil
}

// close makes the vertices of open from u on a component, and returns the others.
func (c *components) close(open []int32, u int32) []int32 {
	for {
		v := open[len(open)-1]
		open = open[:len(open)-1]
		c.of[v] = int32(c.count)
		c.order = append(c.order, v)
		if v == u {
			break
		}
	}
	c.count++
	c.start = append(c.start, int32(len(c.order)))
	return open
}
