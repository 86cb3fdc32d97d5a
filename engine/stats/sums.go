package stats

import (
	"math"
	"math/big"
	"slices"
	"unsafe"

	"ooc/kernels/entry"
)

// sums are those of rows and of columns. Most other statistics are computed from them.
var sums = statistic{
	gather: gatherSums,
	columns: func(r *Result) []Column {
		return []Column{
			ofCounts("descendants", r.Descendants),
			ofCounts("ancestors", r.Ancestors),
			ofFloats("distance_sum", r.DistanceSum),
			ofFloats("distance_sum_in", r.DistanceSumIn),
		}
	},
}

// addable is the type that distances are added up in. An int64 holds 2³¹ of the largest int32; float32 numbers are added in
// float64.
type addable interface{ int64 | float64 }

// rowSums are gathered along a row, colSums down a column.
type rowSums[S addable, W word] struct {
	sum        S
	reciprocal float64 // of positive distances
	missing    int32   // unreachable entries
	farthest   int32   // the first column of top
	top        W       // the greatest entry, or 0: the bits of entries ≥ 0 ascend as they do, in every kind
}

type colSums[S addable] struct {
	sum        S
	reciprocal float64
	missing    int32
}

// distanceSums gathers the sums of rows and of columns, and the greatest entry of each row.
type distanceSums[S addable, W word] struct {
	x    *gathering
	cols []colSums[S]
	// pair adds two rows of a part to r and q, and to the sums of the columns. Each kind has a loop of its own: calling a
	// conversion that is not inlined would halve the rate.
	pair  func(first, second []W, r, q *rowSums[S, W], cols []colSums[S])
	units func(S) float64 // in the input's units
}

func gatherSums(x *gathering) gatherer {
	n, s, scale := x.p.Geometry().N, x.r, x.meta.Scale
	for _, f := range []*[]float64{&s.Longest, &s.DistanceSum, &s.DistanceSumIn, &s.Harmonic, &s.HarmonicOut} {
		*f = make([]float64, n)
	}
	for _, f := range []*[]int32{&s.Farthest, &s.Descendants, &s.Ancestors} {
		*f = make([]int32, n)
	}
	if x.float {
		units := func(d float64) float64 { return d / float64(scale) }
		if x.kind == entry.KindF64 {
			return &distanceSums[float64, uint64]{x: x, cols: make([]colSums[float64], n), pair: addFloats[uint64], units: units}
		}
		return &distanceSums[float64, uint32]{x: x, cols: make([]colSums[float64], n), pair: addFloats[uint32], units: units}
	}
	units := func(d int64) float64 { return quotient(big.NewInt(d), scale) }
	return &distanceSums[int64, uint32]{x: x, cols: make([]colSums[int64], n), pair: addInts, units: units}
}

func (g *distanceSums[S, W]) worker() taker {
	return &sumsWorker[S, W]{distanceSums: g, own: make([]colSums[S], g.x.p.Geometry().N), zeros: make([]W, g.x.p.Geometry().T)}
}

// finish writes the sums of columns; those of rows were written with their bands.
func (g *distanceSums[S, W]) finish() {
	s := g.x.r
	for v, c := range g.cols {
		s.Ancestors[v] = int32(s.N) - 1 - c.missing
		s.DistanceSumIn[v] = g.units(c.sum)
		s.Harmonic[v] = c.reciprocal * float64(g.x.meta.Scale)
	}
	switch cols := any(g.cols).(type) {
	case []colSums[int64]:
		total := new(big.Int) // n² distances may not fit 64 bits
		for _, c := range cols {
			total.Add(total, big.NewInt(c.sum))
		}
		s.TotalDistance = quotient(total, g.x.meta.Scale)
	case []colSums[float64]:
		for _, c := range cols {
			s.TotalDistance += c.sum
		}
		s.TotalDistance /= float64(g.x.meta.Scale)
	}
}

// quotient is the float64 nearest to sum/scale.
func quotient(sum *big.Int, scale int64) float64 {
	const exact = 1 << 53
	if sum.IsInt64() && -exact <= sum.Int64() && sum.Int64() <= exact && scale <= exact {
		return float64(sum.Int64()) / float64(scale)
	}
	q, _ := new(big.Rat).SetFrac(sum, big.NewInt(scale)).Float64()
	return q
}

// sumsWorker has the sums of one band.
type sumsWorker[S addable, W word] struct {
	*distanceSums[S, W]
	row   int
	rows  []rowSums[S, W]
	own   []colSums[S]
	zeros []W // a row that adds nothing, in the place of one that is not there
}

func (w *sumsWorker[S, W]) begin(row, rows int) {
	w.row = row
	w.rows = slices.Grow(w.rows[:0], rows+1)[:rows+1]
	for i := range w.rows {
		w.rows[i] = rowSums[S, W]{farthest: int32(row + i)}
	}
	clear(w.own)
}

