package conformance

import (
	"fmt"
	"testing"
	"unsafe"

	"ooc/kernels"
	"ooc/kernels/entry"
)

func (b *bench) hostLaneOps(s kernels.HostLaneOps) {
	for _, v := range entry.Variants {
		b.Run(v.String(), func(t *testing.T) {
			for range draws(25) {
				w := b.with(t).newLaneGraph(v)
				w.climb(s)
				w.sweep(s)
				w.cross(s)
				w.transpose(s)
				w.weightRows(s)
			}
		})
	}
}

// laneGraph is a random matrix of lanes and random arcs from each row to rows before it.
type laneGraph struct {
	*bench
	v       entry.Variant
	rows    int
	lanes   kernels.Lanes
	arcs    kernels.Arcs
	weights matrix // of arcs
	content matrix // of lanes, as it was made
}

func (b *bench) newLaneGraph(v entry.Variant) *laneGraph {
	w := &laneGraph{bench: b, v: v, rows: 1 + b.IntN(700)}
	w.lanes.Entry = v.Bytes()
	width := w.lanes.Unit() * (1 + b.IntN(9))
	w.content = b.entries(v, w.rows*width, true)
	w.lanes.Data, w.lanes.Width = w.aligned(w.content), width
	w.arcs.Offsets = append(w.arcs.Offsets, 0)
	for row := range w.rows {
		if row > 0 {
			for range b.IntN(1 + b.IntN(12)) {
				w.arcs.Ends = append(w.arcs.Ends, int32(b.IntN(row)))
				w.weights = append(w.weights, w.randomEntry(w.v, w.IntN(8) == 0))
			}
		}
		w.arcs.Offsets = append(w.arcs.Offsets, int32(len(w.arcs.Ends)))
	}
	w.arcs.Weights = weightWords(v, w.weights)
	return w
}

// weightWords returns weights as kernels.Arcs has them.
func weightWords(v entry.Variant, m matrix) []uint32 {
	words := make([]uint64, entry.CeilDiv(len(m)*v.WeightBytes(), 8))
	copy(entry.Bytes(words), m.pack(v.WeightBytes()))
	return entry.As[uint32](words)[:len(m)*v.WeightBytes()/4]
}

// aligned copies x to memory that begins at a multiple of 64 bytes, or for once not.
func (w *laneGraph) aligned(x matrix) []byte {
	m := entry.Bytes(make([]uint64, (len(x)*w.v.Bytes()+7)/8+16))
	for uintptr(unsafe.Pointer(&m[0]))%64 != 0 {
		m = m[8:]
	}
	if w.IntN(4) == 0 {
		m = m[8*(1+w.IntN(7)):]
	}
	return m[:copy(m, x.pack(w.v.Bytes()))]
}

func (w *laneGraph) data() matrix { return unpack(w.lanes.Data, w.v.Bytes()) }

// reset makes the lanes what they were made as.
func (w *laneGraph) reset() { copy(w.lanes.Data, w.content.pack(w.v.Bytes())) }

func (w *laneGraph) compare(what string, got, want matrix) {
	w.Helper()
	w.same(w.v, fmt.Sprintf("%s of %d rows and %d lanes", what, w.rows, w.lanes.Width), got, want)
}

func (w *laneGraph) climb(s kernels.HostLaneOps) {
	want, n := append(matrix(nil), w.content...), w.lanes.Width
	var rows []int32
	for row := int32(w.rows) - 1; row >= 0; row-- {
		if w.IntN(2) > 0 {
			continue
		}
		rows = append(rows, row)
		for k := w.arcs.Offsets[row]; k < w.arcs.Offsets[row+1]; k++ {
			lowerAll(w.v, want[int(w.arcs.Ends[k])*n:][:n], want[int(row)*n:], w.weights[k])
		}
	}
	w.reset()
	s.Climb(w.v, w.lanes, &w.arcs, rows)
	w.compare("climb", w.data(), want)
}

func (w *laneGraph) sweep(s kernels.HostLaneOps) {
	lo := w.IntN(w.rows)
	hi := lo + w.IntN(w.rows-lo+1)
	keep := make([]bool, w.rows)
	for i := range keep {
		keep[i] = w.IntN(2) > 0
	}
	if w.IntN(4) == 0 {
		keep = nil
	}
	want, n := append(matrix(nil), w.content...), w.lanes.Width
	for row := lo; row < hi; row++ {
		to := want[row*n:][:n]
		if keep == nil || !keep[row] {
			entry.Fill(to, w.v.Unreachable())
		}
		for k := w.arcs.Offsets[row]; k < w.arcs.Offsets[row+1]; k++ {
			lowerAll(w.v, to, want[int(w.arcs.Ends[k])*n:], w.weights[k])
		}
	}
	w.reset()
	s.Sweep(w.v, w.lanes, &w.arcs, lo, hi, keep)
	w.compare(fmt.Sprintf("sweep of %d…%d, keep %t,", lo, hi, keep != nil), w.data(), want)
}

