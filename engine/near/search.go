package near

import (
	"context"
	"math"
	"slices"

	"ooc/engine/graph"
	"ooc/engine/internal/cancel"
	"ooc/engine/internal/heap"
	"ooc/kernels/entry"
)

// searcher answers one question of one graph, row by row. It does not keep the graph itself.
type searcher struct {
	kind   entry.Kind // of distances: wide
	single bool       // that is f32
	k      int        // at most so many of a row; n-1 where there is no limit
	limit  float64    // the greatest distance that is near
	n      int
	self   bool // a vertex is near itself
	worker func(poll *cancel.Poll) Worker
}

// Worker finds the rows of a Searcher, for one goroutine. Its memory is some 20 bytes a vertex.
type Worker interface {
	// Row returns the vertices that are near row u, ascending, and how far they are; both are valid until the next
	// call. It fails with the cause of the Worker's context if that ends first.
	Row(u int) (columns []int32, distances []float64, err error)
	Close() error
}

// NewSearcher proves that the graph has no negative cycle and that its kind holds every distance, as graph.Check
// does, and prepares it for searches. That takes some 8 bytes an arc, 16 of a floating kind, and 20 a vertex.
func NewSearcher(ctx context.Context, g *graph.Graph, q Question) (*searcher, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	if err := g.Check(ctx); err != nil {
		return nil, err
	}
	return newSearcher(ctx, g, q)
}

// newSearcher is NewSearcher of a graph and a question that were checked.
func newSearcher(ctx context.Context, g *graph.Graph, q Question) (*searcher, error) {
	s := &searcher{kind: g.Kind.Wide(), single: g.Kind == entry.KindF32, n: g.N, k: g.N, self: q.Self,
		limit: greatestOf(g.Kind, g.Scale, q.Within)}
	if q.Nearest > 0 {
		s.k = min(s.k, q.Nearest)
	}
	most := heaviest(g)
	s.limit = min(s.limit, most)
	if !g.Negative {
		most = s.limit
	}
	var err error
	switch {
	case g.I32 != nil:
		s.worker, err = workers[int32](ctx, s, g, g.I32, most)
	case g.F32 != nil:
		s.worker, err = workers[float64](ctx, s, g, g.F32, most)
	default:
		s.worker, err = workers[float64](ctx, s, g, g.F64, most)
	}
	return s, err
}

// Worker returns a new one, which ctx may end.
func (s *searcher) Worker(ctx context.Context) Worker { return s.worker(&cancel.Poll{Ctx: ctx}) }

func workers[D number, W int32 | float32 | float64](ctx context.Context, s *searcher, g *graph.Graph, weights []W,
	most float64) (func(*cancel.Poll) Worker, error) {
	net, err := newNet[D](ctx, g, weights, most, s.k)
	if err != nil {
		return nil, err
	}
	far := D(math.MaxInt32)
	if g.Kind.Float() {
		far = D(math.Inf(1))
	}
	return func(poll *cancel.Poll) Worker {
		dist := slices.Repeat([]D{far}, g.N)
		return &worker[D, W]{searcher: s, net: net, poll: poll, far: far, dist: dist, columns: newSet(g.N)}
	}, nil
}

// worker is a Worker. It searches with Dijkstra's algorithm (E. W. Dijkstra, A note on two problems in connexion with
// graphs, 1959), cut off where nothing near can follow.
type worker[D number, W int32 | float32 | float64] struct {
	*searcher
	*net[D, W]
	poll *cancel.Poll
	far  D   // no path is known
	dist []D // far between two searches

	reached []int32 // vertices with another distance, the source first; a sweep may have some twice
	heap    heap.Heap[D]
	buckets buckets[D]
	last    D // greater keys are of no use

	columns set
	found   []int32
	values  []float64
	ranked  []D
}

func (w *worker[D, W]) Close() error { return nil }

// slack is how much less, in proportion, a sum of floating-point weights of both signs must be to count as shorter:
// rounding must not make a cycle of length 0 look ever shorter. graph.Search has the same.
const slack = 1.0 / (1 << 48)

func (w *worker[D, W]) Row(u int) ([]int32, []float64, error) {
	if math.IsInf(w.limit, -1) || w.potential == nil && w.limit < 0 {
		return nil, nil, nil
	}
	err := w.find(w.at[u])
	if err == nil {
		w.collect()
	}
	for _, v := range w.reached {
		w.dist[v] = w.far
	}
	return w.found, w.values, err
}

// find finds the distances of what is near, and may leave others.
func (w *worker[D, W]) find(source int32) error {
	w.reached = w.reached[:0]
	w.dist[source] = 0
	w.last = w.key(D(w.above(w.limit)))
	if w.sweeps() {
		return w.sweep(source)
	}
	return w.search(source)
}