func (w *sumsWorker[S, W]) add(b *part) {
	cols := w.own[b.col:][:b.cols]
	for i := 0; i < b.rows; i += 2 {
		first, second := line[W](b, i), w.zeros[:b.cols]
		if i+1 < b.rows {
			second = line[W](b, i+1)
		}
		r, q := &w.rows[b.row-w.row+i], &w.rows[b.row-w.row+i+1]
		was, were := r.top, q.top
		w.pair(first, second, r, q, cols)
		if r.top != was {
			r.farthest = int32(b.col + slices.Index(first, r.top))
		}
		if q.top != were {
			q.farthest = int32(b.col + slices.Index(second, q.top))
		}
	}
}

func (w *sumsWorker[S, W]) end() {
	s, scale := w.x.r, float64(w.x.meta.Scale)
	for i, r := range w.rows[:len(w.rows)-1] {
		v := w.row + i
		s.Longest[v], s.Farthest[v] = w.x.meta.Distance(uint64(r.top)), r.farthest
		s.Descendants[v] = int32(s.N) - 1 - r.missing
		s.DistanceSum[v] = w.units(r.sum)
		s.HarmonicOut[v] = r.reciprocal * scale
	}
	for v := range w.own {
		all, own := &w.cols[v], &w.own[v]
		all.sum += own.sum
		all.reciprocal += own.reciprocal
		all.missing += own.missing
	}
}

// addOne adds an entry that may be anything to its row and its column; d is its value.
func addOne[S addable, W word](bits W, d S, none W, r *rowSums[S, W], c *colSums[S]) {
	if bits == none {
		r.missing++
		c.missing++
		return
	}
	r.sum += d
	c.sum += d
	if d > 0 {
		r.top = max(r.top, bits)
		reciprocal := 1 / float64(d)
		r.reciprocal += reciprocal
		c.reciprocal += reciprocal
	}
}

// addInts and addFloats take two rows at a time. So the sums of columns are loaded and stored half as often, and only the
// divisions take time, 4 cycles each on today's processors. One comparison in either kind recognises the entries that are
// positive and finite, almost all of them.
func addInts(first, second []uint32, r, q *rowSums[int64, uint32], cols []colSums[int64]) {
	const none = uint32(entry.Inf32)
	second, cols = second[:len(first)], cols[:len(first)]
	var rowR, rowQ int64
	var invR, invQ float64
	topR, topQ := r.top, q.top
	for i, v := range first {
		w, c := second[i], &cols[i]
		if v-1 >= none-1 || w-1 >= none-1 {
			addOne(v, int64(int32(v)), none, r, c)
			addOne(w, int64(int32(w)), none, q, c)
			continue
		}
		topR, topQ = max(topR, v), max(topQ, w)
		dv, dw := int64(v), int64(w)
		rowR, rowQ = rowR+dv, rowQ+dw
		c.sum += dv + dw
		iv, iw := 1/float64(dv), 1/float64(dw)
		invR, invQ = invR+iv, invQ+iw
		c.reciprocal += iv + iw
	}
	r.sum, r.reciprocal, r.top = r.sum+rowR, r.reciprocal+invR, max(r.top, topR)
	q.sum, q.reciprocal, q.top = q.sum+rowQ, q.reciprocal+invQ, max(q.top, topQ)
}

// float returns the number of the bits of an entry of kind f32 or f64.
func float[W uint32 | uint64](bits W) float64 {
	if unsafe.Sizeof(bits) == 4 {
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(uint64(bits))
}

func addFloats[W uint32 | uint64](first, second []W, r, q *rowSums[float64, W], cols []colSums[float64]) {
	none := W(entry.KindF32.Unreachable())
	if unsafe.Sizeof(none) == 8 {
		none = W(entry.KindF64.Unreachable())
	}
	second, cols = second[:len(first)], cols[:len(first)]
	var rowR, rowQ, invR, invQ float64
	topR, topQ := r.top, q.top
	for i, v := range first {
		w, c := second[i], &cols[i]
		dv, dw := float(v), float(w)
		if v-1 >= none-1 || w-1 >= none-1 {
			addOne(v, dv, none, r, c)
			addOne(w, dw, none, q, c)
			continue
		}
		topR, topQ = max(topR, v), max(topQ, w)
		rowR, rowQ = rowR+dv, rowQ+dw
		c.sum += dv + dw
		iv, iw := 1/dv, 1/dw
		invR, invQ = invR+iv, invQ+iw
		c.reciprocal += iv + iw
	}
	r.sum, r.reciprocal, r.top = r.sum+rowR, r.reciprocal+invR, max(r.top, topR)
	q.sum, q.reciprocal, q.top = q.sum+rowQ, q.reciprocal+invQ, max(q.top, topQ)
}
