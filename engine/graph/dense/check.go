package dense

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync/atomic"

	"ooc/engine/graph"
	"ooc/engine/internal/parallel"
	"ooc/kernels/entry"
)

// Check is Graph.Check for a matrix that was surveyed. Without negative entries it reads the matrix at most a
// few times, and not at all where weights are small.
func (d *Matrix) Check(ctx context.Context) error {
	if d.facts.Negative {
		if _, err := d.Potentials(ctx); err != nil {
			return err
		}
	}
	return d.CheckRange(ctx)
}

// CheckRange tries the bounds of Graph.CheckRange, the last one for matrices that are strongly connected in
// each of their parts only. To save time it is no more tightened than it must be.
func (d *Matrix) CheckRange(ctx context.Context) error {
	return d.facts.CheckRange(d.name, func() float64 { return d.sumOfLargest },
		func(enough float64) (float64, error) { return d.longestPath(ctx, enough) })
}

// each calls do(0…count-1) from several goroutines, until the first error.
func each(count int, do func(k int) error) error {
	return parallel.Do(context.Background(), count, func() func(int) error { return do }, func() {})
}

// blocks reads the lines that are wanted, some at a time, and calls use for each such block, until ctx ends.
func (r *relaxation) blocks(ctx context.Context, wanted func(u int) bool, use func()) error {
	d := r.d
	for u := 0; u < d.n; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		r.lines = r.lines[:0]
		for ; u < d.n && len(r.lines) < cap(r.lines); u++ {
			if wanted(u) {
				r.lines = append(r.lines, u)
			}
		}
		err := parallel.Do(context.Background(), len(r.lines), func() func(int) error {
			scratch := d.newScratch()
			return func(k int) error { return d.line(r.weights[k*d.n:][:d.n], r.lines[k], scratch) }
		}, func() {})
		if err != nil {
			return err
		}
		use()
	}
	return d.unchanged()
}

// Potentials returns, for each vertex, the length of a shortest path to it from a virtual source with an arc of
// length 0 to every vertex: by Bellman–Ford, in a pass over the matrix or some more. A negative cycle is an error. It
// is the search of Graph.Check. Lines that no pass has changed are not read again. It fails with the cause of ctx if
// that ends first.
func (d *Matrix) Potentials(ctx context.Context) ([]float64, error) {
	if d.facts.Negative && !d.facts.Directed {
		return nil, d.NegativeCycle([]int32{int32(d.negative.line), int32(d.negative.at)})
	}
	return graph.Potentials(func(tolerance float64) (dist []float64, pred, cycle []int32, err error) {
		r := d.newRelaxation(tolerance)
		waits := func(u int) bool { return r.cycle == nil && r.waiting[u] }
		for err == nil && r.cycle == nil && slices.Contains(r.waiting, true) {
			err = r.blocks(ctx, waits, r.relax)
		}
		return r.dist, r.pred, r.cycle, err
	}, func(cycle []int32) error {
		if d.head.Fortran { // it is one along lines
			slices.Reverse(cycle)
		}
		return d.NegativeCycle(cycle)
	})
}

// relaxation is one run of Bellman–Ford.
type relaxation struct {
	d         *Matrix
	dist      []float64
	pred      []int32
	lines     []int     // of the block in memory, not always neighbours
	weights   []float64 // n of each
	waiting   []bool    // the vertex's distance changed since its line was relaxed
	from      []float64 // distances of the block's vertices when it was read
	tolerance float64
	gains     atomic.Int64
	cycle     []int32
}

// newRelaxation begins with distances of 0.
func (d *Matrix) newRelaxation(tolerance float64) *relaxation {
	const block = 32 << 20 // bytes
	per := max(1, min(d.n, block/8/d.n))
	r := &relaxation{d: d, tolerance: tolerance, lines: make([]int, 0, per), weights: make([]float64, per*d.n),
		waiting: make([]bool, d.n), from: make([]float64, per), dist: make([]float64, d.n), pred: make([]int32, d.n)}
	for v := range r.waiting {
		r.pred[v], r.waiting[v] = -1, true
	}
	return r
}

