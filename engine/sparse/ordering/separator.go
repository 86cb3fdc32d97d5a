package ordering

import (
	"context"
	"slices"
)

// The sides of a separator.
const (
	left int32 = iota
	right
	between int32 = -1
)

// bandShare is the share of a region's vertices, on each side of its middle, among which the separator is looked for.
const bandShare = 0.1

// mainShare is the share of a region's vertices in one component with which the region is separated as if it were
// connected.
const mainShare = 0.95

// pollEvery is after how many vertices a search looks whether it should stop.
const pollEvery = 1 << 16

// searcher has the memory of searches by breadth in a region.
type searcher struct {
	ctx   context.Context // searches stop when it ends
	r     *region
	dist  []int32 // of the last search; -1: not reached
	queue []int32 // reached, nearest first
}

func newSearcher(ctx context.Context, r *region) *searcher {
	return &searcher{ctx: ctx, r: r, dist: make([]int32, r.n()), queue: make([]int32, 0, r.n())}
}

// from searches from a vertex, and returns the last that it reaches.
func (b *searcher) from(v int32) (last int32) {
	for i := range b.dist {
		b.dist[i] = -1
	}
	b.dist[v] = 0
	queue := append(b.queue[:0], v)
	for i := 0; i < len(queue); i++ {
		if i%pollEvery == 0 && b.ctx.Err() != nil {
			break
		}
		u := queue[i]
		d := b.dist[u] + 1
		for _, x := range b.r.row(u) {
			if b.dist[x] < 0 {
				b.dist[x] = d
				queue = append(queue, x)
			}
		}
	}
	b.queue = queue
	return queue[len(queue)-1]
}

// main searches from a vertex of the component that has nearly all of the region's vertices, and reports whether
// there is one.
func (b *searcher) main() bool {
	n := b.r.n()
	for _, v := range []int{0, n / 2, n / 4} {
		if b.from(int32(v)); float64(len(b.queue)) > mainShare*float64(n) {
			return true
		}
	}
	return false
}

// separate returns the side of each vertex, and the vertices in the order of their places, or nil where it finds no
// thin separator. b has searched nearly all of the region. Vertices are placed by how much nearer they are to one end
// of the region than to the other, and those that the search has not reached at one end.
func (r *region) separate(b *searcher) (side, order []int32) {
	a := b.queue[len(b.queue)-1]
	z := b.from(a)
	fromA := b.dist
	b.dist = make([]int32, r.n())
	b.from(z)
	place := make([]int32, r.n())
	for v := range place {
		if place[v] = fromA[v] - b.dist[v]; b.dist[v] < 0 {
			place[v] = -fromA[z]
		}
	}
	order = sorted(place)
	return r.cutAlong(b.ctx, order), order
}

// cutAlong returns the sides of the smallest separator among the vertices in the middle of an order; nil: it is
// thick, or there is none.
func (r *region) cutAlong(ctx context.Context, order []int32) []int32 {
	n := r.n()
	f := &flow{r: r, index: make([]int32, n)}
	lo, hi := int(float64(n)*(0.5-bandShare)), int(float64(n)*(0.5+bandShare))
	f.band = order[lo:hi]
	for _, v := range order[:lo] {
		f.index[v] = atSource
	}
	for _, v := range order[hi:] {
		f.index[v] = atSink
	}
	for i, v := range f.band {
		f.index[v] = int32(i)
	}
	return f.cut(ctx, r.mostBetween())
}

// sorted returns the vertices by ascending place.
func sorted(place []int32) []int32 {
	lo, hi := place[0], place[0]
	for _, p := range place {
		lo, hi = min(lo, p), max(hi, p)
	}
	next := make([]int32, hi-lo+2)
	for _, p := range place {
		next[p-lo+1]++
	}
	for i := range hi - lo + 1 {
		next[i+1] += next[i]
	}
	order := make([]int32, len(place))
	for v, p := range place {
		order[next[p-lo]] = int32(v)
		next[p-lo]++
	}
	return order
}

const (
	atSource = -1
	atSink   = -2
)

// flow finds the fewest vertices of a band that separate the vertices on one side of it from those on the other: as
// many as there are paths through the band that share no vertex (K. Menger, 1927). Vertices of the band are named by
// their index in it. A vertex has two states: 2i is its entrance, 2i+1 its exit. Between them is room for one path.
//
// Paths are found one by one, each by a search by depth that turns to the nearest neighbours of the sink first, in
// rounds that look at each state once (A. Pothen and C.-J. Fan, Computing the block triangular form of a sparse
// matrix, 1990). Most paths lead straight through the band, so this takes far fewer rounds than searches by breadth.
// The separator is the one nearest the source, the same whichever paths are found.
type flow struct {
	r     *region
	band  []int32
	index []int32 // by vertex of the region: in the band, or atSource or atSink

	start []int32 // of the band's rows
	adj   []int32 // neighbours in the band, those nearest the sink first
	ends  []uint8 // fromSource, toSink

	before, after []int32  // on the path of a vertex: none where there is no path, or end
	seen          []uint32 // by state: the last round or reach that came by
	round         uint32
	cursor        []int32 // of each exit: neighbours looked at
	stack         []int32
}

