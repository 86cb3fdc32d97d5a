package sparse

import (
	"cmp"
	"math/bits"
	"slices"

	"ooc/engine/graph"
	"ooc/kernels/entry"
)

// hop is a part of a path: an arc of the elimination, or a way through the core.
type hop[W weight] struct {
	from, to int32 // ranks
	length   W
}

// Path implements Search. It unpacks the arcs of the elimination, as contraction hierarchies do, but those do not say
// which rank they lead over.
func (s *search[W]) Path(g, back *graph.Graph, v int32) (arcs []int64, err error) {
	if _, err := s.To(v); err != nil {
		return nil, err
	}
	at, core := s.e.Rank[v], int32(s.e.Core())
	if s.dist[at] >= s.inf || len(g.I32) == 0 {
		return nil, nil
	}
	for s.hops = s.hops[:0]; at != s.source; at = s.hops[len(s.hops)-1].from { // backwards
		h, ok, err := s.before(at)
		if err != nil || !ok || len(s.hops) == len(s.dist) { // a vertex twice: weights that are not positive
			return nil, err
		}
		s.hops = append(s.hops, h)
	}
	s.path = s.path[:0]
	for _, h := range slices.Backward(s.hops) {
		s.parts = append(s.parts[:0], h)
		if h.from < core && h.to < core {
			if err := s.within(h); err != nil {
				return nil, err
			}
		}
		if ok, err := s.unpack(g, back); err != nil || !ok {
			return nil, err
		}
	}
	return s.path, nil
}

// before returns the last hop of a shortest path to a rank. It reports false where none has the right length.
func (s *search[W]) before(at int32) (h hop[W], ok bool, err error) {
	core := int32(s.e.Core())
	if at < core {
		for i, x := range s.from {
			way, err := s.way(x, at)
			if err != nil {
				return h, false, err
			}
			if s.fromDist[i]+way == s.dist[at] {
				if h = (hop[W]{x, at, way}); x == at {
					break // the climb leads here
				}
			}
		}
		if h.length > 0 && h.from != at {
			return h, true, nil
		}
	} else if s.mark[at] == s.stamp+1 { // its distance is known, and so are those of the ranks that it has arcs from
		ends, weights, err := s.arcs(s.down, s.e.Down.Weights, at, at)
		if err != nil {
			return h, false, err
		}
		for i, w := range entry.As[W](weights) {
			if s.dist[ends[i]]+w == s.dist[at] {
				return hop[W]{ends[i], at, w}, true, nil
			}
		}
	}
	for r := s.source; r > at && r >= core; r = s.e.Parent[r] {
		ends, weights, err := s.arcs(s.up, s.e.Up.Weights, r, r)
		if err != nil {
			return h, false, err
		}
		if i, found := slices.BinarySearch(ends, at); found {
			if w := entry.As[W](weights)[i]; s.dist[r]+w == s.dist[at] {
				return hop[W]{r, at, w}, true, nil
			}
		}
	}
	return h, false, nil
}

// way returns the distance between two core vertices.
func (s *search[W]) way(x, y int32) (W, error) {
	cell := entry.As[W](s.core.Matrix)[int(x)*s.core.Pitch+int(y):][:1]
	return cell[0], s.need(entry.Bytes(cell))
}

// within replaces the only part, a way through the core, by parts without a core vertex between their ends, the last
// one first.
func (s *search[W]) within(h hop[W]) error {
	row := entry.As[W](s.core.Matrix)[int(h.from)*s.core.Pitch:][:s.e.Core()]
	if err := s.need(entry.Bytes(row)); err != nil {
		return err
	}
	for x, d := range row { // those on shortest paths, with their distances from the start
		if d >= h.length || int32(x) == h.from {
			continue
		}
		left, err := s.way(int32(x), h.to)
		if err != nil {
			return err
		}
		if d+left == h.length {
			s.parts = append(s.parts, hop[W]{to: int32(x), length: d})
		}
	}
	slices.SortFunc(s.parts, func(a, b hop[W]) int { return cmp.Compare(a.length, b.length) })
	at, d, kept := h.from, W(0), s.parts[:0]
	for _, next := range s.parts {
		way, err := s.way(at, next.to)
		if err != nil {
			return err
		}
		if d+way == next.length { // else it is on another path of this length
			kept = append(kept, hop[W]{at, next.to, way})
			at, d = next.to, next.length
		}
	}
	slices.Reverse(kept)
	s.parts = kept
	return nil
}

// fewArcs is how many arcs of the graph are found sooner by trying them than by splitting the arc that stands for them.
const fewArcs = 3

// middle is where an arc was split before. It is worth keeping, since many paths share long arcs.
type middle[W weight] struct {
	arc   uint64 // its ends; 0: none
	by    int32  // the rank that it leads over
	first W      // the length of the first half
}

// middleOf returns the place where the middle of an arc is kept. If another arc's middle is there, it may be replaced.
func (s *search[W]) middleOf(h hop[W]) (m *middle[W], arc uint64) {
	if s.middles == nil {
		s.middles = make([]middle[W], 1<<bits.Len(uint(len(s.dist))))
	}
	arc = uint64(h.from)<<32 | uint64(h.to)
	// Multiplicative hashing, by the golden ratio.
	return &s.middles[arc*0x9e3779b97f4a7c15>>(65-bits.Len(uint(len(s.middles))))], arc
}

