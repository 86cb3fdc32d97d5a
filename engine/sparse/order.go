package sparse

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"sync/atomic"

	"ooc/engine/graph"
	"ooc/engine/internal/cancel"
	"ooc/engine/internal/pages"
	"ooc/engine/internal/parallel"
	"ooc/engine/sparse/ordering"
)

// OrderOptions say how far to order. The zero value orders every vertex that is worth it at any price.
type OrderOptions struct {
	Sources int // rows that are wanted; 0: all
	// Together is how many sources, next to each other by number, are sorted into batches at a time; 0: all.
	Together int

	// Seconds estimates the time of a solve that stops with the given counts. Ordering ends where more of it cannot
	// pay, or would take more than a hundredth of the best estimate. nil: ordering does not end early.
	Seconds func(Work) float64

	// Most returns what another solve takes, as Others counts, 0: unknown, and what a second of ordering is: ordering
	// ends where every stopping point that is left takes more. nil: there is none. Most is asked after as many Steps as
	// Ahead says. It may wait for what is found out meanwhile: ordering goes on, and what it would not have done, had it
	// known, is forgotten. Others is Seconds if it is nil. It is called after Most.
	Most   func() (most, second float64)
	Ahead  int64
	Others func(Work) float64
	// Meanwhile is called with an order while NewOrder waits for Most. Where that ends it sooner, NewOrder returns
	// another. It may be nil.
	Meanwhile func(*Order)

	// Dissect orders by nested dissection where the graph has thin separators and at least dissectFrom vertices, and
	// by minimum degrees elsewhere. Such an order has all vertices: Seconds does not end it early.
	Dissect bool

	Limit   int   // vertices to order at most; 0: all
	MaxFill int64 // arcs up at most, at ArcBytes each; 0: DefaultMaxFill
}

// DefaultMaxFill is the most arcs up unless OrderOptions say otherwise: 10 GiB.
const DefaultMaxFill = 1 << 28

const (
	// dissectFrom is the least number of vertices for which dissection pays: minimum degrees leave about as few arcs
	// in smaller graphs, and take less time.
	dissectFrom = 50000
	// patience is how many times the least estimate so far the estimate may reach before ordering ends.
	patience = 1.1
	// Until elimination is estimated to save a tenth (paid), ordering may take orderShare of the time of a solve
	// without elimination, or leastOrder seconds if that is more.
	paid, orderShare, leastOrder = 0.9, 0.01, 0.002
	// stepSeconds is the time to look at one list entry while ordering, and as much more where the lists of farVertices
	// are in no cache. They are constants and not measured, so that the order of a graph is the same in every run.
	stepSeconds, farVertices = 20e-9, 1e6
	// lookEvery is after how many more vertices it is looked whether ordering can still pay. Elimination itself takes
	// about as long as ordering or more: so a solve takes afterOrder times as long at least.
	lookEvery, afterOrder = 8, 3
	// Until elimination is estimated to take less than another solve, ordering may take mostOrder of the time of that.
	// It ends sooner, too, from leastOrdered vertices on, where elimination would take longer if each vertex took as
	// many steps as those before, or as the lists of all neighbours have entries, whichever is less.
	mostOrder, leastOrdered = 0.1, 1 << 10
	// unasked is how many steps ordering goes on while it waits for OrderOptions.Most, and aheadFill of how many arcs at
	// most the structure is made meanwhile.
	unasked, aheadFill = 16 << 20, 16 << 20
	// tallyEvery is after how many more vertices it is told how far ordering is.
	tallyEvery = 1 << 7
)

// Order is the symbolic half of an elimination: an order of the vertices, and the structure that eliminating them in
// this order leaves. The beginning of an order does not depend on where it ends, so a solve that resumes eliminates
// the same vertices again. An Order is not changed once made.
type Order struct {
	Vertices []int32 // all N, by position
	Limit    int     // positions 0…Limit-1 can be eliminated; the others are in no order of use
	Steps    int64   // list entries that ordering looked at: its work

	sources   int
	together  int                  // see OrderOptions
	symmetric bool                 // the graph is
	whole     bool                 // the order is the same wherever elimination stops, also of what is left
	position  []int32              // of each vertex in Vertices
	start     []int64              // Limit+1: where a position's arcs up begin
	up        []int32              // positions above
	parent    []int32              // of each position below Limit in the tree: its first position above; -1: none
	best      atomic.Pointer[Work] // what Best has returned last; nil: nothing yet
}

