package sparse

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"ooc/engine/graph"
	"ooc/engine/internal/cancel"
	"ooc/engine/internal/parallel"
	"ooc/kernels"
	"ooc/kernels/entry"
)

type weight interface{ int32 | float32 | float64 }

// arithmetic is how a variant treats sums: a sum of limit or more is unreachable, which is stored as inf.
type arithmetic[W weight] struct{ inf, limit W }

// arithmetics are those of all variants.
var arithmetics = map[entry.Variant]interface {
	finish(ctx context.Context, e *Elimination, l *layout, alike bool) error
	fill(e *Elimination, dst []byte, rows, columns, i, j int)
	arcsInCore(e *Elimination, rows int) *kernels.Arcs
	inside(e *Elimination, piece int) []uint32
	newSearch(e *Elimination, core *DenseCore, need func(part []byte) error) Search
}{
	entry.I32:       arithmetic[int32]{entry.Inf32, entry.Inf32},
	entry.I32Signed: arithmetic[int32]{entry.Inf32, entry.Limit32},
	entry.U16:       arithmetic[int32]{int32(entry.Inf16), int32(entry.Inf16)},
	entry.F32:       arithmetic[float32]{entry.PosInf, entry.PosInf},
	entry.F32Signed: arithmetic[float32]{entry.PosInf, entry.PosInf},
	entry.F64:       arithmetic[float64]{math.Inf(1), math.Inf(1)},
}

// values are the weights of the arcs of a layout: arc k leads from its row's rank to ends[k] with weight
// up[k], and back with weight down[k]. In an undirected graph both are one slice.
type values[W weight] struct {
	arithmetic[W]
	*layout
	up, down []W
	variant  entry.Variant
	host     kernels.HostLaneOps // adds rows to others; nil: arcs are looked at one by one
	tally    *cancel.Tally       // counts relaxations
}

// newValues copies the weights of the graph's arcs to their places in the layout. Arcs between core vertices have no
// place there. A weight may be limit or more until gather resets it.
func newValues[W weight](l *layout, g *graph.Graph, a arithmetic[W]) *values[W] {
	weights := entry.View[W](g.WeightBytes())
	v := &values[W]{arithmetic: a, layout: l, up: make([]W, len(l.ends))}
	v.down = v.up
	if g.Directed {
		v.down = make([]W, len(l.ends))
	}
	parallel.Ranges(len(v.up), func(first, last int) {
		if entry.Fill(v.up[first:last], a.inf); g.Directed {
			entry.Fill(v.down[first:last], a.inf)
		}
	})
	parallel.Ranges(g.N, func(first, end int) {
		for u := first; u < end; u++ {
			from := l.rank[u]
			for k := g.Offsets[u]; k < g.Offsets[u+1]; k++ {
				w, to := weights[k], l.rank[g.Targets[k]]
				switch {
				case from > to && int(from) >= l.core:
					v.up[l.find(from, to)] = w
				case to > from && int(to) >= l.core && g.Directed: // in an undirected graph the arc back has the place
					v.down[l.find(to, from)] = w
				}
			}
		}
	})
	return v
}

// relaxations counts those of eliminate.
func (v *values[W]) relaxations() (all int64) {
	for r := v.core; r < v.n; r++ {
		row := v.row(int32(r))
		arcs := int64(len(row))
		inCore, _ := slices.BinarySearch(row, int32(v.core)) // arcs to the core are final when the others are
		all += arcs*(arcs+3)/2 - int64(inCore)*int64(inCore+1)/2
	}
	return all * v.ways()
}

// ways is how many directions arcs have weights for.
func (v *values[W]) ways() int64 {
	if v.directed() {
		return 2
	}
	return 1
}

// directed reports whether up and down differ.
func (v *values[W]) directed() bool { return unsafe.SliceData(v.up) != unsafe.SliceData(v.down) }

// eliminate gives every arc its weight: that of a shortest path over vertices of higher rank than its ends. Pieces do
// not depend on each other, so goroutines share them; then they share the ranks above. It fails with the cause of ctx
// if that ends first.
func (v *values[W]) eliminate(ctx context.Context) error {
	cursor := make([]int64, v.n) // by rank: its last arc up to a rank that is not yet eliminated
	for r := range cursor {
		cursor[r] = v.start[r+1] - 1
	}
	v.tally = cancel.Begin(ctx, v.relaxations())
	worker := func() func(t tree) error {
		w, poll := newGatherer(v, cursor), &cancel.Poll{Ctx: ctx}
		return func(t tree) error {
			all := int64(0)
			defer func() { v.tally.Done.Add(all * v.ways()) }()
			for x := t.last; x >= t.first; x-- {
				steps := w.gather(x)
				all += steps
				if err := poll.After(steps); err != nil {
					return err
				}
			}
			return nil
		}
	}
	err := parallel.Do(ctx, len(v.pieces), func() func(i int) error {
		do := worker()
		return func(i int) error { return do(tree{v.pieces[i].first, v.pieces[i].last}) }
	}, func() {})
	if err != nil {
		return err
	}
	trees, waits := v.subtrees(32 * runtime.GOMAXPROCS(0))
	return parallel.Do(ctx, len(trees), func() func(i int) error {
		do := worker()
		return func(i int) error {
			for t := trees[i]; ; {
				if err := do(t); err != nil {
					return err
				}
				above := v.parent[t.first]
				if above < 0 || atomic.AddInt32(&waits[above], -1) > 0 {
					return nil
				}
				t = tree{above, above}
			}
		}
	}, func() {})
}

