package tree

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"ooc/engine/graph"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
)

// AtOnce is how many rows a Maker takes at once.
const AtOnce = cpu.TightRows

// Maker finds the predecessors in rows of distances of a graph: for each vertex, the one before it on a shortest path
// from the row's source. It is for one goroutine.
type Maker struct {
	g, back *graph.Graph
	all     []int32   // predecessors of all rows, as cpu.Tight has them
	preds   [][]int32 // the rows of these
	pred    []int32   // the one at hand
	tight   *cpu.Tight
	others  []uint16        // as cpu.Tight has them; of integer kinds alone, as what follows
	ties    [AtOnce][]int32 // by row: vertices where no tight arc ends, or several do
	hops    []int32         // arcs on the path, where they are known
	queue   []int32
	dist    []float64 // of floating kinds alone, as search
	search  *Search
}

// VertexBytes is about what a Maker takes for each vertex.
const VertexBytes = 3*4*AtOnce + 10

// NewMaker returns a Maker for a graph and its reverse. It fails if cpu.EnvPath names no path of this processor.
func NewMaker(g, back *graph.Graph) (t *Maker, err error) {
	apart := entry.RoundUp(g.N, AtOnce)
	t = &Maker{g: g, back: back, all: make([]int32, AtOnce*apart)}
	for r := range AtOnce {
		t.preds = append(t.preds, t.all[r*apart:][:g.N])
	}
	if g.Kind.Float() {
		t.dist, t.search = make([]float64, g.N), NewSearch(g)
	} else {
		t.hops, t.queue, t.others = make([]int32, g.N), make([]int32, 0, g.N), make([]uint16, g.N)
		t.tight, err = cpu.NewTight(g.N)
	}
	return t, err
}

// Of returns the predecessors in up to AtOnce rows of distances, until the next call. Rows are entries of the graph's
// Kind.Wide; entry.NoVertex stands where there is no predecessor. In integers predecessors make a path with the fewest
// arcs, and each is the one in the first row of those that do. In floating kinds a path is as long as the distance,
// within what rounding allows. If the arcs do not add up to some vertex's distance, Of returns the source of that row
// and that vertex, else -1.
func (t *Maker) Of(rows []byte, sources []int) (preds [][]int32, source, wrong int) {
	if t.search == nil && t.g.MinWeight > 0 {
		t.only(entry.View[int32](rows), sources)
	}
	size := len(rows) / len(sources)
	for i, source := range sources {
		t.pred = t.preds[i]
		if row := rows[i*size:][:size]; t.search == nil {
			wrong = t.exact(entry.View[int32](row), int32(source), t.ties[i])
		} else {
			t.g.Kind.Values(t.dist, row)
			wrong = t.rounded(source)
		}
		if wrong >= 0 {
			return nil, source, wrong
		}
	}
	return t.preds[:len(sources)], -1, -1
}

// only takes the tight arc into each vertex of each row, one that adds up to the distance where it ends, and notes the
// vertices that do not have one. All weights are positive.
func (t *Maker) only(rows []int32, sources []int) {
	t.tight.Find(t.all, rows, t.others, t.back.Offsets, t.back.Targets, t.back.I32)
	for r := range t.ties {
		t.ties[r] = t.ties[r][:0]
	}
	for v, rows := range t.others {
		for rows &= 1<<len(sources) - 1; rows != 0; rows &= rows - 1 {
			if r := bits.TrailingZeros16(rows); v != sources[r] {
				t.ties[r] = append(t.ties[r], int32(v))
			}
		}
	}
}

// exact picks, where several tight arcs end, one on a path with the fewest arcs.
func (t *Maker) exact(row []int32, source int32, ties []int32) int {
	if row[source] != 0 {
		return int(source)
	}
	for _, v := range ties {
		if t.pred[v] == entry.NoVertex {
			return int(v)
		}
	}
	if t.g.MinWeight <= 0 || len(ties) > len(row)/16 { // it would take longer to sort them
		return t.breadthFirst(row, source)
	}
	if len(ties) > 0 {
		t.settle(row, source, ties)
	}
	return -1
}

// settle picks the arcs into vertices where several end. Predecessors are nearer to the source.
func (t *Maker) settle(row []int32, source int32, ties []int32) {
	slices.SortFunc(ties, func(u, v int32) int { return cmp.Compare(row[u], row[v]) })
	for v := range t.hops {
		t.hops[v] = -1
	}
	t.hops[source] = 0
	for _, v := range ties {
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

// breadthFirst searches from the source over tight arcs. They lead to every reachable vertex, and the search visits
// each once, so cycles of length 0 do no harm.
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
