package cpu

import (
	"math"
	"runtime"
	"unsafe"

	"ooc/kernels/entry"
)

const portablePanel = 16

// portable is the path in plain Go: it runs everywhere, and is what the others are compared with.
var portable = &path{
	name: "portable", label: "portable Go",
	lacking: func() string { return "" },

	strip: forms(stripForm[int32], stripForm[float32], stripForm[uint16], stripForm[float64]),
	base:  forms(baseForm[int32], baseForm[float32], baseForm[uint16], baseForm[float64]),
	ceiling: [variants]ceilingFunc{ceilingPortable[int32], ceilingPortable[int32], ceilingPortable[float32],
		ceilingPortable[float32],
		ceilingPortable[float64], ceilingPortable[uint16]},
	perTurn: [variants]int{8, 8, 8, 8, 8, 8},

	pairStrip: pairedForms(pairStripForm[int32], pairStripForm[float32], pairStripForm[float64]),
	pairBase:  pairedForms(pairBaseForm[int32, int32], pairBaseForm[float32, int32], pairBaseForm[float64, int64]),
	pairClimb: pairedForms(pairClimbForm[int32], pairClimbForm[float32], pairClimbForm[float64]),

	sweep:     forms(sweepForm[int32](1), sweepForm[float32](1), sweepForm[uint16](1), sweepForm[float64](1)),
	sweepFour: forms(sweepForm[int32](4), sweepForm[float32](4), sweepForm[uint16](4), sweepForm[float64](4)),
	climb:     forms(climbForm[int32](1), climbForm[float32](1), climbForm[uint16](1), climbForm[float64](1)),
	climbFour: forms(climbForm[int32](4), climbForm[float32](4), climbForm[uint16](4), climbForm[float64](4)),
	cross:     forms(crossForm[int32], crossForm[float32], crossForm[uint16], crossForm[float64]),
	rows: [variants]rowFuncs{rowForms[int32](), rowForms[int32](), rowForms[float32](), rowForms[float32](),
		rowForms[float64](), rowForms[int32]()},
	transpose: portableTranspose, transposePast: portableTranspose,
	sums:      func(entry.Kind) sumsFuncs { return sumsFuncs{} },
	pullBits:  pullBitsPortable,
	counts:    portableCounts,
	tight:     tightPortable,
	turn:      turnPortable,
	levels:    levelsPortable,
	pushLanes: forms(pushLanesForm[int32], pushLanesForm[float32], pushLanesForm[uint16], pushLanesForm[float64]),
}

var portableTranspose = bySize{transposePortable[uint16], transposePortable[int32], transposePortable[float64]}

// forms makes the functions of all variants, from functions of the entry for unreachable and of the limit from which
// on a sum is unreachable.
func forms[F any](ints func(inf, limit int32) F, floats func(inf, limit float32) F, shorts func(inf, limit uint16) F,
	doubles func(inf, limit float64) F) (all [variants]F) {
	of := pairedForms(ints, floats, doubles)
	copy(all[:], of[:])
	all[entry.U16] = shorts(entry.Inf16, entry.Inf16)
	return all
}

// pairedForms is forms for the variants of entry.Paired.
func pairedForms[F any](ints func(inf, limit int32) F, floats func(inf, limit float32) F,
	doubles func(inf, limit float64) F) [paired]F {
	return [paired]F{
		entry.I32:       ints(entry.Inf32, entry.Inf32),
		entry.I32Signed: ints(entry.Inf32, entry.Limit32),
		entry.F32:       floats(entry.PosInf, entry.PosInf),
		entry.F32Signed: floats(entry.PosInf, entry.PosInf),
		entry.F64:       doubles(math.Inf(1), math.Inf(1)),
	}
}

type number interface {
	int32 | float32 | uint16 | float64 | int64
}

func sizeOf[E number]() int {
	var e E
	return int(unsafe.Sizeof(e))
}

// addr returns the address offset bytes after p.
func addr(p *byte, offset int) *byte { return (*byte)(unsafe.Add(unsafe.Pointer(p), offset)) }

