package arcs

import (
	"math/bits"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Rows are arcs in compressed rows: those of row i are Targets[Offsets[i]:Offsets[i+1]], strictly ascending,
// and their words are at the same places.
type Rows struct {
	Offsets  []int64
	Targets  []int32
	Words    []uint32
	Parallel int64 // arcs that were merged with a parallel one of smaller or equal weight
}

// Rows returns the arcs, which must be between rows, of n rows. It empties c.
func (c *Collector) Rows(n int) Rows {
	a := newAssembly(n, c)
	a.run()
	return a.Rows
}

// assembly turns collected arcs into compressed rows, a bucket of them at a time.
type assembly struct {
	Rows
	n     int
	arcs  *Collector
	first []int64 // of each bucket, where its arcs begin before parallel ones are merged; then their number
	kept  []int64 // of each bucket, its arcs after that

	placed    atomic.Int64
	releasing sync.RWMutex // held for writing while memory is given back, so that nobody takes more meanwhile
}

func newAssembly(n int, arcs *Collector) *assembly {
	arcs.sealAll()
	buckets := (n-1)>>arcs.shift + 1
	a := &assembly{n: n, arcs: arcs, first: make([]int64, buckets+1), kept: make([]int64, buckets)}
	for i := range buckets {
		a.first[i+1] = a.first[i]
		if b := a.bucket(i); b != nil {
			a.first[i+1] += int64(b.arcs())
		}
	}
	if a.first[buckets] >= releaseAbove {
		debug.FreeOSMemory()
	}
	a.Offsets = make([]int64, n+1)
	a.Targets = make([]int32, a.first[buckets])
	a.Words = make([]uint32, a.first[buckets])
	return a
}

// bucket returns the arcs of a bucket of rows, or nil where no arc is in one so far up.
func (a *assembly) bucket(i int) *bucket {
	if i < len(a.arcs.buckets[0]) {
		return &a.arcs.buckets[0][i]
	}
	return nil
}

const (
	// parallelAbove is the number of arcs from which it pays to start goroutines.
	parallelAbove = 1 << 15
	// builders is how many buckets are built at once; in each, arcs are there twice.
	builders = 4
	// releaseAbove is the number of arcs from which memory that has served is given back at once: the
	// collector would let it stand beside the CSR. Up to there it is 128 MiB at most.
	releaseAbove = 1 << 24
	// releases is how often that is done while the arcs are placed.
	releases = 64
)

func (a *assembly) run() {
	var next atomic.Int64
	work := func() error {
		rows := &rowBuilder{rowSorter: rowSorter{float: a.arcs.layout.float}}
		for {
			i := int(next.Add(1) - 1)
			if i >= len(a.kept) {
				return nil
			}
			a.releasing.RLock()
			a.build(i, rows)
			a.releasing.RUnlock()
			a.release(a.first[i+1] - a.first[i])
		}
	}
	workers := 1
	if len(a.Words) >= parallelAbove {
		workers = min(runtime.GOMAXPROCS(0), builders)
	}
	var group errgroup.Group
	for range workers - 1 {
		group.Go(work)
	}
	_ = work()
	_ = group.Wait() // work returns no error
	a.closeGaps()
}

// release notes arcs that are placed, and now and then gives back what held them.
func (a *assembly) release(arcs int64) {
	total := int64(len(a.Words))
	after := a.placed.Add(arcs)
	if total >= releaseAbove && after*releases/total != (after-arcs)*releases/total {
		a.releasing.Lock()
		debug.FreeOSMemory()
		a.releasing.Unlock()
	}
}

const (
	// headBins: arcs are placed by the leading bits of their heads, so that rows are nearly sorted.
	headBins = 512
	// spreadMost is up to how many arcs of a bucket that is done, which takes 20 bytes an arc.
	spreadMost = 1 << 17
)

// rowBuilder is what a goroutine builds rows with.
type rowBuilder struct {
	rowSorter
	heads [headBins]int32 // the number of arcs to each bin of heads, and then where its next one goes
	recs  []Arc
	pairs []pair
}

// build places the arcs of a bucket and sorts its rows. Where it merges parallel ones, a gap stays behind the
// bucket's last row.
func (a *assembly) build(i int, r *rowBuilder) {
	lo := i << a.arcs.shift
	ends := a.Offsets[1:][lo:min(lo+1<<a.arcs.shift, a.n)]
	headShift := uint(max(0, bits.Len(uint(a.n-1))-bits.Len(headBins-1)))
	b := a.bucket(i)
	r.heads = [headBins]int32{}
	if b != nil {
		for _, k := range b.full {
			a.arcs.count(k, ends, &r.heads, headShift)
		}
	}
	sum := a.first[i]
	for row, n := range ends {
		ends[row] = sum
		sum += n
	}
	if b == nil {
		return
	}
	var pairs []pair
	if n := int(a.first[i+1] - a.first[i]); n <= spreadMost {
		pairs = r.place(ends, a.first[i], r.spread(a.arcs, b, n, headShift))
	} else {
		for c, k := range b.full {
			r.recs = a.arcs.unpack(k, 0, 0, r.recs)
			a.place(ends, r.recs)
			b.full[c].data = nil
		}
	}
	*b = bucket{}
	a.kept[i] = r.tidy(ends, a.first[i], a.Targets, a.Words, pairs)
}

// spread returns the arcs of a bucket by the bins of their heads.
func (r *rowBuilder) spread(arcs *Collector, b *bucket, n int, headShift uint) []Arc {
	if cap(r.recs) < n {
		r.recs = make([]Arc, n)
	}
	r.recs = r.recs[:n]
	sum := int32(0)
	for bin, count := range r.heads {
		r.heads[bin] = sum
		sum += count
	}
	for c, k := range b.full {
		arcs.spread(k, r.recs, &r.heads, headShift)
		b.full[c].data = nil
	}
	return r.recs
}

// place puts arcs, whose tails are the index of their row in next, to where the row's next arc goes: into pairs,
// so that it touches one place for each, in the cache. The rows begin at first.
func (r *rowBuilder) place(next []int64, first int64, recs []Arc) []pair {
	if cap(r.pairs) < len(recs) {
		r.pairs = make([]pair, len(recs))
	}
	r.pairs = r.pairs[:len(recs)]
	for _, arc := range recs {
		to := next[arc.From]
		next[arc.From] = to + 1
		r.pairs[to-first] = pair(uint32(arc.To))<<32 | pair(arc.Word)
	}
	return r.pairs
}

// place is that where there are too many for pairs.
func (a *assembly) place(next []int64, recs []Arc) {
	targets, words := a.Targets, a.Words
	for _, r := range recs {
		to := next[r.From]
		next[r.From] = to + 1
		targets[to], words[to] = r.To, r.Word
	}
}

// closeGaps moves the arcs together where merging has left gaps.
func (a *assembly) closeGaps() {
	end := int64(0)
	for i, kept := range a.kept {
		if gap := a.first[i] - end; gap > 0 {
			lo := i << a.arcs.shift
			for r := lo; r < min(lo+1<<a.arcs.shift, a.n); r++ {
				a.Offsets[r+1] -= gap
			}
		}
		end += kept
	}
	var group errgroup.Group
	group.Go(func() error { moveTogether(a.Words, a.first, a.kept); return nil })
	moveTogether(a.Targets, a.first, a.kept)
	_ = group.Wait() // there is no error
	a.Parallel = int64(len(a.Targets)) - end
	a.Targets = shrink(a.Targets, int(end))
	a.Words = shrink(a.Words, int(end))
}

// moveTogether moves pieces, kept long, from where they begin to behind one another.
func moveTogether[T any](list []T, first, kept []int64) {
	end := int64(0)
	for i, n := range kept {
		if first[i] > end {
			copy(list[end:], list[first[i]:first[i]+n])
		}
		end += n
	}
}

// shrink cuts a to n elements, and copies it where merging left much of it unused.
func shrink[T any](a []T, n int) []T {
	if n < len(a)-len(a)/8 {
		return append(make([]T, 0, n), a[:n]...)
	}
	return a[:n]
}
