package sparse

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sync/errgroup"

	"ooc/engine/graph"
	"ooc/engine/internal/cancel"
	"ooc/kernels/entry"
)

type weight interface{ int32 | float32 | float64 }

// arithmetic is how a variant treats sums: a sum of limit or more is unreachable, which is stored as inf.
type arithmetic[W weight] struct{ inf, limit W }

var (
	arithmeticI32       = arithmetic[int32]{entry.Inf32, entry.Inf32}
	arithmeticI32Signed = arithmetic[int32]{entry.Inf32, entry.Limit32}
	arithmeticU16       = arithmetic[int32]{int32(entry.Inf16), int32(entry.Inf16)}
	arithmeticF32       = arithmetic[float32]{entry.PosInf, entry.PosInf}
	arithmeticF64       = arithmetic[float64]{math.Inf(1), math.Inf(1)}
)

// values are the weights of the arcs of a layout: arc k leads from its row's rank to ends[k] with weight
// up[k], and back with weight down[k]. In an undirected graph both are one slice.
type values[W weight] struct {
	arithmetic[W]
	*layout
	up, down []W
}

// newValues copies the weights of the graph's arcs to their places in the layout. Arcs between core vertices have no place
// there. A weight may be limit or more until gather resets it.
func newValues[W weight](l *layout, g *graph.Graph, weights []W, a arithmetic[W]) *values[W] {
	v := &values[W]{arithmetic: a, layout: l, up: make([]W, len(l.ends))}
	fill(v.up, a.inf)
	v.down = v.up
	if g.Directed {
		v.down = slices.Clone(v.up)
	}
	for u := range g.N {
		from := l.rank[u]
		for k := g.Offsets[u]; k < g.Offsets[u+1]; k++ {
			w, to := weights[k], l.rank[g.Targets[k]]
			switch {
			case from > to && int(from) >= l.core:
				v.up[l.find(from, to)] = w
			case to > from && int(to) >= l.core:
				v.down[l.find(to, from)] = w
			}
		}
	}
	return v
}

// directed reports whether up and down differ.
func (v *values[W]) directed() bool { return unsafe.SliceData(v.up) != unsafe.SliceData(v.down) }

func fill[E any](s []E, w E) {
	for i := range s {
		s[i] = w
	}
}

// eliminate gives every arc its weight: that of a shortest path over vertices of higher rank than its ends. Pieces do not
// depend on each other, so goroutines share them; then they share the ranks above. It fails with the cause of ctx if that ends
// first.
func (v *values[W]) eliminate(ctx context.Context) error {
	cursor := make([]int64, v.n) // by rank: its last arc up to a rank that is not yet eliminated
	for r := range cursor {
		cursor[r] = v.start[r+1] - 1
	}
	worker := func() func(t tree) error {
		at, poll := make([]int32, v.n), cancel.NewPoll(ctx)
		return func(t tree) error {
			for x := t.last; x >= t.first; x-- {
				if err := poll.After(v.gather(x, cursor, at)); err != nil {
					return err
				}
			}
			return nil
		}
	}
	err := inParallel(runtime.GOMAXPROCS(0), len(v.pieces), func() func(i int) error {
		do := worker()
		return func(i int) error { return do(tree{v.pieces[i].first, v.pieces[i].last}) }
	})
	if err != nil {
		return err
	}
	trees, waits := v.subtrees(32 * runtime.GOMAXPROCS(0))
	return inParallel(runtime.GOMAXPROCS(0), len(trees), func() func(i int) error {
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
	})
}

// inParallel lets at most so many goroutines take the numbers below count in turn, each with a function of its own.
func inParallel(goroutines, count int, worker func() func(i int) error) error {
	var g errgroup.Group
	var next atomic.Int64
	for range min(count, goroutines) {
		g.Go(func() error {
			do := worker()
			for i := int(next.Add(1) - 1); i < count; i = int(next.Add(1) - 1) {
				if err := do(i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// gather makes the arcs up of x final. Those of all higher ranks must be final. A rank r with an arc to x also has arcs to
// ranks below x; x has a path over r to each of them (left-looking elimination). at is scratch. gather returns how many
// arcs it looked at.
func (v *values[W]) gather(x int32, cursor []int64, at []int32) (steps int64) {
	first, row := v.start[x], v.row(x)
	for k, y := range row {
		at[y] = int32(k)
	}
	up, down := v.up[first:][:len(row)], v.down[first:][:len(row)]
	for _, r := range v.below(x) {
		k := cursor[r]
		cursor[r] = k - 1
		lo := v.start[r]
		steps += k - lo + 1
		to, from := v.down[k], v.up[k] // x → r and r → x
		switch beyond := v.ends[lo:k]; {
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

// reset replaces sums of limit or more by inf.
func (a arithmetic[W]) reset(row []W) {
	for k, w := range row {
		if w >= a.limit {
			row[k] = a.inf
		}
	}
}
