package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// microkernel is the state of one strip function while it is generated.
type microkernel struct {
	path
	arithmetic
	c, a, b            reg.Register
	ldc, lda           reg.Register
	lda3, lda5, lda7   reg.Register
	rows, pf, pfStride reg.Register
	inf                reg.VecVirtual
	reset              func(reg.VecVirtual)
	acc                [][]reg.VecVirtual
}

// strip generates a function that relaxes a strip of C, rows × (one packed panel of B):
// C[i][j] = min(C[i][j], min over k of A[i][k] + B[k][j]). A and C are row-major with strides of bytes,
// B is packed row after row. The microkernel loop is inside, so that one call is some tens of
// microseconds: long against the call, short against Go's preemption.
func strip(p path, a arithmetic) {
	TEXT("strip"+a.name+p.suffix, NOSPLIT,
		"func(c, a, b *byte, ldc, lda, k, rows, fresh int, pf *byte, pfStride, pfRows int)")
	Doc(fmt.Sprintf("strip%s%s relaxes rows×%d entries of C, see stripFunc.", a.name, p.suffix, p.vecs*p.bytes/4))
	Pragma("noescape")
	m := microkernel{path: p, arithmetic: a}
	m.load()
	m.inf, m.reset = p.infinity(a), p.resetter(a)
	Label("rowLoop")
	m.prefetch()
	m.loadC()
	m.inner()
	m.storeC()
	step := GP64()
	IMUL3Q(U8(p.rows), m.lda, step)
	ADDQ(step, m.a)
	SUBQ(U8(p.rows), m.rows)
	JNE(LabelRef("rowLoop"))
	VZEROUPPER()
	RET()
}

func (m *microkernel) load() {
	load := func(name string) reg.Register { return Load(Param(name), GP64()) }
	m.c, m.a, m.b = load("c"), load("a"), load("b")
	m.ldc, m.lda = load("ldc"), load("lda")
	m.rows = load("rows")
	m.pf, m.pfStride = load("pf"), load("pfStride")
	m.lda3 = GP64()
	LEAQ(Mem{Base: m.lda, Index: m.lda, Scale: 2}, m.lda3)
	if m.path.rows > 4 {
		m.lda5, m.lda7 = GP64(), GP64()
		LEAQ(Mem{Base: m.lda, Index: m.lda, Scale: 4}, m.lda5)
		LEAQ(Mem{Base: m.lda3, Index: m.lda, Scale: 4}, m.lda7)
	}
}

// prefetch asks for the C of the next microkernel, which the caches' own prefetchers do not foresee
// (a few lines in each of several rows), and for some rows of the B that is packed next.
func (m *microkernel) prefetch() {
	next := GP64()
	IMUL3Q(U8(m.path.rows), m.ldc, next)
	ADDQ(m.c, next)
	for r := range m.path.rows {
		for line := 0; line < m.vecs*m.bytes; line += 64 {
			PREFETCHT0(Mem{Base: next, Disp: line})
		}
		if r+1 < m.path.rows {
			ADDQ(m.ldc, next)
		}
	}
	left := Load(Param("pfRows"), GP64())
	TESTQ(left, left)
	JEQ(LabelRef("prefetched"))
	Label("prefetchB")
	for line := 0; line < m.vecs*m.bytes; line += 64 {
		PREFETCHT1(Mem{Base: m.pf, Disp: line})
	}
	ADDQ(m.pfStride, m.pf)
	DECQ(left)
	JNE(LabelRef("prefetchB"))
	Label("prefetched")
}

// loadC starts the minima from C, or from infinity where C is fresh.
func (m *microkernel) loadC() {
	m.acc = make([][]reg.VecVirtual, m.path.rows)
	for r := range m.acc {
		for range m.vecs {
			m.acc[r] = append(m.acc[r], m.vec())
		}
	}
	fresh := Load(Param("fresh"), GP64())
	TESTQ(fresh, fresh)
	JNE(LabelRef("freshC"))
	at := GP64()
	MOVQ(m.c, at)
	for r := range m.acc {
		for v, acc := range m.acc[r] {
			VMOVUPS(Mem{Base: at, Disp: v * m.bytes}, acc)
		}
		if r+1 < len(m.acc) {
			ADDQ(m.ldc, at)
		}
	}
	JMP(LabelRef("loadedC"))
	Label("freshC")
	for r := range m.acc {
		for _, acc := range m.acc[r] {
			VMOVAPS(m.inf, acc)
		}
	}
	Label("loadedC")
}

// inner runs over k.
func (m *microkernel) inner() {
	at, b, left := GP64(), GP64(), Load(Param("k"), GP64())
	MOVQ(m.a, at)
	MOVQ(m.b, b)
	Label("kLoop")
	for u := range m.unroll {
		m.step(at, b, u)
	}
	ADDQ(U8(4*m.unroll), at)
	ADDQ(U32(m.unroll*m.vecs*m.bytes), b)
	SUBQ(U8(m.unroll), left)
	JNE(LabelRef("kLoop"))
}

// step relaxes the whole microkernel with step u of k.
func (m *microkernel) step(at, b reg.Register, u int) {
	var bv []reg.VecVirtual
	for v := range m.vecs {
		r := m.vec()
		VMOVUPS(Mem{Base: b, Disp: (u*m.vecs + v) * m.bytes}, r)
		bv = append(bv, r)
	}
	for r := range m.acc {
		entry := m.row(at, r).Offset(4 * u)
		var sums []reg.VecVirtual
		if m.wide() && embedded {
			for v := range m.vecs {
				t := m.vec()
				m.addBroadcast(entry, bv[v], t)
				sums = append(sums, t)
			}
		} else {
			x := m.vec()
			VBROADCASTSS(entry, x)
			for v := range m.vecs {
				t := m.vec()
				m.add(x, bv[v], t)
				sums = append(sums, t)
			}
		}
		for v, t := range sums {
			m.min(t, m.acc[r][v], m.acc[r][v])
		}
	}
}

// embedded chooses between adding with a broadcast operand and broadcasting to a register first.
const embedded = true

// row addresses row r of A: one pointer and multiples of the stride.
func (m *microkernel) row(at reg.Register, r int) Mem {
	switch r {
	case 0:
		return Mem{Base: at}
	case 1, 2, 4:
		return Mem{Base: at, Index: m.lda, Scale: uint8(r)}
	case 3:
		return Mem{Base: at, Index: m.lda3, Scale: 1}
	case 5:
		return Mem{Base: at, Index: m.lda5, Scale: 1}
	case 6:
		return Mem{Base: at, Index: m.lda3, Scale: 2}
	case 7:
		return Mem{Base: at, Index: m.lda7, Scale: 1}
	}
	panic("gen: more than 8 rows")
}

// storeC writes the minima and moves on to the next rows of C.
func (m *microkernel) storeC() {
	for r := range m.acc {
		for v, acc := range m.acc[r] {
			m.reset(acc)
			VMOVUPS(acc, Mem{Base: m.c, Disp: v * m.bytes})
		}
		ADDQ(m.ldc, m.c)
	}
}
