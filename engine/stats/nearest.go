package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"unsafe"

	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// neighbor is another vertex and the distance to it, or from it.
type neighbor struct {
	Row      int
	Distance float64 // in the input's units
}

// neighborBytes is what a neighbor takes in a list and, while that is gathered, beside it.
const neighborBytes = 16 + 12

// Near says which other vertices are near. The zero value is none.
type Near struct {
	K        int     // at most so many, the nearest; of those that are equally far, the first rows
	Within   float64 // no farther than this; +Inf: all that can be reached
	Incoming bool    // to go by the distances from them, not to them; from those of Sources, where those are chosen
}

// Lines are rows and columns of distances, as engine.Problem has them.
type Lines interface {
	Row(dst []float64, u int) error
	Col(dst []float64, v int) error
}

// Of lists vertices near a row, without itself, by distance and then by row. In f32 the distance Within is rounded as
// the stored ones are. Of m it takes N, Kind, Scale and Sources. Errors are those of lines.
func (near Near) Of(lines Lines, m *tiles.Meta, row int) ([]neighbor, error) {
	d, read, vertex := make([]float64, m.N), lines.Row, func(i int) int { return i }
	if near.Incoming {
		d, read, vertex = d[:cmp.Or(len(m.Sources), m.N)], lines.Col, m.Sources.Vertex
	}
	if err := read(d, row); err != nil {
		return nil, err
	}
	var list []neighbor
	within := rounded(m, near.Within)
	for i, x := range d {
		if v := vertex(i); v != row && x <= within && !math.IsInf(x, 1) {
			list = append(list, neighbor{v, x})
		}
	}
	slices.SortStableFunc(list, func(a, b neighbor) int { return cmp.Compare(a.Distance, b.Distance) })
	return list[:min(len(list), max(near.K, 0))], nil
}

// rounded is a distance of the user's as the matrix would hold it: in f32 stores, 0.1 is float32(0.1).
func rounded(m *tiles.Meta, d float64) float64 {
	if m.Kind != entry.KindF32 {
		return d
	}
	scale := float64(m.Scale)
	return float64(float32(d*scale)) / scale
}

func (x *gathering) rounded(d float64) float64 { return rounded(x.meta, d) }

// orderKey is entry.Kind.Key, and faster.
func orderKey[W word](bits W, float bool) int64 {
	k := int64(bits)
	if unsafe.Sizeof(bits) == 4 {
		k = int64(int32(bits))
	}
	if k >= 0 || !float {
		return k
	}
	return k ^ math.MaxInt64>>(64-8*unsafe.Sizeof(bits))
}

// distance is that of the entry with a key.
func (x *gathering) distance(key int64) float64 { return x.meta.Distance(x.kind.OfKey(key)) }

// entries are those with the keys, as a device has them, which has no entry beyond unreachable.
func (x *gathering) entries(keys []int64) []byte {
	kind := x.inLanes
	out := kind.Make(len(keys))
	for i, key := range keys {
		bits := x.kind.OfKey(key)
		if kind.Wide() != kind { // which has none below 0, either
			bits = uint64(max(0, min(key, int64(kind.Unreachable()))))
		}
		kind.Put(out, i, bits)
	}
	return out
}

// limit is the greatest key of a finite distance that is within d, or less than every key.
func (x *gathering) limit(d float64) int64 {
	d = x.rounded(d)
	return x.leastKey(func(distance float64) bool { return distance > d }) - 1
}

// greatest is the distance of that key in stored units; -Inf: there is none.
func (x *gathering) greatest(d float64) float64 {
	if key := x.limit(d); key >= -x.kind.Key(x.none) {
		return x.kind.Value(x.kind.OfKey(key))
	}
	return math.Inf(-1)
}

// leastKey is LeastKey by distances in the input's units.
func (x *gathering) leastKey(is func(distance float64) bool) int64 {
	return x.kind.LeastKey(func(d float64) bool { return is(d / float64(x.meta.Scale)) })
}

// nearest lists the nearest vertices of each.
var nearest = statistic{gather: gatherNearest, columns: nearestColumns}

// nearestColumns are two for each of the K nearest: the vertex and its distance. They are there also where no vertex
// has so many, so that the options alone decide what columns there are.
func nearestColumns(r *Result) []column {
	var columns []column
	for k := range r.near {
		get := func(v int) neighbor {
			if k < len(r.Nearest[v]) {
				return r.Nearest[v][k]
			}
			return neighbor{-1, math.Inf(1)}
		}
		columns = append(columns,
			ofRows(column{Name: fmt.Sprintf("nearest_%d", k+1), Vertex: func(v int) int { return get(v).Row }}),
			ofRows(inUnits(column{Name: fmt.Sprintf("nearest_%d_distance", k+1),
				Number: func(v int) float64 { return get(v).Distance }})))
	}
	return columns
}