// relax relaxes the arcs of a block, each goroutine those to some of the vertices. The distances of the
// block's own vertices are those from before it: what gets lower meanwhile waits for the next pass.
func (r *relaxation) relax() {
	n, dist, pred := r.d.n, r.dist, r.pred
	for k, u := range r.lines {
		r.from[k], r.waiting[u] = dist[u], false
	}
	parts := min(runtime.GOMAXPROCS(0), entry.CeilDiv(n, 512))
	_ = each(parts, func(p int) error { // there is no error
		lo, hi, gains := p*n/parts, (p+1)*n/parts, 0
		for k, u := range r.lines {
			du := r.from[k]
			for v, w := range r.weights[k*n+lo : k*n+hi] {
				if x := du + w; x < dist[lo+v]-r.tolerance {
					dist[lo+v], pred[lo+v], r.waiting[lo+v] = x, int32(u), true
					gains++
				}
			}
		}
		r.gains.Add(int64(gains))
		return nil
	})
	if r.gains.Load() >= int64(n) {
		r.gains.Store(0)
		r.cycle = graph.CycleOf(r.pred)
	}
}

// NegativeCycle is Graph.NegativeCycle. It also fails where the matrix cannot be read.
func (d *Matrix) NegativeCycle(cycle []int32) error {
	return d.facts.NegativeCycle(d.name, cycle, d.Weight)
}

// mostPasses bounds the time that longestPath takes.
const mostPasses = 64

// longestPath bounds every distance of a matrix without negative entries whose every weakly connected part is
// strongly connected: by the largest distance to the part's root plus the largest from it. Any paths will do
// for that, not only shortest ones, so it stops once the bound is below enough.
func (d *Matrix) longestPath(ctx context.Context, enough float64) (float64, error) {
	r := d.newRelaxation(0)
	root, err := r.parts(ctx)
	if err != nil {
		return 0, err
	}
	to, before := make([]float64, d.n), make([]float64, d.n)
	for v := range d.n {
		if int(root[v]) != v {
			to[v], r.dist[v] = math.Inf(1), math.Inf(1)
		}
	}
	for pass := 1; ; pass++ {
		var nearer atomic.Bool
		err := r.blocks(ctx, func(int) bool { return true }, func() {
			r.relax()
			copy(before, to)
			_ = each(len(r.lines), func(k int) error { // there is no error
				least := before[r.lines[k]]
				for v, w := range r.weights[k*d.n:][:d.n] {
					least = min(least, w+before[v])
				}
				if least < before[r.lines[k]] {
					to[r.lines[k]] = least
					nearer.Store(true)
				}
				return nil
			})
		})
		bound := slices.Max(to) + slices.Max(r.dist)
		settled := !nearer.Load() && !slices.Contains(r.waiting, true)
		if err != nil || bound < enough || settled || pass == mostPasses {
			return bound, err
		}
	}
}

// parts returns, for each vertex, the first one of its weakly connected part.
func (r *relaxation) parts(ctx context.Context) ([]int32, error) {
	n, root := r.d.n, make([]int32, r.d.n)
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
	count := n
	err := r.blocks(ctx, func(int) bool { return count > 1 }, func() {
		for k, u := range r.lines {
			mine := find(int32(u))
			for v, w := range r.weights[k*n:][:n] {
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
	})
	for v := range root {
		root[v] = find(int32(v))
	}
	return root, err
}

// oneWay returns an entry that is not that of the transposed matrix; nil if the matrix is its own transpose.
func (d *Matrix) oneWay() (*cell, error) {
	t := min(256, d.n)
	side := entry.CeilDiv(d.n, t)
	var found atomic.Pointer[cell]
	err := each(side*side, func(k int) error {
		i, j := k/side*t, k%side*t
		if j < i || found.Load() != nil {
			return nil
		}
		here, there, raw := make([]float64, t*t), make([]float64, t*t), newBuffer(t*d.numbers.Size())
		for r := range min(t, d.n-i) {
			err := d.entries(here[r*t:][:min(t, d.n-j)], cell{i + r, j}, raw)
			if err == nil && j+r < d.n {
				err = d.entries(there[r*t:][:min(t, d.n-i)], cell{j + r, i}, raw)
			}
			if err != nil {
				return err
			}
		}
		for at, w := range here {
			if r, c := at/t, at%t; w != there[c*t+r] && i+r != j+c {
				found.Store(&cell{i + r, j + c})
				break
			}
		}
		return nil
	})
	return found.Load(), err
}
