package conformance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// HostLaneOps runs the part of the suite that judges a device's kernels.HostLaneOps.
func HostLaneOps(t *testing.T, open Open) {
	b, s := benchOf[kernels.HostLaneOps](t, open)
	for _, v := range entry.Variants {
		t.Run(v.String(), func(t *testing.T) {
			for range 60 {
				w := newLaneGraph(t, b.Rand, v)
				w.climb(s)
				w.sweep(s)
				w.cross(s)
				w.transpose(s)
			}
		})
	}
}

// laneGraph is a random matrix of lanes and random arcs from each row to rows before it.
type laneGraph struct {
	*testing.T
	r       *rand.Rand
	v       entry.Variant
	rows    int
	lanes   kernels.Lanes
	arcs    kernels.Arcs
	content matrix // of lanes, as it was made
}

func newLaneGraph(t *testing.T, r *rand.Rand, v entry.Variant) *laneGraph {
	w := &laneGraph{T: t, r: r, v: v, rows: 1 + r.IntN(700)}
	width := kernels.HostLaneUnit * (1 + r.IntN(9))
	w.content = make(matrix, w.rows*width)
	for i := range w.content {
		w.content[i] = w.randomEntry(true)
	}
	w.lanes = kernels.Lanes{Data: w.aligned(w.content).bytes(), Width: width}
	w.arcs.Offsets = append(w.arcs.Offsets, 0)
	for row := range w.rows {
		if row > 0 {
			for range r.IntN(1 + r.IntN(12)) {
				w.arcs.Ends = append(w.arcs.Ends, int32(r.IntN(row)))
				w.arcs.Weights = append(w.arcs.Weights, w.randomEntry(false))
			}
		}
		w.arcs.Offsets = append(w.arcs.Offsets, int32(len(w.arcs.Ends)))
	}
	return w
}

// aligned copies x to memory that begins at a multiple of 64 bytes, or for once not.
func (w *laneGraph) aligned(x matrix) matrix {
	m := make(matrix, len(x)+32)
	for uintptr(unsafe.Pointer(&m[0]))%64 != 0 {
		m = m[1:]
	}
	if w.r.IntN(4) == 0 {
		m = m[1+w.r.IntN(15):]
	}
	return m[:copy(m, x)]
}

// randomEntry draws a weight, or an entry that may be unreachable.
func (w *laneGraph) randomEntry(unreachable bool) uint32 {
	x := w.r.IntN(100000)
	if w.v == entry.I32Signed || w.v == entry.F32Signed {
		x -= 50000
	}
	switch {
	case unreachable && w.r.IntN(3) == 0:
		return infBits(w.v)
	case w.v.Float():
		return math.Float32bits(float32(x) / 7)
	}
	return uint32(int32(x))
}

func infBits(v entry.Variant) uint32 {
	if v.Float() {
		return math.Float32bits(entry.PosInf)
	}
	return uint32(entry.Inf32)
}

// lower is the judge: the lesser of x and the sum of y and z, computed in float64 or int64.
func lower(v entry.Variant, x, y, z uint32) uint32 {
	if v.Float() {
		sum := float32(float64(math.Float32frombits(y)) + float64(math.Float32frombits(z)))
		return math.Float32bits(min(math.Float32frombits(x), sum))
	}
	sum := int64(int32(y)) + int64(int32(z))
	if limit := int64(entry.Limit32); v == entry.I32Signed && sum >= limit || sum > int64(entry.Inf32) {
		sum = int64(entry.Inf32)
	}
	return uint32(int32(min(int64(int32(x)), sum)))
}

func (w *laneGraph) data() matrix {
	return unsafe.Slice((*uint32)(unsafe.Pointer(&w.lanes.Data[0])), len(w.content))
}

func (w *laneGraph) compare(what string, got, want matrix) {
	w.Helper()
	for i := range want {
		if got[i] != want[i] {
			w.Fatalf("%s of %d rows and %d lanes: entry %d is %s, not %s",
				what, w.rows, w.lanes.Width, i, show(w.v, got[i]), show(w.v, want[i]))
		}
	}
}

