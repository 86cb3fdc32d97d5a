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

// rootTrees makes the predecessors of every row of final distances a tree of shortest paths, and reports which tiles it
// wrote. Rounds leave in each entry the last arc of a walk as long as the distance. That is a tree unless there are cycles
// of length 0 (in f32, of a length that rounding cannot tell from 0), on which predecessors may form a loop;
// docs/promises.md has the argument. A pause takes effect between two rows.
//
// Rows are checked in parallel, and a check may read tiles anywhere in the matrix. So nothing is written until all rows of
// a group are checked.
func (p *Problem) rootTrees(ctx context.Context, c *live.Control) (written []bool, err error) {
	written = make([]bool, p.geom.Tiles())
	if !p.meta.Kind.Float() && p.meta.MinWeight > 0 {
		return written, nil
	}
	ctx, stop := context.WithCancelCause(ctx) // an error ends a pause
	defer stop(nil)
	x := &treeMending{p: p, arcs: &arcLists{p: p, of: map[int32][]shortArc{}}, written: written}
	n := p.geom.N
	together := max(changesTogether/(8*n), 1)
	for first := 0; first < n; first += together {
		err := parallel.Do(ctx, min(together, n-first), func() func(int) error {
			r := x.rowMender()
			return func(i int) (err error) {
				defer func() {
					if err != nil {
						stop(err)
					}
				}()
				if err := c.Hold(ctx, func() error { return nil }); err != nil || ctx.Err() != nil {
					return errors.Join(err, context.Cause(ctx))
				}
				return x.look(r, first+i)
			}
		}, func() {})
		if err == nil {
			err = x.write()
		}
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

// changesTogether bounds the bytes of the changes that are held before they are written.
const changesTogether = 256 << 20

// treeMending is what the goroutines that check rows share.
type treeMending struct {
	p       *Problem
	arcs    *arcLists
	written []bool

	mu      sync.Mutex
	idle    []*rowMender // guarded by mu
	all     []*rowMender // guarded by mu
	changes []change     // guarded by mu
}

// change is what some predecessors of a row have to be.
type change struct {
	row                   int
	columns, predecessors []int32
}

// rowMender returns one that no other goroutine uses until write is called.
func (x *treeMending) rowMender() *rowMender {
	x.mu.Lock()
	defer x.mu.Unlock()
	if last := len(x.idle) - 1; last >= 0 {
		r := x.idle[last]
		x.idle = x.idle[:last]
		return r
	}
	r := newRowMender(x.p, x.arcs)
	x.all = append(x.all, r)
	return r
}

// look checks row u.
func (x *treeMending) look(r *rowMender, u int) error {
	columns, predecessors, err := r.row(u)
	if err != nil || len(columns) == 0 {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.changes = append(x.changes, change{u, slices.Clone(columns), predecessors})
	return nil
}

// write writes the changes, while nobody reads.
func (x *treeMending) write() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	t := x.p.geom.T
	for _, c := range x.changes {
		for _, v := range c.columns {
			x.written[x.p.geom.Index(c.row/t, int(v)/t)] = true
		}
		if err := x.p.store.WritePredecessors(c.row, c.columns, c.predecessors); err != nil {
			return err
		}
	}
	x.changes, x.idle = x.changes[:0], append(x.idle[:0], x.all...)
	return nil
}

// shortArc is an arc that is itself a shortest path.
type shortArc struct {
	from   int32
	weight float64
}

// arcLists finds the arcs into a vertex that are shortest paths. The matrix has all of them: an arc's entry begins with its
// weight and is not lowered if that is the distance, so its predecessor remains the arc's source.
type arcLists struct {
	p    *Problem
	mu   sync.Mutex
	of   map[int32][]shortArc // by the vertex that they lead into; guarded by mu
	held int                  // arcs in of; guarded by mu
}

// mostArcs bounds the arcs that are kept for another use: 256 MiB.
const mostArcs = 16 << 20

// into returns the arcs into v.
func (a *arcLists) into(v int32, s *rowMender) ([]shortArc, error) {
	a.mu.Lock()
	list, ok := a.of[v]
	a.mu.Unlock()
	if ok {
		return list, nil
	}
	if err := errors.Join(a.p.store.ReadCol(s.column, int(v)), a.p.store.ReadColPredecessors(s.before, int(v))); err != nil {
		return nil, err
	}
	kind := a.p.meta.Kind
	for x, p := range entry.View[int32](s.before) {
		if int(p) == x {
			list = append(list, shortArc{p, kind.Value(kind.At(s.column, x))})
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.held += len(list); a.held > mostArcs {
		clear(a.of)
		a.held = len(list)
	}
	a.of[v] = list
	return list, nil
}

// rowMender checks rows and finds the right predecessors. It is for one goroutine.
type rowMender struct {
	p              *Problem
	arcs           *arcLists
	raw, stored    []byte    // distances and predecessors of a row
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
	n, kind := p.geom.N, p.meta.Kind
	return &rowMender{p: p, arcs: arcs, raw: kind.Make(n), stored: entry.Make(n), column: kind.Make(n), before: entry.Make(n), dist: make([]float64, n),
		state: make([]uint8, n), place: make([]int32, n), out: make([][]candidate, n)}
}

// row returns the columns of row u whose predecessors must change, ascending, and the new predecessors.
func (s *rowMender) row(u int) (columns, predecessors []int32, err error) {
	if err := errors.Join(s.p.store.ReadRow(s.raw, u), s.p.store.ReadRowPredecessors(s.stored, u)); err != nil {
		return nil, nil, err
	}
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

// walk follows every predecessor of a row, each once, and collects the lost vertices: those from which they do not lead to
// u.
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

// find sets before to the predecessors of the lost vertices on shortest paths. It searches from the other vertices, over
// arcs that make the stored distances in i32, and in f32 miss them by as little as possible.
func (s *rowMender) find(u int, before []int32) error {
	s.p.meta.Kind.Values(s.dist, s.raw)
	for i, v := range s.lost {
		s.place[v], before[i], s.out[i] = int32(i), entry.NoVertex, s.out[i][:0]
	}
	s.next, s.queue = s.next[:0], s.queue[:0]
	for i := range s.lost {
		if err := s.look(int32(i)); err != nil {
			return err
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
		return fmt.Errorf("%s: row %d: %w: no arcs make %d of its distances; solve again with --restart", s.p.Dir(), u, ErrWrong, left)
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

// look notes the arcs into a lost vertex: the best of those from vertices that are not lost, and all others.
func (s *rowMender) look(place int32) error {
	v := s.lost[place]
	arcs, err := s.arcs.into(v, s)
	if err != nil {
		return err
	}
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
	return nil
}
