package cpu

import (
	"fmt"
	"unsafe"

	"ooc/kernels/entry"
)

// LowerRow implements kernels.HostLaneOps.
func (d *Device) LowerRow(v entry.Variant, dst, src, by []uint32) {
	src = src[:len(dst)]
	lines, last := linesOf(len(dst))
	if lines > 0 {
		lower := d.path.rows[v].lower
		lower(at(dst, 0), at(src, 0), at(by, 0), lines)
		if last > 0 {
			lower(at(dst[last:], 0), at(src[last:], 0), at(by, 0), 1)
		}
		return
	}
	switch {
	case v.WeightBytes() == 8:
		lowerRest[float64](dst, src, by)
	case v.Float():
		lowerRest[float32](dst, src, by)
	default:
		lowerRest[int32](dst, src, by)
	}
}

// linesOf counts the whole lines in so many words, and says where the last line begins that ends with these; 0: that
// is one of those. What is in two lines may be lowered twice.
func linesOf(words int) (lines, last int) {
	const line = lineBytes / entry.WordBytes
	if lines = words / line; words%line > 0 {
		last = words - line
	}
	return lines, last
}

func lowerRest[W number](dst, src, by []uint32) {
	x, y, w := entry.As[W](dst), entry.As[W](src), entry.As[W](by)[0]
	for i := range x {
		x[i] = min(x[i], y[i]+w)
	}
}

// LowerLines implements kernels.HostLaneOps.
func (d *Device) LowerLines(v entry.Variant, dst, src, by []uint32, places []int32) {
	const words = lineBytes / entry.WordBytes
	if len(dst) != len(places)*words {
		panic(fmt.Sprintf("cpu: %d lines in %d words", len(places), len(dst)))
	}
	if len(places) == 0 {
		return
	}
	for _, place := range places {
		_ = src[int(place)*words : (int(place)+1)*words] // panics beyond src
	}
	d.path.rows[v].lowerLines(at(dst, 0), at(src, 0), at(by, 0), at(places, 0), len(places))
}

// LeastSum implements kernels.HostLaneOps.
func (d *Device) LeastSum(v entry.Variant, least, x, y []uint32) {
	y = y[:len(x)]
	lines, last := linesOf(len(x))
	if lines > 0 {
		sum := d.path.rows[v].least
		sum(at(least, 0), at(x, 0), at(y, 0), lines)
		if last > 0 {
			sum(at(least, 0), at(x[last:], 0), at(y[last:], 0), 1)
		}
		return
	}
	switch {
	case v.WeightBytes() == 8:
		leastRest[float64](least, x, y)
	case v.Float():
		leastRest[float32](least, x, y)
	default:
		leastRest[int32](least, x, y)
	}
}

func leastRest[W number](least, x, y []uint32) {
	w, a, b := entry.As[W](least), entry.As[W](x), entry.As[W](y)
	lowest := w[0]
	for i := range a {
		lowest = min(lowest, a[i]+b[i])
	}
	w[0] = lowest
}

// rowForms are rowFuncs in plain Go.
func rowForms[W number]() rowFuncs {
	of := func(p *byte, lines int) []W { return entries[W](p, lines*lineBytes/sizeOf[W]()) }
	lower := func(dst, src, by *byte, lines int) {
		from, w := of(src, lines), *(*W)(unsafe.Pointer(by))
		for i, x := range of(dst, lines) {
			of(dst, lines)[i] = min(x, from[i]+w)
		}
	}
	return rowFuncs{
		lower: lower,
		lowerLines: func(dst, src, by, places *byte, lines int) {
			for k, place := range unsafe.Slice((*int32)(unsafe.Pointer(places)), lines) {
				lower(addr(dst, k*lineBytes), addr(src, int(place)*lineBytes), by, 1)
			}
		},
		least: func(least, x, y *byte, lines int) {
			w, b := (*W)(unsafe.Pointer(least)), of(y, lines)
			for i, a := range of(x, lines) {
				*w = min(*w, a+b[i])
			}
		},
	}
}