// nearestLists gathers the nearest vertices of each.
type nearestLists struct {
	x *gathering
	k int
	// Of each vertex: how many there are, and as many keys and vertices, in places for k.
	counts   []int32
	keys     []int64
	vertices []int32
}

func gatherNearest(x *gathering) (gatherer, error) {
	if x.o.Nearest == 0 {
		return nil, nil
	}
	n, k := x.meta.N, min(x.o.Nearest, x.meta.N-1)
	x.r.near = k
	return &nearestLists{x: x, k: k, counts: make([]int32, n), keys: make([]int64, n*k), vertices: make([]int32, n*k)},
		nil
}

func (g *nearestLists) worker() taker { return &nearestWorker{nearestLists: g} }

func (g *nearestLists) state() [][]byte {
	return [][]byte{entry.Bytes(g.counts), entry.Bytes(g.keys), entry.Bytes(g.vertices)}
}

func (g *nearestLists) finish() {
	g.x.r.Nearest = make([][]neighbor, g.x.meta.N)
	for v := range g.x.r.Rows() {
		list := make([]neighbor, g.counts[v])
		for j := range list {
			list[j] = neighbor{int(g.vertices[v*g.k+j]), g.x.distance(g.keys[v*g.k+j])}
		}
		g.x.r.Nearest[v] = list
	}
}

// rival is an entry of a row.
type rival struct {
	key    int64
	vertex int32
}

// nearestWorker has, of each row of a band, the nearest so far, in order.
type nearestWorker struct {
	*nearestLists
	rows []int32
	best [][]rival
}

func (w *nearestWorker) begin(rows []int32) {
	w.rows = rows
	for len(w.best) < len(rows) {
		w.best = append(w.best, make([]rival, 0, w.k))
	}
	w.best = w.best[:len(rows)]
	for i := range w.best {
		w.best[i] = w.best[i][:0]
	}
}

func (w *nearestWorker) add(b *part) {
	if w.k == 0 {
		return
	}
	for r := range b.rows {
		if w.x.kind == entry.KindF64 {
			addNearest(w, b, r, line[uint64](b, r))
		} else {
			addNearest(w, b, r, line[uint32](b, r))
		}
	}
}

// addNearest adds row r of a part.
func addNearest[W word](w *nearestWorker, b *part, r int, line []W) {
	best, float, v := &w.best[b.at+r], w.x.float, int(w.rows[b.at+r])
	bound := w.bound(*best)
	for i, bits := range line {
		k := orderKey(bits, float)
		if k > bound {
			continue
		}
		c := rival{k, int32(w.x.vertex(b.col + i))}
		if int(c.vertex) != v && (len(*best) < w.k || c.before((*best)[w.k-1])) {
			*best = insertRival(*best, c, w.k)
			bound = w.bound(*best)
		}
	}
}

// bound is the greatest key that may be among the nearest.
func (w *nearestWorker) bound(best []rival) int64 {
	if len(best) < w.k {
		return w.x.kind.Key(w.x.none) - 1
	}
	return best[w.k-1].key
}

// before reports whether a is nearer than b, or comes first of equals.
func (a rival) before(b rival) bool {
	return a.key < b.key || a.key == b.key && a.vertex < b.vertex
}

// insertRival puts c in its place, and drops what is then more than k.
func insertRival(best []rival, c rival, k int) []rival {
	at := sort.Search(len(best), func(i int) bool { return c.before(best[i]) })
	if len(best) == k {
		best = best[:k-1]
	}
	return slices.Insert(best, at, c)
}

func (w *nearestWorker) question([]kernels.LaneSum) kernels.LaneQuestion {
	if w.k >= kernels.MostLaneNear {
		return nil
	}
	return kernels.LaneNearest{K: w.k + 1} // the vertex itself may be one
}

func (w *nearestWorker) answered(answer []byte, lanes int) {
	near := kernels.LaneNearIn(answer)
	for i, v := range w.rows {
		for k := 0; k <= w.k && len(w.best[i]) < w.k; k++ {
			if n := near[k*lanes+i]; n.Name >= 0 && n.Name != v {
				w.best[i] = append(w.best[i], rival{w.x.kind.Key(n.Distance), n.Name})
			}
		}
	}
}

func (w *nearestWorker) end() {
	for i, best := range w.best {
		v := int(w.rows[i])
		w.counts[v] = int32(len(best))
		for j, c := range best {
			w.keys[v*w.k+j], w.vertices[v*w.k+j] = c.key, c.vertex
		}
	}
}
