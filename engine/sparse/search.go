package sparse

import (
	"ooc/engine/graph"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// Search finds the distances from one vertex to some others, without those to all: a climb from the source, as an
// Expander's, and a sweep of those vertices alone that a target has arcs from, its ancestors in the elimination tree.
// On road networks these are some hundred. What it has found is kept until the next source. Distances have the bits
// that an Expander gives them. It is for one goroutine.
type Search interface {
	// From makes a vertex the source.
	From(u int32) error
	// To returns the distance from the source to a vertex, the bits of an entry of Kind.Wide of the variant.
	To(v int32) (bits uint64, err error)
	// Path returns the arcs of a shortest path from the source to a vertex, in order. g is the graph that was
	// eliminated, whose weights are positive integers, and back the same with all arcs reversed. It returns no arcs
	// where there is no path, or where the elimination is not that of g. The slice is good until the next call.
	Path(g, back *graph.Graph, v int32) (arcs []int64, err error)
	// Climbed returns the ranks that the climb from the source reached, and the lengths of its paths as weights of
	// the variant. It is called before To; the slices are good until the next call of any method.
	Climbed() (ranks []int32, lengths []uint32)
}

// NewSearch returns a Search. need, if it is not nil, is called with every part of the arcs and of the core's matrix
// before it is read; the search fails with its errors, and with ErrParts where an arc leads to no rank that it may
// lead to.
func (e *Elimination) NewSearch(core *DenseCore, need func(part []byte) error) Search {
	return arithmetics[e.Variant].newSearch(e, core, need)
}

// search is a Search over weights of one type.
type search[W weight] struct {
	arithmetic[W]
	e        *Elimination
	core     *DenseCore
	up, down *Lists
	words    int // of a weight
	need     func(part []byte) error

	failed error // of this source: what is known of it is of no use
	source int32 // its rank
	// stamp: even: mark of ranks that the climb of this source reached; the next one: of ranks whose distance is known.
	stamp uint32
	mark  []uint32 // by rank
	dist  []W      // by rank: at the end of the climb, or the distance

	upTops, downTops []int32 // by rank: Lists.top plus one; 0: not looked for yet

	from     []int32 // core vertices that the climb reached
	fromDist []W     // at the end of it
	near     []W     // distances to the ends of a list, in its order
	one      []W     // a distance, and the same in words
	oneWords []uint32
	places   []int32 // lines of the core's matrix that have a column
	// chain: ranks that share a list, first and last, of a target and its ancestors that are not known, upwards.
	chain   []int32
	columns []int32 // core vertices that one of these has arcs from, and that are not known, ascending
	lengths []W     // of Climbed, and to columns
	idle    []bool  // by core vertex of from: its row is not needed

	path        []int64 // of Path, arcs of the graph
	hops, parts []hop[W]
	climbers    []climber
	middles     []middle[W] // by hash; nil before they are needed
}

func (a arithmetic[W]) newSearch(e *Elimination, core *DenseCore, need func(part []byte) error) Search {
	n := len(e.Vertices)
	if need == nil {
		need = func([]byte) error { return nil }
	}
	s := &search[W]{arithmetic: a, e: e, core: core, need: need, words: e.Variant.WeightBytes() / entry.WordBytes,
		mark: make([]uint32, n), dist: make([]W, n), one: make([]W, 1)}
	s.oneWords = entry.As[uint32](s.one)
	s.up, s.down = e.Lists()
	s.upTops = make([]int32, n)
	if s.downTops = s.upTops; s.down != s.up {
		s.downTops = make([]int32, n)
	}
	return s
}

// topOf returns the highest rank that shares r's list. It remembers it: those of large separators are asked for again
// and again.
func (s *search[W]) topOf(l *Lists, tops []int32, r int32) int32 {
	if tops[r] == 0 {
		tops[r] = l.top(r, int32(s.e.Core())) + 1
	}
	return tops[r] - 1
}

// From implements Search.
func (s *search[W]) From(u int32) error {
	if s.stamp += 2; s.stamp == 0 { // after 2³¹ sources
		clear(s.mark)
		s.stamp = 2
	}
	s.failed, s.source, s.from, s.fromDist = nil, s.e.Rank[u], s.from[:0], s.fromDist[:0]
	core := int32(s.e.Core())
	if s.source < core {
		s.reach(s.source)
	}
	for r := s.source; r >= core; r = s.e.Parent[r] {
		s.mark[r], s.dist[r] = s.stamp, s.inf
	}
	s.dist[s.source] = 0
	for r := s.source; r >= core; {
		top := s.topOf(s.up, s.upTops, r)
		if s.failed = s.climb(top, r, core); s.failed != nil {
			return s.failed
		}
		r = s.e.Parent[top]
	}
	for _, x := range s.from {
		s.fromDist = append(s.fromDist, s.dist[x])
	}
	return nil
}

// reach adds a core vertex to those reached, which is none of them.
func (s *search[W]) reach(x int32) {
	s.mark[x], s.dist[x] = s.stamp, s.inf
	s.from = append(s.from, x)
}

// climb relaxes the arcs up of ranks that share a list, from last up to top.
func (s *search[W]) climb(top, last, core int32) error {
	ends, weights, err := s.arcs(s.up, s.e.Up.Weights, top, last)
	if err != nil {
		return err
	}
	beyond := ends[:len(ends)-int(last-top)]
	for _, end := range beyond {
		if uint32(end) >= uint32(top) {
			return badArc(top, end)
		}
		if end < core && s.mark[end] != s.stamp {
			s.reach(end)
		}
	}
	near := s.gather(beyond, top, last)
	nearWords := entry.As[uint32](near)
	for count := len(ends); count >= len(beyond); count-- { // ends of a rank, whose own distance follows
		size := count * s.words
		row := weights[len(weights)-size:]
		weights = weights[:len(weights)-size]
		if s.one[0] = near[count]; s.one[0] < s.limit {
			s.core.Host.LowerRow(s.e.Variant, nearWords[:size], row, s.oneWords)
		}
	}
	for i, end := range beyond {
		s.dist[end] = near[i]
	}
	copy(s.dist[top:], near[len(beyond):])
	return nil
}

// arcs returns the list that ranks share, and all their weights, by rank.
func (s *search[W]) arcs(l *Lists, weights []uint32, top, last int32) (ends []int32, w []uint32, err error) {
	if ends, w = l.Of(last), weights[int(l.Offsets[top])*s.words:int(l.Offsets[last+1])*s.words]; len(w) == 0 {
		return ends, w, nil
	}
	if err := s.need(entry.Bytes(ends)); err != nil {
		return nil, nil, err
	}
	return ends, w, s.need(entry.Bytes(w))
}

// gather returns the distances to some ends, and to the ranks from top to last.
func (s *search[W]) gather(ends []int32, top, last int32) []W {
	near := s.near[:0]
	for _, end := range ends {
		near = append(near, s.dist[end])
	}
	s.near = append(near, s.dist[top:last+1]...)
	return s.near
}

// To implements Search.
func (s *search[W]) To(v int32) (bits uint64, err error) {
	t, known, wide := s.e.Rank[v], s.stamp+1, s.e.Variant.Kind().Wide()
	if s.failed == nil && s.mark[t] != known {
		s.failed = s.find(t, known)
	}
	switch {
	case s.failed != nil:
		return 0, s.failed
	case t == s.source:
		return wide.Bits(0), nil
	case s.dist[t] >= s.inf:
		return wide.Unreachable(), nil
	}
	return wide.At(entry.Bytes(s.dist[t:t+1]), 0), nil
}

// find computes the distance to a rank, and to those of its ancestors and of the core that it depends on.
func (s *search[W]) find(t int32, known uint32) error {
	core := int32(s.e.Core())
	if t < core {
		s.mark[t], s.columns = known, append(s.columns[:0], t)
		return s.cross()
	}
	s.chain = s.chain[:0]
	for r := t; r >= core && s.mark[r] != known; {
		top := s.topOf(s.down, s.downTops, r)
		s.chain = append(s.chain, r, top)
		r = s.e.Parent[top]
	}
	for i := len(s.chain); i > 0; i -= 2 {
		if err := s.sweep(s.chain[i-1], s.chain[i-2], core, known); err != nil {
			return err
		}
	}
	return nil
}

const (
	manyRows  = 64 // of which to leave out some takes less time than they do
	manyLines = 8  // likewise
	firstOnes = 8  // which all others are compared with
)

// cross computes the distances to the core vertices in columns. Of many rows of the core's matrix most are not
// needed: a few of them tell.
func (s *search[W]) cross() error {
	if len(s.columns) == 0 {
		return nil
	}
	perLine := int32(kernels.LaneLine / entry.WordBytes / s.words)
	s.places = s.places[:0]
	for _, y := range s.columns {
		if k := len(s.places); k == 0 || s.places[k-1] != y/perLine {
			s.places = append(s.places, y/perLine)
		}
	}
	least := s.lengths[:0]
	for range len(s.places) * int(perLine) {
		least = append(least, s.inf)
	}
	s.lengths = least
	step := 1 // from one row to the next of the first
	if len(s.from) >= manyRows && len(s.places) >= manyLines && !s.e.Variant.Float() {
		step = len(s.from) / firstOnes
	}
	for first := range step {
		if first == 1 {
			s.findIdle(step)
		}
		for i := first; i < len(s.from); i += step {
			if first > 0 && s.idle[i] {
				continue
			}
			if err := s.lower(i); err != nil {
				return err
			}
		}
	}
	line := 0
	for _, y := range s.columns {
		if s.places[line] != y/perLine {
			line++
		}
		if s.dist[y] = least[line*int(perLine)+int(y%perLine)]; s.dist[y] >= s.limit {
			s.dist[y] = s.inf
		}
	}
	return nil
}

// lower lowers lengths to those of paths that enter the core at the given one of the vertices in from.
func (s *search[W]) lower(i int) error {
	if s.one[0] = s.fromDist[i]; s.one[0] >= s.limit {
		return nil
	}
	row := s.row(i)
	if err := s.need(entry.Bytes(row)); err != nil {
		return err
	}
	s.core.Host.LowerLines(s.e.Variant, entry.As[uint32](s.lengths), entry.As[uint32](row), s.oneWords, s.places)
	return nil
}

// row returns the distances from one of the vertices in from to the core.
func (s *search[W]) row(i int) []W {
	return entry.As[W](s.core.Matrix)[int(s.from[i])*s.core.Pitch:][:s.core.Pitch]
}

// findIdle finds rows that lower no length, by every step-th row, to whose lengths these have been lowered. From x to
// y it is at least as far as from one of those to y, less from there to x. So if the way to x is that much longer
// than to that one, no path by x is shorter than what is known. Sums of floats are not as exact.
func (s *search[W]) findIdle(step int) {
	s.idle = append(s.idle[:0], make([]bool, len(s.from))...)
	perLine := len(s.lengths) / len(s.places)
	for i := 0; i < len(s.from); i += step {
		if s.fromDist[i] >= s.limit { // its row was not read
			continue
		}
		row, most := s.row(i), -s.inf // by which a length is more than its distance from there
		for k, place := range s.places {
			line := row[int(place)*perLine:][:perLine]
			for j, length := range s.lengths[k*perLine:][:perLine] {
				most = max(most, length-line[j])
			}
		}
		for k, x := range s.from {
			if d := row[x]; s.fromDist[k]-d >= most && d < s.limit {
				s.idle[k] = true
			}
		}
	}
}

// sweep computes the distances to ranks that share a list, from top to last, unless they are known, and to those core
// vertices that they have arcs from. Those of their other ancestors are known. Most of these have arcs from the same
// core vertices, so the first of a chain computes nearly all of them.
func (s *search[W]) sweep(top, last, core int32, known uint32) error {
	ends, weights, err := s.arcs(s.down, s.e.Down.Weights, top, last)
	if err != nil {
		return err
	}
	beyond := ends[:len(ends)-int(last-top)]
	s.columns = s.columns[:0]
	for _, end := range beyond {
		if uint32(end) >= uint32(top) {
			return badArc(top, end)
		}
		if end < core && s.mark[end] != known {
			s.mark[end], s.columns = known, append(s.columns, end)
		}
	}
	if err := s.cross(); err != nil {
		return err
	}
	near := s.gather(beyond, top, last)
	nearWords := entry.As[uint32](near)
	for r, count := top, len(beyond); r <= last; r, count = r+1, count+1 {
		size := count * s.words
		row := weights[:size]
		weights = weights[size:]
		if s.mark[r] == known {
			continue
		}
		s.one[0] = s.inf
		if s.mark[r] == s.stamp { // the climb reached it
			s.one[0] = near[count]
		}
		s.core.Host.LeastSum(s.e.Variant, s.oneWords, nearWords[:size], row)
		d := s.one[0]
		if d >= s.limit {
			d = s.inf
		}
		near[count], s.mark[r], s.dist[r] = d, known, d
	}
	return nil
}

// Climbed implements Search.
func (s *search[W]) Climbed() (ranks []int32, lengths []uint32) {
	s.chain, s.lengths = s.chain[:0], s.lengths[:0]
	for i, x := range s.from {
		if s.fromDist[i] < s.limit {
			s.chain, s.lengths = append(s.chain, x), append(s.lengths, s.fromDist[i])
		}
	}
	for r := s.source; r >= int32(s.e.Core()); r = s.e.Parent[r] {
		if s.dist[r] < s.limit {
			s.chain, s.lengths = append(s.chain, r), append(s.lengths, s.dist[r])
		}
	}
	return s.chain, entry.As[uint32](s.lengths)
}
