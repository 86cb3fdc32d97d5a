package near

import (
	"math"

	"ooc/kernels/entry"
)

// narrowBytes is what a column and an integer distance take in a record of which all fit. With 4 bytes, a spool would
// be as large as the file that is made of it.
const narrowBytes = 2

// narrowedColumns appends how far the first column of each row is from the row's number, signed, and how far each
// other column is from the one before it. It reports whether all fit.
func narrowedColumns(to []uint16, row int, counts []uint32, columns []int32) ([]uint16, bool) {
	for k, count := range counts {
		if count == 0 {
			continue
		}
		of := columns[:count]
		columns = columns[count:]
		before := of[0]
		first := int(before) - (row + k)
		if first != int(int16(first)) {
			return to, false
		}
		to = append(to, uint16(first))
		most := int32(0)
		for _, c := range of[1:] {
			most = max(most, c-before)
			to, before = append(to, uint16(c-before)), c
		}
		if most > math.MaxUint16 {
			return to, false
		}
	}
	return to, true
}

// narrowedDistances appends entries of i32. It reports whether all fit.
func narrowedDistances(to []uint16, distances []int32) ([]uint16, bool) {
	all := int32(0)
	for _, d := range distances {
		all |= d
		to = append(to, uint16(d))
	}
	return to, uint32(all) <= math.MaxUint16
}

// widenDistances makes entries of i32 of those in the second half of memory. Of n entries, the i-th becomes the bytes
// from 4i to 4i+3, and those that are still to be read begin at 2n+2i+2, which is not before 4i+4 as long as there
// are any.
func widenDistances(memory []byte) {
	wide := entry.View[int32](memory)
	for i, x := range entry.View[uint16](memory[len(memory)/2:]) {
		wide[i] = int32(x)
	}
}

// widenColumns makes columns of those in the second half of memory, in the same way. It reports whether there are as
// many as the counts say.
func widenColumns(memory []byte, row int, counts []uint32) bool {
	wide, narrow := entry.View[int32](memory), entry.View[uint16](memory[len(memory)/2:])
	for k, count := range counts {
		if int(count) > len(narrow) {
			return false
		}
		column := int32(row + k)
		for i, x := range narrow[:count] {
			if i == 0 {
				column += int32(int16(x))
			} else {
				column += int32(x)
			}
			wide[i] = column
		}
		wide, narrow = wide[count:], narrow[count:]
	}
	return len(narrow) == 0
}
