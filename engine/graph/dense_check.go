package graph

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Check is Graph.Check for a matrix that was surveyed. Without negative entries it reads the matrix at most a
// few times, and not at all where weights are small.
func (d *Dense) Check() error {
	if d.facts.Negative {
		cycle := []int32{int32(d.negative.line), int32(d.negative.at)}
		if d.facts.Directed {
			var err error
			if _, cycle, err = d.potentials(); err != nil {
				return err
			}
		}
		if cycle != nil {
			return d.cycleError(cycle)
		}
	}
	return d.CheckRange()
}

// CheckRange tries the bounds of Graph.CheckRange, the last one for matrices that are strongly connected in
// each of their parts only. To save time it is no more tightened than it must be.
func (d *Dense) CheckRange() error {
	f := &d.facts
	limit := f.limit()
	bound, what := f.byArcs()
	if bound < limit {
		return nil
	}
	sum := 0.0
	for _, w := range d.largest {
		sum += w
	}
	if sum < bound {
		bound, what = sum, "the sum over all vertices of the largest weight of an arc at them"
	}
	if bound < limit {
		return nil
	}
	if !f.Negative {
		longest, err := d.longestPath(limit)
		if err != nil {
			return err
		}
		if longest < bound {
			bound, what = longest, "the longest distance that cannot be ruled out"
		}
	}
	if bound < limit {
		return nil
	}
	return f.tooFar(d.name, bound, what)
}

