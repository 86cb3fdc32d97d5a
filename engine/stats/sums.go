package stats

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
	"sync"

	"ooc/engine/internal/parallel"
	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// sums are those of rows and of columns. Most other statistics are computed from them.
var sums = statistic{
	gather: gatherSums,
	columns: func(r *Result) []column {
		return []column{
			ofRows(of("descendants", r.Descendants)),
			of("ancestors", r.Ancestors),
			ofRows(of("distance_sum", r.DistanceSum)),
			of("distance_sum_in", r.DistanceSumIn),
		}
	},
}

// distanceSums gathers the sums of rows and of columns, and the greatest entry of each row. Integers are added up in
// int64, which holds 2³¹ of the largest int32; floats in float64.
type distanceSums[S cpu.Addable, W cpu.Word] struct {
	x     *gathering
	sums  *cpu.Sums[S, W]
	units func(S) float64 // in the input's units
	names func() []W      // the vertices of columns, once rows are in lanes

	// Of each row.
	sum      []S
	inverse  []float64
	missing  []int32
	top      []W
	farthest []int32
	cols     *cpu.ColumnSums[S, W] // nil: they are those of rows
}

func gatherSums(x *gathering) (gatherer, error) {
	scale := x.meta.Scale
	if !x.float {
		return newSums[int64, uint32](x, func(d int64) float64 { return quotientOf(d, scale) })
	}
	units := func(d float64) float64 { return d / float64(scale) }
	if x.kind == entry.KindF64 {
		return newSums[float64, uint64](x, units)
	}
	return newSums[float64, uint32](x, units)
}

func newSums[S cpu.Addable, W cpu.Word](x *gathering, units func(S) float64) (gatherer, error) {
	sums, err := cpu.NewSums[S, W](x.kind)
	if err != nil {
		return nil, err
	}
	n := x.meta.N
	g := &distanceSums[S, W]{x: x, sums: sums, units: units, sum: make([]S, n), inverse: make([]float64, n),
		missing: make([]int32, n),
		top:     make([]W, n), farthest: make([]int32, n)}
	g.names = sync.OnceValue(func() []W {
		names := make([]W, n)
		for col, v := range x.from.columns {
			names[col] = W(v)
		}
		return names
	})
	if !x.symmetric {
		cols := cpu.NewColumnSums[S, W](n)
		g.cols = &cols
	}
	return g, nil
}

func (g *distanceSums[S, W]) state() [][]byte {
	all := [][]byte{entry.Bytes(g.sum), entry.Bytes(g.inverse), entry.Bytes(g.missing), entry.Bytes(g.top),
		entry.Bytes(g.farthest)}
	if g.cols != nil {
		all = append(all, entry.Bytes(g.cols.Sum), entry.Bytes(g.cols.Inverse), entry.Bytes(g.cols.Missing))
	}
	return all
}

func (g *distanceSums[S, W]) worker() taker {
	return &sumsWorker[S, W]{distanceSums: g}
}

// finish writes the sums in the input's units.
func (g *distanceSums[S, W]) finish() {
	s, scale := g.x.r, float64(g.x.meta.Scale)
	floats := func() []float64 { return make([]float64, s.N) }
	s.Longest, s.DistanceSum, s.HarmonicOut = floats(), floats(), floats()
	s.Farthest, s.Descendants = g.farthest, make([]int32, s.N)
	parallel.Ranges(s.count(), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			v := tiles.RowSet(s.Sources).Vertex(i)
			s.Longest[v] = g.x.meta.Distance(uint64(g.top[v]))
			s.Descendants[v] = int32(s.N) - 1 - g.missing[v]
			s.DistanceSum[v] = g.units(g.sum[v])
			s.HarmonicOut[v] = g.inverse[v] * scale
		}
	})
	s.TotalDistance = g.total()
	s.Ancestors, s.DistanceSumIn, s.Harmonic = s.Descendants, s.DistanceSum, s.HarmonicOut
	if g.cols == nil {
		return
	}
	s.Ancestors, s.DistanceSumIn, s.Harmonic = s.others(), floats(), floats()
	parallel.Ranges(s.N, func(lo, hi int) {
		for col := lo; col < hi; col++ {
			v := g.x.vertex(col)
			s.Ancestors[v] -= int32(g.cols.Missing[col])
			s.DistanceSumIn[v] = g.units(g.cols.Sum[col])
			s.Harmonic[v] = g.cols.Inverse[col] * scale
		}
	})
}

// total is the sum of all distances in the input's units.
func (g *distanceSums[S, W]) total() float64 {
	switch sums := any(g.sum).(type) {
	case []int64:
		var high, low, carry uint64 // n² distances may not fit 64 bits
		for _, sum := range sums {
			low, carry = bits.Add64(low, uint64(sum), 0)
			high += uint64(sum>>63) + carry
		}
		total := new(big.Int).Lsh(big.NewInt(int64(high)), 64)
		return quotient(total.Add(total, new(big.Int).SetUint64(low)), g.x.meta.Scale)
	case []float64:
		total := 0.0
		for _, sum := range sums {
			total += sum
		}
		return total / float64(g.x.meta.Scale)
	}
	panic("sums of an unknown type")
}

