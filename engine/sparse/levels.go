package sparse

import (
	"ooc/kernels"
	"ooc/kernels/entry"
)

// levelled is an elimination laid out for kernels.LaneOps. Each vertex has a row of lanes in device memory, and rows
// are sorted by level. Core vertices are level 0. Any other vertex is one level above the highest vertex that it has
// arcs up to, or down from. So the arcs of the climb lead to lower levels and those of the descent to higher ones,
// and the rows of a level, which are a range, can be computed at once.
//
// A core vertex has two rows: one below Core for the distances that the climb brings, and one from Core to 2·Core-1
// for its distances after the product with the core's matrix.
type levelled struct {
	Core int // rows of the core, its size padded to a multiple of kernels.DeviceLaneUnit: no arc leads to the others
	Rows int // of all: two of the core, and one of each eliminated vertex

	e         *Elimination
	row       []int32 // of each rank: of a core vertex the first
	up, down  kernels.Arcs
	climb     []kernels.LevelRange // of up: from the last level to the core
	descent   []kernels.LevelRange // of down: from the first level on
	ascending []int32              // ranks by row, those of the core left out
}

// levelled lays out the elimination by levels.
func (e *Elimination) levelled() *levelled {
	l := &levelled{Core: entry.RoundUp(e.Core(), kernels.DeviceLaneUnit), e: e}
	l.Rows = 2*l.Core + len(e.Vertices) - e.Core()
	l.place()
	l.reverseUp()
	l.renumberDown()
	return l
}

// place gives each rank its row, and finds the ranges of the levels.
func (l *levelled) place() {
	core, n := l.e.Core(), len(l.e.Vertices)
	level := make([]int32, n)
	count := []int32{0} // ranks by level
	for r := core; r < n; r++ {
		for _, a := range []*kernels.Arcs{l.e.Up, l.e.Down} {
			for _, end := range a.Ends[a.Offsets[r]:a.Offsets[r+1]] {
				level[r] = max(level[r], level[end])
			}
		}
		if level[r]++; int(level[r]) == len(count) {
			count = append(count, 0)
		}
		count[level[r]]++
	}
	next := make([]int32, len(count))
	at := int32(2 * l.Core)
	for i := 1; i < len(count); i++ {
		next[i] = at
		l.descent = append(l.descent, kernels.LevelRange{Lo: at, Hi: at + count[i]})
		at += count[i]
	}
	l.row, l.ascending = make([]int32, n), make([]int32, n-core)
	for r := range n {
		if r < core {
			l.row[r] = int32(r)
			continue
		}
		l.row[r] = next[level[r]]
		l.ascending[int(l.row[r])-2*l.Core] = int32(r)
		next[level[r]]++
	}
}

// reverseUp lists for each row the arcs up that end there.
func (l *levelled) reverseUp() {
	from := l.e.Up
	a := &l.up
	a.Offsets = make([]int32, l.Rows+1)
	words := l.e.Variant.WeightBytes() / entry.WordBytes
	a.Ends, a.Weights = make([]int32, len(from.Ends)), make([]uint32, len(from.Weights))
	for _, end := range from.Ends {
		a.Offsets[l.row[end]+1]++
	}
	for i := range l.Rows {
		a.Offsets[i+1] += a.Offsets[i]
	}
	next := append([]int32(nil), a.Offsets[:l.Rows]...)
	for i, r := range l.ascending {
		for k := from.Offsets[r]; k < from.Offsets[r+1]; k++ {
			to := &next[l.row[from.Ends[k]]]
			a.Ends[*to] = int32(2*l.Core + i)
			copy(a.Weights[int(*to)*words:], from.Weights[int(k)*words:][:words])
			*to++
		}
	}
	for i := len(l.descent) - 1; i >= 0; i-- {
		l.climb = append(l.climb, l.withMostArcs(a, l.descent[i]))
	}
	if l.e.Core() > 0 {
		l.climb = append(l.climb, l.withMostArcs(a, kernels.LevelRange{Hi: int32(l.Core)}))
	}
}

// renumberDown lists by row the arcs down, from the core's second rows.
func (l *levelled) renumberDown() {
	from := l.e.Down
	a := &l.down
	a.Offsets = make([]int32, 2*l.Core+1, l.Rows+1)
	words := l.e.Variant.WeightBytes() / entry.WordBytes
	a.Ends, a.Weights = make([]int32, 0, len(from.Ends)), make([]uint32, 0, len(from.Weights))
	for _, r := range l.ascending {
		lo, hi := int(from.Offsets[r]), int(from.Offsets[r+1])
		for _, end := range from.Ends[lo:hi] {
			a.Ends = append(a.Ends, l.last(end))
		}
		a.Weights = append(a.Weights, from.Weights[lo*words:hi*words]...)
		a.Offsets = append(a.Offsets, int32(len(a.Ends)))
	}
	for i, r := range l.descent {
		l.descent[i] = l.withMostArcs(a, r)
	}
}

// last returns the row that holds a rank's final distances.
func (l *levelled) last(rank int32) int32 {
	if int(rank) < l.e.Core() {
		return rank + int32(l.Core)
	}
	return l.row[rank]
}

// withMostArcs returns a range with Degree set: the most arcs that one of its rows has.
func (l *levelled) withMostArcs(a *kernels.Arcs, r kernels.LevelRange) kernels.LevelRange {
	r.Degree = 0
	for i := r.Lo; i < r.Hi; i++ {
		r.Degree = max(r.Degree, a.Offsets[i+1]-a.Offsets[i])
	}
	return r
}
