package near

import (
	"cmp"
	"context"
	"math"
	"slices"

	"ooc/engine/graph"
	"ooc/engine/rows"
	"ooc/kernels/entry"
)

// number is the type of distances while they are added up. Weights of f32 are added up in float64 and rounded at the
// end.
type number interface{ int32 | float64 }

// arc leads to a vertex of a net.
type arc[W any] struct {
	to     int32
	weight W
}

// net is a graph as searches want it. Vertices are numbered so that neighbours are near each other in memory, the
// arcs of each ascend by weight, and those that no search needs are left out.
type net[D number, W int32 | float32 | float64] struct {
	first []int64 // of each vertex, and of one more: its first arc
	arcs  []arc[W]
	row   []int32 // of each vertex
	at    []int32 // the vertex of each row

	mean      float64 // of the weights
	potential []D     // nil where no weight is negative: see reach
	least     D       // of the potentials
	margin    D       // how far rounding may move the keys of a path; 0 of integers
}

// newNet copies a graph. Weights above most are on no shortest path that is wanted.
func newNet[D number, W int32 | float32 | float64](ctx context.Context, g *graph.Graph, weights []W, most float64,
	k int) (*net[D, W], error) {
	s := &net[D, W]{first: make([]int64, g.N+1), row: rows.ByBreadth(g), at: make([]int32, g.N)}
	for v, row := range s.row {
		s.at[row] = int32(v)
	}
	kept := int64(0)
	for _, w := range weights {
		if float64(w) <= most {
			kept++
		}
	}
	s.arcs = make([]arc[W], 0, kept)
	for v, row := range s.row {
		begin := len(s.arcs)
		for i := g.Offsets[row]; i < g.Offsets[row+1]; i++ {
			if float64(weights[i]) <= most {
				s.arcs = append(s.arcs, arc[W]{s.at[g.Targets[i]], weights[i]})
			}
		}
		s.arcs = s.arcs[:begin+s.fewest(s.arcs[begin:], k, g)]
		s.first[v+1] = int64(len(s.arcs))
	}
	for _, a := range s.arcs {
		s.mean += float64(a.weight) / float64(len(s.arcs))
	}
	if g.Negative {
		return s, s.setPotentials(ctx, g)
	}
	return s, nil
}

// fewest sorts arcs from one vertex by weight and then by row, and returns how many of them are needed to find k
// nearest, of at most all. k others precede what an arc after the first k+1 leads to, one of which may lead to the
// source. It may only be left out if nothing as near as it lies behind it, which arcs of weight 0 and less would make
// possible.
func (s *net[D, W]) fewest(arcs []arc[W], k int, g *graph.Graph) int {
	slices.SortFunc(arcs, func(a, b arc[W]) int {
		return cmp.Or(cmp.Compare(a.weight, b.weight), cmp.Compare(s.row[a.to], s.row[b.to]))
	})
	n := k + 1
	if len(arcs) <= n || g.Negative {
		return len(arcs)
	}
	for g.MinWeight == 0 && n < len(arcs) && arcs[n].weight == arcs[k].weight {
		n++
	}
	return n
}

// setPotentials sets potentials, and the margin that their rounding asks for.
func (s *net[D, W]) setPotentials(ctx context.Context, g *graph.Graph) error {
	all, err := g.Potentials(ctx)
	if err != nil {
		return err
	}
	s.potential = make([]D, g.N)
	for v, row := range s.row {
		s.potential[v] = D(all[row])
		s.least = min(s.least, s.potential[v])
	}
	if !g.Kind.Float() {
		return nil
	}
	worst := 0.0 // by how much a key may be less than that of the vertex before it
	for u := range s.row {
		for _, a := range s.arcs[s.first[u]:s.first[u+1]] {
			from, to, w := float64(s.potential[u]), float64(s.potential[a.to]), float64(a.weight)
			worst = max(worst, to-from-w+(math.Abs(from)+math.Abs(to)+math.Abs(w))/(1<<50))
		}
	}
	s.margin = D(worst * float64(g.N))
	return nil
}

// heaviest is the greatest distance, and so the greatest weight of an arc of a shortest path, of a graph whose range
// was checked.
func heaviest(g *graph.Graph) float64 {
	switch {
	case g.Kind.Float():
		return math.MaxFloat64
	case g.Negative:
		return float64(entry.Limit32 - 1)
	}
	return float64(entry.Inf32 - 1)
}
