package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"ooc/engine"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// Neighbor is another vertex and the distance to it, or from it.
type Neighbor struct {
	Row      int
	Distance float64 // in the input's units
}

const neighborBytes = 16

// Near says which other vertices are near. The zero value is none.
type Near struct {
	K        int     // at most so many, the nearest; of those that are equally far, the first rows
	Within   float64 // no farther than this; +Inf: all that can be reached
	Incoming bool    // to go by the distances from them, not to them; from those of Sources, where those are chosen
}

// Nearest lists vertices near a row, without itself, by distance and then by row. In f32 the distance Within
// is rounded as the stored ones are. It fails with engine.ErrUnsolved where distances are not final.
func Nearest(p *engine.Problem, row int, near Near) ([]Neighbor, error) {
	d, read, vertex := make([]float64, p.Geometry().N), p.Row, func(i int) int { return i }
	if near.Incoming {
		d, read, vertex = d[:p.Geometry().RowCount()], p.Col, p.Meta().Sources.Vertex
	}
	if err := read(d, row); err != nil {
		return nil, err
	}
	var list []Neighbor
	within := rounded(p.Meta(), near.Within)
	for i, x := range d {
		if v := vertex(i); v != row && x <= within && !math.IsInf(x, 1) {
			list = append(list, Neighbor{v, x})
		}
	}
	slices.SortStableFunc(list, func(a, b Neighbor) int { return cmp.Compare(a.Distance, b.Distance) })
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

// orderKey makes of an entry a number that ascends with the distance: negative floats have theirs mirrored.
func orderKey(bits uint32, float bool) int32 {
	if k := int32(bits); k >= 0 || !float {
		return k
	}
	return int32(bits ^ 0x7fffffff)
}

// bitsOf undoes orderKey.
func bitsOf(key int32, float bool) uint32 {
	if key >= 0 || !float {
		return uint32(key)
	}
	return uint32(key) ^ 0x7fffffff
}

// limit is the greatest key of a finite distance that is within d, or less than every key.
func (x *gathering) limit(d float64) int32 {
	d = x.rounded(d)
	least := int64(math.MinInt32) + 1
	if x.float {
		least = int64(orderKey(math.Float32bits(-math.MaxFloat32), true))
	}
	beyond := sort.Search(int(int64(int32(x.none))-least), func(i int) bool {
		return x.meta.Distance(uint64(bitsOf(int32(least+int64(i)), x.float))) > d
	})
	return int32(least + int64(beyond) - 1)
}

// nearest lists the nearest vertices of each.
var nearest = statistic{gather: gatherNearest, columns: nearestColumns}

// nearestColumns are two for each of the K nearest: the vertex and its distance.
func nearestColumns(r *Result) []Column {
	most := 0
	for _, list := range r.Nearest {
		most = max(most, len(list))
	}
	var columns []Column
	for k := range most {
		get := func(v int) Neighbor {
			if k < len(r.Nearest[v]) {
				return r.Nearest[v][k]
			}
			return Neighbor{-1, math.Inf(1)}
		}
		columns = append(columns,
			Column{Name: fmt.Sprintf("nearest_%d", k+1), Vertex: func(v int) int { return get(v).Row }},
			stored(Column{Name: fmt.Sprintf("nearest_%d_distance", k+1), Number: func(v int) float64 { return get(v).Distance }}))
	}
	return columns
}

// nearestLists gathers the nearest vertices of each.
type nearestLists struct {
	x *gathering
	k int
}

func gatherNearest(x *gathering) gatherer {
	if x.o.Nearest == 0 {
		return nil
	}
	x.r.Nearest = make([][]Neighbor, x.p.Geometry().N)
	return &nearestLists{x: x, k: min(x.o.Nearest, x.p.Geometry().N-1)}
}

func (g *nearestLists) worker() taker { return &nearestWorker{nearestLists: g} }
func (g *nearestLists) finish()       {}

// rival is an entry of a row.
type rival struct{ key, col int32 }

// nearestWorker has, of each row of a band, the nearest so far, in order.
type nearestWorker struct {
	*nearestLists
	row  int
	best [][]rival
}

func (w *nearestWorker) begin(row, rows int) {
	w.row = row
	for len(w.best) < rows {
		w.best = append(w.best, make([]rival, 0, w.k))
	}
	w.best = w.best[:rows]
	for i := range w.best {
		w.best[i] = w.best[i][:0]
	}
}

func (w *nearestWorker) add(b *part) {
	if w.k == 0 {
		return
	}
	for r := range b.rows {
		best := &w.best[b.row-w.row+r]
		bound := w.bound(*best)
		for i, bits := range b.line(r) {
			if k := orderKey(bits, w.x.float); k < bound && b.col+i != b.row+r {
				*best = insertRival(*best, rival{k, int32(b.col + i)}, w.k)
				bound = w.bound(*best)
			}
		}
	}
}

// bound is what a key must be less than to be among the nearest: columns ascend, and the first of equals stay.
func (w *nearestWorker) bound(best []rival) int32 {
	if len(best) < w.k {
		return int32(w.x.none)
	}
	return best[w.k-1].key
}

// insertRival puts c behind what is not greater, and drops what is then more than k.
func insertRival(best []rival, c rival, k int) []rival {
	at := sort.Search(len(best), func(i int) bool { return best[i].key > c.key })
	if len(best) == k {
		best = best[:k-1]
	}
	return slices.Insert(best, at, c)
}

func (w *nearestWorker) end() {
	for i, best := range w.best {
		list := make([]Neighbor, len(best))
		for j, c := range best {
			list[j] = Neighbor{int(c.col), w.x.meta.Distance(uint64(bitsOf(c.key, w.x.float)))}
		}
		w.x.r.Nearest[w.row+i] = list
	}
}
