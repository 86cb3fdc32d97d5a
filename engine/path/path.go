package path

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"ooc/engine"
	"ooc/engine/factors"
	"ooc/engine/graph"
	"ooc/engine/internal/parallel"
	"ooc/engine/sparse"
	"ooc/engine/text"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// Route is a shortest path between two vertices, which are named by their rows.
type Route struct {
	From, To int
	Vertices []int32   // from From to To; empty where there is no path
	Weights  []float64 // of the arcs between them, in the input's units
	Length   float64   // their sum, in the input's units; +Inf where there is no path
}

// Reachable reports whether there is a path.
func (p *Route) Reachable() bool { return len(p.Vertices) > 0 }

// walker finds shortest paths in a solved store. It walks backwards from the target over tight arcs: those (x,y) with
// d(u,x) + w(x,y) = d(u,y). It holds the graph with all arcs reversed, and the distances from one source. Only one
// goroutine may use it. In a store that keeps predecessors it follows those; an arc's weight is then the distance
// between its ends, which in i32 is exact. In one that keeps factors, of weights that are positive integers, it
// unpacks the arcs of the elimination.
type walker struct {
	p       *engine.Problem
	factors *factors.Factors // nil where the store keeps others, or rows
	// packed: the store keeps factors, and all weights are positive integers: paths are unpacked from their arcs.
	packed  bool
	g, back *graph.Graph // nil where the store keeps predecessors, which are followed instead
	ids     graph.IDs
	source  int             // the row whose distances dist holds, or some has begun to find; -1: none
	dist    []float64       // in stored units; nil where the store keeps factors
	some    *factors.Search // of a store that keeps factors: finds those distances that are asked for
	asked   sparse.Search   // what some does, while a path is looked for
	failed  error           // of asked
	raw     []byte
	stored  []byte        // the predecessors of source, where the store keeps them
	search  *graph.Search // made on first use; of searched
	found   int           // the source of the last search; -1: none

	walk  uint32   // counts walks
	seen  []uint32 // the last walk that came by a vertex
	steps []step
	tight []tightArc
	forks []*walker // of All, one for each goroutine, kept for the next call
}

// step is a vertex on the walk, the target first.
type step struct {
	vertex int32
	weight float64 // of the arc from it to the step before
	dist   float64 // in other than floating kinds: the distance to it
	// first: in floating kinds its tight arcs that were not tried yet are those from here to the next step's first.
	first int
	// next: in others it is the arcs into it that were looked at: those of positive weight, and then all once more.
	next int64
}

// tightArc leads to a vertex from one that may precede it.
type tightArc struct {
	from   int32
	weight float64
	loss   float64 // what is missing from tight: 0 in i32
}

// New returns what walks in a store. It fails with engine.ErrUnsolved where distances are not final and with tiles.ErrNoCSR where
// the store keeps neither predecessors nor, because its input was a matrix, arcs.
func New(p *engine.Problem) (*walker, error) {
	if err := p.Solved(); err != nil {
		return nil, err
	}
	ids, err := p.IDs()
	if err != nil {
		return nil, err
	}
	if p.Meta().Predecessors {
		return (&walker{p: p, ids: ids}).fork(), nil
	}
	g, err := p.Graph()
	if errors.Is(err, tiles.ErrNoCSR) {
		return nil, fmt.Errorf("%w: a path needs the arcs, which only stores of sparse graphs keep; "+
			"solve the matrix again with --predecessors", err)
	} else if err != nil {
		return nil, err
	}
	ready, err := p.Ready()
	if err != nil {
		return nil, err
	}
	f, _ := ready.(*factors.Factors) // which find single distances faster than rows
	positive := f != nil && len(g.I32) > 0 && slices.Min(g.I32) > 0
	return (&walker{p: p, ids: ids, g: g, back: g.Reverse(), factors: f, packed: positive}).fork(), nil
}

