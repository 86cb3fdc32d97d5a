package sparse

import (
	"runtime"
	"slices"

	"ooc/engine/internal/pages"
	"ooc/engine/internal/parallel"
)

// layout numbers the vertices for an elimination that stops after a part of an Order, and holds the arcs that it
// leaves in these numbers. A *rank* is a vertex's place in the sweep: first the core, then the elimination forest in
// preorder, what is in no piece before the pieces. So a vertex comes after all vertices that it has arcs up to, and
// every piece and every subtree above the pieces is a range. Elimination runs through the ranks backwards.
type layout struct {
	n, core  int
	upper    int     // the pieces begin here; n: there are none
	pieces   []piece // by rank
	vertices []int32 // by rank
	rank     []int32 // by vertex
	parent   []int32 // by rank: the highest of the arcs up, -1: none; core: -1

	start []int64 // by rank, n+1: where its arcs up begin; the core has none
	ends  []int32 // of arcs up: lower ranks, ascending within a row

	lowerStart []int64 // by rank, n+1: where the list of those that have arcs up to it begins
	lower      []int32 // higher ranks, ascending within a row
}

// newLayout numbers the vertices for an elimination of some work, and cuts the forest into pieces.
func newLayout(o *Order, w Work, how Cutting) *layout {
	n, eliminated := len(o.Vertices), w.Eliminated
	l := &layout{n: n, core: n - eliminated, upper: n, vertices: make([]int32, n), rank: make([]int32, n),
		parent: make([]int32, n)}
	size := l.number(o, eliminated)
	if c := l.bestCut(o, w, size, how); c != nil {
		l.adopt(c, size)
	}
	l.listArcs(o)
	return l
}

// number assigns the ranks as if there were no pieces, and returns the size of the subtree of each. Core vertices are
// in ascending order, so that nothing depends on where the Order ends; or, if nothing does, in its order, in which
// neighbours are near each other.
func (l *layout) number(o *Order, eliminated int) []int32 {
	core := int32(0)
	rest := o.Vertices[eliminated:]
	if !o.whole {
		rest = slices.Sorted(slices.Values(rest))
	}
	for _, v := range rest {
		l.rank[v] = core
		core++
	}
	inside := func(parent int32) bool { return parent >= 0 && int(parent) < eliminated }
	size := make([]int32, eliminated)
	for p := range eliminated {
		size[p]++
		if parent := o.parent[p]; inside(parent) {
			size[parent] += size[p]
		}
	}
	next, byRank := core, make([]int32, l.n)
	free := make([]int32, eliminated) // the rank of a vertex's next child
	for p := eliminated - 1; p >= 0; p-- {
		at := &next
		if parent := o.parent[p]; inside(parent) {
			at = &free[parent]
		}
		r := *at
		*at += size[p]
		free[p] = r + 1
		l.rank[o.Vertices[p]], byRank[r] = r, size[p]
	}
	for v, r := range l.rank {
		l.vertices[r] = int32(v)
	}
	return byRank
}