func (w *laneGraph) climb(s kernels.HostLaneOps) {
	want, n := append(matrix(nil), w.content...), w.lanes.Width
	var rows []int32
	for row := int32(w.rows) - 1; row >= 0; row-- {
		if w.r.IntN(2) > 0 {
			continue
		}
		rows = append(rows, row)
		for k := w.arcs.Offsets[row]; k < w.arcs.Offsets[row+1]; k++ {
			for l := range n {
				to := int(w.arcs.Ends[k])*n + l
				want[to] = lower(w.v, want[to], want[int(row)*n+l], w.arcs.Weights[k])
			}
		}
	}
	copy(w.data(), w.content)
	s.Climb(w.v, w.lanes, &w.arcs, rows)
	w.compare("climb", w.data(), want)
}

func (w *laneGraph) sweep(s kernels.HostLaneOps) {
	lo := w.r.IntN(w.rows)
	hi := lo + w.r.IntN(w.rows-lo+1)
	keep := make([]bool, w.rows)
	for i := range keep {
		keep[i] = w.r.IntN(2) > 0
	}
	if w.r.IntN(4) == 0 {
		keep = nil
	}
	want, n := append(matrix(nil), w.content...), w.lanes.Width
	for row := lo; row < hi; row++ {
		for l := range n {
			x := infBits(w.v)
			if keep != nil && keep[row] {
				x = want[row*n+l]
			}
			for k := w.arcs.Offsets[row]; k < w.arcs.Offsets[row+1]; k++ {
				x = lower(w.v, x, want[int(w.arcs.Ends[k])*n+l], w.arcs.Weights[k])
			}
			want[row*n+l] = x
		}
	}
	copy(w.data(), w.content)
	s.Sweep(w.v, w.lanes, &w.arcs, lo, hi, keep)
	w.compare(fmt.Sprintf("sweep of %d…%d, keep %t,", lo, hi, keep != nil), w.data(), want)
}

func (w *laneGraph) cross(s kernels.HostLaneOps) {
	n, from := w.lanes.Width, w.r.IntN(min(w.rows, 12)+1)
	src := w.aligned(w.content[:from*n])
	weights := make([][]uint32, from)
	want := make(matrix, w.rows*n)
	for i := range want {
		want[i] = infBits(w.v)
	}
	for i := range weights {
		weights[i] = make([]uint32, w.rows)
		for j := range weights[i] {
			weights[i][j] = w.randomEntry(true)
			for l := range n {
				want[j*n+l] = lower(w.v, want[j*n+l], src[i*n+l], weights[i][j])
			}
		}
	}
	poison(w.r, w.data())
	s.Cross(w.v, w.lanes, kernels.Lanes{Data: src.bytes(), Width: n}, weights)
	w.compare(fmt.Sprintf("cross from %d rows", from), w.data(), want)
}

func (w *laneGraph) transpose(s kernels.HostLaneOps) {
	n, columns := w.lanes.Width, make([]int32, kernels.HostLaneUnit*w.r.IntN(20))
	for i := range columns {
		columns[i] = int32(w.r.IntN(w.rows))
	}
	pitch := len(columns) + w.r.IntN(40)
	if w.r.IntN(2) > 0 {
		pitch = (pitch + 15) / 16 * 16
	}
	want := make(matrix, n*pitch)
	poison(w.r, want)
	dst := w.aligned(want)
	places := make([]int64, n)
	for l, at := range w.r.Perm(n) {
		places[l] = int64(at * pitch * entry.EntryBytes)
		for k, row := range columns {
			want[at*pitch+k] = w.content[int(row)*n+l]
		}
	}
	copy(w.data(), w.content)
	s.Transpose(dst.bytes(), places, w.lanes, columns, w.r.IntN(2) > 0)
	w.compare("transpose", dst, want)
}

// poison fills m with random bits.
func poison(r *rand.Rand, m matrix) {
	for i := range m {
		m[i] = r.Uint32()
	}
}
