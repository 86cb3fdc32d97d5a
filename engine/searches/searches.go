package searches

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"runtime"

	"ooc/engine/device"
	"ooc/engine/graph"
	"ooc/engine/plan"
	"ooc/engine/rows"
	"ooc/engine/sparse"
	"ooc/engine/text"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
)

// Engine is the engine of rows that searches.
type Engine struct{}

// Name implements rows.Engine.
func (Engine) Name() string { return "searches" }

// errOther is the kind of errors of graphs that an engine is not for.
var errOther = errors.Join(plan.ErrAlgorithm, rows.ErrNoEngine)

// fewRows is how many rows are found one by one, and not by bits.
const fewRows = 4

// Offer implements rows.Engine. It fails with plan.ErrAlgorithm where weights are negative, and
// with device.ErrMemory where there is not enough.
func (e Engine) Offer(_ context.Context, g *graph.Graph, q rows.Question) (rows.Offer, error) {
	if g.Negative {
		const says = "searches are for graphs without negative weights; leave the algorithm to the plan"
		return rows.Offer{}, text.ErrorOf(errOther, says)
	}
	count := cmp.Or(q.Rows, g.N)
	offer := rows.Offer{Engine: e.Name(), Seconds: onAll(searchWork(g, count)), Least: searchBytes(g),
		How: "from one vertex after another"}
	offer.Memory = offer.Least * int64(runtime.GOMAXPROCS(0))
	ready, err := rows.Ready(&searched{g: g}), error(nil)
	switch {
	case equal(g):
		ready, err = e.byLevel(g, count, q, &offer)
	case count > fewRows && g.Kind.Kernels() && (q.Memory == 0 || lanedBytes(g) <= q.Memory):
		l := newLaned(g, numberOut(g))
		var batch, far float64
		batch, far, err = l.try(count)
		batches := entry.CeilDiv(count, l.lanes())
		// By the work, since the next run has to find the same where there are more threads.
		if batch*float64(batches) < searchWork(g, count) {
			ready, offer.Least, offer.Tiles = l, lanedBytes(g), true
			offer.Memory = 8*g.Arcs() + l.LaneBytes(0)*int64(runtime.GOMAXPROCS(0))
			offer.How = fmt.Sprintf("from %d vertices at a time", l.lanes())
			opened, failed := q.Opened()
			err = cmp.Or(err, failed)
			offer.Seconds = inBatches(batch, batches, opened)
			if took := lanesSeconds(l, count, far, opened.Sums); took < offer.Seconds {
				offer.Counted, offer.Seconds = true, took
				offer.How = fmt.Sprintf("from %d vertices at a time, on a device", mostLanes)
			}
		}
	}
	offer.Prepare = func(context.Context) (rows.Ready, error) { return ready, nil }
	return offer, cmp.Or(err, short(q, offer.Least))
}

// short fails with device.ErrMemory where that is more than may be taken.
func short(q rows.Question, least int64) error {
	if q.Memory == 0 || least <= q.Memory {
		return nil
	}
	return fmt.Errorf("%w: searches take %d bytes at least; give as many with --host-memory", device.ErrMemory, least)
}

// byLevel is for a graph of equal weights.
func (Engine) byLevel(g *graph.Graph, count int, q rows.Question, offer *rows.Offer) (rows.Ready, error) {
	l := &leveled{searched: searched{g: g}, numbered: number(g), levels: 255}
	if count <= fewRows {
		offer.Levels, offer.Tiles = true, true
		return l, nil
	}
	levels, batch, err := l.try(count)
	batches := entry.CeilDiv(count, rows.Lanes)
	if searchWork(g, count) < batch*float64(batches) { // whatever devices there are, as the next run may have others
		return &searched{g: g}, err
	}
	q, failed := q.Opened()
	offer.Levels, offer.Tiles = true, true
	l.levels, offer.Seconds = levels, inBatches(batch, batches, q)
	offer.Memory = 8*g.Arcs() + l.LevelBytes()*int64(runtime.GOMAXPROCS(0))
	offer.How = fmt.Sprintf("from %d vertices at a time, as all weights are equal, about %s", rows.Lanes,
		text.Count(levels, "level", "levels"))
	if took := countSeconds(g, count, levels, q.Counts); took < offer.Seconds {
		offer.Counted, offer.Seconds, offer.How = true, took, offer.How+", which a device counts"
	}
	return l, cmp.Or(err, failed)
}

// equal reports whether all weights of a graph are equal, and above 0.
func equal(g *graph.Graph) bool {
	return g.MinWeight == g.MaxWeight && (g.MinWeight > 0 || g.Arcs() == 0)
}