// fork returns a walker over the same store for another goroutine.
func (w *walker) fork() *walker {
	n := w.p.Geometry().N
	f := &walker{p: w.p, ids: w.ids, g: w.g, back: w.back, factors: w.factors, packed: w.packed, source: -1, found: -1}
	if f.factors != nil {
		f.some = f.factors.NewSearch()
	} else {
		f.dist, f.raw = make([]float64, n), w.p.Meta().Kind.Wide().Make(n)
	}
	if w.g == nil {
		f.stored = entry.Make(n)
	} else {
		f.seen = make([]uint32, n)
	}
	return f
}

// Between returns a shortest path from row u to row v, without a vertex twice; from a vertex to itself, the path
// without arcs. In f32 its length is within the rounding that docs/promises.md allows of the stored distance. It
// fails with graph.ErrNoVertex where the store keeps no distances from u, and with engine.ErrWrong where its arcs do
// not make the stored distance. In f32, stored predecessors are followed without comparing.
func (w *walker) Between(u, v int) (Route, error) {
	if v < 0 || v >= w.p.Geometry().N {
		return Route{}, text.ErrorOf(graph.ErrNoVertex, "%s has no row %d", w.p.Dir(), v)
	}
	if err := w.load(u); err != nil {
		return Route{}, err
	}
	var route Route
	err := w.within(func() (err error) {
		route, err = w.between(u, v)
		return err
	})
	return route, err
}

// within runs what asks for distances of the source.
func (w *walker) within(do func() error) error {
	if w.some == nil {
		return do()
	}
	err := w.some.Do(func(s sparse.Search) error {
		w.asked, w.failed = s, nil
		err := do()
		return cmp.Or(w.failed, err)
	})
	if w.failed != nil {
		w.source = -1
	}
	return err
}

// distance returns the distance to a vertex from the row that is loaded, in stored units; NaN if it cannot be read,
// which failed says.
func (w *walker) distance(v int32) float64 {
	if w.some == nil {
		return w.dist[v]
	}
	bits, err := w.asked.To(v)
	if err != nil {
		w.failed = err
		return math.NaN()
	}
	return w.p.Meta().Kind.Wide().Value(bits)
}

// between is Between from the row that is loaded.
func (w *walker) between(u, v int) (Route, error) {
	switch {
	case u == v:
		return Route{From: u, To: v, Vertices: []int32{int32(u)}}, nil
	case math.IsInf(w.distance(int32(v)), 1):
		return Route{From: u, To: v, Length: math.Inf(1)}, nil
	}
	if w.stored != nil {
		return w.follow(u, v)
	}
	if w.packed {
		if found, err := w.unpacked(v); err != nil {
			return Route{}, err
		} else if found {
			return w.path(u, v), nil
		}
	}
	if w.backwards(u, v) && w.near(v) || w.p.Meta().Kind.Float() && w.searched(u, v) && w.near(v) {
		return w.path(u, v), nil
	}
	return Route{}, fmt.Errorf("%s: from %s to %s: %w: no arcs make the stored distance %s; look with: ooc verify",
		w.p.Dir(), w.ids.Name(u), w.ids.Name(v), engine.ErrWrong,
		w.p.Numbers().Text(w.distance(int32(v))/float64(w.p.Meta().Scale)))
}

// unpacked leaves the path to v in steps, where all weights are positive integers. It finds none where arcs of the
// right length do not make it.
func (w *walker) unpacked(v int) (found bool, err error) {
	arcs, err := w.asked.Path(w.g, w.back, int32(v))
	if err != nil {
		return false, err
	}
	w.steps = append(w.steps[:0], step{vertex: int32(v)})
	left := w.distance(int32(v))
	for i := len(arcs) - 1; i >= 0; i-- {
		before, weight := int32(w.source), w.g.Weight(arcs[i])
		if i > 0 {
			before = w.g.Targets[arcs[i-1]]
		}
		left -= weight
		w.steps = append(w.steps, step{vertex: before, weight: weight})
	}
	return len(arcs) > 0 && left == 0, nil
}

