package engine

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"sync"

	"ooc/engine/internal/parallel"
	"ooc/engine/live"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// treesRooted reports whether the predecessors of a store whose distances are final form trees; true if the store keeps
// none. They do once there are checksums, which are written afterwards, even if these are damaged.
func (p *Problem) treesRooted() (bool, error) {
	if !p.meta.Predecessors {
		return true, nil
	}
	switch _, err := p.store.Sums(); {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil && !tiles.Damaged(err):
		return false, err
	}
	return true, nil
}

// mends reports whether the predecessors of an algorithm's final distances may have to be mended: where there may be
// cycles of length 0, unless whole rows were written, in which they are trees.
func (p *Problem) mends(algorithm string) bool {
	return p.meta.Predecessors && (p.meta.Kind.Float() || p.meta.MinWeight <= 0) && !TraitsOf(algorithm).Rows
}

// lines are what trees are made from and written to.
type lines interface {
	strips() []strip // of rows that this process is to check
	read(distances, predecessors []byte, s strip) error
	arcsInto(vertices []int32, s *rowMender) ([][]shortArc, error) // those that are shortest paths
	// together: rows, or vertices, at most that read and arcsInto take.
	together() int
	write(u int, columns, predecessors []int32) error
	flush() error    // after write
	written() []bool // tiles here, by Geometry.Index
}

// strip are consecutive rows.
type strip struct{ first, count int }

// storeLines are the lines of a store that has all.
type storeLines struct {
	store *tiles.Store
	tiles []bool
}

func (l *storeLines) strips() []strip {
	all := make([]strip, l.store.Geometry().N)
	for u := range all {
		all[u] = strip{u, 1}
	}
	return all
}

func (l *storeLines) together() int { return 1 }

func (l *storeLines) read(distances, predecessors []byte, s strip) error {
	return errors.Join(l.store.ReadRow(distances, s.first), l.store.ReadRowPredecessors(predecessors, s.first))
}

func (l *storeLines) arcsInto(vertices []int32, s *rowMender) ([][]shortArc, error) {
	v, kind := int(vertices[0]), s.p.meta.Kind
	if err := errors.Join(l.store.ReadCol(s.column, v), l.store.ReadColPredecessors(s.before, v)); err != nil {
		return nil, err
	}
	var list []shortArc
	for x, p := range entry.View[int32](s.before) {
		if int(p) == x {
			list = append(list, shortArc{p, kind.Value(kind.At(s.column, x))})
		}
	}
	return [][]shortArc{list}, nil
}

func (l *storeLines) write(u int, columns, predecessors []int32) error {
	g := l.store.Geometry()
	for _, v := range columns {
		l.tiles[g.Index(u/g.T, int(v)/g.T)] = true
	}
	return l.store.WritePredecessors(u, columns, predecessors)
}

func (l *storeLines) flush() error    { return nil }
func (l *storeLines) written() []bool { return l.tiles }