// Measured on one thread of two with AVX-512 (docs/benchmarks.md). Engines are compared by these, whatever machine
// they run on, since others round floats differently.
const (
	startSeconds  = 4e-3     // to begin
	vertexSeconds = 60e-9    // of a search with a heap, for each vertex
	arcSeconds    = 12e-9    // and for each arc
	equalVertex   = 8e-9     // of one without a heap, as all weights are equal, for each vertex
	equalArc      = 5e-9     // and for each arc
	farArc        = 12e-9    // more of each arc where nothing that it leads to is in a cache
	levelSeconds  = 20e-9    // for each vertex of a level
	pullSeconds   = 2e-9     // for each arc into a vertex
	pushSeconds   = 1e-9     // of a search by lanes, for each arc
	farPush       = 39e-9    // and more where nothing that it leads to is in a cache
	fallSeconds   = 13e-9    // for each arc that lowered a lane
	takeSeconds   = 137e-9   // for each vertex whose arcs are relaxed
	lineSeconds   = 196e-9   // for each vertex, to clear its lanes and to look at them
	cacheBytes    = 32 << 20 // about what all caches hold
)

// missed is about which part of n things, of so many bytes each, is not in a cache.
func missed(n, each int) float64 { return min(1, float64(n)*float64(each)/cacheBytes) }

// searchWork is about how many seconds searches for so many rows take a thread, one by one.
func searchWork(g *graph.Graph, count int) float64 {
	vertex, arc := vertexSeconds, arcSeconds
	if equal(g) {
		vertex, arc = equalVertex, equalArc
	}
	arc += 2 * farArc * missed(g.N, 16) // it has to be there before the next
	return (vertex*float64(g.N) + arc*float64(g.Arcs())) * float64(count)
}

// onAll is how long all threads take for what takes one so many seconds.
func onAll(seconds float64) float64 { return (startSeconds + seconds) / float64(runtime.GOMAXPROCS(0)) }

// inBatches is how long all threads take for some batches: in the ratio of what others take, whatever the threads, but
// beside a device as long as they do, where each has a batch or none.
func inBatches(batch float64, batches int, q rows.Question) float64 {
	if d := q.Device; d != nil && !d.Info().SharedCores {
		return batch * math.Ceil(float64(batches)/float64(runtime.GOMAXPROCS(0)))
	}
	return onAll(batch * float64(batches))
}

// searched is a graph that is searched from one vertex after another.
type searched struct{ g *graph.Graph }

// Order implements rows.Ready: searches share nothing.
func (r *searched) Order() []int32 {
	order := make([]int32, r.g.N)
	for v := range order {
		order[v] = int32(v)
	}
	return order
}

// NewWorker implements rows.Ready.
func (r *searched) NewWorker(int) (rows.Worker, error) { return newSearcher(r.g), nil }

// WorkerBytes implements rows.Ready.
func (r *searched) WorkerBytes(int) int64 { return searchBytes(r.g) }

// Reversed implements rows.Ready.
func (r *searched) Reversed() (rows.Ready, error) {
	if r.g.Symmetric {
		return r, nil
	}
	return &searched{r.g.Reverse()}, nil
}

// Close implements rows.Ready.
func (*searched) Close() error { return nil }

// newSearcher returns what searches a graph.
func newSearcher(g *graph.Graph) rows.Worker {
	switch {
	case g.F64 != nil:
		return newSearch(g, g.F64, math.Inf(1))
	case g.F32 != nil:
		return newSearch(g, g.F32, entry.PosInf)
	}
	return newSearch(g, entry.As[uint32](g.I32), uint32(entry.Inf32))
}

// leveled is a graph of equal weights.
type leveled struct {
	searched
	*numbered
	levels int // of a batch, as far as is known
}

// Order implements rows.Ready.
func (r *leveled) Order() []int32 { return r.order }

// NewWorker implements rows.Ready.
func (r *leveled) NewWorker(count int) (rows.Worker, error) {
	if count <= fewRows {
		return newSearcher(r.g), nil
	}
	s, err := newLevels(r.numbered)
	if err != nil {
		return nil, err
	}
	w := &leveler{of: r, levels: s}
	w.planes.rows, err = cpu.NewLevelRows()
	return w, err
}

// WorkerBytes implements rows.Ready.
func (r *leveled) WorkerBytes(count int) int64 {
	if count <= fewRows {
		return searchBytes(r.g)
	}
	return r.LevelBytes() + rows.Lanes/8*int64(bits.Len(uint(r.levels)))*int64(r.g.N)
}

// LevelBytes implements rows.LevelReady.
func (r *leveled) LevelBytes() int64 { return levelBytes * int64(r.g.N) }

// Sources implements rows.LevelReady.
func (r *leveled) Sources() (order, sources []int32) {
	for _, v := range r.order {
		if r.source(v) != v {
			continue
		}
		order, sources = append(order, v), append(sources, v)
		for _, u := range r.g.Targets[r.g.Offsets[v]:r.g.Offsets[v+1]] {
			if r.source(u) == v {
				order, sources = append(order, u), append(sources, v)
			}
		}
	}
	return order, sources
}

// source returns the source of a vertex. The first neighbour of each is its own, as it may be the farthest vertex from
// that: it would not be from itself.
func (r *leveled) source(v int32) int32 {
	if at := r.g.Offsets[v]; r.g.Symmetric && r.g.Offsets[v+1] == at+1 {
		if u := r.g.Targets[at]; r.g.Targets[r.g.Offsets[u]] != v {
			return u
		}
	}
	return v
}

