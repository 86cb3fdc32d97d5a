package dense

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"ooc/engine/graph"
	"ooc/engine/internal/parallel"
	"ooc/kernels/entry"
)

// Check is Graph.Check for a matrix that was surveyed. Without negative entries it reads the matrix at most a
// few times, and not at all where weights are small.
func (d *Matrix) Check(ctx context.Context) (err error) {
	switch {
	case !d.facts.Negative:
	case d.facts.Directed:
		_, err = d.Potentials(ctx)
	default:
		err = d.cycleError([]int32{int32(d.negative.line), int32(d.negative.at)})
	}
	if err != nil {
		return err
	}
	return d.CheckRange(ctx)
}

// CheckRange tries the bounds of Graph.CheckRange, the last one for matrices that are strongly connected in
// each of their parts only. To save time it is no more tightened than it must be.
func (d *Matrix) CheckRange(ctx context.Context) error {
	sum := func() (sum float64) {
		for _, w := range d.largest {
			sum += w
		}
		return sum
	}
	return d.facts.CheckRange(d.name, sum, func(enough float64) (float64, error) { return d.longestPath(ctx, enough) })
}

// each calls do(0…count-1) from several goroutines, each with scratch of its own, until the first error.
func (d *Matrix) each(count int, do func(k int, scratch []byte) error) error {
	return parallel.Do(context.Background(), count, func() func(int) error {
		scratch := d.newScratch()
		return func(k int) error { return do(k, scratch) }
	}, func() {})
}

// columns calls do for ranges of the places in a line, in parallel.
func (d *Matrix) columns(do func(lo, hi int)) {
	parts := min(runtime.GOMAXPROCS(0), (d.n+511)/512)
	_ = d.each(parts, func(p int, _ []byte) error { // do does not fail
		do(p*d.n/parts, (p+1)*d.n/parts)
		return nil
	})
}

// lineBlock is some lines in memory, not always neighbours.
type lineBlock struct {
	lines   []int
	weights []float64 // n of each
}

func (d *Matrix) newBlock() *lineBlock {
	const block = 32 << 20 // bytes
	per := max(1, min(d.n, block/8/d.n))
	return &lineBlock{make([]int, 0, per), make([]float64, per*d.n)}
}

// blocks reads the lines that are wanted, some at a time, and calls use for each such block, until ctx ends.
func (d *Matrix) blocks(ctx context.Context, b *lineBlock, wanted func(u int) bool, use func() error) error {
	for u := 0; u < d.n; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		b.lines = b.lines[:0]
		for ; u < d.n && len(b.lines) < cap(b.lines); u++ {
			if wanted(u) {
				b.lines = append(b.lines, u)
			}
		}
		err := d.each(len(b.lines),
			func(k int, scratch []byte) error { return d.line(b.weights[k*d.n:][:d.n], b.lines[k], scratch) })
		if err == nil {
			err = use()
		}
		if err != nil {
			return err
		}
	}
	return d.unchanged()
}

// Potentials returns, for each vertex, the length of a shortest path to it from a virtual source with an arc of
// length 0 to every vertex: by Bellman–Ford, in a pass over the matrix or some more. A negative cycle is an error. It
// is the search of Graph.Check. Lines that no pass has changed are not read again. It fails with the cause of ctx if
// that ends first.
func (d *Matrix) Potentials(ctx context.Context) ([]float64, error) {
	return graph.Potentials(func(tolerance float64) (dist []float64, pred, cycle []int32, err error) {
		r := relaxation{d: d, tolerance: tolerance, block: d.newBlock(), waiting: make([]bool, d.n),
			from: make([]float64, d.n),
			dist: make([]float64, d.n), pred: make([]int32, d.n)}
		for v := range r.waiting {
			r.pred[v], r.waiting[v] = -1, true
		}
		waits := func(u int) bool { return r.cycle == nil && r.waiting[u] }
		for err == nil && r.cycle == nil && slices.Contains(r.waiting, true) {
			err = d.blocks(ctx, r.block, waits, r.relax)
		}
		return r.dist, r.pred, r.cycle, err
	}, d.cycleError)
}

// relaxation is one run of Bellman–Ford.
type relaxation struct {
	d         *Matrix
	dist      []float64
	pred      []int32
	block     *lineBlock
	waiting   []bool    // the vertex's distance changed since its line was relaxed
	from      []float64 // distances of the block's vertices when it was read
	tolerance float64
	gains     atomic.Int64
	cycle     []int32
}

// relax relaxes the arcs of a block, each goroutine those to some of the vertices. The distances of the
// block's own vertices are those from before it: what gets lower meanwhile waits for the next pass.
func (r *relaxation) relax() error {
	n, dist, pred := r.d.n, r.dist, r.pred
	for k, u := range r.block.lines {
		r.from[k], r.waiting[u] = dist[u], false
	}
	r.d.columns(func(lo, hi int) {
		gains := 0
		for k, u := range r.block.lines {
			du := r.from[k]
			for v, w := range r.block.weights[k*n+lo : k*n+hi] {
				if x := du + w; x < dist[lo+v]-r.tolerance {
					dist[lo+v], pred[lo+v], r.waiting[lo+v] = x, int32(u), true
					gains++
				}
			}
		}
		r.gains.Add(int64(gains))
	})
	if r.gains.Load() >= int64(n) {
		r.gains.Store(0)
		r.cycle = graph.CycleOf(r.pred)
	}
	return nil
}