// entries views n entries from p on.
func entries[E any](p *byte, n int) []E { return unsafe.Slice((*E)(unsafe.Pointer(p)), n) }

func packPortable(dst, src *byte, stride, rows, entryBytes int) {
	bytes := portablePanel * entryBytes
	for r := range rows {
		copy(unsafe.Slice(addr(dst, r*bytes), bytes), unsafe.Slice(addr(src, r*stride), bytes))
	}
}

func stripForm[E number](inf, limit E) strip {
	return strip{func(c, a, b, packed *byte, ldc, lda, ldb, k, rows, fresh int) {
		packPortable(packed, b, ldb, k, sizeOf[E]())
		stripPortable(c, a, packed, ldc, lda, k, rows, fresh, inf, limit)
	}, portablePanel}
}

// stripPortable relaxes with the packed b. It keeps 2×4 minima of C in registers; entries from limit on become inf.
func stripPortable[E number](c, a, b *byte, ldc, lda, k, rows, fresh int, inf, limit E) {
	packed := entries[E](b, k*portablePanel)
	for i := 0; i < rows; i += 2 {
		a0, a1 := entries[E](addr(a, i*lda), k), entries[E](addr(a, (i+1)*lda), k)
		c0, c1 := entries[E](addr(c, i*ldc), portablePanel), entries[E](addr(c, (i+1)*ldc), portablePanel)
		for j := 0; j < portablePanel; j += 4 {
			m := [8]E{inf, inf, inf, inf, inf, inf, inf, inf}
			microPortable(&m, a0, a1, packed[j:])
			storeMinima(c0[j:j+4], m[:4], fresh != 0, inf, limit)
			storeMinima(c1[j:j+4], m[4:], fresh != 0, inf, limit)
		}
	}
}

// microPortable lowers the minima of two rows and four columns over all of k.
func microPortable[E number](m *[8]E, a0, a1, b []E) {
	c00, c01, c02, c03 := m[0], m[1], m[2], m[3]
	c10, c11, c12, c13 := m[4], m[5], m[6], m[7]
	a1 = a1[:len(a0)]
	for k, x := range a0 {
		q := b[k*portablePanel:][:4]
		y := a1[k]
		c00, c01, c02, c03 = min(c00, x+q[0]), min(c01, x+q[1]), min(c02, x+q[2]), min(c03, x+q[3])
		c10, c11, c12, c13 = min(c10, y+q[0]), min(c11, y+q[1]), min(c12, y+q[2]), min(c13, y+q[3])
	}
	*m = [8]E{c00, c01, c02, c03, c10, c11, c12, c13}
}

// storeMinima writes minima to C.
func storeMinima[E number](c, m []E, fresh bool, inf, limit E) {
	for j, x := range m {
		if !fresh {
			x = min(x, c[j])
		}
		if x >= limit {
			x = inf
		}
		c[j] = x
	}
}

func baseForm[E number](inf, limit E) baseFunc {
	return func(d *byte) { basePortable(d, inf, limit) }
}

func basePortable[E number](d *byte, inf, limit E) {
	block := entries[E](d, baseEdge*baseEdge)
	for k := range baseEdge {
		pivot := block[k*baseEdge:][:baseEdge]
		for i := range baseEdge {
			row := block[i*baseEdge:][:baseEdge]
			x := row[k]
			for j, y := range pivot {
				s := min(row[j], x+y)
				if s >= limit {
					s = inf
				}
				row[j] = s
			}
		}
	}
}

func ceilingPortable[E number](turns int) {
	x := E(turns % 2)
	var c0, c1, c2, c3, c4, c5, c6, c7 E
	for range turns {
		x++
		c0, c1, c2, c3 = min(c0, x+1), min(c1, x+2), min(c2, x+3), min(c3, x+4)
		c4, c5, c6, c7 = min(c4, x+5), min(c5, x+6), min(c6, x+7), min(c7, x+8)
	}
	runtime.KeepAlive(c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7)
}