// Reversed implements rows.Ready.
func (r *leveled) Reversed() (rows.Ready, error) {
	if r.g.Symmetric {
		return r, nil
	}
	back := *r.numbered
	back.out, back.in = r.in, r.out
	return &leveled{searched{r.g.Reverse()}, &back, r.levels}, nil
}

// trialArcs is how many arcs a trial looks at. It is a variable only for tests.
var trialArcs int64 = 2 << 20

// try searches for a moment from as many vertices as a batch has. It returns the levels of such a search, and about what
// it takes a thread.
func (r *leveled) try(count int) (depth int, batch float64, err error) {
	s, err := newLevels(r.numbered)
	if err != nil {
		return 0, 0, err
	}
	sources := r.spread(count, rows.Lanes)
	s.start(sources)
	at, more := 0, true // vertices of all levels
	for more && s.work+int64(at) < trialArcs {
		more = s.next()
		at += len(s.at)
		depth++
	}
	batch = levelSeconds*float64(at) + (pullSeconds+farArc*missed(r.g.N, rows.Lanes/8))*float64(s.work)
	if more {
		// What is left takes as long as what was done, for each distance; or as some levels that have all arcs. The share
		// of distances that are known grows as a power of the level: on a map as the second, faster where levels grow.
		known, level := s.share(len(sources))
		power := math.Log(1-level/known) / math.Log(float64(depth)/float64(depth+1))
		if r.g.Symmetric {
			known = min(1, known/r.reached(sources))
		}
		few := min(float64(depth+1)*(math.Pow(known, -1/power)-1), float64(depth)*(1/known-1))
		whole := levelSeconds*float64(r.g.N) + (pullSeconds+farArc*missed(r.g.N, rows.Lanes/8))*float64(r.g.Arcs())
		batch, depth = min(batch/known, batch+few*whole), depth+int(few)
	}
	return depth, batch, nil
}

// leveler computes rows by bits.
type leveler struct {
	of *leveled
	*levels
	planes planes
}

// Close implements rows.Worker.
func (*leveler) Close() error { return nil }

// entryOf returns the entry of a level, from that of the level before: weights are added up one after another, as paths
// add them.
func (r *leveled) entryOf(kind entry.Kind, before uint64) uint64 {
	d := kind.Value(before) + r.g.MaxWeight
	if !kind.Float() {
		d = min(d, kind.Value(kind.Unreachable()-1)+1)
	}
	return kind.Bits(d)
}

// Levels implements rows.LevelWorker.
func (w *leveler) Levels(sources []int32, take func(rows.Level) error) error {
	kind := w.of.g.Kind.Wide()
	d := kind.Bits(0)
	w.start(sources)
	for ; ; w.next() {
		if err := take(rows.Level{Distance: d, At: w.at, Of: w.front}); err != nil || len(w.at) == 0 {
			return err
		}
		d = w.of.entryOf(kind, d)
	}
}

// Rows implements rows.TileWorker.
func (w *leveler) Rows(sources []int32, to sparse.Target) error {
	w.write(sources, to, w.of.g.Kind)
	return nil
}

// ReadRows implements rows.Worker.
func (w *leveler) ReadRows(dst []byte, sources []int) error {
	kind := w.of.g.Kind.Wide()
	to := sparse.Target{Data: dst, Width: w.of.g.N}
	vertices := make([]int32, len(sources))
	for i, v := range sources {
		vertices[i], to.Places = int32(v), append(to.Places, int64(i*w.of.g.N*kind.Bytes()))
	}
	w.write(vertices, to, kind)
	return nil
}

// write writes rows of entries of a kind.
func (w *leveler) write(sources []int32, to sparse.Target, kind entry.Kind) {
	places := to.Places
	for len(sources) > 0 {
		count := min(len(sources), rows.Lanes)
		to.Places = places[:count]
		w.writeBatch(sources[:count], to, kind)
		sources, places = sources[count:], places[count:]
	}
}

// writeBatch writes the rows of at most rows.Lanes sources.
func (w *leveler) writeBatch(sources []int32, to sparse.Target, kind entry.Kind) {
	values := kind.Make(256)
	size := kind.Bytes()
	kind.Put(values, 0, kind.Unreachable())
	d := kind.Bits(0)
	w.planes.count = 0
	w.start(sources)
	for level := 1; w.next(); level++ {
		w.planes.add(w.levels, level)
		d = w.of.entryOf(kind, d)
		if level*size == len(values) {
			values = append(values, kind.Make(level)...)
		}
		kind.Put(values, level, d)
	}
	w.planes.write(w.place, to, values, size)
	for lane, v := range sources {
		if j := int(v) / to.Width; j >= to.First {
			kind.Put(to.Data[to.Places[lane]+int64(j)*to.Stride:], int(v)%to.Width, 0)
		}
	}
}
