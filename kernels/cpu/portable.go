package cpu

import (
	"runtime"
	"unsafe"

	"ooc/kernels"
)

const portablePanel = 16

// portable is the path in plain Go: it runs everywhere, and is what the others are compared with.
var portable = &path{
	name: "portable", label: "portable Go",
	strip: [4]strip{{stripI32Portable, portablePanel}, {stripI32SignedPortable, portablePanel},
		{stripF32Portable, portablePanel}, {stripF32Portable, portablePanel}},
	base:    [4]func(*byte){baseI32Portable, baseI32SignedPortable, baseF32Portable, baseF32Portable},
	ceiling: [4]func(int){ceilingPortable[int32], ceilingPortable[int32], ceilingPortable[float32], ceilingPortable[float32]},
	perTurn: 8,
	lacking: func() string { return "" },
}

type entry interface{ int32 | float32 }

// addr returns the address offset bytes after p.
func addr(p *byte, offset int) *byte { return (*byte)(unsafe.Add(unsafe.Pointer(p), offset)) }

// entries views n entries from p on.
func entries[E entry](p *byte, n int) []E { return unsafe.Slice((*E)(unsafe.Pointer(p)), n) }

func packPortable(dst, src *byte, stride, rows int) {
	const bytes = portablePanel * kernels.EntryBytes
	for r := range rows {
		copy(unsafe.Slice(addr(dst, r*bytes), bytes), unsafe.Slice(addr(src, r*stride), bytes))
	}
}

func stripI32Portable(c, a, b, packed *byte, ldc, lda, ldb, k, rows, fresh int) {
	packPortable(packed, b, ldb, k)
	stripPortable(c, a, packed, ldc, lda, k, rows, fresh, kernels.Inf32, kernels.Inf32)
}

func stripI32SignedPortable(c, a, b, packed *byte, ldc, lda, ldb, k, rows, fresh int) {
	packPortable(packed, b, ldb, k)
	stripPortable(c, a, packed, ldc, lda, k, rows, fresh, kernels.Inf32, kernels.Limit32)
}

func stripF32Portable(c, a, b, packed *byte, ldc, lda, ldb, k, rows, fresh int) {
	packPortable(packed, b, ldb, k)
	stripPortable(c, a, packed, ldc, lda, k, rows, fresh, kernels.PosInf, kernels.PosInf)
}

// stripPortable relaxes with the packed b. It keeps 2×4 minima of C in registers; entries from limit on become inf.
func stripPortable[E entry](c, a, b *byte, ldc, lda, k, rows, fresh int, inf, limit E) {
	packed := entries[E](b, k*portablePanel)
	for i := 0; i < rows; i += 2 {
		a0, a1 := entries[E](addr(a, i*lda), k), entries[E](addr(a, (i+1)*lda), k)
		c0, c1 := entries[E](addr(c, i*ldc), portablePanel), entries[E](addr(c, (i+1)*ldc), portablePanel)
		for j := 0; j < portablePanel; j += 4 {
			m := [8]E{inf, inf, inf, inf, inf, inf, inf, inf}
			microPortable(&m, a0, a1, packed[j:])
			settle(c0[j:j+4], m[:4], fresh != 0, inf, limit)
			settle(c1[j:j+4], m[4:], fresh != 0, inf, limit)
		}
	}
}

// microPortable lowers the minima of two rows and four columns over all of k.
func microPortable[E entry](m *[8]E, a0, a1, b []E) {
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

// settle writes minima to C.
func settle[E entry](c, m []E, fresh bool, inf, limit E) {
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

func baseI32Portable(d *byte)       { basePortable(d, kernels.Inf32, kernels.Inf32) }
func baseI32SignedPortable(d *byte) { basePortable(d, kernels.Inf32, kernels.Limit32) }
func baseF32Portable(d *byte)       { basePortable(d, kernels.PosInf, kernels.PosInf) }

func basePortable[E entry](d *byte, inf, limit E) {
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

func ceilingPortable[E entry](turns int) {
	x := E(turns % 2)
	var c0, c1, c2, c3, c4, c5, c6, c7 E
	for range turns {
		x++
		c0, c1, c2, c3 = min(c0, x+1), min(c1, x+2), min(c2, x+3), min(c3, x+4)
		c4, c5, c6, c7 = min(c4, x+5), min(c5, x+6), min(c6, x+7), min(c7, x+8)
	}
	runtime.KeepAlive(c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7)
}
