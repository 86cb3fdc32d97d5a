package searches

import (
	"cmp"
	"context"
	"math"
	"slices"

	"ooc/engine/graph"
	"ooc/engine/internal/pages"
	"ooc/engine/internal/parallel"
	"ooc/engine/rows"
	"ooc/engine/sparse"
	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
)

// laned is a graph that is searched from as many vertices at once as there are lanes in cpu.PushBytes.
type laned struct {
	searched
	*numbered
	kind    entry.Kind // of lanes: that of the graph, or one of fewer bytes that holds all distances
	weights []uint32   // of the arcs of numbered.out
	left    int        // how many places have arcs into them
	stopped int        // how many vertices have been eliminated
	down    *downward  // the arcs to these; nil: there are none
	perNear float64    // distances whose products with it have the same integer are searched together
	parts   uint32     // of partPlaces places each; of near distances, those of a part are searched together
}

// The lanes of partPlaces places stay in a processor's second cache. Where there are more than a few parts, partNear
// times as far distances are searched together, a part after another (S. Lu, S. Sun, J. Paul, Y. Li and B. He,
// Cache-efficient fork-processing patterns on large graphs, 2021).
const (
	partPlaces = 1 << 13
	fewParts   = 4
	partNear   = 16
)

func newLaned(g *graph.Graph, n *numbered) *laned {
	r := &laned{searched: searched{g: g}, numbered: n, kind: g.Kind, left: g.N}
	r.share()
	if g.Kind == entry.KindI32 && r.fits(entry.KindU16) {
		r.kind = entry.KindU16
	}
	r.weights = r.weigh(g, r.out)
	return r
}

// weigh returns the weights of a graph's arcs, which are those of a, as a Variant.Weights has them.
func (r *laned) weigh(g *graph.Graph, a *arcs) []uint32 {
	words := int64(r.kind.Variant(false).WeightBytes() / entry.WordBytes)
	from, weights := entry.View[uint32](g.WeightBytes()), pages.Make[uint32](len(a.ends)*int(words))
	longest := uint32(r.kind.Unreachable()) // what is longer than the kind holds is no path
	r.together(func(i int, u int32) {
		to := weights[a.start[i]*words : a.start[i+1]*words]
		copy(to, from[g.Offsets[u]*words:])
		if !r.kind.Float() {
			for k, w := range to {
				to[k] = min(w, longest)
			}
		}
	})
	return weights
}

// share decides which vertices are searched together.
func (r *laned) share() {
	r.parts, r.perNear = 1, min(1/nearOf(r.g), math.MaxFloat64)
	if r.left > fewParts*partPlaces {
		r.parts = uint32(entry.CeilDiv(r.left, partPlaces))
		r.perNear /= partNear
	}
}

// nearOf returns which distances of a graph are searched together. The less, the fewer arcs are relaxed again: with 16
// times as much, there are 3 to 10 % more.
func nearOf(g *graph.Graph) float64 {
	var weights []float64
	for k := int64(0); k < g.Arcs(); k += 1 + g.Arcs()/1024 {
		if w := g.Weight(k); w > 0 {
			weights = append(weights, w)
		}
	}
	if len(weights) == 0 {
		return max(1, g.MaxWeight)
	}
	slices.Sort(weights)
	return max(weights[len(weights)/4]/16, math.SmallestNonzeroFloat64)
}

// fits reports whether a kind is known to hold all distances of a graph. A shortest path is no longer than the way by
// the first vertex of the order. Where there is none, all of the path is in what that vertex does not reach, or in what
// does not reach it.
func (r *laned) fits(kind entry.Kind) bool {
	most := kind.Value(kind.Unreachable() - 1)
	if r.g.Symmetric {
		far, missed := r.alongTree()
		if float64(missed)*r.g.MaxWeight > most {
			return false
		}
		if 2*far > most { // by shortest paths it may be less, but they take longer
			far, _ = reach(r.g, int(r.order[0]), most)
		}
		return 2*far <= most
	}
	far, missed := reach(r.g, int(r.order[0]), most)
	if far > most {
		return false
	}
	back, more := reach(r.g.Reverse(), int(r.order[0]), most)
	return far+back <= most && float64(max(missed, more))*r.g.MaxWeight <= most
}