// quotient is the float64 nearest to sum/scale.
func quotient(sum *big.Int, scale int64) float64 {
	if sum.IsInt64() {
		return quotientOf(sum.Int64(), scale)
	}
	q, _ := new(big.Rat).SetFrac(sum, big.NewInt(scale)).Float64()
	return q
}

// quotientOf is quotient of a sum that fits 64 bits.
func quotientOf(sum, scale int64) float64 {
	const exact = 1 << 53
	if -exact <= sum && sum <= exact && scale <= exact {
		return float64(sum) / float64(scale)
	}
	q, _ := big.NewRat(sum, scale).Float64()
	return q
}

// sumsWorker has the sums of one band.
type sumsWorker[S cpu.Addable, W cpu.Word] struct {
	*distanceSums[S, W]
	rows  []int32
	of    []cpu.RowSums[S, W]   // of each row, that is not in lanes
	lanes cpu.LaneSums[S, W]    // of each row in lanes, and of some that pad them
	own   *cpu.ColumnSums[S, W] // of the band's columns, zeros between bands; nil: none have come in parts

	ready, columns []kernels.LaneSum // of each row and column, from a device; none: the band has come in parts
}

func (w *sumsWorker[S, W]) begin(rows []int32) {
	w.rows, w.ready, w.columns = rows, nil, nil
	if w.x.from.columns == nil { // rows are not in lanes
		w.of = slices.Grow(w.of[:0], len(rows))[:len(rows)]
		clear(w.of)
	} else {
		if len(w.lanes.Sum) < len(rows) {
			w.lanes = cpu.NewLaneSums[S, W](entry.RoundUp(len(rows), kernels.LaneLine))
		}
		w.lanes.Clear()
	}
}

func (w *sumsWorker[S, W]) add(b *part) {
	for r := range b.rows {
		w.sums.Add(line[W](b, r), b.col, &w.of[b.at+r], w.ofColumns())
	}
}

func (w *sumsWorker[S, W]) addLanes(b *lanes) {
	w.sums.AddLanes(entry.View[W](b.Data), b.first, w.names(), w.lanes.Of(b.at, b.Width), b.rows, w.ofColumns())
}

// ofColumns returns where the sums of the band's columns go; nil: none are wanted.
func (w *sumsWorker[S, W]) ofColumns() *cpu.ColumnSums[S, W] {
	if w.cols != nil && w.own == nil {
		own := cpu.NewColumnSums[S, W](w.x.meta.N)
		w.own = &own
	}
	return w.own
}

// addSums implements sumTaker. What the device says stays where it is until the band has ended.
func (w *sumsWorker[S, W]) addSums(rows, columns []kernels.LaneSum) {
	w.ready, w.columns = rows, columns
}

// sumOf returns the sum that has the bits of a kernels.LaneSum.
func sumOf[S cpu.Addable](bits uint64) (sum S) {
	switch p := any(&sum).(type) {
	case *int64:
		*p = int64(bits)
	case *float64:
		*p = math.Float64frombits(bits)
	}
	return sum
}

func (w *sumsWorker[S, W]) end() {
	for i, v := range w.rows {
		if len(w.ready) > 0 {
			r := w.ready[i]
			w.keep(v, sumOf[S](r.Sum), r.Inverse, int(r.Missing), W(r.Top), int(r.Farthest))
		} else if w.x.from.columns == nil {
			sum, inverse, missing := w.of[i].Total()
			top, farthest := w.of[i].Top()
			w.keep(v, sum, inverse, missing, top, farthest)
		} else {
			top, farthest := w.lanes.Top(i)
			w.keep(v, w.lanes.Sum[i], w.lanes.Inverse[i], int(w.lanes.Missing[i]), top, farthest)
		}
	}
	if len(w.columns) > 0 {
		w.addColumns()
		return
	}
	if w.own == nil {
		return
	}
	for col, sum := range w.own.Sum {
		w.cols.Sum[col] += sum
		w.cols.Inverse[col] += w.own.Inverse[col]
		w.cols.Missing[col] += w.own.Missing[col]
	}
	clear(w.own.Sum)
	clear(w.own.Inverse)
	clear(w.own.Missing)
}

// addColumns adds what a device says of each column, on all processors: one alone would take longer to read it than
// the device to compute a band.
func (w *sumsWorker[S, W]) addColumns() {
	parallel.Ranges(len(w.columns), func(lo, hi int) {
		sum, inverse, missing := w.cols.Sum[lo:hi], w.cols.Inverse[lo:hi], w.cols.Missing[lo:hi]
		for i := range sum {
			c := &w.columns[lo+i]
			sum[i] += sumOf[S](c.Sum)
			inverse[i] += c.Inverse
			missing[i] += W(c.Missing)
		}
	})
}

// keep takes what there is of a vertex's row.
func (w *sumsWorker[S, W]) keep(v int32, sum S, inverse float64, missing int, top W, farthest int) {
	if farthest < 0 {
		farthest = int(v)
	}
	w.sum[v], w.inverse[v], w.missing[v] = sum, inverse, int32(missing)
	w.top[v], w.farthest[v] = top, int32(farthest)
}
