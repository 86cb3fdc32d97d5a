package graph

import (
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
		arcs = newCollector(g.N, s.weigh.float)
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
		a.first[i+1] = a.first[i] + int64(a.bucket(i).arcs())
	}
	g.Offsets = make([]int64, g.N+1)
	g.Targets = make([]int32, a.first[buckets])
	a.words = make([]uint32, a.first[buckets])
	return a
}

// bucket returns the arcs of a bucket of rows, or nil if there are none.
func (a *assembly) bucket(i int) *bucket {
	if i < len(a.arcs.buckets[0]) {
		return a.arcs.buckets[0][i]
	}
	return nil
}

const (
	// parallelAbove is the number of arcs from which it pays to start goroutines.
	parallelAbove = 1 << 15
	// releaseAbove is the number of arcs from which memory that has served is given back at once: the
	// collector would let it stand beside the CSR. Up to there it is 128 MiB at most.
	releaseAbove = 1 << 24
	// releases is how often that is done while the arcs are placed.
	releases = 64
)

func (a *assembly) run() {
	var next atomic.Int64
	work := func() error {
		sorter := &rowSorter{float: a.g.Kind == KindF32}
		for {
			i := int(next.Add(1) - 1)
			if i >= len(a.kept) {
				return nil
			}
			a.releasing.RLock()
			a.build(i, sorter)
			a.releasing.RUnlock()
			a.release(a.first[i+1] - a.first[i])
		}
	}
	workers := 1
	if len(a.words) >= parallelAbove {
		workers = min(runtime.GOMAXPROCS(0), mostReaders)
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

// build places the arcs of a bucket and sorts its rows. Then, other than in a Graph, Offsets[r] is where
// row r ends.
func (a *assembly) build(i int, sorter *rowSorter) {
	lo := i << a.arcs.shift
	ends := a.g.Offsets[lo:min(lo+1<<a.arcs.shift, a.g.N)]
	b := a.bucket(i)
	if b != nil {
		for _, k := range b.full {
			a.arcs.count(k, ends)
		}
	}
	sum := a.first[i]
	for r, n := range ends {
		ends[r] = sum
		sum += n
	}
	if b == nil {
		return
	}
	for c, k := range b.full {
		a.arcs.place(k, ends, a.g.Targets, a.words)
		b.full[c].data = nil
	}
	a.arcs.buckets[0][i] = nil
	a.kept[i] = sorter.tidy(ends, a.first[i], a.g.Targets, a.words)
}

// closeGaps moves the arcs together where merging has left gaps, and the offsets to where a Graph has them.
func (a *assembly) closeGaps() {
	g, end := a.g, int64(0)
	for i, kept := range a.kept {
		if gap := a.first[i] - end; gap > 0 {
			copy(g.Targets[end:], g.Targets[a.first[i]:a.first[i]+kept])
			copy(a.words[end:], a.words[a.first[i]:a.first[i]+kept])
			lo := i << a.arcs.shift
			for r := range g.Offsets[lo:min(lo+1<<a.arcs.shift, g.N)] {
				g.Offsets[lo+r] -= gap
			}
		}
		end += kept
	}
	copy(g.Offsets[1:], g.Offsets[:g.N])
	g.Offsets[0] = 0
	g.Parallel = int64(len(g.Targets)) - end
	g.Targets = shrink(g.Targets, int(end))
	a.words = shrink(a.words, int(end))
	if g.Kind == KindI32 {
		g.I32 = cast[int32](a.words)
	} else {
		g.F32 = cast[float32](a.words)
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