// alongTree returns how far the farthest vertex is from the first of a symmetric graph along the tree of the search
// that has found them all, and how many arcs a path may have that does not begin there.
func (r *laned) alongTree() (far float64, missed int) {
	before, length := make([]int32, r.g.N), make([]float64, r.g.N) // the place that it was found from, and how far that is
	r.together(func(i int, v int32) {
		least, arc := int32(i), -1
		for k, u := range r.out.ends[r.out.start[i]:r.out.start[i+1]] {
			if u < least {
				least, arc = u, k
			}
		}
		if before[i] = least; arc >= 0 {
			length[i] = r.g.Weight(r.g.Offsets[v] + int64(arc))
		}
	})
	first := 0 // of the part
	for i, u := range before {
		if int(u) == i {
			first = i
			continue
		}
		if length[i] += length[u]; first == 0 {
			far = max(far, length[i])
		} else {
			missed = max(missed, i-first)
		}
	}
	return far, missed
}

// reach returns how far the farthest vertex is from one, or some distance that is more than most, and how many arcs a
// path may have that it does not reach: one for each vertex that has any.
func reach(g *graph.Graph, from int, most float64) (far float64, missed int) {
	s := newSearch(g, entry.As[uint32](g.I32), uint32(entry.Inf32))
	s.most = uint32(most)
	for v, d := range s.from(int32(from)) {
		if d != uint32(entry.Inf32) {
			far = max(far, float64(d))
		} else if g.Offsets[v] < g.Offsets[v+1] {
			missed++
		}
	}
	return far, missed
}

// ends reports whether all ways end at a place that they come to: its arcs lead to where they come from, if anywhere.
func (r *laned) ends(place int32) bool {
	arcs := r.out.start[place+1] - r.out.start[place]
	return arcs == 0 || arcs == 1 && r.g.Symmetric && r.down == nil
}

// lanes is how many sources there are in a batch.
func (r *laned) lanes() int { return cpu.PushBytes / r.kind.Bytes() }

// Order implements rows.Ready.
func (r *laned) Order() []int32 { return r.order }

// lanedBytes is about what the graph takes with the lanes and the rows of one goroutine.
func lanedBytes(g *graph.Graph) int64 {
	return 12*g.Arcs() + (2*wideBytes(g)+cpu.PushBytes+32)*int64(g.N)
}

// wideBytes is what the lanes of a vertex take at most in the graph's kind.
func wideBytes(g *graph.Graph) int64 {
	if g.Kind == entry.KindI32 { // they may be computed in half as many bytes
		return 2 * cpu.PushBytes
	}
	return cpu.PushBytes
}

// WorkerBytes implements rows.Ready.
func (r *laned) WorkerBytes(int) int64 { return r.LaneBytes(0) + wideBytes(r.g)*int64(r.g.N) }

// LaneBytes implements rows.LaneReady.
func (r *laned) LaneBytes(int) int64 { return (wideBytes(r.g) + cpu.PushBytes + 24) * int64(r.g.N) }

// Reversed implements rows.Ready.
func (r *laned) Reversed() (rows.Ready, error) {
	if r.g.Symmetric {
		return r, nil
	}
	g := r.g.Reverse()
	back := newLaned(g, numberOut(g))
	back.perNear = r.perNear
	return back, nil
}

// NewWorker implements rows.Ready.
func (r *laned) NewWorker(int) (rows.Worker, error) {
	w, err := r.newLaner()
	if err != nil {
		return nil, err
	}
	if r.kind != r.g.Kind {
		w.wide.Data, w.wide.Entry = r.g.Kind.Make((r.g.N+1)*r.lanes()), r.g.Kind.Bytes()
	}
	return w, nil
}

// newLaner is NewWorker without lanes of the graph's kind.
func (r *laned) newLaner() (*laner, error) {
	push, err := cpu.NewPushLanes(r.kind.Variant(false))
	if err != nil {
		return nil, err
	}
	host, err := cpu.Open(cpu.Options{Threads: 1})
	if err != nil {
		return nil, err
	}
	n := r.g.N
	w := &laner{laned: r, push: push, host: host}
	w.m = kernels.Lanes{Data: r.kind.Make((n + 1) * r.lanes()), Width: r.lanes(), Entry: r.kind.Bytes()}
	w.wide = w.m
	w.rank = make([]uint32, n)
	most := int64(0)
	for v := range n {
		most = max(most, r.out.start[v+1]-r.out.start[v])
		if r.down != nil {
			most = max(most, r.down.start[v+1]-r.down.start[v])
		}
		w.rest(int32(v))
	}
	w.changed, w.keys = make([]int32, most), make([]uint32, most)
	return w, nil
}