// rootTrees makes the predecessors of every row of final distances that this process checks a tree of shortest paths.
// Rounds leave in each entry the last arc of a walk as long as the distance. That is a tree unless there are cycles
// of length 0 (in f32, of a length that rounding cannot tell from 0), on which predecessors may form a loop. A pause
// takes effect between two rows.
//
// Each predecessor is the last arc of a walk as long as the distance: so it is at the start, with arcs, and a sum
// d(i,k) + d(k,j) that lowers (i,j) takes over the predecessor of (k,j). That holds in any order of updates and after
// any failure. Once distances are final, such an arc (x,j) is tight: d(i,x) + w(x,j) = d(i,j). If every cycle is
// longer than 0, tight arcs make no cycle, so they lead back to i. Along a cycle of length 0 closures and panels may
// choose differently among equals: TestRootTrees has four vertices of that sort.
//
// In a row with a loop, the vertices from which predecessors do not lead to i get new ones, by a search from the
// others over tight arcs (in f32 over those that miss least). Arcs come from the matrix, since its input need not
// exist any more. An arc on a shortest path is one itself, so its entry was never lowered and its predecessor is still
// its own row. The search changes no such entry, and can begin again.
//
// Rows are checked in parallel, and a check may read tiles anywhere in the matrix. So nothing is written here until
// all rows of a group are checked. What other processes write meanwhile changes nothing: it is in other rows, and of
// columns only those entries count whose row is their predecessor, which none becomes and none ceases to be.
func (p *Problem) rootTrees(ctx context.Context, c *live.Control, l lines) error {
	ctx, stop := context.WithCancelCause(ctx) // an error ends a pause
	defer stop(nil)
	x := &treeMending{lines: l, arcs: &arcLists{lines: l, of: map[int32][]shortArc{}}}
	x.idle.New = func() any { return newRowMender(p, x.arcs) }
	for group := range slices.Chunk(l.strips(), max(changesTogether/(8*p.geom.N*l.together()), 1)) {
		err := parallel.Do(ctx, len(group), func() func(int) error {
			return func(i int) (err error) {
				r := x.idle.Get().(*rowMender)
				defer x.idle.Put(r)
				defer func() {
					if err != nil {
						stop(err)
					}
				}()
				if err := c.Hold(ctx, func() error { return nil }); err != nil || ctx.Err() != nil {
					return errors.Join(err, context.Cause(ctx))
				}
				return x.look(ctx, r, group[i])
			}
		}, func() {})
		if err == nil {
			err = x.write()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// changesTogether bounds the bytes of the changes that are held before they are written.
const changesTogether = 256 << 20

// treeMending is what the goroutines that check rows share.
type treeMending struct {
	lines lines
	arcs  *arcLists

	idle sync.Pool // of *rowMender

	mu      sync.Mutex
	changes []change // guarded by mu
}

// change is what some predecessors of a row have to be.
type change struct {
	row                   int
	columns, predecessors []int32
}

// look checks a strip.
func (x *treeMending) look(ctx context.Context, r *rowMender, s strip) error {
	if err := x.lines.read(r.strip, r.strips, s); err != nil {
		return err
	}
	for k := range s.count {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		columns, predecessors, err := r.row(k, s.first+k)
		if err != nil {
			return err
		}
		if len(columns) > 0 {
			x.mu.Lock()
			x.changes = append(x.changes, change{s.first + k, slices.Clone(columns), predecessors})
			x.mu.Unlock()
		}
	}
	return nil
}

// write writes the changes, while nobody reads.
func (x *treeMending) write() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, c := range x.changes {
		if err := x.lines.write(c.row, c.columns, c.predecessors); err != nil {
			return err
		}
	}
	x.changes = x.changes[:0]
	return x.lines.flush()
}

// shortArc is an arc that is itself a shortest path.
type shortArc struct {
	from   int32
	weight float64
}

// arcLists finds the arcs into a vertex that are shortest paths. The matrix has all of them: an arc's entry begins
// with its weight and is not lowered if that is the distance, so its predecessor remains the arc's source.
type arcLists struct {
	lines lines
	mu    sync.Mutex
	of    map[int32][]shortArc // by the vertex that they lead into; guarded by mu
	held  int                  // arcs in of; guarded by mu
}

// mostArcs bounds the arcs that are kept for another use: 256 MiB.
const mostArcs = 16 << 20

// into returns the arcs into each of some vertices, at most lines.together.
func (a *arcLists) into(vertices []int32, s *rowMender) ([][]shortArc, error) {
	lists, unknown := make([][]shortArc, len(vertices)), []int32(nil)
	a.mu.Lock()
	for i, v := range vertices {
		list, ok := a.of[v]
		if lists[i] = list; !ok {
			unknown = append(unknown, v)
		}
	}
	a.mu.Unlock()
	if unknown == nil {
		return lists, nil
	}
	found, err := a.lines.arcsInto(unknown, s)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for k, v := range unknown {
		if a.held += len(found[k]); a.held > mostArcs {
			clear(a.of)
			a.held = len(found[k])
		}
		a.of[v], lists[slices.Index(vertices, v)] = found[k], found[k]
	}
	return lists, nil
}

// rowMender checks rows and finds the right predecessors. It is for one goroutine.
type rowMender struct {
	p              *Problem
	arcs           *arcLists
	strip, strips  []byte    // distances and predecessors of a strip
	raw, stored    []byte    // of a row of it
	column, before []byte    // of a column
	dist           []float64 // the row's distances, for find
	state          []uint8
	trail, lost    []int32
	place          []int32       // of a vertex in lost
	out            [][]candidate // by place in lost: the walks on from there
	next           []candidate   // those that come next, whichever first
	queue          candidates    // those after them
}

// What is known of a vertex of a row.
const (
	unseen uint8 = iota
	walked       // from here, predecessors do not lead to the source; or that is being found out
	rooted       // they do
)

// candidate is an arc over which a lost vertex can be reached. loss is by how much the arcs of the path so far miss the
// stored distances, added up.
type candidate struct {
	to, by int32 // the place in lost, and the vertex before it
	loss   float64
}

type candidates []candidate

func (q candidates) Len() int           { return len(q) }
func (q candidates) Less(i, j int) bool { return q[i].loss < q[j].loss }
func (q candidates) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *candidates) Push(x any)        { *q = append(*q, x.(candidate)) }
func (q *candidates) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

func newRowMender(p *Problem, arcs *arcLists) *rowMender {
	n, kind, together := p.geom.N, p.meta.Kind, arcs.lines.together()
	return &rowMender{p: p, arcs: arcs, strip: kind.Make(together * n), strips: entry.Make(together * n),
		column: kind.Make(n), before: entry.Make(n), dist: make([]float64, n),
		state: make([]uint8, n), place: make([]int32, n), out: make([][]candidate, n)}
}

// row returns the columns of row u, which is row k of the strip, whose predecessors must change, ascending, and the
// new predecessors.
func (s *rowMender) row(k, u int) (columns, predecessors []int32, err error) {
	n := s.p.geom.N
	s.raw, s.stored = s.strip[k*n*s.p.meta.Kind.Bytes():][:n*s.p.meta.Kind.Bytes()],
		s.strips[k*n*entry.WordBytes:][:n*entry.WordBytes]
	pred := entry.View[int32](s.stored)
	s.lost = s.lost[:0]
	if pred[u] != entry.NoVertex { // rounding made a cycle shorter than none
		pred[u] = entry.NoVertex
		columns, predecessors = append(columns, int32(u)), append(predecessors, entry.NoVertex)
	}
	if noPath := s.p.meta.Kind.Unreachable(); s.p.meta.Kind.Bytes() == 8 {
		lookAt(s, u, pred, entry.View[int64](s.raw), int64(noPath))
	} else {
		lookAt(s, u, pred, entry.View[int32](s.raw), int32(noPath))
	}
	if len(s.lost) == 0 {
		return columns, predecessors, nil
	}
	before := make([]int32, len(s.lost))
	if err := s.find(u, before); err != nil {
		return nil, nil, err
	}
	if len(columns) == 0 {
		return s.lost, before, nil
	}
	at, _ := slices.BinarySearch(s.lost, int32(u))
	return slices.Insert(s.lost, at, int32(u)), slices.Insert(before, at, entry.NoVertex), nil
}

// lookAt collects the lost vertices of a row, whose distances are given by their bits.
func lookAt[W int32 | int64](s *rowMender, u int, pred []int32, distances []W, noPath W) {
	if s.p.meta.Negative || !descends(u, pred, distances, noPath) {
		walk(s, u, pred, distances, noPath)
	}
}

// descends reports whether each predecessor is nearer to u than its vertex. That is usual if no weight is negative, and
// then predecessors lead to u without a further look. Non-negative floats are ordered like their bits.
func descends[W int32 | int64](u int, pred []int32, distances []W, noPath W) bool {
	for v, x := range pred {
		switch {
		case uint(x) < uint(len(distances)):
			if distances[x] >= distances[v] {
				return false
			}
		case distances[v] != noPath && v != u:
			return false
		}
	}
	return true
}

// walk follows every predecessor of a row, each once, and collects the lost vertices: those from which they do not
// lead to u.
func walk[W int32 | int64](s *rowMender, u int, pred []int32, distances []W, noPath W) {
	clear(s.state)
	s.state[u] = rooted
	for v := range pred {
		x := int32(v)
		s.trail = s.trail[:0]
		for s.state[x] == unseen && distances[x] != noPath {
			s.state[x] = walked
			s.trail = append(s.trail, x)
			if uint(pred[x]) >= uint(len(pred)) {
				break
			}
			x = pred[x]
		}
		if s.state[x] == rooted {
			for _, y := range s.trail {
				s.state[y] = rooted
			}
		}
	}
	for v, state := range s.state {
		if state == walked {
			s.lost = append(s.lost, int32(v))
		}
	}
}

// find sets before to the predecessors of the lost vertices on shortest paths. It searches from the other vertices,
// over arcs that make the stored distances in i32, and in f32 miss them by as little as possible.
func (s *rowMender) find(u int, before []int32) error {
	s.p.meta.Kind.Values(s.dist, s.raw)
	for i, v := range s.lost {
		s.place[v], before[i], s.out[i] = int32(i), entry.NoVertex, s.out[i][:0]
	}
	s.next, s.queue = s.next[:0], s.queue[:0]
	for first := 0; first < len(s.lost); first += s.arcs.lines.together() {
		some := s.lost[first:min(first+s.arcs.lines.together(), len(s.lost))]
		lists, err := s.arcs.into(some, s)
		if err != nil {
			return err
		}
		for k, arcs := range lists {
			s.look(int32(first+k), arcs)
		}
	}
	heap.Init(&s.queue)
	left := len(s.lost)
	for len(s.next)+len(s.queue) > 0 {
		r := s.take()
		if before[r.to] != entry.NoVertex {
			continue
		}
		before[r.to] = r.by
		left--
		for _, on := range s.out[r.to] {
			if on.loss == 0 {
				on.loss = r.loss
				s.next = append(s.next, on)
			} else {
				on.loss += r.loss
				heap.Push(&s.queue, on)
			}
		}
	}
	if left > 0 {
		return fmt.Errorf("%s: row %d: %w: no arcs make %d of its distances; solve again with --restart", s.p.Dir(), u,
			ErrWrong, left)
	}
	return nil
}

// take removes a candidate of the least loss. All of next have it; in i32 there are no others.
func (s *rowMender) take() (r candidate) {
	if last := len(s.next) - 1; last >= 0 {
		r, s.next = s.next[last], s.next[:last]
		return r
	}
	return heap.Pop(&s.queue).(candidate)
}

// look notes arcs into a lost vertex: the best of those from vertices that are not lost, and all others.
func (s *rowMender) look(place int32, arcs []shortArc) {
	v := s.lost[place]
	best := candidate{to: place, loss: math.Inf(1)}
	for _, a := range arcs {
		loss := max(0, s.dist[a.from]+a.weight-s.dist[v])
		switch {
		case loss > 0 && !s.p.meta.Kind.Float(), math.IsInf(loss, 1):
		case s.state[a.from] == walked:
			from := s.place[a.from]
			s.out[from] = append(s.out[from], candidate{place, a.from, loss})
		case loss < best.loss:
			best.by, best.loss = a.from, loss
		}
		if best.loss == 0 {
			break
		}
	}
	switch {
	case best.loss == 0:
		s.next = append(s.next, best)
	case !math.IsInf(best.loss, 1):
		s.queue = append(s.queue, best)
	}
}