// unpack appends the arcs of the graph that the parts are made of to path, the last part first. It reports false
// where one is made of none.
func (s *search[W]) unpack(g, back *graph.Graph) (ok bool, err error) {
	for len(s.parts) > 0 {
		h := s.parts[len(s.parts)-1]
		s.parts = s.parts[:len(s.parts)-1]
		m, arc := s.middleOf(h)
		if m.arc != arc {
			if s.few(g, s.e.Vertices[h.from], s.e.Vertices[h.to], h.length, max(h.from, h.to), fewArcs) {
				if len(s.path) >= g.N {
					return false, nil // a vertex twice
				}
				continue
			}
			by, first, err := s.over(h, g, back)
			if err != nil || by < 0 {
				return false, err
			}
			*m = middle[W]{arc, by, first}
		}
		s.parts = append(s.parts, hop[W]{m.by, h.to, h.length - m.first}, hop[W]{h.from, m.by, m.first})
	}
	return true, nil
}

// few appends at most so many arcs of g to path that lead from u to v, in all of the given length, over ranks after
// low. It reports false where there are none.
func (s *search[W]) few(g *graph.Graph, u, v int32, length W, low int32, most int) bool {
	for k := g.Offsets[u]; k < g.Offsets[u+1]; k++ {
		x, w := g.Targets[k], W(g.I32[k])
		if x == v && w == length {
			s.path = append(s.path, k)
			return true
		}
		if most > 1 && w < length && s.e.Rank[x] > low {
			s.path = append(s.path, k)
			if s.few(g, x, v, length-w, low, most-1) {
				return true
			}
			s.path = s.path[:len(s.path)-1]
		}
	}
	return false
}

// climber is on its way up the elimination tree from a vertex next to an end of an arc.
type climber struct {
	rank int32
	side uint8 // 1: it may be the first vertex after the start; 2: the last one before the end; 3: two met
}

// over returns the rank that an arc leads over, whose vertex was eliminated after all others between its ends, and
// the length of the half to there. It is
// -1 where there is none. The elimination tree has that rank above the first vertex between these ends and above the
// last one.
func (s *search[W]) over(h hop[W], g, back *graph.Graph) (by int32, first W, err error) {
	low, chain := max(h.from, h.to), s.e.chainTops()
	s.climbers = s.climbers[:0]
	s.start(g, h.from, low, 1)
	s.start(back, h.to, low, 2)
	for len(s.climbers) > 0 {
		at, next := climber{rank: low}, low // the lowest one in the tree, and the next one, which it may come to
		for _, c := range s.climbers {
			switch {
			case c.rank > at.rank:
				at, next = c, at.rank
			case c.rank == at.rank:
				at.side |= c.side
			case c.rank > next:
				next = c.rank
			}
		}
		top := max(chain[at.rank], next+1)
		if at.side == 3 {
			top = max(top, s.topOf(s.down, s.downTops, at.rank), s.topOf(s.up, s.upTops, at.rank))
			if by, first, err = s.overOne(h, top, at.rank); err != nil || by >= 0 {
				return by, first, err
			}
		}
		kept := s.climbers[:0]
		for _, c := range s.climbers {
			if c.rank != at.rank {
				kept = append(kept, c)
			}
		}
		if s.climbers = kept; s.e.Parent[top] > low {
			s.climbers = append(s.climbers, climber{s.e.Parent[top], at.side})
		}
	}
	return -1, 0, nil
}

// start adds climbers from the vertices that a rank has arcs to in g, if they were eliminated before both ends of an
// arc.
func (s *search[W]) start(g *graph.Graph, r, low int32, side uint8) {
	u, core := s.e.Vertices[r], int32(s.e.Core())
	for _, x := range g.Targets[g.Offsets[u]:g.Offsets[u+1]] {
		if x := s.e.Rank[x]; x > low && x >= core {
			s.climbers = append(s.climbers, climber{x, side})
		}
	}
}

// overOne is over one of some ranks that share their lists, from top to last.
func (s *search[W]) overOne(h hop[W], top, last int32) (by int32, first W, err error) {
	down, i, err := s.column(s.down, s.e.Down.Weights, top, last, h.from)
	if err != nil || i < 0 {
		return -1, 0, err
	}
	up, j, err := s.column(s.up, s.e.Up.Weights, top, last, h.to)
	if err != nil || j < 0 {
		return -1, 0, err
	}
	downs, ups := s.down.Offsets[top:last+1], s.up.Offsets[top:last+1]
	for r := range downs { // with no branch to mispredict, so that many of these are read at a time
		if first := down[downs[r]-downs[0]+i]; first+up[ups[r]-ups[0]+j] == h.length {
			return top + int32(r), first, nil
		}
	}
	return -1, 0, nil
}

// column returns the weights of ranks that share a list, and where in each rank's own is that of an end beyond them;
// -1: nowhere.
func (s *search[W]) column(l *Lists, all []uint32, top, last, end int32) (weights []W, i int32, err error) {
	ends, words, err := s.arcs(l, all, top, last)
	if err != nil {
		return nil, 0, err
	}
	beyond := ends[:len(ends)-int(last-top)]
	at, ok := slices.BinarySearch(beyond, end)
	if !ok {
		at = -1
	}
	return entry.As[W](words), int32(at), nil
}

// chainTops returns, by rank, the lowest rank that its parents lead to one by one, without leaving any out.
func (e *Elimination) chainTops() []int32 {
	e.chained.Do(func() {
		e.chains = make([]int32, len(e.Parent))
		for r, p := range e.Parent {
			if e.chains[r] = int32(r); p >= 0 && int(p) == r-1 {
				e.chains[r] = e.chains[p]
			}
		}
	})
	return e.chains
}