// search finds the distances of what is near, and may leave others that are too large. Where weights are negative,
// vertices are taken in the order of distances less potentials, as in D. B. Johnson's algorithm (Efficient algorithms
// for shortest paths in sparse networks, 1977); distances themselves are added up as ever, so that potentials round
// nothing away.
func (w *worker[D, W]) search(source int32) error {
	w.heap, w.reached = w.heap[:0], append(w.reached, source)
	taken, next := 0, w.k+1 // when it is worth to look how far the k nearest are; the source is one more
	begin := D(0)
	if w.potential != nil {
		begin = -w.potential[source]
	}
	w.heap.Push(begin, source)
	for len(w.heap) > 0 {
		top := w.heap.Pop()
		if top.Key > w.last {
			break
		}
		v := top.Vertex
		d := w.dist[v]
		switch {
		case w.potential == nil && top.Key > d, w.potential != nil && top.Key > d-w.potential[v]:
			continue // it was taken before
		}
		if taken++; taken == next {
			w.tighten()
			next = taken + taken/4 + 1
			if w.potential == nil {
				next = -1 // no nearer ones can come
			}
		}
		arcs := w.arcs[w.first[v]:w.first[v+1]]
		if err := w.poll.After(int64(len(arcs)) + 1); err != nil {
			return err
		}
		if w.potential == nil {
			w.relax(arcs, d)
		} else {
			w.relaxSigned(arcs, d, source)
		}
	}
	return nil
}

// key is the greatest that vertices as far as d can have.
func (w *worker[D, W]) key(d D) D {
	if w.potential == nil || d == w.far {
		return d
	}
	return d - w.least + w.margin
}

func (w *worker[D, W]) relax(arcs []arc[W], d D) {
	for _, a := range arcs {
		to := d + D(a.weight)
		if to > w.last {
			break // they ascend
		}
		was := w.dist[a.to]
		if to >= was {
			continue
		}
		if was == w.far {
			w.reached = append(w.reached, a.to)
		}
		w.dist[a.to] = to
		w.heap.Push(to, a.to)
	}
}

// relaxSigned is relax where weights are negative. Nothing leads back to the source on a shorter path.
func (w *worker[D, W]) relaxSigned(arcs []arc[W], d D, source int32) {
	float := w.kind.Float()
	for _, a := range arcs {
		to := d + D(a.weight)
		was, key := w.dist[a.to], to-w.potential[a.to]
		if to >= was || key > w.last || a.to == source {
			continue
		}
		if was == w.far {
			w.reached = append(w.reached, a.to)
		} else if float && float64(to) >= float64(was)-slack*(math.Abs(float64(was))+math.Abs(float64(a.weight))) {
			continue
		}
		w.dist[a.to] = to
		w.heap.Push(key, a.to)
	}
}

// tighten lowers last to what the k nearest of the vertices reached so far allow.
func (w *worker[D, W]) tighten() {
	if len(w.reached) <= w.k {
		return
	}
	w.last = min(w.last, w.key(D(w.above(w.kth()))))
}

// kth is how far the kth of the vertices reached is.
func (w *worker[D, W]) kth() float64 {
	w.ranked = w.ranked[:0]
	for _, v := range w.reached[1:] {
		w.ranked = append(w.ranked, w.dist[v])
	}
	return w.rounded(choose(w.ranked, w.k-1))
}

// rounded is a sum as the kind has it.
func (w *worker[D, W]) rounded(d D) float64 {
	if w.single {
		return float64(float32(d))
	}
	return float64(d)
}

// above bounds the sums that are rounded to d or less.
func (w *worker[D, W]) above(d float64) float64 {
	if w.single {
		return float64(math.Nextafter32(float32(d), entry.PosInf))
	}
	return d
}

// collect puts what is near into found and values.
func (w *worker[D, W]) collect() {
	limit := w.limit
	if w.k < w.n && len(w.reached) > w.k {
		limit = min(limit, w.kth())
	}
	others := w.reached[1:]
	if w.self {
		others = w.reached
	}
	for _, v := range others {
		if w.rounded(w.dist[v]) <= limit {
			w.columns.add(w.row[v])
		}
	}
	w.found = w.columns.take(w.found[:0])
	w.values = w.values[:0]
	for _, row := range w.found {
		w.values = append(w.values, w.rounded(w.dist[w.at[row]]))
	}
	if len(w.found) > w.k {
		w.found, w.values = keep(w.k, limit, w.found, w.values)
	}
}

// keep keeps the k nearest, the farthest of which are as far as the limit; of those that are, the first.
func keep(k int, limit float64, found []int32, values []float64) ([]int32, []float64) {
	for _, d := range values {
		if d < limit {
			k--
		}
	}
	n := 0
	for i, d := range values {
		if d == limit {
			k--
		}
		if d < limit || d == limit && k >= 0 {
			found[n], values[n] = found[i], d
			n++
		}
	}
	return found[:n], values[:n]
}

// choose returns the element that sorting would put at place k, and changes the order (C. A. R. Hoare, Algorithm 65:
// Find, 1961).
func choose[D number](all []D, k int) D {
	for len(all) >= 12 {
		a, b, c := all[0], all[len(all)/2], all[len(all)-1]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := 0, len(all)-1
		for i <= j {
			for all[i] < pivot {
				i++
			}
			for all[j] > pivot {
				j--
			}
			if i <= j {
				all[i], all[j] = all[j], all[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j:
			all = all[:j+1]
		case k >= i:
			all, k = all[i:], k-i
		default:
			return pivot
		}
	}
	slices.Sort(all)
	return all[k]
}