// often is how many times a search by lanes relaxes each arc where all sources are near each other, at about the most.
const often = 4

// try searches for a moment from as many vertices as a batch has. It returns about what a batch takes a thread, and how
// far the farthest vertex is from the first of the order.
func (r *laned) try(count int) (batch, far float64, err error) {
	w, err := r.newLaner()
	if err != nil {
		return math.Inf(1), 0, err
	}
	// While there is one search alone, all processors wait for the pages of its memory.
	const part = 1 << 20
	data := w.m.Data
	_ = parallel.Do(context.Background(), entry.CeilDiv(len(data), part), func() func(int) error { // there is no error
		return func(i int) error {
			r.kind.Fill(data[i*part:min(len(data), (i+1)*part)], r.kind.Unreachable())
			return nil
		}
	}, func() {})
	sources := r.spread(count, r.lanes())
	w.find(sources, trialArcs)
	batch = w.seconds()
	found, all := 1., 1. // distances
	for v := 0; v < r.g.N; v += 1 + r.g.N/1024 {
		for lane := range r.lanes() {
			all++
			d := r.kind.Value(r.kind.At(w.m.Row(v), lane))
			if math.IsInf(d, 1) {
				continue
			}
			if found++; lane == 0 {
				far = max(far, d)
			}
		}
	}
	if w.work >= trialArcs { // those that are not found yet take as much as those that are
		if r.g.Symmetric && r.down == nil {
			all = max(found, all*r.reached(sources))
		}
		arcs, work := float64(len(r.out.ends)), float64(w.work)
		batch *= max(work, min(max(often*arcs, work*all/found), float64(r.lanes())*arcs)) / work
		far *= all / found
	}
	if r.down != nil {
		batch += (pushSeconds+farPush*missed(r.g.N, cpu.PushBytes)/2)*float64(len(r.down.ends)) +
			takeSeconds*float64(len(r.down.from))
	}
	return batch + lineSeconds*float64(r.g.N), far, w.Close()
}

// laner computes rows in lanes.
type laner struct {
	*laned
	push    cpu.PushLanes
	host    *cpu.Device
	m       kernels.Lanes // the distances of a batch, by place; the last row is unreachable
	wide    kernels.Lanes // the same in the graph's kind
	fallen                // the vertices whose arcs are to be relaxed
	changed []int32       // the ends of arcs that lowered them
	keys    []uint32      // to what
	work    int64         // arcs that were relaxed
	taken   int64         // vertices whose arcs were
	falls   int64         // arcs that lowered a lane
	columns []int32       // places, by column of a segment
	rows    []byte        // of ReadRows
}

// Close implements rows.Worker.
func (w *laner) Close() error { return w.host.Close() }

// search finds the distances from at most as many sources as there are lanes.
func (w *laner) search(sources []int32) {
	w.kind.Fill(w.m.Data, w.kind.Unreachable())
	w.find(sources, math.MaxInt64)
}

// find is search where all lanes are unreachable. It may end when so many arcs have been relaxed.
func (w *laner) find(sources []int32, most int64) {
	w.first, w.work, w.taken, w.falls = 0, 0, 0, 0
	for lane := range w.m.Width { // lanes without a source repeat the last one
		v := w.place[sources[min(lane, len(sources)-1)]]
		w.kind.Put(w.m.Row(int(v)), lane, 0)
		w.rank[v] = notFallen
		w.add(v, 0)
	}
	words := int64(w.kind.Variant(false).WeightBytes() / entry.WordBytes)
	for w.work < most {
		u, ok := w.take()
		if !ok {
			break
		}
		lo, hi := w.out.start[u], w.out.start[u+1]
		next := w.out.ends[w.out.start[w.likely(u)]:cap(w.out.ends)]
		found := w.push(w.m.Data, int(u), w.out.ends[lo:hi], w.weights[lo*words:hi*words], w.changed, w.keys, next)
		w.work += hi - lo
		w.taken++
		w.falls += int64(found)
		for i, v := range w.changed[:found] {
			w.add(v, w.rankOf(w.keys[i], v))
		}
	}
	if w.down != nil {
		w.sweep()
	}
	for _, v := range sources {
		w.rest(w.place[v])
	}
}