// each calls do(0…count-1) from several goroutines, each with scratch of its own, until the first error.
func (d *Dense) each(count int, do func(k int, s *lineScratch) error) error {
	var g errgroup.Group
	var next atomic.Int64
	for range min(count, runtime.GOMAXPROCS(0), mostWorkers) {
		g.Go(func() error {
			s := d.newScratch()
			for k := int(next.Add(1) - 1); k < count; k = int(next.Add(1) - 1) {
				if err := do(k, s); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// columns calls do for ranges of the places in a line, in parallel.
func (d *Dense) columns(do func(lo, hi int)) {
	var g errgroup.Group
	parts := min(runtime.GOMAXPROCS(0), mostWorkers, (d.n+511)/512)
	for p := range parts {
		g.Go(func() error {
			do(p*d.n/parts, (p+1)*d.n/parts)
			return nil
		})
	}
	_ = g.Wait() // do does not fail
}

// lineBlock is some lines in memory, not always neighbours.
type lineBlock struct {
	lines   []int
	weights []float64 // n of each
}

func (d *Dense) newBlock() *lineBlock {
	const block = 32 << 20 // bytes
	per := max(1, min(d.n, block/8/d.n))
	return &lineBlock{make([]int, 0, per), make([]float64, per*d.n)}
}

// blocks reads the lines that are wanted, some at a time, and calls use for each such block.
func (d *Dense) blocks(b *lineBlock, wanted func(u int) bool, use func() error) error {
	for u := 0; u < d.n; {
		b.lines = b.lines[:0]
		for ; u < d.n && len(b.lines) < cap(b.lines); u++ {
			if wanted(u) {
				b.lines = append(b.lines, u)
			}
		}
		err := d.each(len(b.lines), func(k int, s *lineScratch) error { return d.line(b.weights[k*d.n:][:d.n], b.lines[k], s) })
		if err == nil {
			err = use()
		}
		if err != nil {
			return err
		}
	}
	return d.unchanged()
}

// potentials returns, for each vertex, the length of a shortest path to it from a virtual source with an arc
// of length 0 to every vertex, by Bellman–Ford; or a negative cycle. See Graph.negativeCycle. Lines that no
// pass has changed are not read again.
func (d *Dense) potentials() (h []float64, cycle []int32, err error) {
	for tolerance := 0.0; ; {
		r := relaxation{d: d, tolerance: tolerance, block: d.newBlock(), waiting: make([]bool, d.n), from: make([]float64, d.n),
			state: cycleState{dist: make([]float64, d.n), pred: make([]int32, d.n), mark: make([]int32, d.n)}}
		if cycle, err = r.run(); err != nil || cycle == nil {
			return r.state.dist, nil, err
		}
		weights, err := d.weightsAround(cycle)
		if err != nil || exactSum(weights) < 0 {
			return nil, cycle, err
		}
		tolerance = max(8*tolerance, r.reach/(1<<50))
	}
}

// relaxation is one run of Bellman–Ford.
type relaxation struct {
	d         *Dense
	state     cycleState
	block     *lineBlock
	waiting   []bool    // the vertex's distance changed since its line was relaxed
	from      []float64 // distances of the block's vertices when it was read
	tolerance float64
	reach     float64 // the largest magnitude of a distance
	gains     atomic.Int64
	cycle     []int32
}

func (r *relaxation) run() ([]int32, error) {
	for v := range r.waiting {
		r.state.pred[v], r.waiting[v] = -1, true
	}
	for slices.Contains(r.waiting, true) && r.cycle == nil {
		err := r.d.blocks(r.block, func(u int) bool { return r.cycle == nil && r.waiting[u] }, r.relax)
		if err != nil {
			return nil, err
		}
	}
	for _, x := range r.state.dist {
		r.reach = max(r.reach, math.Abs(x))
	}
	return r.cycle, nil
}

// relax relaxes the arcs of a block, each goroutine those to some of the vertices. The distances of the
// block's own vertices are those from before it: what gets lower meanwhile waits for the next pass.
func (r *relaxation) relax() error {
	n, dist, pred := r.d.n, r.state.dist, r.state.pred
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
		r.cycle = r.state.find()
	}
	return nil
}

// weightsAround returns the weights of a cycle along lines.
func (d *Dense) weightsAround(cycle []int32) ([]float64, error) {
	weights := make([]float64, len(cycle))
	for i, u := range cycle {
		var err error
		if weights[i], err = d.weight(entry{int(u), int(cycle[(i+1)%len(cycle)])}); err != nil {
			return nil, err
		}
	}
	return weights, nil
}

func (d *Dense) cycleError(cycle []int32) error {
	weights, err := d.weightsAround(cycle)
	if err != nil {
		return err
	}
	if d.head.fortran {
		slices.Reverse(cycle)
	}
	return newCycleError(d.name, &d.facts, cycle, weights)
}

// NegativeCycle is Graph.NegativeCycle. It also fails where the matrix cannot be read.
func (d *Dense) NegativeCycle(cycle []int32) error {
	if d.head.fortran { // along lines
		cycle = slices.Clone(cycle)
		slices.Reverse(cycle)
	}
	weights, err := d.weightsAround(cycle)
	if err != nil || exactSum(weights) >= 0 {
		return err
	}
	return d.cycleError(cycle)
}

// mostPasses bounds the time that longestPath takes.
const mostPasses = 64

// longestPath bounds every distance of a matrix without negative entries whose every weakly connected part is
// strongly connected: by the largest distance to the part's root plus the largest from it. Any paths will do
// for that, not only shortest ones, so it stops once the bound is below enough.
func (d *Dense) longestPath(enough float64) (float64, error) {
	block := d.newBlock()
	root, err := d.parts(block)
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
	bound := math.Inf(1)
	for pass := range mostPasses {
		var changed atomic.Bool
		err := d.blocks(block, func(int) bool { return true }, func() error {
			d.relaxBoth(block, to, from, before, &changed)
			return nil
		})
		bound = slices.Max(to) + slices.Max(from)
		if err != nil || bound < enough || !changed.Load() || pass == mostPasses-1 {
			return bound, err
		}
	}
	return bound, nil
}

// relaxBoth improves the distances from roots along a block's arcs, and those of its vertices to roots.
func (d *Dense) relaxBoth(b *lineBlock, to, from, before []float64, changed *atomic.Bool) {
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
	_ = d.each(len(b.lines), func(k int, _ *lineScratch) error {
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
func (d *Dense) parts(b *lineBlock) ([]int32, error) {
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
	err := d.blocks(b, func(int) bool { return count > 1 }, func() error {
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

// symmetric refuses a matrix that is called undirected and is not its own transpose.
func (d *Dense) symmetric() error {
	t := max(64, min(512, (d.n+63)/64*64))
	side := (d.n + t - 1) / t
	return d.each(side*side, func(k int, _ *lineScratch) error {
		i, j := k/side, k%side
		if j < i {
			return nil
		}
		here, there := newBuffer(4*t*t), newBuffer(4*t*t)
		if err := d.FillTile(here, t, i, j); err != nil {
			return err
		}
		if err := d.FillTile(there, t, j, i); err != nil {
			return err
		}
		a, b := view[uint32](here), view[uint32](there)
		for r := range t {
			for c := range t {
				if a[r*t+c] != b[c*t+r] {
					return d.asymmetric(i*t+r, j*t+c)
				}
			}
		}
		return nil
	})
}

func (d *Dense) asymmetric(row, col int) error {
	here, there := entry{row, col}, entry{col, row}
	if d.head.fortran {
		here, there = there, here
	}
	return &InputError{File: d.name, Reason: fmt.Sprintf("the matrix is not symmetric, as --undirected says: %s has %s, %s has %s",
		d.where(here), d.text(here), d.where(there), d.text(there))}
}
