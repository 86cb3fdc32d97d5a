package graph

import (
	"math/bits"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sync/errgroup"
)

// finish builds the graph.
func (s *sink) finish() (*Graph, error) {
	if s.weigh.huge != nil && !s.weigh.fraction {
		return nil, s.weigh.huge
	}
	g := &Graph{N: s.fixed, IDs: s.ids, Kind: KindI32, Directed: !s.undirected, Scale: s.weigh.scale, file: s.file}
	if s.weigh.float {
		g.Kind = KindF32
	}
	if s.fixed == 0 {
		g.N, g.IDs = s.table.freeze()
	}
	switch {
	case g.N == 0:
		return nil, s.failAll("no vertices")
	case g.N > MaxVertices || !plausible(int64(g.N), s.arcs+s.selfLoops+s.noArcs):
		return nil, s.failAll("%d vertices are not believed with only %d arc(s)", g.N, s.arcs)
	}
	if s.loop != nil {
		return nil, s.loopError(g)
	}
	arcs := s.collector
	s.collector = nil
	if arcs == nil {
		arcs = s.newCollector()
	}
	for _, other := range s.ahead.list {
		arcs.absorb(other)
	}
	s.ahead.list = nil
	if s.fixed == 0 && !s.table.forced {
		arcs = arcs.renumber(g.N, s.table.row)
		s.table = vertexTable{}
	}
	if s.arcs >= releaseAbove {
		arcs.sealAll()
		debug.FreeOSMemory()
	}
	newAssembly(g, arcs).run()
	if s.undirected {
		g.Parallel /= 2 // each edge was there twice
	}
	g.SelfLoops, g.NoArcs = s.selfLoops, s.noArcs
	g.summarize()
	if s.check != nil {
		if err := s.check(g); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// loopError reports a negative self-loop, which is a negative cycle.
func (s *sink) loopError(g *Graph) error {
	row := s.loop.vertex
	if s.fixed == 0 {
		row = s.table.row(row)
	}
	return &NegativeCycleError{File: s.file, Line: s.loop.line, Cycle: []string{g.Name(int(row))},
		Length: s.loop.weight / float64(g.Scale)}
}

// assembly turns collected arcs into a graph's CSR, a bucket of rows at a time.
type assembly struct {
	g     *Graph
	arcs  *collector
	words []uint32
	first []int64 // of each bucket, where its arcs begin before parallel ones are merged; then their number
	kept  []int64 // of each bucket, its arcs after that

	placed    atomic.Int64
	releasing sync.RWMutex // held for writing while memory is given back, so that nobody takes more meanwhile
}

func newAssembly(g *Graph, arcs *collector) *assembly {
	arcs.sealAll()
	buckets := (g.N-1)>>arcs.shift + 1
	a := &assembly{g: g, arcs: arcs, first: make([]int64, buckets+1), kept: make([]int64, buckets)}
	for i := range buckets {
		a.first[i+1] = a.first[i]
		if b := a.bucket(i); b != nil {
			a.first[i+1] += int64(b.arcs())
		}
	}
	g.Offsets = make([]int64, g.N+1)
	g.Targets = make([]int32, a.first[buckets])
	a.words = make([]uint32, a.first[buckets])
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
		rows := &rowBuilder{rowSorter: rowSorter{float: a.g.Kind == KindF32}}
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
	if len(a.words) >= parallelAbove {
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
	total := int64(len(a.words))
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
	recs  []record
	pairs []pair
}

// build places the arcs of a bucket and sorts its rows. Where it merges parallel ones, a gap stays behind the
// bucket's last row.
func (a *assembly) build(i int, r *rowBuilder) {
	lo := i << a.arcs.shift
	ends := a.g.Offsets[1:][lo:min(lo+1<<a.arcs.shift, a.g.N)]
	headShift := uint(max(0, bits.Len(uint(a.g.N-1))-bits.Len(headBins-1)))
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
	a.kept[i] = r.tidy(ends, a.first[i], a.g.Targets, a.words, pairs)
}

// spread returns the arcs of a bucket by the bins of their heads.
func (r *rowBuilder) spread(arcs *collector, b *bucket, n int, headShift uint) []record {
	if cap(r.recs) < n {
		r.recs = make([]record, n)
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
func (r *rowBuilder) place(next []int64, first int64, recs []record) []pair {
	if cap(r.pairs) < len(recs) {
		r.pairs = make([]pair, len(recs))
	}
	r.pairs = r.pairs[:len(recs)]
	for _, arc := range recs {
		to := next[arc.from]
		next[arc.from] = to + 1
		r.pairs[to-first] = pair(uint32(arc.to))<<32 | pair(arc.word)
	}
	return r.pairs
}

// place is that where there are too many for pairs.
func (a *assembly) place(next []int64, recs []record) {
	targets, words := a.g.Targets, a.words
	for _, r := range recs {
		to := next[r.from]
		next[r.from] = to + 1
		targets[to], words[to] = r.to, r.word
	}
}

// closeGaps moves the arcs together where merging has left gaps.
func (a *assembly) closeGaps() {
	g, end := a.g, int64(0)
	for i, kept := range a.kept {
		if gap := a.first[i] - end; gap > 0 {
			lo := i << a.arcs.shift
			for r := lo; r < min(lo+1<<a.arcs.shift, g.N); r++ {
				g.Offsets[r+1] -= gap
			}
		}
		end += kept
	}
	var group errgroup.Group
	group.Go(func() error { moveTogether(a.words, a.first, a.kept); return nil })
	moveTogether(g.Targets, a.first, a.kept)
	_ = group.Wait() // there is no error
	g.Parallel = int64(len(g.Targets)) - end
	g.Targets = shrink(g.Targets, int(end))
	a.words = shrink(a.words, int(end))
	if g.Kind == KindI32 {
		g.I32 = cast[int32](a.words)
	} else {
		g.F32 = cast[float32](a.words)
	}
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

// cast views words, which are not used as such any more, as weights.
func cast[W int32 | float32](words []uint32) []W {
	if len(words) == 0 {
		return []W{}
	}
	return unsafe.Slice((*W)(unsafe.Pointer(&words[0])), len(words))
}

// shrink cuts a to n elements, and copies it where merging left much of it unused.
func shrink[T any](a []T, n int) []T {
	if n < len(a)-len(a)/8 {
		return append(make([]T, 0, n), a[:n]...)
	}
	return a[:n]
}
