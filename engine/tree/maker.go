package tree

import (
	"cmp"
	"math"
	"slices"

	"ooc/engine/graph"
	"ooc/kernels/entry"
)

// Maker finds the predecessors in rows of distances of a graph: for each vertex, the one before it on a shortest path
// from the row's source. It is for one goroutine.
type Maker struct {
	g, back *graph.Graph
	pred    []int32
	hops    []int32 // arcs on the path, where they are known; of integer kinds alone, as queue and ties
	queue   []int32
	ties    []int32   // vertices where several tight arcs end
	dist    []float64 // of floating kinds alone, as search
	search  *Search
}

// NewMaker returns a Maker for a graph and its reverse.
func NewMaker(g, back *graph.Graph) *Maker {
	t := &Maker{g: g, back: back, pred: make([]int32, g.N)}
	if g.Kind.Float() {
		t.dist, t.search = make([]float64, g.N), NewSearch(g)
	} else {
		t.hops, t.queue = make([]int32, g.N), make([]int32, 0, g.N)
	}
	return t
}

// Of returns the predecessors in a row of distances from source, entries of the graph's Kind.Wide, until the next call;
// entry.NoVertex stands where there is none. In integers they make a path with the fewest arcs, and each is the one in
// the first row of those that do. In floating kinds a path is as long as the distance, within what rounding allows. If
// the arcs do not add up to some vertex's distance, Of returns that vertex, else -1.
func (t *Maker) Of(row []byte, source int) (pred []int32, wrong int) {
	if t.search == nil {
		return t.pred, t.exact(entry.View[int32](row), int32(source))
	}
	t.g.Kind.Values(t.dist, row)
	return t.pred, t.rounded(source)
}

// exact takes tight arcs, those that add up to the distance where they end. Mostly one ends in a vertex. Where there
// are more, those on paths with the fewest arcs count.
func (t *Maker) exact(row []int32, source int32) int {
	if row[source] != 0 {
		return int(source)
	}
	if t.g.MinWeight <= 0 {
		return t.breadthFirst(row, source)
	}
	wrong := t.only(row, source)
	switch {
	case wrong >= 0 || len(t.ties) == 0:
	case len(t.ties) > len(row)/16: // it would take longer to sort them
		return t.breadthFirst(row, source)
	default:
		t.settle(row, source)
	}
	return wrong
}

// only takes the tight arc into each vertex, and notes the vertices that have several. All weights are positive.
func (t *Maker) only(row []int32, source int32) int {
	wrong := -1
	t.ties = t.ties[:0]
	offsets := t.back.Offsets
	for v, d := range row {
		targets := t.back.Targets[offsets[v]:offsets[v+1]]
		weights := t.back.I32[offsets[v]:offsets[v+1]][:len(targets)]
		before, count := entry.NoVertex, 0
		// These compile to conditional moves: branches would often be mispredicted.
		for k, x := range targets {
			tight := row[x]+weights[k] == d
			if tight {
				before = x
			}
			if tight { // apart, so that each is such a move
				count++
			}
		}
		if d == entry.Inf32 || v == int(source) {
			before, count = entry.NoVertex, 1
		}
		t.pred[v] = before
		if count != 1 {
			if count == 0 {
				wrong = v
			}
			t.ties = append(t.ties, int32(v))
		}
	}
	return wrong
}

// settle picks the arcs into vertices where several end. Predecessors are nearer to the source.
func (t *Maker) settle(row []int32, source int32) {
	slices.SortFunc(t.ties, func(u, v int32) int { return cmp.Compare(row[u], row[v]) })
	for v := range t.hops {
		t.hops[v] = -1
	}
	t.hops[source] = 0
	for _, v := range t.ties {
		fewest, before := int32(math.MaxInt32), entry.NoVertex
		for k := t.back.Offsets[v]; k < t.back.Offsets[v+1]; k++ {
			x := t.back.Targets[k]
			if row[x]+t.back.I32[k] != row[v] {
				continue
			}
			if h := t.count(x); h < fewest || h == fewest && x < before {
				fewest, before = h, x
			}
		}
		t.pred[v], t.hops[v] = before, fewest+1
	}
}

// count returns the arcs on the path to v, whose predecessors are settled.
func (t *Maker) count(v int32) int32 {
	t.queue = t.queue[:0]
	for t.hops[v] < 0 {
		t.queue = append(t.queue, v)
		v = t.pred[v]
	}
	h := t.hops[v]
	for i := len(t.queue) - 1; i >= 0; i-- {
		h++
		t.hops[t.queue[i]] = h
	}
	return h
}

// breadthFirst searches from the source over tight arcs. They lead to every reachable vertex, and the search visits each
// once, so cycles of length 0 do no harm.
func (t *Maker) breadthFirst(row []int32, source int32) int {
	for v := range t.pred {
		t.pred[v] = entry.NoVertex
	}
	offsets, targets, weights := t.g.Offsets, t.g.Targets, t.g.I32
	t.hops[source] = 0
	t.queue = append(t.queue[:0], source)
	for at := 0; at < len(t.queue); at++ {
		u := t.queue[at]
		du, hops := row[u], t.hops[u]+1
		for k := offsets[u]; k < offsets[u+1]; k++ {
			v := targets[k]
			switch {
			case du+weights[k] != row[v] || v == source:
			case t.pred[v] == entry.NoVertex:
				t.pred[v], t.hops[v] = u, hops
				t.queue = append(t.queue, v)
			case t.hops[v] == hops && u < t.pred[v]:
				t.pred[v] = u
			}
		}
	}
	for v, d := range row {
		if t.pred[v] == entry.NoVertex && d != entry.Inf32 && v != int(source) {
			return v
		}
	}
	return -1
}

// rounded takes into each vertex the arc that is nearest to tight. If these arcs make no tree, or one whose paths
// differ from the stored distances by more than rounding allows, it searches the graph instead.
func (t *Maker) rounded(source int) int {
	for v := range t.pred {
		t.pred[v] = -1
		if v == source || math.IsInf(t.dist[v], 1) {
			continue
		}
		least := math.Inf(1)
		for k := t.back.Offsets[v]; k < t.back.Offsets[v+1]; k++ {
			x := t.back.Targets[k]
			if d := t.dist[x] + t.back.Weight(k); d < least {
				t.pred[v], least = x, d
			}
		}
	}
	if t.search.Measure(source, t.pred); t.misses(source) < 0 {
		return -1
	}
	t.search.From(source)
	copy(t.pred, t.search.Pred())
	return t.misses(source)
}

// misses returns a vertex whose path in pred, as search measured it, differs from its stored distance; or -1.
func (t *Maker) misses(source int) int {
	for v, d := range t.dist {
		arcs, magnitude := t.search.Path(v)
		switch {
		case math.IsInf(d, 1) && t.pred[v] < 0 && v != source:
		case arcs < 0, math.Abs(t.search.Length(v)-d) > t.g.Kind.AllowedRounding(arcs, magnitude), d != d:
			return v
		}
	}
	return -1
}