func (w *laneGraph) cross(s kernels.HostLaneOps) {
	n, from := w.lanes.Width, w.IntN(min(w.rows, 12)+1)
	src := w.content[:from*n]
	words, want := make([][]uint32, from), make(matrix, w.rows*n)
	entry.Fill(want, w.v.Unreachable())
	for i := range words {
		weights := w.entries(w.v, w.rows, true)
		for j, x := range weights {
			lowerAll(w.v, want[j*n:][:n], src[i*n:], x)
		}
		words[i] = weightWords(w.v, weights)
	}
	copy(w.lanes.Data, w.garbage(len(w.content), w.v.Bytes()).pack(w.v.Bytes()))
	s.Cross(w.v, w.lanes, kernels.Lanes{Data: w.aligned(src), Width: n, Entry: w.v.Bytes()}, words)
	w.compare(fmt.Sprintf("cross from %d rows", from), w.data(), want)
}

func (w *laneGraph) transpose(s kernels.HostLaneOps) {
	n, columns := w.lanes.Width, make([]int32, w.lanes.Unit()*w.IntN(20))
	for i := range columns {
		columns[i] = int32(w.IntN(w.rows))
	}
	pitch := len(columns) + w.IntN(40)
	if w.IntN(2) > 0 {
		pitch = entry.RoundUp(pitch, w.lanes.Unit())
	}
	want := w.garbage(n*pitch, w.v.Bytes())
	dst := w.aligned(want)
	places := make([]int64, n)
	for l, at := range w.Perm(n) {
		places[l] = int64(at * pitch * w.v.Bytes())
		for k, row := range columns {
			want[at*pitch+k] = w.content[int(row)*n+l]
		}
	}
	w.reset()
	s.Transpose(dst, places, w.lanes, columns, w.IntN(2) > 0)
	w.compare("transpose", unpack(dst, w.v.Bytes()), want)
}

// weightRows compares the operations on rows of weights with plain sums.
func (w *laneGraph) weightRows(s kernels.HostLaneOps) {
	switch {
	case w.v.WeightBytes() == 8:
		weightRows[float64](w, s)
	case w.v.Float():
		weightRows[float32](w, s)
	default:
		weightRows[int32](w, s)
	}
}

func weightRows[W int32 | float32 | float64](w *laneGraph, s kernels.HostLaneOps) {
	random := func(n int) []W { return entry.As[W](weightWords(w.v, w.entries(w.v, n, true))) }
	same := func(what string, got, want []W) {
		w.Helper()
		for i, x := range want {
			if got[i] != x {
				w.Fatalf("%s of %d weights of %s: %v at %d, not %v", what, len(want), w.v, got[i], i, x)
			}
		}
	}
	size := w.v.WeightBytes()
	n := w.IntN(200)
	by := entry.As[W](weightWords(w.v, matrix{w.randomEntry(w.v, false)}))
	dst, src := random(n + 5)[w.IntN(5):][:n:n], random(n + 5)[w.IntN(5):][:n:n]
	want, least := append([]W(nil), dst...), append([]W(nil), by...)
	for i, x := range src {
		least[0] = min(least[0], dst[i]+x)
		want[i] = min(dst[i], x+by[0])
	}
	got := append([]W(nil), by...)
	s.LeastSum(w.v, entry.As[uint32](got), entry.As[uint32](dst), entry.As[uint32](src))
	same("least sum", got, least)
	s.LowerRow(w.v, entry.As[uint32](dst), entry.As[uint32](src), entry.As[uint32](by))
	same("lowered row", dst, want)

	perLine := kernels.LaneLine / size
	from, places := random(perLine*(1+w.IntN(20))), make([]int32, w.IntN(20))
	dst = random(perLine * len(places))
	want = append([]W(nil), dst...)
	for k := range places {
		places[k] = int32(w.IntN(len(from) / perLine))
		for i, x := range from[int(places[k])*perLine:][:perLine] {
			want[k*perLine+i] = min(want[k*perLine+i], x+by[0])
		}
	}
	s.LowerLines(w.v, entry.As[uint32](dst), entry.As[uint32](from), entry.As[uint32](by), places)
	same("lowered lines", dst, want)
}