// together runs do(0…count-1), each on a goroutine of its own.
func together(count int, do func(i int)) {
	var all sync.WaitGroup
	for i := range count {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

// gatherer makes arcs final, one rank after another. It is for one goroutine.
type gatherer[W weight] struct {
	*values[W]
	cursor   []int64 // by rank: its last arc up to a rank that is not yet eliminated; shared by all gatherers
	at       []int32 // by rank: where it is in the row at hand
	up, down []W     // the least sums over ranks that share a list
	by       []W     // one weight, and the same in words
	byWords  []uint32
}

func newGatherer[W weight](v *values[W], cursor []int64) *gatherer[W] {
	g := &gatherer[W]{values: v, cursor: cursor, at: make([]int32, v.n), by: make([]W, 1)}
	g.byWords = entry.As[uint32](g.by)
	return g
}

// leastTogether is how many arcs ranks that share a list must have to be looked at together.
const leastTogether = 16

// gather makes the arcs up of x final. Those of all higher ranks must be final. A rank r with an arc to x also has
// arcs to ranks below x; x has a path over r to each of them (left-looking elimination). Ranks that follow one
// another along a path of the tree mostly have the same ranks below x, so that whole rows of theirs are added to one
// before it is spread over x's. gather returns how many arcs it looked at.
func (g *gatherer[W]) gather(x int32) (steps int64) {
	v := g.values
	first, row := v.start[x], v.row(x)
	for k, y := range row {
		g.at[y] = int32(k)
	}
	up, down := v.up[first:][:len(row)], v.down[first:][:len(row)]
	below, at, cursor := v.below(x), g.at, g.cursor
	for i := 0; i < len(below); i++ {
		r := below[i]
		k, lo := cursor[r], v.start[r]
		cursor[r] = k - 1
		steps += k - lo + 1
		beyond := v.ends[lo:k]
		if len(beyond) >= leastTogether && v.host != nil && i+1 < len(below) && v.shares(r, below[i+1]) {
			first := i
			for ; i+1 < len(below) && v.shares(below[i], below[i+1]); i++ {
				cursor[below[i+1]]--
				steps += k - lo + 1
			}
			g.up = g.least(g.up, below[first:i+1], len(beyond), v.down, v.up)
			if relax(up, at, beyond, g.up, 0); v.directed() {
				g.down = g.least(g.down, below[first:i+1], len(beyond), v.up, v.down)
				relax(down, at, beyond, g.down, 0)
			}
			continue
		}
		to, from := v.down[k], v.up[k] // x → r and r → x
		switch {
		case !v.directed():
			relax(up, at, beyond, v.up[lo:k], to)
		case to < v.inf || from < v.inf:
			relaxBoth(up, down, at, beyond, v.up[lo:k], v.down[lo:k], to, from)
		}
	}
	v.reset(up)
	v.reset(down)
	return steps + int64(len(row))
}

// shares reports whether a rank has arcs up to the rank r, which is right above it in the tree and comes right before
// it, to all ranks that r has arcs to, and to no others.
func (l *layout) shares(r, rank int32) bool {
	return rank == r+1 && l.parent[rank] == r && l.start[rank+1]-l.start[rank] == l.start[rank]-l.start[r]+1
}

// least returns, in memory that it may replace, the least sums of the first weights of some ranks and their weight
// between x and them. cursor has passed x.
func (g *gatherer[W]) least(sums []W, ranks []int32, size int, between, weights []W) []W {
	if cap(sums) < size {
		sums = make([]W, 2*size)
	}
	sums = sums[:size]
	entry.Fill(sums, g.inf)
	words := entry.As[uint32](sums)
	for _, r := range ranks {
		if g.by[0] = between[g.cursor[r]+1]; g.by[0] < g.inf {
			g.host.LowerRow(g.variant, words, entry.As[uint32](weights[g.start[r]:][:size]), g.byWords)
		}
	}
	return sums
}

// relax lowers the weights of x's arcs to the given ends to those of the paths over r, which is at distance w.
func relax[W weight](row []W, at, ends []int32, weights []W, w W) {
	weights = weights[:len(ends)]
	for i, y := range ends {
		k := at[y]
		row[k] = min(row[k], w+weights[i])
	}
}

// relaxBoth is relax for the arcs from x, over r at distance to, and for those to x, from r at distance from.
func relaxBoth[W weight](up, down []W, at, ends []int32, ups, downs []W, to, from W) {
	ups, downs, down = ups[:len(ends)], downs[:len(ends)], down[:len(up)]
	for i, y := range ends {
		k := at[y]
		up[k] = min(up[k], to+ups[i])
		down[k] = min(down[k], from+downs[i])
	}
}

// settle is reset of a row that was lowered from inf: no sum is above that.
func (a arithmetic[W]) settle(row []W) {
	if a.limit < a.inf {
		a.reset(row)
	}
}

// reset replaces sums of limit or more by inf.
func (a arithmetic[W]) reset(row []W) {
	for k, w := range row {
		if w >= a.limit {
			row[k] = a.inf
		}
	}
}
