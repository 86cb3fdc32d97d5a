package cpu

import (
	"unsafe"

	"ooc/kernels/entry"
)

// lanesOf returns how many entries lines have.
func lanesOf[E number](lines int) int { return lines * lineBytes / sizeOf[E]() }

// weightAt returns weight k from memory.
func weightAt[E number](memory *byte, k int) E {
	return *(*E)(unsafe.Pointer(addr(memory, max(4, sizeOf[E]())*k)))
}

// lower sets each lane of dst to src plus w where that is less; sums from limit on count as inf.
func lower[E number](dst, src []E, w, inf, limit E) {
	src = src[:len(dst)]
	for l, x := range src {
		s := x + w
		if s >= limit {
			s = inf
		}
		dst[l] = min(dst[l], s)
	}
}

// sweepForm makes the form for so many lines.
func sweepForm[E number](lines int) func(inf, limit E) sweepFunc {
	return func(inf, limit E) sweepFunc { return sweepLanes(lanesOf[E](lines), inf, limit) }
}

func sweepLanes[E number](lanes int, inf, limit E) sweepFunc {
	return func(dst, rows, offsets, ends, weights, keep *byte, count, stride int) {
		bounds, kept := unsafe.Slice((*int32)(unsafe.Pointer(offsets)), count+1), unsafe.Slice(keep, count)
		for i := range count {
			row := entries[E](addr(dst, i*stride), lanes)
			if kept[i] == 0 {
				entry.Fill(row, inf)
			}
			for k := int(bounds[i]); k < int(bounds[i+1]); k++ {
				end := *(*int32)(unsafe.Pointer(addr(ends, 4*k)))
				lower(row, entries[E](addr(rows, int(end)*stride), lanes), weightAt[E](weights, k), inf, limit)
			}
		}
	}
}

// climbForm makes the form for so many lines.
func climbForm[E number](lines int) func(inf, limit E) climbFunc {
	return func(inf, limit E) climbFunc { return climbLanes(lanesOf[E](lines), inf, limit) }
}

func climbLanes[E number](lanes int, inf, limit E) climbFunc {
	return func(src, rows, ends, weights *byte, count, stride int) {
		from := entries[E](src, lanes)
		for k, end := range unsafe.Slice((*int32)(unsafe.Pointer(ends)), count) {
			lower(entries[E](addr(rows, int(end)*stride), lanes), from, weightAt[E](weights, k), inf, limit)
		}
	}
}

func crossForm[E number](inf, limit E) crossFunc {
	lanes := lanesOf[E](1)
	return func(dst, s0, s1, s2, s3, w0, w1, w2, w3 *byte, count, stride, keep int) {
		src, weights := [crossWidth]*byte{s0, s1, s2, s3}, [crossWidth]*byte{w0, w1, w2, w3}
		for j := range count {
			row := entries[E](addr(dst, j*stride), lanes)
			if keep == 0 {
				entry.Fill(row, inf)
			}
			for i, from := range src {
				lower(row, entries[E](from, lanes), weightAt[E](weights[i], j), inf, limit)
			}
		}
	}
}

func transposePortable[E number](dst, places, rows, columns *byte, blocks, stride int) {
	unit := lanesOf[E](1)
	begin, from := unsafe.Slice((*int64)(unsafe.Pointer(places)), unit),
		unsafe.Slice((*int32)(unsafe.Pointer(columns)), unit*blocks)
	for k, column := range from {
		for l, x := range entries[E](addr(rows, int(column)*stride), unit) {
			*(*E)(unsafe.Pointer(addr(dst, int(begin[l])+k*sizeOf[E]()))) = x
		}
	}
}
