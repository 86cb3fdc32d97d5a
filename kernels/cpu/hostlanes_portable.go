package cpu

import (
	"unsafe"

	"ooc/kernels"
	"ooc/kernels/entry"
)

const lineLanes = lineBytes / entry.EntryBytes

func sweepForms(lanes int) [variants]sweepFunc {
	return forms(
		func(inf, limit int32) sweepFunc { return sweepForm(lanes, inf, limit) },
		func(inf, limit float32) sweepFunc { return sweepForm(lanes, inf, limit) })
}

func climbForms(lanes int) [variants]climbFunc {
	return forms(
		func(inf, limit int32) climbFunc { return climbForm(lanes, inf, limit) },
		func(inf, limit float32) climbFunc { return climbForm(lanes, inf, limit) })
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

func sweepForm[E number](lanes int, inf, limit E) sweepFunc {
	return func(dst, rows, offsets, ends, weights, keep *byte, count, stride int) {
		bounds, kept := unsafe.Slice((*int32)(unsafe.Pointer(offsets)), count+1), unsafe.Slice(keep, count)
		for i := range count {
			row := entries[E](addr(dst, i*stride), lanes)
			if kept[i] == 0 {
				for l := range row {
					row[l] = inf
				}
			}
			for k := int(bounds[i]); k < int(bounds[i+1]); k++ {
				end := *(*int32)(unsafe.Pointer(addr(ends, 4*k)))
				w := *(*E)(unsafe.Pointer(addr(weights, 4*k)))
				lower(row, entries[E](addr(rows, int(end)*stride), lanes), w, inf, limit)
			}
		}
	}
}

func climbForm[E number](lanes int, inf, limit E) climbFunc {
	return func(src, rows, ends, weights *byte, count, stride int) {
		from := entries[E](src, lanes)
		targets, ws := unsafe.Slice((*int32)(unsafe.Pointer(ends)), count), entries[E](weights, count)
		for k, end := range targets {
			lower(entries[E](addr(rows, int(end)*stride), lanes), from, ws[k], inf, limit)
		}
	}
}

func crossForm[E number](inf, limit E) crossFunc {
	return func(dst, s0, s1, s2, s3, w0, w1, w2, w3 *byte, count, stride, keep int) {
		src, weights := [crossWidth]*byte{s0, s1, s2, s3}, [crossWidth]*byte{w0, w1, w2, w3}
		for j := range count {
			row := entries[E](addr(dst, j*stride), lineLanes)
			if keep == 0 {
				for l := range row {
					row[l] = inf
				}
			}
			for i, from := range src {
				lower(row, entries[E](from, lineLanes), entries[E](weights[i], count)[j], inf, limit)
			}
		}
	}
}

func transposePortable(dst, places, rows, columns *byte, blocks, stride int) {
	const unit = kernels.HostLaneUnit
	begin, from := unsafe.Slice((*int64)(unsafe.Pointer(places)), unit), unsafe.Slice((*int32)(unsafe.Pointer(columns)), unit*blocks)
	for k, column := range from {
		for l, x := range entries[int32](addr(rows, int(column)*stride), unit) {
			*(*int32)(unsafe.Pointer(addr(dst, int(begin[l])+k*entry.EntryBytes))) = x
		}
	}
}
