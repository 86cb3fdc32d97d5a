package conformance

import (
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"ooc/kernels"
	"ooc/kernels/entry"
)

func (b *bench) hostLaneOps(s kernels.HostLaneOps) {
	for _, v := range entry.Variants {
		b.Run(v.String(), func(t *testing.T) {
			for range draws(25) {
				w := b.with(t).newHostLanes(v)
				w.climb(s)
				w.sweep(s)
				w.cross(s)
				w.transpose(s)
				w.weightRows(s)
			}
		})
	}
}

// hostLanes is lanes, and the arcs between them as kernels.HostLaneOps take them.
type hostLanes struct {
	*bench
	*lanes
	v     entry.Variant
	count int // of rows
	unit  int // divides the number of lanes
	arcs  kernels.Arcs
}

func (b *bench) newHostLanes(v entry.Variant) *hostLanes {
	unit := kernels.Lanes{Entry: v.Bytes()}.Unit()
	l, _ := b.newLanes(v, unit*(1+b.IntN(9)), true)
	arcs := kernels.Arcs{Offsets: entry.View[int32](l.offsets.pack(wordBytes)),
		Ends: entry.View[int32](l.ends.pack(wordBytes)), Weights: weightWords(v, l.weights)}
	return &hostLanes{b, l, v, len(l.offsets) - 1, unit, arcs}
}

// weightWords returns weights as kernels.Arcs has them.
func weightWords(v entry.Variant, m matrix) []uint32 {
	words := make([]uint64, entry.CeilDiv(len(m)*v.WeightBytes(), 8))
	copy(entry.Bytes(words), m.pack(v.WeightBytes()))
	return entry.As[uint32](words)[:len(m)*v.WeightBytes()/4]
}

// aligned copies x to memory that begins at a multiple of 64 bytes, or for once not.
func (w *hostLanes) aligned(x matrix) []byte {
	m := entry.Bytes(make([]uint64, (len(x)*w.v.Bytes()+7)/8+16))
	for uintptr(unsafe.Pointer(&m[0]))%64 != 0 {
		m = m[8:]
	}
	if w.IntN(4) == 0 {
		m = m[8*(1+w.IntN(7)):]
	}
	return m[:copy(m, x.pack(w.v.Bytes()))]
}

func (w *hostLanes) lanesOf(rows matrix) kernels.Lanes {
	return kernels.Lanes{Data: w.aligned(rows), Width: w.width, Entry: w.v.Bytes()}
}

// judged wants an operation to make other rows of some.
func (w *hostLanes) judged(what string, rows, want matrix, operation func(m kernels.Lanes)) {
	w.Helper()
	m := w.lanesOf(rows)
	operation(m)
	w.same(w.v, fmt.Sprintf("%s of %d rows and %d lanes", what, w.count, w.width), unpack(m.Data, w.v.Bytes()), want)
}

func (w *hostLanes) climb(s kernels.HostLaneOps) {
	want := lanes{width: w.width, rows: slices.Clone(w.rows)}
	var rows []int32
	for row := w.count - 1; row >= 0; row-- {
		if w.IntN(2) > 0 {
			continue
		}
		rows = append(rows, int32(row))
		for k := w.offsets[row]; k < w.offsets[row+1]; k++ {
			lowerAll(w.v, want.row(int(w.ends[k])), want.row(row), w.weights[k])
		}
	}
	w.judged("climb", w.rows, want.rows, func(m kernels.Lanes) { s.Climb(w.v, m, &w.arcs, rows) })
}

func (w *hostLanes) sweep(s kernels.HostLaneOps) {
	lo := w.IntN(w.count)
	hi := lo + w.IntN(w.count-lo+1)
	keep := make([]bool, w.count)
	for i := range keep {
		keep[i] = w.IntN(2) > 0
	}
	if w.IntN(4) == 0 {
		keep = nil
	}
	want := *w.lanes
	want.rows = slices.Clone(w.rows)
	want.sweep(w.v, lo, hi, func(row int) bool { return keep == nil || !keep[row] })
	what := fmt.Sprintf("sweep of %d…%d, keep %t,", lo, hi, keep != nil)
	w.judged(what, w.rows, want.rows, func(m kernels.Lanes) { s.Sweep(w.v, m, &w.arcs, lo, hi, keep) })
}