// follow returns the path from u to v that the stored predecessors of u, whose row is loaded, lead back on.
func (w *walker) follow(u, v int) (Route, error) {
	pred := entry.View[int32](w.stored)
	w.steps = append(w.steps[:0], step{vertex: int32(v)})
	for y := int32(v); int(y) != u; {
		x := pred[y]
		if x < 0 || int(x) >= len(pred) || len(w.steps) > len(pred) {
			return Route{}, fmt.Errorf("%s: from %s to %s: %w: predecessors do not lead back; look with: ooc verify",
				w.p.Dir(), w.ids.Name(u), w.ids.Name(v), engine.ErrWrong)
		}
		bits, err := w.p.Store().ReadAt(int(x), int(y))
		if err != nil {
			return Route{}, err
		}
		kind := w.p.Meta().Kind.Wide()
		weight := kind.Value(bits)
		if !kind.Float() && w.dist[x]+weight != w.dist[y] {
			return Route{}, fmt.Errorf("%s: from %s to %s: %w: predecessors do not make the stored distance; look "+
				"with: ooc verify",
				w.p.Dir(), w.ids.Name(u), w.ids.Name(v), engine.ErrWrong)
		}
		w.steps = append(w.steps, step{vertex: x, weight: weight})
		y = x
	}
	return w.path(u, v), nil
}

// All returns a shortest path for each pair of rows, in their order. It reads the distances of each source once, and
// uses all processors. Errors are those of Between, and the cause when ctx ended.
func (w *walker) All(ctx context.Context, pairs [][2]int) ([]Route, error) {
	order := make([]int, len(pairs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(pairs[a][0], pairs[b][0]) })
	var starts []int // of the stretches of one source in order
	for i, at := range order {
		if i == 0 || pairs[at][0] != pairs[order[i-1]][0] {
			starts = append(starts, i)
		}
	}
	starts = append(starts, len(order))
	paths := make([]Route, len(pairs))
	var mu sync.Mutex
	used := 0
	err := parallel.Do(ctx, len(starts)-1, func() func(int) error {
		mu.Lock()
		defer mu.Unlock()
		if used == len(w.forks) {
			w.forks = append(w.forks, w.fork())
		}
		w := w.forks[used]
		used++
		return func(i int) (err error) {
			for _, at := range order[starts[i]:starts[i+1]] {
				if paths[at], err = w.Between(pairs[at][0], pairs[at][1]); err != nil {
					return err
				}
			}
			return nil
		}
	}, func() {})
	return paths, err
}

// load reads the distances from row u.
func (w *walker) load(u int) error {
	if u < 0 || u >= w.p.Geometry().N {
		return text.ErrorOf(graph.ErrNoVertex, "%s has no row %d", w.p.Dir(), u)
	}
	if u == w.source {
		return nil
	}
	place, err := w.p.Place(u)
	if err != nil {
		return err
	}
	w.source = -1
	if w.some != nil {
		if err := w.some.From(u); err != nil {
			return err
		}
		w.source = u
		return nil
	}
	entries, err := w.p.Entries()
	if err == nil {
		err = entries.ReadRow(w.raw, place)
	}
	if err != nil {
		return err
	}
	if w.stored != nil {
		if err := w.p.Store().ReadRowPredecessors(w.stored, place); err != nil {
			return err
		}
	}
	w.p.Meta().Kind.Wide().Values(w.dist, w.raw)
	w.source = u
	return nil
}

// backwards walks from v back to u and leaves the path in steps. Tight arcs may form a cycle of length 0, so the
// walk is a depth-first search: at a vertex that it has seen it turns back, and looks at each vertex and arc at
// most once. It tries arcs of positive weight first: if no arc is negative, they lead nearer to u.
func (w *walker) backwards(u, v int) bool {
	if w.walk++; w.walk == 0 { // after 2³² walks
		clear(w.seen)
		w.walk = 1
	}
	w.steps, w.tight = append(w.steps[:0], step{vertex: int32(v), dist: w.distance(int32(v))}), w.tight[:0]
	w.seen[v] = w.walk
	w.collect(v)
	for len(w.steps) > 0 {
		top := &w.steps[len(w.steps)-1]
		arc, found := w.nextTight(top)
		if !found {
			w.steps = w.steps[:len(w.steps)-1]
			continue
		}
		if w.seen[arc.from] == w.walk {
			continue
		}
		w.seen[arc.from] = w.walk
		w.steps = append(w.steps,
			step{vertex: arc.from, weight: arc.weight, dist: top.dist - arc.weight, first: len(w.tight)})
		if int(arc.from) == u {
			return true
		}
		w.collect(int(arc.from))
	}
	return false
}