// cycleError is NegativeCycle for a cycle along lines.
func (d *Matrix) cycleError(cycle []int32) error {
	weights := make([]float64, len(cycle))
	for i, u := range cycle {
		var err error
		if weights[i], err = d.weight(cell{int(u), int(cycle[(i+1)%len(cycle)])}); err != nil {
			return err
		}
	}
	return d.facts.NegativeCycle(d.name, d.alongLines(cycle), weights)
}

// NegativeCycle is Graph.NegativeCycle. It also fails where the matrix cannot be read.
func (d *Matrix) NegativeCycle(cycle []int32) error { return d.cycleError(d.alongLines(cycle)) }

// alongLines returns a cycle of the graph as one along lines, or the reverse.
func (d *Matrix) alongLines(cycle []int32) []int32 {
	if d.head.Fortran {
		cycle = slices.Clone(cycle)
		slices.Reverse(cycle)
	}
	return cycle
}

// mostPasses bounds the time that longestPath takes.
const mostPasses = 64

// longestPath bounds every distance of a matrix without negative entries whose every weakly connected part is
// strongly connected: by the largest distance to the part's root plus the largest from it. Any paths will do
// for that, not only shortest ones, so it stops once the bound is below enough.
func (d *Matrix) longestPath(ctx context.Context, enough float64) (float64, error) {
	block := d.newBlock()
	root, err := d.parts(ctx, block)
	if err != nil {
		return 0, err
	}
	to, from, before := make([]float64, d.n), make([]float64, d.n), make([]float64, d.n)
	for v := range d.n {
		to[v], from[v] = math.Inf(1), math.Inf(1)
		if int(root[v]) == v {
			to[v], from[v] = 0, 0
		}
	}
	for pass := 1; ; pass++ {
		var changed atomic.Bool
		err := d.blocks(ctx, block, func(int) bool { return true }, func() error {
			d.relaxBoth(block, to, from, before, &changed)
			return nil
		})
		bound := slices.Max(to) + slices.Max(from)
		if err != nil || bound < enough || !changed.Load() || pass == mostPasses {
			return bound, err
		}
	}
}

// relaxBoth improves the distances from roots along a block's arcs, and those of its vertices to roots.
func (d *Matrix) relaxBoth(b *lineBlock, to, from, before []float64, changed *atomic.Bool) {
	n := d.n
	copy(before, from)
	d.columns(func(lo, hi int) {
		for k, u := range b.lines {
			for v, w := range b.weights[k*n+lo : k*n+hi] {
				if x := before[u] + w; x < from[lo+v] {
					from[lo+v] = x
					changed.Store(true)
				}
			}
		}
	})
	copy(before, to)
	_ = d.each(len(b.lines), func(k int, _ []byte) error {
		least := before[b.lines[k]]
		for v, w := range b.weights[k*n:][:n] {
			least = min(least, w+before[v])
		}
		if least < before[b.lines[k]] {
			to[b.lines[k]] = least
			changed.Store(true)
		}
		return nil
	})
}

// parts returns, for each vertex, the first one of its weakly connected part.
func (d *Matrix) parts(ctx context.Context, b *lineBlock) ([]int32, error) {
	root := make([]int32, d.n)
	for v := range root {
		root[v] = int32(v)
	}
	find := func(v int32) int32 {
		for root[v] != v {
			root[v] = root[root[v]]
			v = root[v]
		}
		return v
	}
	count := d.n
	err := d.blocks(ctx, b, func(int) bool { return count > 1 }, func() error {
		for k, u := range b.lines {
			mine := find(int32(u))
			for v, w := range b.weights[k*d.n:][:d.n] {
				if root[v] == mine || math.IsInf(w, 1) {
					continue
				}
				if other := find(int32(v)); other != mine {
					root[max(mine, other)] = min(mine, other)
					mine = min(mine, other)
					count--
				}
			}
		}
		return nil
	})
	for v := range root {
		root[v] = find(int32(v))
	}
	return root, err
}

// oneWay returns an entry that is not that of the transposed matrix; nil if the matrix is its own transpose.
func (d *Matrix) oneWay() (found *cell, err error) {
	t := min(256, d.n)
	side := entry.CeilDiv(d.n, t)
	var mu sync.Mutex
	stop := errors.New("an arc has no equal reverse")
	err = d.each(side*side, func(k int, _ []byte) error {
		i, j := k/side, k%side
		if j < i {
			return nil
		}
		here, there, raw := make([]float64, t*t), make([]float64, t*t), newBuffer(t*d.numbers.Size())
		for r := range t {
			if err := errors.Join(d.piece(here[r*t:][:t], i*t+r, j*t, raw),
				d.piece(there[r*t:][:t], j*t+r, i*t, raw)); err != nil {
				return err
			}
		}
		for at, w := range here {
			if r, c := at/t, at%t; w != there[c*t+r] && i*t+r != j*t+c {
				mu.Lock()
				defer mu.Unlock()
				found = &cell{i*t + r, j*t + c}
				return stop
			}
		}
		return nil
	})
	if err == stop {
		err = nil
	}
	return found, err
}

// piece fills dst with the weights of a line from a place on, as far as there are any.
func (d *Matrix) piece(dst []float64, line, at int, scratch []byte) error {
	if line >= d.n || at >= d.n {
		return nil
	}
	return d.entries(dst[:min(len(dst), d.n-at)], cell{line, at}, scratch)
}

func (d *Matrix) asymmetric(here cell) error {
	there := cell{here.at, here.line}
	return &graph.InputError{File: d.name,
		Reason: fmt.Sprintf("the matrix is not symmetric, as --undirected says: %s has %s, %s has %s",
			d.where(here), d.text(here), d.where(there), d.text(there))}
}
