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

// treesRooted reports whether the predecessors of a store whose distances are final, if it keeps any, make trees: the
// checksums are written after that was seen to. Damaged ones are proof of that too.
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
// wrote. Rounds leave in each entry the last arc of a walk as long as the distance. That is a tree unless there
// are cycles of length 0, or in f32 none that rounding can tell from 0, on which predecessors may lead round
// and round; docs/promises.md has the argument. A pause holds it up between two rows.
//
// Rows are looked through in parallel, which reads tiles all over the matrix; so nothing is written before all that
// were taken together are through.
func (p *Problem) rootTrees(ctx context.Context, c *live.Control) (written []bool, err error) {
	written = make([]bool, p.geom.Tiles())
	if p.meta.Kind == entry.KindI32 && p.meta.MinWeight > 0 {
		return written, nil
	}
	ctx, stop := context.WithCancelCause(ctx) // an error ends a pause
	defer stop(nil)
	x := &treeRooting{p: p, arcs: &arcLists{p: p, of: map[int32][]shortArc{}}, written: written}
	n := p.geom.N
	together := max(changesTogether/(8*n), 1)
	for first := 0; first < n; first += together {
		err := parallel.Do(ctx, min(together, n-first), func() func(int) error {
			r := x.rooter()
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

// changesTogether bounds the bytes of what is found before it is written.
const changesTogether = 256 << 20

// treeRooting is what the goroutines that look through rows share.
type treeRooting struct {
	p       *Problem
	arcs    *arcLists
	written []bool

	mu      sync.Mutex
	idle    []*rooter // guarded by mu
	all     []*rooter // guarded by mu
	changes []change  // guarded by mu
}

// change is what predecessors of a row have to be.
type change struct {
	row                   int
	columns, predecessors []int32
}

// rooter returns one that no goroutine has, until the rows that are taken together are through.
func (x *treeRooting) rooter() *rooter {
	x.mu.Lock()
	defer x.mu.Unlock()
	if last := len(x.idle) - 1; last >= 0 {
		r := x.idle[last]
		x.idle = x.idle[:last]
		return r
	}
	r := newRooter(x.p, x.arcs)
	x.all = append(x.all, r)
	return r
}

// look looks through row u.
func (x *treeRooting) look(r *rooter, u int) error {
	columns, predecessors, err := r.row(u)
	if err != nil || len(columns) == 0 {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.changes = append(x.changes, change{u, slices.Clone(columns), predecessors})
	return nil
}

// write writes what was found, while nobody reads.
func (x *treeRooting) write() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	side, t := x.p.geom.Side(), x.p.geom.T
	for _, c := range x.changes {
		for _, v := range c.columns {
			x.written[c.row/t*side+int(v)/t] = true
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

// arcLists finds the arcs into vertices that are shortest paths. The matrix has them all: an arc's entry begins with
// its weight, and is not lowered where that is the distance, so that its predecessor remains the arc's source.
type arcLists struct {
	p    *Problem
	mu   sync.Mutex
	of   map[int32][]shortArc // by the vertex that they lead into; guarded by mu
	held int                  // arcs in of; guarded by mu
}

// mostArcs bounds the arcs that are kept to be used again, 256 MiB of them.
const mostArcs = 16 << 20

// into returns the arcs into v.
func (a *arcLists) into(v int32, s *rooter) ([]shortArc, error) {
	a.mu.Lock()
	list, ok := a.of[v]
	a.mu.Unlock()
	if ok {
		return list, nil
	}
	if err := errors.Join(a.p.store.ReadCol(s.column, int(v)), a.p.store.ReadColPredecessors(s.before, int(v))); err != nil {
		return nil, err
	}
	distances := entry.View[uint32](s.column)
	for x, p := range entry.View[int32](s.before) {
		if int(p) == x {
			list = append(list, shortArc{p, a.p.meta.Kind.Value(distances[x])})
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

// rooter looks through rows. It is for one goroutine.
type rooter struct {
	p              *Problem
	arcs           *arcLists
	raw, stored    []byte // distances and predecessors of a row
	column, before []byte // of a column
	state          []uint8
	way, lost      []int32
	place          []int32    // of a vertex in lost
	out            [][]rescue // by place in lost: the ways on from there
	next           []rescue   // those that come next, whichever first
	queue          rescues    // those after them
}

// What is known of a vertex of a row.
const (
	unseen uint8 = iota
	walked       // from here, predecessors do not lead to the source; or that is being found out
	rooted       // they do
)

// rescue is a way to a lost vertex. What the arcs on it miss from making the stored distances adds up to loss.
type rescue struct {
	to, by int32 // the place in lost, and the vertex before it
	loss   float64
}

type rescues []rescue

func (q rescues) Len() int           { return len(q) }
func (q rescues) Less(i, j int) bool { return q[i].loss < q[j].loss }
func (q rescues) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *rescues) Push(x any)        { *q = append(*q, x.(rescue)) }
func (q *rescues) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

func newRooter(p *Problem, arcs *arcLists) *rooter {
	n := p.geom.N
	return &rooter{p: p, arcs: arcs, raw: entry.Make(n), stored: entry.Make(n), column: entry.Make(n), before: entry.Make(n),
		state: make([]uint8, n), place: make([]int32, n), out: make([][]rescue, n)}
}

// row returns the columns of row u whose predecessors have to be others, ascending, and those.
func (s *rooter) row(u int) (columns, predecessors []int32, err error) {
	if err := errors.Join(s.p.store.ReadRow(s.raw, u), s.p.store.ReadRowPredecessors(s.stored, u)); err != nil {
		return nil, nil, err
	}
	pred := entry.View[int32](s.stored)
	s.lost = s.lost[:0]
	if pred[u] != entry.NoVertex { // rounding made a cycle shorter than none
		pred[u] = entry.NoVertex
		columns, predecessors = append(columns, int32(u)), append(predecessors, entry.NoVertex)
	}
	if s.p.meta.Negative || !s.falling(u, pred) {
		s.walk(u, pred)
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

// falling reports whether each predecessor is nearer to u than what it is before, as most are where no weight is
// negative: then they lead to u, without looking where. Non-negative floats order as their bits.
func (s *rooter) falling(u int, pred []int32) bool {
	distances, noPath := entry.View[uint32](s.raw), s.p.meta.Kind.Unreachable()
	for v, x := range pred {
		switch {
		case uint(x) < uint(len(distances)):
			if int32(distances[x]) >= int32(distances[v]) {
				return false
			}
		case distances[v] != noPath && v != u:
			return false
		}
	}
	return true
}

// walk follows every predecessor of a row, each once, and collects the vertices from which they do not lead to u.
func (s *rooter) walk(u int, pred []int32) {
	clear(s.state)
	s.state[u] = rooted
	distances, noPath := entry.View[uint32](s.raw), s.p.meta.Kind.Unreachable()
	for v := range pred {
		x := int32(v)
		s.way = s.way[:0]
		for s.state[x] == unseen && distances[x] != noPath {
			s.state[x] = walked
			s.way = append(s.way, x)
			if uint(pred[x]) >= uint(len(pred)) {
				break
			}
			x = pred[x]
		}
		if s.state[x] == rooted {
			for _, y := range s.way {
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

// find sets before to the vertices before the lost ones on shortest paths, by a search from the others over arcs
// which, in i32, make the stored distances, and in f32 miss them by as little as there is.
func (s *rooter) find(u int, before []int32) error {
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

// take removes a rescue of the least loss. All of next have that: in i32 there is nothing else.
func (s *rooter) take() (r rescue) {
	if last := len(s.next) - 1; last >= 0 {
		r, s.next = s.next[last], s.next[:last]
		return r
	}
	return heap.Pop(&s.queue).(rescue)
}

// look notes the arcs into a lost vertex: the best from those that are not lost, and all from others.
func (s *rooter) look(place int32) error {
	v, kind := s.lost[place], s.p.meta.Kind
	arcs, err := s.arcs.into(v, s)
	if err != nil {
		return err
	}
	distances := entry.View[uint32](s.raw)
	d, best := kind.Value(distances[v]), rescue{to: place, loss: math.Inf(1)}
	for _, a := range arcs {
		loss := max(0, kind.Value(distances[a.from])+a.weight-d)
		switch {
		case loss > 0 && kind == entry.KindI32, math.IsInf(loss, 1):
		case s.state[a.from] == walked:
			from := s.place[a.from]
			s.out[from] = append(s.out[from], rescue{place, a.from, loss})
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
