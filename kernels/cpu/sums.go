package cpu

import (
	"fmt"
	"math"
	"unsafe"

	"ooc/kernels/entry"
)

// SumLanes is how many entries of a row are added up side by side. First columns of Sums.Add are multiples of it.
const SumLanes = 8

type (
	// Word is the type of an entry's bits.
	Word interface{ uint32 | uint64 }
	// Addable is the type that entries are added up in: int64 for integers, float64 for floats.
	Addable interface{ int64 | float64 }
)

// RowSums are those of the entries of a row: those of column c are added in lane c mod SumLanes, in the order of
// columns. So they do not depend on how a row is cut into parts. The zero value is that of no entries.
type RowSums[S Addable, W Word] struct {
	sum     [SumLanes]S       // of the reachable ones
	inverse [SumLanes]float64 // the sum of 1/d over positive ones
	missing [SumLanes]W       // how many are unreachable
	// top: the greatest of those above 0, or 0: the bits of such entries ascend as they do, in every kind.
	top   [SumLanes]W
	block [SumLanes]W // of the first column of top, which is SumLanes·block and the lane
}

// Total is the sum of all lanes.
func (s *RowSums[S, W]) Total() (sum S, inverse float64, missing int) {
	for l := range SumLanes {
		sum, inverse, missing = sum+s.sum[l], inverse+s.inverse[l], missing+int(s.missing[l])
	}
	return sum, inverse, missing
}

// Top returns the bits of the greatest entry and its first column. They are 0 and −1 where no entry is positive.
func (s *RowSums[S, W]) Top() (top W, column int) {
	column = -1
	for l, d := range s.top {
		at := SumLanes*int(s.block[l]) + l
		if d > top || d == top && d > 0 && at < column {
			top, column = d, at
		}
	}
	return top, column
}

// ColumnSums are those of the entries of each of some columns, added row after row.
type ColumnSums[S Addable, W Word] struct {
	Sum     []S
	Inverse []float64
	Missing []W
}

// NewColumnSums returns sums of no entries for n columns.
func NewColumnSums[S Addable, W Word](n int) ColumnSums[S, W] {
	return ColumnSums[S, W]{make([]S, n), make([]float64, n), make([]W, n)}
}

// of returns those of count columns from one on.
func (c ColumnSums[S, W]) of(first, count int) ColumnSums[S, W] {
	return ColumnSums[S, W]{c.Sum[first:][:count], c.Inverse[first:][:count], c.Missing[first:][:count]}
}

// Sums adds up entries of one kind, of 4 or 8 bytes. Every path gives the same bits.
type Sums[S Addable, W Word] struct {
	none W
	sumsFuncs
}

// NewSums returns the sums of a kind on the best path, or the one that EnvPath names. S and W are the kind's.
func NewSums[S Addable, W Word](kind entry.Kind) (*Sums[S, W], error) {
	p, err := choosePath("")
	if err != nil {
		return nil, err
	}
	return sumsOn[S, W](p, kind)
}

func sumsOn[S Addable, W Word](p *path, kind entry.Kind) (*Sums[S, W], error) {
	var w W
	var s S
	if _, float := any(s).(float64); kind.Bytes() != int(unsafe.Sizeof(w)) || float != kind.Float() {
		return nil, fmt.Errorf("cpu: sums of %T of entries of %T are none of kind %s", s, w, kind)
	}
	return &Sums[S, W]{W(kind.Unreachable()), p.sums(kind)}, nil
}

// Add adds a part of a row, which begins at column first, a multiple of SumLanes, and, unless cols is nil, adds each
// entry to its column's sums.
func (s *Sums[S, W]) Add(line []W, first int, row *RowSums[S, W], cols *ColumnSums[S, W]) {
	if first%SumLanes != 0 {
		panic(fmt.Sprintf("cpu: sums from column %d: want a multiple of %d", first, SumLanes))
	}
	blocks := 0
	if s.row != nil {
		blocks = len(line) / SumLanes
	}
	if blocks > 0 {
		to := (*byte)(unsafe.Pointer(row))
		if cols == nil {
			s.row(at(line, 0), to, first/SumLanes, blocks)
		} else {
			c := cols.of(first, len(line))
			s.all(at(line, 0), to, at(c.Sum, 0), at(c.Inverse, 0), at(c.Missing, 0), first/SumLanes, blocks)
		}
	}
	if done := blocks * SumLanes; done < len(line) {
		s.addOneByOne(line[done:], first+done, row, cols)
	}
}

// addOneByOne is Add in plain Go.
func (s *Sums[S, W]) addOneByOne(line []W, first int, row *RowSums[S, W], cols *ColumnSums[S, W]) {
	for i, bits := range line {
		lane := i % SumLanes
		if bits == s.none {
			row.missing[lane]++
			if cols != nil {
				cols.Missing[first+i]++
			}
			continue
		}
		d, inverse := valueOf[S](bits), 0.0
		if d > 0 {
			inverse = 1 / float64(d)
			if bits > row.top[lane] {
				row.top[lane], row.block[lane] = bits, W((first+i)/SumLanes)
			}
		}
		row.sum[lane] += d
		row.inverse[lane] += inverse
		if cols != nil {
			cols.Sum[first+i] += d
			cols.Inverse[first+i] += inverse
		}
	}
}

// valueOf returns the number of the bits of an entry.
func valueOf[S Addable, W Word](bits W) S {
	if half := S(1) / 2; half == 0 { // which the compiler knows: S is int64
		return S(int32(bits))
	}
	if unsafe.Sizeof(bits) == 4 {
		return S(math.Float32frombits(uint32(bits)))
	}
	return S(math.Float64frombits(uint64(bits)))
}