// nextTight returns a tight arc into the vertex of a step that was not tried yet. In integer kinds any of them will
// do, mostly the first, so that distances from the others need not be found.
func (w *walker) nextTight(s *step) (arc tightArc, found bool) {
	if w.back.Kind.Float() {
		if len(w.tight) == s.first {
			return tightArc{}, false
		}
		arc, w.tight = w.tight[len(w.tight)-1], w.tight[:len(w.tight)-1]
		return arc, true
	}
	first, last := w.back.Offsets[s.vertex], w.back.Offsets[s.vertex+1]
	for arcs := last - first; s.next < 2*arcs; {
		k, positive := first+s.next%arcs, s.next < arcs
		s.next++
		x, weight := w.back.Targets[k], 0.0
		if w.seen[x] == w.walk {
			continue
		}
		if weight = w.back.Weight(k); weight > 0 != positive {
			continue
		}
		if w.distance(x)+weight == s.dist {
			return tightArc{from: x, weight: weight}, true
		}
	}
	return tightArc{}, false
}

// collect adds, in floating kinds, the tight arcs into y to those to try, the best last. In f32 an arc may miss by
// what the distances at both ends may be off after N additions; that the whole path is within the rounding is seen in
// the end.
func (w *walker) collect(y int) {
	if !w.back.Kind.Float() {
		return
	}
	first, dy := len(w.tight), w.distance(int32(y))
	slack := w.back.Kind.RoundingSlack() * float64(w.back.N)
	for k := w.back.Offsets[y]; k < w.back.Offsets[y+1]; k++ {
		x := w.back.Targets[k]
		if w.seen[x] == w.walk {
			continue
		}
		dx, weight := w.distance(x), w.back.Weight(k)
		loss := math.Abs(dx + weight - dy)
		if !math.IsInf(loss, 1) && loss <= slack*(math.Abs(dx)+math.Abs(weight)) {
			w.tight = append(w.tight, tightArc{from: x, weight: weight, loss: loss})
		}
	}
	if len(w.tight)-first > 1 {
		slices.SortFunc(w.tight[first:], func(a, b tightArc) int {
			if a.weight > 0 != (b.weight > 0) {
				return cmp.Compare(a.weight, b.weight)
			}
			return cmp.Compare(b.loss, a.loss)
		})
	}
}

// searched leaves the path to v in a tree of shortest paths from u in steps.
func (w *walker) searched(u, v int) bool {
	if w.search == nil {
		w.search = graph.NewSearch(w.g)
	}
	if w.found != u {
		w.search.From(u)
		w.found = u
	}
	pred := w.search.Pred()
	w.steps = append(w.steps[:0], step{vertex: int32(v)})
	for x := int32(v); x != int32(u); x = pred[x] {
		if pred[x] < 0 {
			return false
		}
		w.steps = append(w.steps, step{vertex: pred[x], weight: w.g.Weight(w.g.Find(int(pred[x]), int(x)))})
	}
	return true
}

// path returns the steps in reverse, from the source to the target.
func (w *walker) path(u, v int) Route {
	arcs := len(w.steps) - 1
	p := Route{From: u, To: v, Vertices: make([]int32, arcs+1), Weights: make([]float64, arcs)}
	scale := float64(w.p.Meta().Scale)
	for i, s := range w.steps {
		p.Vertices[arcs-i] = s.vertex
		if i > 0 {
			p.Weights[arcs-i] = s.weight / scale
			p.Length += s.weight
		}
	}
	p.Length /= scale
	return p
}

// near reports whether the path in steps is as long as the stored distance to v; in f32, within rounding.
func (w *walker) near(v int) bool {
	if !w.p.Meta().Kind.Float() {
		return true // each arc was tight
	}
	length, magnitude := 0.0, 0.0 // in stored units
	for _, s := range w.steps[1:] {
		length += s.weight
		magnitude += math.Abs(s.weight)
	}
	return math.Abs(length-w.distance(int32(v))) <= w.p.Meta().Kind.AllowedRounding(len(w.steps)-1, magnitude)
}