// listArcs lists for each rank those that it has arcs up to, in order without a sort, and those that have arcs up to
// it. It finds the parents. Each processor does so for a range of ranks: of every list of lower, a range has a part.
func (l *layout) listArcs(o *Order) {
	rank, position := make([]int32, l.n), make([]int32, l.n) // by position, and by rank
	l.start = make([]int64, l.n+1)
	parallel.Ranges(l.n, func(first, end int) {
		for x, v := range o.Vertices[first:end] {
			rank[first+x] = l.rank[v]
		}
		for r := first; r < end; r++ {
			if position[r] = o.position[l.vertices[r]]; r >= l.core {
				l.start[r+1] = int64(len(o.row(position[r])))
			}
		}
	})
	for r := l.core; r < l.n; r++ {
		l.start[r+1] += l.start[r]
	}
	parts := l.parts(min(runtime.GOMAXPROCS(0), mostParts))
	next := make([][]int32, len(parts)) // by part and rank: where the part's next rank is listed
	together(len(parts), func(p int) {
		next[p] = pages.Make[int32](l.n)
		for r := parts[p].first; r <= parts[p].last; r++ {
			for _, x := range o.row(position[r]) {
				next[p][rank[x]]++
			}
		}
	})
	l.lowerStart = make([]int64, l.n+1)
	parallel.Ranges(l.n, func(first, end int) {
		for y := first; y < end; y++ {
			for p := range parts {
				l.lowerStart[y+1] += int64(next[p][y])
			}
		}
	})
	for y := range l.n {
		l.lowerStart[y+1] += l.lowerStart[y]
	}
	parallel.Ranges(l.n, func(first, end int) {
		for y := first; y < end; y++ {
			at := int32(l.lowerStart[y])
			for p := range parts {
				next[p][y], at = at, at+next[p][y]
			}
		}
	})
	arcs := int(l.lowerStart[l.n])
	l.lower, l.ends = pages.Make[int32](arcs), pages.Make[int32](arcs)
	together(len(parts), func(p int) {
		listed := next[p]
		for r := parts[p].first; r <= parts[p].last; r++ {
			for _, x := range o.row(position[r]) {
				y := rank[x]
				l.lower[listed[y]] = r
				listed[y]++
			}
		}
	})
	together(len(parts), func(p int) {
		least := parts[p].first
		free := slices.Clone(l.start[least : parts[p].last+1]) // by rank of the part: where its next arc comes
		for y := range l.n {
			first := l.lowerStart[y]
			if p > 0 {
				first = int64(next[p-1][y])
			}
			for _, r := range l.lower[first:next[p][y]] {
				k := &free[r-least]
				l.ends[*k] = int32(y)
				*k++
			}
		}
	})
	parallel.Ranges(l.n, func(first, end int) {
		for r := first; r < end; r++ {
			l.parent[r] = -1
			if row := l.row(int32(r)); len(row) > 0 && int(row[len(row)-1]) >= l.core {
				l.parent[r] = row[len(row)-1]
			}
		}
	})
}

// mostParts bounds the memory of listArcs: each part takes a word for every rank.
const mostParts = 8

// parts cuts the eliminated ranks into at most so many ranges of about as many arcs up.
func (l *layout) parts(count int) (list []tree) {
	first := int32(l.core)
	for k := 1; k <= count; k++ {
		last := int32(l.n) - 1
		if k < count {
			x, _ := slices.BinarySearch(l.start, l.start[l.n]*int64(k)/int64(count))
			last = int32(min(x, l.n-1))
		}
		if last >= first {
			list = append(list, tree{first, last})
			first = last + 1
		}
	}
	return list
}

// row returns the ranks that r has arcs up to.
func (l *layout) row(r int32) []int32 { return l.ends[l.start[r]:l.start[r+1]] }

// below returns the ranks that have arcs up to r.
func (l *layout) below(r int32) []int32 { return l.lower[l.lowerStart[r]:l.lowerStart[r+1]] }

// find returns the index of the arc from rank r up to rank y, or -1.
func (l *layout) find(r, y int32) int64 {
	k, ok := slices.BinarySearch(l.row(r), y)
	if !ok {
		return -1
	}
	return l.start[r] + int64(k)
}

// tree is the ranks of a subtree, or of a few.
type tree struct{ first, last int32 }

// subtrees cuts the forest without its pieces into subtrees, each of at most the given part of the elimination's
// work, and ranks above these. waits is, by rank above, how many subtrees and ranks have it as their parent. Ranks
// above that wait for none are subtrees, too.
func (l *layout) subtrees(parts int) (trees []tree, waits []int32) {
	work, size := make([]int64, l.upper), make([]int32, l.upper) // of the subtree: arcs looked at, and ranks
	all := int64(0)
	for r := l.upper - 1; r >= l.core; r-- {
		degree := int64(len(l.row(int32(r))))
		size[r]++
		work[r] += degree * degree
		all += degree * degree
		if p := l.parent[r]; p >= 0 {
			work[p] += work[r]
			size[p] += size[r]
		}
	}
	waits = make([]int32, l.upper)
	var above []int32
	for r := int32(l.core); int(r) < l.upper; {
		if p := l.parent[r]; p >= 0 {
			waits[p]++
		}
		if work[r] <= all/int64(parts) {
			trees = append(trees, tree{r, r + size[r] - 1})
			r += size[r]
		} else {
			above = append(above, r)
			r++
		}
	}
	for _, r := range above {
		if waits[r] == 0 {
			trees = append(trees, tree{r, r})
		}
	}
	return trees, waits
}