// NewOrder orders the vertices of g for elimination with little fill. It fails with the cause of ctx if that ends
// first.
func NewOrder(ctx context.Context, g *graph.Graph, o OrderOptions) (*Order, error) {
	o.Sources, o.Limit, o.MaxFill = cmp.Or(o.Sources, g.N), cmp.Or(o.Limit, g.N), cmp.Or(o.MaxFill, DefaultMaxFill)
	r := &Order{sources: o.Sources, together: o.Together, symmetric: g.Symmetric}
	if cannotPay(g, o) {
		o.Limit = 0
	}
	var p *ordering.Pattern
	var stop *stopRule
	rows := &pivots{}
	if o.Limit > 0 {
		p = symmetric(g)
		var err error
		if o.Dissect && g.N >= dissectFrom {
			if r.Vertices, err = ordering.Dissect(ctx, p); err != nil {
				return nil, err
			}
		}
		if r.whole = r.Vertices != nil; !r.whole {
			stop = newStopRule(o, g, p)
			if r.Vertices, r.Steps, err = minimumDegree(ctx, p, g, stop, rows); err != nil {
				return nil, err
			}
		}
	}
	waits := stop != nil && stop.asked != nil && stop.ended == nil
	if waits && (stop.Fill > aheadFill || stop.told()) {
		waits = false
		r = r.endBy(stop)
	}
	err := r.complete(ctx, p, rows, g.N, o)
	if err == nil && waits {
		if o.Meanwhile != nil {
			o.Meanwhile(r)
		}
		if shorter := r.endBy(stop); shorter != r { // that is known only now
			r, err = shorter, shorter.complete(ctx, p, rows, g.N, o)
		}
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// endBy waits for what a stop rule asks for. It returns the order, or if the rule ends it sooner a shorter one, which is
// not complete.
func (r *Order) endBy(stop *stopRule) *Order {
	if stop.compare(true) {
		return r
	}
	return &Order{sources: r.sources, together: r.together, symmetric: r.symmetric, Steps: stop.ended.steps,
		Vertices: slices.Clip(r.Vertices[:stop.ended.all.Eliminated])}
}

// complete makes an order of the vertices that were ordered.
func (r *Order) complete(ctx context.Context, p *ordering.Pattern, rows *pivots, n int, o OrderOptions) error {
	r.Limit = min(len(r.Vertices), o.Limit)
	r.appendRest(n)
	if rows.after != nil {
		return rows.structure(ctx, r, o.MaxFill)
	}
	return r.structure(ctx, p, o.MaxFill)
}

// cannotPay reports, from degrees alone, that no stopping point can pay: each elimination removes at most one
// neighbour of a vertex, so the k-th vertex has at least (least degree) - k of them.
func cannotPay(g *graph.Graph, o OrderOptions) bool {
	if o.Seconds == nil {
		return false
	}
	least := g.N
	for v := range g.N {
		least = min(least, int(g.Offsets[v+1]-g.Offsets[v]))
	}
	l := newLedger(g.N, o.Sources, o.Together, g.Symmetric)
	dense := o.Seconds(l.total())
	for k := range g.N {
		l.eliminate(max(0, least-k), 0, 0)
		l.climb, l.rows = 0, 0 // not known
		if o.Seconds(l.total()) < dense {
			return false
		}
	}
	return true
}

// symmetric returns the pattern of a graph. It may share the graph's memory.
func symmetric(g *graph.Graph) *ordering.Pattern {
	p := &ordering.Pattern{Start: g.Offsets, Adj: g.Targets}
	if !g.Directed || g.Symmetric {
		return p
	}
	return p.Symmetric()
}

// minimumDegree returns the vertices of g, whose pattern is p, in the order of their elimination, as far as a stop rule
// allows, and the steps that this took. It adds the pivots to rows.
func minimumDegree(ctx context.Context, p *ordering.Pattern, g *graph.Graph, stop *stopRule, rows *pivots) (
	order []int32, steps int64, err error) {
	order = make([]int32, 0, g.N)
	limit, poll := min(g.N, stop.o.Limit), &cancel.Poll{Ctx: ctx}
	tally := cancel.Begin(ctx, int64(limit))
	for pivot := range ordering.MinimumDegree(p, stop.rowsOf) {
		if err := poll.After(pivot.Steps - steps + 1); err != nil {
			return nil, 0, err
		}
		steps = pivot.Steps
		rows.add(pivot, len(order), stop.Fill)
		stop.add(pivot)
		order = append(order, pivot.Vertices...)
		if done := int64(len(order)); done >= tally.Done.Load()+tallyEvery { // to store it takes as long as some vertices
			tally.Done.Store(done)
		}
		if len(order) >= limit || !stop.mayContinue(steps) {
			break
		}
	}
	if end := stop.ended; end != nil {
		order, steps = order[:end.all.Eliminated], end.steps
	}
	return order[:min(len(order), limit)], steps, nil
}

// stopRule decides when to stop ordering.
type stopRule struct {
	ledger
	o            OrderOptions
	dense        float64       // the estimate of eliminating nothing
	best         float64       // the least estimate yet, ordering included
	least        float64       // the least yet as OrderOptions.Others counts, without ordering
	look         int           // after how many vertices to look again
	looks        []look        // that were not compared yet
	asked        chan struct{} // is closed when what follows is known; nil: it is not asked yet
	most, second float64       // what OrderOptions.Most returns
	needed       float64       // how many vertices have to be eliminated before closing the core takes less than most
	entries      float64       // of the lists of all neighbours, for each vertex
	step         float64       // seconds of a step
	ended        *look         // after which ordering ends; nil: it does not
}

// look is what was counted after some steps.
type look struct {
	all, least Work // what stopping there takes, and what all that is left does
	steps      int64
}

func newStopRule(o OrderOptions, g *graph.Graph, p *ordering.Pattern) *stopRule {
	w := &stopRule{ledger: newLedger(g.N, o.Sources, o.Together, g.Symmetric), o: o}
	w.step = stepSeconds * (1 + min(1, float64(g.N)/farVertices))
	if o.Most != nil {
		w.entries = p.ListEntries() / float64(g.N)
	}
	if o.Others == nil {
		w.o.Others = o.Seconds
	}
	if o.Seconds != nil {
		w.dense = o.Seconds(w.total())
		w.best, w.least = w.dense, math.Inf(1)
	}
	return w
}

// add counts the vertices of a pivot. Each is the child of the next in the elimination tree.
func (w *stopRule) add(p ordering.Pivot) {
	children := p.Children
	for k := len(p.Vertices) - 1; k >= 0; k-- {
		w.eliminate(p.Degree+k, p.Below-k, children)
		children = w.rowsOf(p.Below-k, p.Degree+k)
	}
}

// mayContinue reports whether to order more vertices after the given number of steps.
func (w *stopRule) mayContinue(steps int64) bool {
	if w.Fill > w.o.MaxFill {
		return false
	}
	if w.o.Seconds == nil || w.Eliminated < w.look {
		return true
	}
	w.look = w.Eliminated + lookEvery
	if w.o.Most != nil {
		// What was counted up to here is part of all that is left, without a core and what depends on it.
		least := Work{Vertices: w.Vertices, Sources: w.Sources, Eliminated: w.Eliminated, Fill: w.Fill}
		least.Eliminate, least.Sweep = w.Eliminate, float64(w.Sources)*float64(w.Fill)
		w.looks = append(w.looks, look{w.total(), least, steps})
		if steps >= w.o.Ahead && !w.compare(steps >= w.o.Ahead+unasked) {
			return false
		}
	}
	spent := float64(steps) * w.step
	now := w.o.Seconds(w.total()) + spent
	w.best = min(w.best, now)
	if w.best > paid*w.dense && spent > max(leastOrder, orderShare*w.dense) {
		return false
	}
	return now <= patience*w.best
}

// told reports whether OrderOptions.Most has returned.
func (w *stopRule) told() bool {
	select {
	case <-w.asked:
		return true
	default:
		return false
	}
}

// compare compares the looks with what OrderOptions.Most returns, if that is known or compare is to wait for it. It
// reports whether to order more.
func (w *stopRule) compare(wait bool) bool {
	if w.asked == nil {
		w.asked = make(chan struct{})
		go func() {
			w.most, w.second = w.o.Most()
			w.needed = float64(sort.Search(w.Vertices, func(k int) bool {
				c := float64(w.Vertices - k)
				return w.o.Others(Work{Vertices: w.Vertices, Sources: w.Sources, Eliminated: k, Core: w.Vertices - k,
					Rounds: w.share * c * c * c}) <= w.most
			}))
			close(w.asked)
		}()
	}
	if !wait && !w.told() {
		return true
	}
	<-w.asked
	for i, l := range w.looks {
		w.least = min(w.least, w.o.Others(l.all))
		second := w.step * w.second // what a step is
		taken := float64(l.steps) * second
		each := min(float64(l.steps)/float64(l.all.Eliminated), w.entries)
		hopeless := l.all.Eliminated >= leastOrdered && afterOrder*w.needed*each*second > w.most
		if w.most > 0 && l.steps >= w.o.Ahead && (w.o.Others(l.least)+afterOrder*taken > w.most ||
			w.least > w.most && (taken > mostOrder*w.most || hopeless)) {
			w.ended = &w.looks[i]
			return false
		}
	}
	w.looks = w.looks[:0]
	return true
}

// appendRest appends the vertices that were not ordered.
func (r *Order) appendRest(n int) {
	r.position = slices.Repeat([]int32{-1}, n)
	for i, v := range r.Vertices {
		r.position[v] = int32(i)
	}
	for v := range int32(n) {
		if r.position[v] < 0 {
			r.position[v] = int32(len(r.Vertices))
			r.Vertices = append(r.Vertices, v)
		}
	}
}

// row returns the positions above position v that have an arc from it.
func (r *Order) row(v int32) []int32 { return r.up[r.start[v]:r.start[v+1]] }

// Each calls yield with the counts of every stopping point, from no eliminated vertex to Limit.
func (r *Order) Each(yield func(Work) bool) {
	t := r.newTrees()
	if !yield(t.first.total()) {
		return
	}
	for i := range t.ledgers {
		if !t.each(i, yield) {
			return
		}
	}
}

// trees are what a ledger is told of an order, of which goroutines share the estimates of stopping points.
type trees struct {
	*Order
	first    ledger    // in which nothing is eliminated
	below    []int32   // vertices of each subtree
	children []float64 // sum of rowsOf over the children's subtrees
	ledgers  []ledger  // before each range of positions
}

// treesRange is how many positions are in one range.
const treesRange = 1 << 12

func (r *Order) newTrees() *trees {
	l := newLedger(len(r.Vertices), r.sources, r.together, r.symmetric)
	t := &trees{r, l, pages.Make[int32](r.Limit), pages.Make[float64](r.Limit), nil}
	for v := range r.Limit {
		if v%treesRange == 0 {
			t.ledgers = append(t.ledgers, l)
		}
		t.below[v]++
		t.eliminate(&l, v)
		if parent := r.parent[v]; parent >= 0 && int(parent) < r.Limit {
			t.below[parent] += t.below[v]
			t.children[parent] += l.rowsOf(int(t.below[v]), int(r.start[v+1]-r.start[v]))
		}
	}
	return t
}

func (t *trees) eliminate(l *ledger, v int) {
	l.eliminate(int(t.start[v+1]-t.start[v]), int(t.below[v]), t.children[v])
}

// each calls yield with the counts of the stopping points after each position of a range, until it returns false.
func (t *trees) each(i int, yield func(Work) bool) bool {
	l := t.ledgers[i]
	for v := i * treesRange; v < min((i+1)*treesRange, t.Limit); v++ {
		t.eliminate(&l, v)
		if !yield(l.total()) {
			return false
		}
	}
	return true
}

// At returns the counts of stopping after the given number of vertices, 0…Limit.
func (r *Order) At(eliminated int) (at Work) {
	if eliminated < 0 || eliminated > r.Limit {
		panic(fmt.Sprintf("sparse: stop after %d vertices of %d", eliminated, r.Limit))
	}
	if best := r.best.Load(); best != nil && best.Eliminated == eliminated && best.Vertices > 0 {
		return *best
	}
	for at = range r.Each {
		if at.Eliminated == eliminated {
			break
		}
	}
	return at
}

// Best returns the counts of the stopping point with the least estimate, the first of such. Goroutines call seconds. It
// fails with the cause of ctx if that ends first.
func (r *Order) Best(ctx context.Context, seconds func(Work) float64) (Work, error) {
	t := r.newTrees()
	type point struct {
		Work
		seconds float64
	}
	best := make([]point, 1+len(t.ledgers))
	err := parallel.Do(ctx, len(best), func() func(i int) error {
		return func(i int) error {
			b := point{seconds: math.Inf(1)}
			look := func(w Work) bool {
				if s := seconds(w); s < b.seconds {
					b = point{w, s}
				}
				return true
			}
			if i == 0 {
				look(t.first.total())
			} else {
				t.each(i-1, look)
			}
			best[i] = b
			return nil
		}
	}, func() {})
	if err != nil {
		return Work{}, err
	}
	least := best[0]
	for _, b := range best {
		if b.seconds < least.seconds {
			least = b
		}
	}
	r.best.Store(&least.Work)
	return least.Work, nil
}