// seconds is about how long a thread takes for what was done.
func (w *laner) seconds() float64 {
	return (pushSeconds+farPush*missed(w.left, cpu.PushBytes))*float64(w.work) + fallSeconds*float64(w.falls) +
		takeSeconds*float64(w.taken)
}

// widen makes what a search has found entries of the graph's kind.
func (w *laner) widen() {
	if w.kind != w.g.Kind {
		copy(w.kind.Narrow(w.wide.Data), w.m.Data)
		w.kind.Widen(w.wide.Data)
	}
}

// rest marks a place as not fallen. One where all ways end never falls, so that its arcs are not relaxed.
func (w *laner) rest(place int32) {
	if w.rank[place] = notFallen; w.ends(place) {
		w.rank[place] = 0
	}
}

// rankOf returns which of the distances that are searched together the key of a place belongs to.
func (w *laner) rankOf(key uint32, place int32) uint32 {
	d := float64(key)
	switch {
	case w.g.F32 != nil:
		d = float64(math.Float32frombits(key))
	case w.g.F64 != nil:
		d = math.Float64frombits(uint64(key) << 32)
	}
	near := uint32(min(d*w.perNear, float64(math.MaxUint32/w.parts-1)))
	return near*w.parts + min(uint32(place)/partPlaces, w.parts-1)
}

// Lanes implements rows.LaneWorker.
func (w *laner) Lanes(sources []int32, take func(batch []int32, first int, m kernels.Lanes) error) error {
	all := make([]int32, len(sources))
	for i := range all {
		all[i] = int32(i)
	}
	m := w.wide
	m.Data = m.Data[:len(w.order)*m.Width*m.Entry]
	for batch := range slices.Chunk(all, m.Width) {
		w.search(sources[batch[0]:][:len(batch)])
		w.widen()
		if err := take(batch, 0, m); err != nil {
			return err
		}
	}
	return nil
}

// Rows implements rows.TileWorker.
func (w *laner) Rows(sources []int32, to sparse.Target) error {
	sorted := make([]int32, len(sources)) // indices of sources, near ones together
	for i := range sorted {
		sorted[i] = int32(i)
	}
	slices.SortFunc(sorted, func(a, b int32) int { return cmp.Compare(w.place[sources[a]], w.place[sources[b]]) })
	w.columns = append(w.columns[:0], w.place...)
	for len(w.columns)%to.Width != 0 {
		w.columns = append(w.columns, int32(w.g.N))
	}
	batch, places := make([]int32, 0, w.m.Width), make([]int64, w.m.Width)
	for some := range slices.Chunk(sorted, w.m.Width) {
		batch = batch[:0]
		for _, i := range some {
			batch = append(batch, sources[i])
		}
		for lane := range places {
			places[lane] = to.Places[some[min(lane, len(some)-1)]]
		}
		w.search(batch)
		w.widen()
		for j := to.First; j*to.Width < w.g.N; j++ {
			columns := w.columns[j*to.Width:][:to.Width]
			w.host.Transpose(to.Data[int64(j)*to.Stride:], places, w.wide, columns, to.Past)
		}
	}
	return nil
}

// ReadRows implements rows.Worker.
func (w *laner) ReadRows(dst []byte, sources []int) error {
	kind := w.g.Kind
	width := entry.RoundUp(w.g.N, w.wide.Unit())
	if w.rows == nil {
		w.rows = kind.Make(width * w.m.Width)
	}
	row := w.g.N * kind.Wide().Bytes()
	to := sparse.Target{Data: w.rows, Width: width}
	for some := range slices.Chunk(sources, w.m.Width) {
		to.Places = to.Places[:0]
		vertices := make([]int32, len(some))
		for i, v := range some {
			vertices[i], to.Places = int32(v), append(to.Places, int64(i*width*kind.Bytes()))
		}
		if err := w.Rows(vertices, to); err != nil {
			return err
		}
		for _, at := range to.Places {
			if wide := dst[:row]; kind.Wide() == kind {
				copy(wide, w.rows[at:])
			} else {
				copy(kind.Narrow(wide), w.rows[at:])
				kind.Widen(wide)
			}
			dst = dst[row:]
		}
	}
	return nil
}
