package sparse

import (
	"ooc/kernels/entry"
)

// Search finds the distances from one vertex to some others, without those to all: a climb from the source, as an Expander's,
// and a sweep of those vertices alone that a target has arcs from, its ancestors in the elimination tree. On road networks
// these are some hundred. What it has found is kept until the next source. Distances have the bits that an Expander gives them.
// It is for one goroutine.
type Search interface {
	// From makes a vertex the source.
	From(u int32) error
	// To returns the distance from the source to a vertex, the bits of an entry of Kind.Wide of the variant.
	To(v int32) (bits uint64, err error)
	// Climbed returns the ranks that the climb from the source reached, and the lengths of its paths as weights of the variant. It
	// is called before To; the slices are good until the next call of any method.
	Climbed() (ranks []int32, lengths []uint32)
}

// NewSearch returns a Search. need, if it is not nil, is called with every part of the arcs and of the core's matrix before it
// is read; the search fails with its errors, and with ErrParts where an arc leads to no rank that it may lead to.
func (e *Elimination) NewSearch(core *DenseCore, need func(part []byte) error) Search {
	switch e.Variant {
	case entry.I32Signed:
		return newSearch(e, core, arithmeticI32Signed, need)
	case entry.I32:
		return newSearch(e, core, arithmeticI32, need)
	case entry.U16:
		return newSearch(e, core, arithmeticU16, need)
	case entry.F64:
		return newSearch(e, core, arithmeticF64, need)
	}
	return newSearch(e, core, arithmeticF32, need)
}

// search is a Search over weights of one type.
type search[W weight] struct {
	arithmetic[W]
	e                *Elimination
	core             *DenseCore
	up, down, matrix []W
	need             func(part []byte) error

	failed error    // of this source: what is known of it is of no use
	source int32    // its rank
	stamp  uint32   // even: mark of ranks that the climb of this source reached; the next one: of ranks whose distance is known
	mark   []uint32 // by rank
	dist   []W      // by rank: at the end of the climb, or the distance

	from     []int32 // core vertices that the climb reached
	fromDist []W     // at the end of it
	chain    []int32 // a target and its ancestors that are not known, upwards
	columns  []int32 // core vertices that one of these has arcs from, and that are not known, ascending
	lengths  []W     // of Climbed, and to columns
}

func newSearch[W weight](e *Elimination, core *DenseCore, a arithmetic[W], need func(part []byte) error) *search[W] {
	n := len(e.Vertices)
	if need == nil {
		need = func([]byte) error { return nil }
	}
	return &search[W]{arithmetic: a, e: e, core: core, need: need, up: entry.As[W](e.Up.Weights), down: entry.As[W](e.Down.Weights),
		matrix: entry.As[W](core.Matrix), mark: make([]uint32, n), dist: make([]W, n)}
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
	for r := s.source; r >= core; r = s.e.Parent[r] {
		if s.failed = s.climb(r, core); s.failed != nil {
			return s.failed
		}
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

// climb relaxes the arcs up of a rank.
func (s *search[W]) climb(r, core int32) error {
	lo, hi := s.e.Up.Offsets[r], s.e.Up.Offsets[r+1]
	ends, weights := s.e.Up.Ends[lo:hi], s.up[lo:hi]
	if err := s.needArcs(ends, weights); err != nil {
		return err
	}
	d := s.dist[r]
	if d >= s.limit {
		return nil
	}
	for i, end := range ends {
		if uint32(end) >= uint32(r) {
			return s.e.BadArc(int(r), end)
		}
		if end < core && s.mark[end] != s.stamp {
			s.reach(end)
		}
		if sum := d + weights[i]; sum < s.dist[end] && sum < s.limit {
			s.dist[end] = sum
		}
	}
	return nil
}

func (s *search[W]) needArcs(ends []int32, weights []W) error {
	if len(ends) == 0 {
		return nil
	}
	if err := s.need(entry.Bytes(ends)); err != nil {
		return err
	}
	return s.need(entry.Bytes(weights))
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
	for r := t; r >= core && s.mark[r] != known; r = s.e.Parent[r] {
		s.chain = append(s.chain, r)
	}
	for i := len(s.chain) - 1; i >= 0; i-- {
		if err := s.sweep(s.chain[i], core, known); err != nil {
			return err
		}
	}
	return nil
}

// cross computes the distances to the core vertices in columns.
func (s *search[W]) cross() error {
	if len(s.columns) == 0 {
		return nil
	}
	least := s.lengths[:0]
	for range s.columns {
		least = append(least, s.inf)
	}
	s.lengths = least
	var rows [crossRows][]W // of the matrix
	var dist [crossRows]W
	waiting := 0
	for i, x := range s.from {
		if s.fromDist[i] >= s.limit {
			continue
		}
		row := s.matrix[int(x)*s.core.Pitch:][:s.core.Size]
		if err := s.need(entry.Bytes(row)); err != nil {
			return err
		}
		rows[waiting], dist[waiting] = row, s.fromDist[i]
		if waiting++; waiting == crossRows {
			crossFour(least, s.columns, &rows, &dist)
			waiting = 0
		}
	}
	if waiting > 0 {
		for k := waiting; k < crossRows; k++ { // a row twice does no harm
			rows[k], dist[k] = rows[0], dist[0]
		}
		crossFour(least, s.columns, &rows, &dist)
	}
	for k, y := range s.columns {
		if s.dist[y] = least[k]; least[k] >= s.limit {
			s.dist[y] = s.inf
		}
	}
	return nil
}

// crossRows is how many rows of the core's matrix are relaxed together.
const crossRows = 4

// crossFour lowers the distances to the columns by some rows of the core's matrix, whose vertices are at the given distances.
func crossFour[W weight](least []W, columns []int32, rows *[crossRows][]W, dist *[crossRows]W) {
	a, b, c, d := rows[0], rows[1][:len(rows[0])], rows[2][:len(rows[0])], rows[3][:len(rows[0])]
	p, q, r, s := dist[0], dist[1], dist[2], dist[3]
	least = least[:len(columns)]
	for k, y := range columns {
		least[k] = min(least[k], min(p+a[y], q+b[y]), min(r+c[y], s+d[y]))
	}
}

// sweep computes the distance to a rank that is not of the core, and to those core vertices that it has arcs from. Those of its
// ancestors are known. Most of these have arcs from the same core vertices, so the first of a chain computes nearly all of them.
func (s *search[W]) sweep(r, core int32, known uint32) error {
	lo, hi := s.e.Down.Offsets[r], s.e.Down.Offsets[r+1]
	ends, weights := s.e.Down.Ends[lo:hi], s.down[lo:hi]
	if err := s.needArcs(ends, weights); err != nil {
		return err
	}
	s.columns = s.columns[:0]
	for _, end := range ends {
		if end >= core { // ends ascend
			break
		}
		if end < 0 {
			return s.e.BadArc(int(r), end)
		}
		if s.mark[end] != known {
			s.mark[end], s.columns = known, append(s.columns, end)
		}
	}
	if err := s.cross(); err != nil {
		return err
	}
	d := s.inf
	if s.mark[r] == s.stamp { // the climb reached it
		d = s.dist[r]
	}
	for i, end := range ends {
		if uint32(end) >= uint32(r) {
			return s.e.BadArc(int(r), end)
		}
		d = min(d, s.dist[end]+weights[i])
	}
	if d >= s.limit {
		d = s.inf
	}
	s.mark[r], s.dist[r] = known, d
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
