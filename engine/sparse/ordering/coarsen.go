package ordering

import (
	"context"
	"math"
	"slices"
)

const (
	// coarsenFrom is the least number of vertices of a region whose separator is looked for in a coarser graph first.
	coarsenFrom = 6000
	// clusterVertices is the most vertices that become one.
	clusterVertices = 12
	// bandHops is how far from the coarse separator the separator is looked for, in coarse vertices.
	bandHops = 4
)

// clusters are those vertices of a region that become one in a coarser region.
type clusters struct {
	of      []int32 // by vertex
	first   []int32 // where a cluster's vertices begin in members
	members []int32
}

// coarsen returns a region in which each vertex stands for a vertex of r and some of those nearest to it. Its
// components are those of r.
func (r *region) coarsen() (*region, *clusters) {
	n := r.n()
	to, l := &region{start: []int32{0}}, &clusters{of: slices.Repeat([]int32{none}, n), members: make([]int32, 0, n)}
	for v := range int32(n) {
		if l.of[v] != none {
			continue
		}
		cluster, first := int32(len(l.first)), len(l.members)
		l.first = append(l.first, int32(first))
		l.of[v], l.members = cluster, append(l.members, v)
		for at := first; at < len(l.members); at++ {
			for _, u := range r.row(l.members[at]) {
				if l.of[u] == none && len(l.members)-first < clusterVertices {
					l.of[u], l.members = cluster, append(l.members, u)
				}
			}
		}
	}
	l.first = append(l.first, int32(n))
	count := int32(len(l.first) - 1)
	seen := make([]int32, count) // the last cluster to list this one as a neighbour, plus one
	to.adj = make([]int32, 0, len(r.adj)/2)
	for c := range count {
		seen[c] = c + 1
		for _, v := range l.list(c) {
			for _, u := range r.row(v) {
				if d := l.of[u]; seen[d] != c+1 {
					seen[d], to.adj = c+1, append(to.adj, d)
				}
			}
		}
		to.start = append(to.start, int32(len(to.adj)))
	}
	return to, l
}

// list returns the vertices of a cluster.
func (l *clusters) list(c int32) []int32 { return l.members[l.first[c]:l.first[c+1]] }

// separateCoarsely is separate for a large region: it finds a separator of a coarser one, and then the smallest near
// that. It returns nil where it finds none, also if the region has several large components.
func (r *region) separateCoarsely(ctx context.Context) (side, order []int32) {
	rough, l := r.coarsen()
	b := newSearcher(ctx, rough)
	if !b.main() {
		return nil, nil
	}
	sides, places := rough.separate(b)
	if sides == nil {
		return nil, nil
	}
	near := rough.near(sides)
	f := &flow{r: r, index: make([]int32, r.n())}
	order = make([]int32, 0, r.n())
	var ends [2]bool // whether there is a vertex outside the band, left and right
	for _, c := range places {
		if !near[c] {
			ends[sides[c]] = true
		}
		for _, v := range l.list(c) {
			switch order = append(order, v); {
			case near[c]:
				f.index[v], f.band = int32(len(f.band)), append(f.band, v)
			case sides[c] == left:
				f.index[v] = atSource
			default:
				f.index[v] = atSink
			}
		}
	}
	if !ends[left] || !ends[right] {
		return nil, nil
	}
	return f.cut(ctx, r.mostBetween()), order
}

// near reports for each vertex whether it is within bandHops of those between two sides.
func (r *region) near(sides []int32) []bool {
	near := make([]bool, r.n())
	var reached []int32
	for v, s := range sides {
		if s == between {
			near[v], reached = true, append(reached, int32(v))
		}
	}
	first := 0
	for range bandHops {
		last := reached[first:]
		first = len(reached)
		for _, v := range last {
			for _, u := range r.row(v) {
				if !near[u] {
					near[u], reached = true, append(reached, u)
				}
			}
		}
	}
	return near
}

// mostBetween is the size of the largest separator of the region that is thin.
func (r *region) mostBetween() int { return int(thick * math.Sqrt(float64(r.n()))) }
