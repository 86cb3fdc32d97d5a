package cpu

import (
	"fmt"
	"unsafe"

	"ooc/kernels/entry"
)

// LowerRow implements kernels.HostLaneOps.
func (d *Device) LowerRow(v entry.Variant, dst, src, by []uint32) {
	src = src[:len(dst)]
	lines := len(dst) * entry.WordBytes / lineBytes
	if lines > 0 {
		d.path.rows[v].lower(at(dst, 0), at(src, 0), at(by, 0), lines)
	}
	switch rest := lines * lineBytes / entry.WordBytes; {
	case v.WeightBytes() == 8:
		lowerRest[float64](dst[rest:], src[rest:], by)
	case v.Float():
		lowerRest[float32](dst[rest:], src[rest:], by)
	default:
		lowerRest[int32](dst[rest:], src[rest:], by)
	}
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
	lines := len(x) * entry.WordBytes / lineBytes
	if lines > 0 {
		d.path.rows[v].least(at(least, 0), at(x, 0), at(y, 0), lines)
	}
	switch rest := lines * lineBytes / entry.WordBytes; {
	case v.WeightBytes() == 8:
		leastRest[float64](least, x[rest:], y[rest:])
	case v.Float():
		leastRest[float32](least, x[rest:], y[rest:])
	default:
		leastRest[int32](least, x[rest:], y[rest:])
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