const (
	fromSource uint8 = 1 << iota
	toSink
)

const (
	none = -1
	end  = -2
)

// cut returns the sides of the separator, nil if it has more than so many vertices, there is none, or ctx has ended.
func (f *flow) cut(ctx context.Context, most int) []int32 {
	if !f.build() {
		return nil
	}
	m := len(f.band)
	f.before, f.after = slices.Repeat([]int32{none}, m), slices.Repeat([]int32{none}, m)
	f.seen, f.cursor = make([]uint32, 2*m), make([]int32, m)
	paths := 0
	for found := true; found; {
		if ctx.Err() != nil {
			return nil
		}
		f.round++
		found = false
		for i := range int32(m) {
			switch {
			case f.ends[i]&fromSource == 0 || f.seen[2*i] == f.round:
			case f.before[i] == end:
				f.seen[2*i] = f.round
			case f.augment(2 * i):
				found = true
				if paths++; paths > most {
					return nil
				}
			}
		}
	}
	// The last round has found no path, so it has seen what can be reached from the source.
	side := make([]int32, f.r.n())
	for v, i := range f.index {
		switch {
		case i == atSource:
		case i == atSink:
			side[v] = right
		case f.seen[2*i] == f.round && f.seen[2*i+1] != f.round:
			side[v] = between
		case f.seen[2*i] != f.round:
			side[v] = right
		}
	}
	return side
}

// build lists the band's arcs. It reports whether the band separates its two sides.
func (f *flow) build() bool {
	m := len(f.band)
	f.start, f.ends = make([]int32, m+1), make([]uint8, m)
	for i, v := range f.band {
		for _, u := range f.r.row(v) {
			switch at := f.index[u]; at {
			case atSource:
				f.ends[i] |= fromSource
			case atSink:
				f.ends[i] |= toSink
			default:
				f.adj = append(f.adj, at)
			}
		}
		row := f.adj[f.start[i]:]
		slices.SortFunc(row, func(a, b int32) int { return int(b - a) })
		f.start[i+1] = int32(len(f.adj))
	}
	for v, at := range f.index {
		if at != atSource {
			continue
		}
		for _, u := range f.r.row(int32(v)) {
			if f.index[u] == atSink {
				return false
			}
		}
	}
	return true
}

// augment looks for a path from a state to the sink over states that this round has not seen, and if there is one,
// lets it change the paths that there are.
func (f *flow) augment(from int32) bool {
	f.stack = f.stack[:0]
	f.push(from)
	for len(f.stack) > 0 {
		s := f.stack[len(f.stack)-1]
		if s&1 == 1 && f.ends[s>>1]&toSink != 0 && f.after[s>>1] != end {
			f.adopt()
			return true
		}
		if t := f.step(s); t >= 0 {
			f.push(t)
		} else {
			f.stack = f.stack[:len(f.stack)-1]
		}
	}
	return false
}

// push goes on to a state.
func (f *flow) push(s int32) {
	f.seen[s] = f.round
	if s&1 == 1 {
		f.cursor[s>>1] = f.start[s>>1]
	}
	f.stack = append(f.stack, s)
}

// step returns a state that follows s and that this round has not seen, -1 if there is none.
func (f *flow) step(s int32) int32 {
	i := s >> 1
	if s&1 == 0 {
		t := s + 1
		if before := f.before[i]; before != none {
			t = 2*before + 1 // negative if before is end
		}
		if t >= 0 && f.seen[t] != f.round {
			return t
		}
		return -1
	}
	for f.cursor[i] < f.start[i+1] {
		t := 2 * f.adj[f.cursor[i]]
		f.cursor[i]++
		if f.seen[t] != f.round {
			return t
		}
	}
	if f.before[i] != none && f.seen[s-1] != f.round {
		return s - 1
	}
	return -1
}

// adopt lets the states of the stack, a path from the source to the sink, change the paths that there are.
func (f *flow) adopt() {
	last := int32(end)
	for k, s := range f.stack {
		i := s >> 1
		switch {
		case s&1 == 1:
		case k > 0 && last == i:
			f.before[i], f.after[i] = none, none
		default:
			f.before[i] = last
			if last >= 0 {
				f.after[last] = i
			}
		}
		last = i
	}
	f.after[last] = end
}