func (w *hostLanes) cross(s kernels.HostLaneOps) {
	from := w.IntN(min(w.count, 12) + 1)
	words, want := make([][]uint32, from), lanes{width: w.width, rows: make(matrix, len(w.rows))}
	entry.Fill(want.rows, w.v.Unreachable())
	for i := range words {
		weights := w.entries(w.v, w.count, many, true)
		for j, x := range weights {
			lowerAll(w.v, want.row(j), w.row(i), x)
		}
		words[i] = weightWords(w.v, weights)
	}
	before := w.garbage(len(w.rows), w.v.Bytes())
	w.judged(fmt.Sprintf("cross from %d rows", from), before, want.rows, func(m kernels.Lanes) {
		s.Cross(w.v, m, w.lanesOf(w.rows[:from*w.width]), words)
	})
}

func (w *hostLanes) transpose(s kernels.HostLaneOps) {
	columns := make([]int32, w.unit*w.IntN(20))
	for i := range columns {
		columns[i] = int32(w.IntN(w.count))
	}
	pitch := len(columns) + w.IntN(40)
	if w.IntN(2) > 0 {
		pitch = entry.RoundUp(pitch, w.unit)
	}
	before, places := w.garbage(w.width*pitch, w.v.Bytes()), make([]int64, w.width)
	want := slices.Clone(before)
	for l, at := range w.Perm(w.width) {
		places[l] = int64(at * pitch * w.v.Bytes())
		for k, row := range columns {
			want[at*pitch+k] = w.row(int(row))[l]
		}
	}
	w.judged("transpose", before, want, func(dst kernels.Lanes) {
		s.Transpose(dst.Data, places, w.lanesOf(w.rows), columns, w.IntN(2) > 0)
	})
}

// weightRows compares the operations on rows of weights with plain sums.
func (w *hostLanes) weightRows(s kernels.HostLaneOps) {
	switch {
	case w.v.WeightBytes() == 8:
		weightRows[float64](w, s)
	case w.v.Float():
		weightRows[float32](w, s)
	default:
		weightRows[int32](w, s)
	}
}

func weightRows[W int32 | float32 | float64](w *hostLanes, s kernels.HostLaneOps) {
	random := func(n int) []W { return entry.As[W](weightWords(w.v, w.entries(w.v, n, many, true))) }
	words := entry.As[uint32, W]
	same := func(what string, got, want []W) {
		w.Helper()
		if !slices.Equal(got, want) {
			w.Fatalf("%s of %d weights of %s: %v, not %v", what, len(want), w.v, got, want)
		}
	}
	n, line := w.IntN(200), kernels.LaneLine/w.v.WeightBytes()
	by := entry.As[W](weightWords(w.v, matrix{w.randomEntry(w.v, many, false)}))
	dst, src := random(n + 5)[w.IntN(5):][:n:n], random(n + 5)[w.IntN(5):][:n:n]
	want, least, got := slices.Clone(dst), by[0], slices.Clone(by)
	for i, x := range src {
		least, want[i] = min(least, dst[i]+x), min(dst[i], x+by[0])
	}
	s.LeastSum(w.v, words(got), words(dst), words(src))
	same("least sum", got, []W{least})
	s.LowerRow(w.v, words(dst), words(src), words(by))
	same("lowered row", dst, want)

	from, places := random(line*(1+w.IntN(20))), make([]int32, w.IntN(20))
	dst = random(line * len(places))
	want = slices.Clone(dst)
	for k := range places {
		places[k] = int32(w.IntN(len(from) / line))
		for i, x := range from[int(places[k])*line:][:line] {
			want[k*line+i] = min(want[k*line+i], x+by[0])
		}
	}
	s.LowerLines(w.v, words(dst), words(from), words(by), places)
	same("lowered lines", dst, want)
}
