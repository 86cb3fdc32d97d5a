package graph

import (
	"context"
	"math"
	"math/big"
	"slices"

	"ooc/engine/internal/cancel"
	"ooc/kernels/entry"
)

// Potentials returns a number h for each row so that h[v] ≤ h[u] + w for each arc u→v, for floating kinds but for
// rounding: the distances from a virtual source that has an arc of length 0 to every vertex, so none is above 0 (D.
// B. Johnson, Efficient algorithms for shortest paths in sparse networks, 1977). It fails with a *NegativeCycleError,
// or with the cause of ctx if that ends first.
//
// It runs Bellman–Ford, and looks for a cycle of predecessors after every N improvements: there is one sooner or later
// if and only if there is a negative cycle (B. V. Cherkassky and A. V. Goldberg, Negative-cycle detection algorithms,
// 1999). Sums are float64: exact for integers and mostly for f32. Where rounding makes a cycle look negative that is
// not, the search starts over and ignores gains as small as that.
func (g *Graph) Potentials(ctx context.Context) ([]float64, error) {
	if g.Negative && !g.Directed {
		return nil, g.NegativeCycle(g.negativeEdge())
	}
	return Potentials(func(tolerance float64) (dist []float64, pred, cycle []int32, err error) {
		s := NewSearch(g)
		s.poll = &cancel.Poll{Ctx: ctx}
		for v := range s.pred {
			s.pred[v] = -1
			s.enqueue(int32(v))
		}
		for gains := 0; len(s.queue) > 0 && cycle == nil && s.err == nil; {
			if gains += s.relaxQueue(tolerance, 0); gains >= g.N {
				gains, cycle = 0, CycleOf(s.pred)
			}
		}
		return s.dist, s.pred, cycle, s.err
	}, g.NegativeCycle)
}

// Potentials is Graph.Potentials by the searches of somebody: search returns the distances from the virtual source and
// their predecessors, and as cycle what CycleOf found where arcs improved by more than tolerance. negative is
// Graph.NegativeCycle.
func Potentials(search func(tolerance float64) (dist []float64, pred, cycle []int32, err error),
	negative func(cycle []int32) error) ([]float64, error) {
	for tolerance := 0.0; ; {
		dist, pred, cycle, err := search(tolerance)
		if err != nil {
			return nil, err
		}
		reach := -slices.Min(dist)
		// Sums fall no more at -Inf, around a negative cycle neither, and so gains were too few.
		if cycle == nil && math.IsInf(reach, 1) {
			cycle = CycleOf(pred)
		}
		if cycle == nil {
			return dist, nil
		}
		if err := negative(cycle); err != nil {
			return nil, err
		}
		tolerance = max(8*tolerance, reach/(1<<50))
	}
}

// CycleOf returns a cycle of predecessors, its rows in the direction of the arcs, from a row's successor on, or nil.
func CycleOf(pred []int32) []int32 {
	mark := make([]int32, len(pred)) // the walk that visited a vertex, counted from 1
	for start := range pred {
		walk := int32(start) + 1
		v := int32(start)
		for v >= 0 && mark[v] == 0 {
			mark[v] = walk
			v = pred[v]
		}
		if v < 0 || mark[v] != walk {
			continue
		}
		cycle := []int32{v}
		for u := pred[v]; u != v; u = pred[u] {
			cycle = append(cycle, u)
		}
		slices.Reverse(cycle)
		return cycle
	}
	return nil
}

// NegativeCycle returns the *NegativeCycleError of a cycle that somebody found, its rows in order, or nil if the
// exact sum of its weights is not negative.
func (g *Graph) NegativeCycle(cycle []int32) error {
	weight := func(u, v int) (float64, error) { return g.Weight(g.Find(u, v)), nil }
	return g.Facts().NegativeCycle(g.File, cycle, weight)
}

// NegativeCycle is Graph.NegativeCycle by the weights of arcs from u to v; file is for the error. It fails as weight
// does, too.
func (f Facts) NegativeCycle(file string, cycle []int32, weight func(u, v int) (float64, error)) error {
	sum, magnitude := new(big.Float).SetPrec(2304), 0.0 // so many bits hold any such sum
	for i, u := range cycle {
		w, err := weight(int(u), int(cycle[(i+1)%len(cycle)]))
		if err != nil {
			return err
		}
		sum.Add(sum, big.NewFloat(w))
		magnitude += math.Abs(w)
	}
	length, _ := sum.Float64()
	if length >= 0 {
		return nil
	}
	e := &NegativeCycleError{File: file, Length: length / float64(f.Scale), Numbers: f.Numbers()}
	first := slices.Index(cycle, slices.Min(cycle)) // the cycle begins with its first row
	for i := range cycle {
		e.Cycle = append(e.Cycle, f.IDs.Name(int(cycle[(first+i)%len(cycle)])))
	}
	if f.Kind == entry.KindF32 && -length < magnitude/(1<<20) {
		e.Hint = "the rounding of weights to 32 bits may have caused it; --scale keeps decimal weights exact"
	}
	return e
}

// negativeEdge returns the cycle there and back over the least edge of an undirected graph.
func (g *Graph) negativeEdge() []int32 {
	for u := range g.N {
		for k := g.Offsets[u]; k < g.Offsets[u+1]; k++ {
			if g.Weight(k) == g.MinWeight {
				return []int32{int32(u), g.Targets[k]}
			}
		}
	}
	return nil
}
