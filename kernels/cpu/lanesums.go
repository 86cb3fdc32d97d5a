package cpu

import (
	"fmt"
	"unsafe"
)

// LaneSums are what RowSums are, of rows that lie side by side in lanes. The entries of a lane are added up in the
// order of columns.
type LaneSums[S Addable, W Word] struct {
	Sum      []S
	Inverse  []float64
	Missing  []W
	top      []W // the greatest entry above 0, or 1, of which a positive entry is no less
	farthest []W // the least name of a column that has it; none where no entry is positive
}

// NewLaneSums returns sums of no entries for n lanes.
func NewLaneSums[S Addable, W Word](n int) LaneSums[S, W] {
	s := LaneSums[S, W]{make([]S, n), make([]float64, n), make([]W, n), make([]W, n), make([]W, n)}
	s.Clear()
	return s
}

// Clear makes them those of no entries.
func (s *LaneSums[S, W]) Clear() {
	clear(s.Sum)
	clear(s.Inverse)
	clear(s.Missing)
	for i := range s.top {
		s.top[i], s.farthest[i] = 1, ^W(0)>>1
	}
}

// Top returns the bits of the greatest entry of a lane, and the least name of a column that has it. They are 0 and −1
// where no entry is positive.
func (s *LaneSums[S, W]) Top(lane int) (top W, name int) {
	if s.farthest[lane] == ^W(0)>>1 {
		return 0, -1
	}
	return s.top[lane], int(s.farthest[lane])
}

// Of returns those of count lanes from one on.
func (s *LaneSums[S, W]) Of(first, count int) LaneSums[S, W] {
	return LaneSums[S, W]{s.Sum[first:][:count], s.Inverse[first:][:count], s.Missing[first:][:count],
		s.top[first:][:count], s.farthest[first:][:count]}
}

// AddLanes adds rows that lie side by side, a multiple of SumLanes. lanes has a line for each column from first on,
// with an entry for each row; names are those of all columns. Unless cols is nil, it adds the first count entries of
// each line to the sums of their column, too: in SumLanes sums by row mod SumLanes, whose total it adds to the
// column's.
func (s *Sums[S, W]) AddLanes(lanes []W, first int, names []W, rows LaneSums[S, W], count int, cols *ColumnSums[S, W]) {
	width := len(rows.Sum)
	if width == 0 || width%SumLanes != 0 || len(lanes)%width != 0 || count > width {
		panic(fmt.Sprintf("cpu: sums of %d entries in %d lanes, %d of which count: want a multiple of %d",
			len(lanes), width, count, SumLanes))
	}
	columns := len(lanes) / width
	names = names[first:][:columns]
	if columns == 0 {
		return
	}
	sum, inverse, missing, top, farthest := at(rows.Sum, 0), at(rows.Inverse, 0), at(rows.Missing, 0), at(rows.top, 0),
		at(rows.farthest, 0)
	switch whole := width*int(unsafe.Sizeof(lanes[0]))%lineBytes == 0; {
	case s.lanes == nil || !whole || cols != nil && count < width:
		s.addLanesOneByOne(lanes, first, names, rows, count, cols)
	case cols == nil:
		s.lanes(at(lanes, 0), at(names, 0), sum, inverse, missing, top, farthest, columns, width)
	default:
		c := cols.of(first, columns)
		s.allLanes(at(lanes, 0), at(names, 0), sum, inverse, missing, top, farthest, columns, width, at(c.Sum, 0),
			at(c.Inverse, 0), at(c.Missing, 0))
	}
}

// addLanesOneByOne is AddLanes in plain Go. names are those of the columns that there are.
func (s *Sums[S, W]) addLanesOneByOne(lanes []W, first int, names []W, rows LaneSums[S, W], count int,
	cols *ColumnSums[S, W]) {
	width := len(rows.Sum)
	for c, name := range names {
		var sum [SumLanes]S
		var inverse [SumLanes]float64
		missing := W(0)
		for l, bits := range lanes[c*width:][:width] {
			if bits == s.none {
				rows.Missing[l]++
				if l < count {
					missing++
				}
				continue
			}
			d, inv := valueOf[S](bits), 0.0
			if d > 0 {
				inv = 1 / float64(d)
				if bits > rows.top[l] || bits == rows.top[l] && name < rows.farthest[l] {
					rows.top[l], rows.farthest[l] = bits, name
				}
			}
			rows.Sum[l] += d
			rows.Inverse[l] += inv
			if l < count {
				sum[l%SumLanes] += d
				inverse[l%SumLanes] += inv
			}
		}
		if cols != nil {
			cols.Sum[first+c] += halves(sum)
			cols.Inverse[first+c] += halves(inverse)
			cols.Missing[first+c] += missing
		}
	}
}

// halves adds up numbers as vectors are: the second half to the first, until one is left.
func halves[S Addable](x [SumLanes]S) S {
	for h := SumLanes / 2; h > 0; h /= 2 {
		for i := range h {
			x[i] += x[i+h]
		}
	}
	return x[0]
}
