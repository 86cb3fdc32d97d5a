package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// microkernel is the state of one strip function while it is generated.
type microkernel struct {
	path
	arithmetic
	strides
	c, a, packed reg.Register
	ldc, rows    reg.Register
	inf          reg.VecVirtual
	reset        func(reg.VecVirtual)
	acc          [][]reg.VecVirtual
	rowBytes     int // of C in a microkernel
}

// strides are the bytes from a row of A to the next, and multiples of them.
type strides struct{ lda, lda3, lda5, lda7 reg.Register }

// strip generates a function that relaxes a strip of C, rows × (one panel of B):
// C[i][j] = min(C[i][j], min over k of A[i][k] + B[k][j]). The first microkernel reads B in place and
// packs it for the others: its copying hides behind its arithmetic. The loop over microkernels is inside,
// so that one call is some tens of microseconds: long against the call, short against Go's preemption.
func strip(p path, a arithmetic) {
	p = p.shapeFor(a)
	p.begin("strip"+a.name, "func(c, a, b, packed *byte, ldc, lda, ldb, k, rows, fresh int)",
		"relaxes rows×%d entries of C, see stripFunc.", p.vecs*p.bytes/max(4, a.size))
	m := microkernel{path: p, arithmetic: a, rowBytes: p.vecs * p.bytes}
	if a.size == 2 {
		m.rowBytes /= 2
	}
	m.load()
	m.inf, m.reset = p.infinity(a), p.resetter(a)
	m.start()
	m.packing()
	m.finish("packed")
	Label("rowLoop")
	m.start()
	m.inner()
	m.finish("")
	Label("done")
	done()
}

func (m *microkernel) load() {
	m.c, m.a, m.packed = load("c"), load("a"), load("packed")
	m.ldc, m.lda, m.rows = load("ldc"), load("lda"), load("rows")
	m.lda3 = GP64()
	LEAQ(Mem{Base: m.lda, Index: m.lda, Scale: 2}, m.lda3)
	if m.path.rows > 4 {
		m.lda5, m.lda7 = GP64(), GP64()
		LEAQ(Mem{Base: m.lda, Index: m.lda, Scale: 4}, m.lda5)
		LEAQ(Mem{Base: m.lda3, Index: m.lda, Scale: 4}, m.lda7)
	}
}

// start sets the minima to infinity and prefetches C, which the processor's own prefetchers do not
// foresee: a few lines in each of several rows.
func (m *microkernel) start() {
	at := GP64()
	MOVQ(m.c, at)
	m.acc = make([][]reg.VecVirtual, m.path.rows)
	for r := range m.acc {
		prefetch(Mem{Base: at}, m.rowBytes)
		if r+1 < len(m.acc) {
			ADDQ(m.ldc, at)
		}
		for range m.vecs {
			acc := m.vec()
			VMOVAPS(m.inf, acc)
			m.acc[r] = append(m.acc[r], acc)
		}
	}
}

// prefetch fetches all lines of so many bytes.
func prefetch(from Mem, bytes int) {
	for line := 0; line < bytes; line += lineBytes {
		PREFETCHT0(from.Offset(line))
	}
}

// finish lowers the minima by C unless that is fresh, writes them, and moves on to the next rows. All loads
// come before all stores, and C is not loaded by start: its rows, and those of the microkernel before, are
// a multiple of 4096 bytes apart where tiles are large, and a load that has the low address bits of a store
// in flight waits for it.
func (m *microkernel) finish(prefix string) {
	m.foldSteps()
	fresh, at := load("fresh"), GP64()
	TESTQ(fresh, fresh)
	JNE(LabelRef(prefix + "storeC"))
	MOVQ(m.c, at)
	for r := range m.acc {
		for v, acc := range m.acc[r] {
			m.min(Mem{Base: at, Disp: v * m.bytes}, acc, acc)
		}
		if r+1 < len(m.acc) {
			ADDQ(m.ldc, at)
		}
	}
	Label(prefix + "storeC")
	for r := range m.acc {
		for v, acc := range m.acc[r] {
			m.reset(acc)
			VMOVUPS(acc, Mem{Base: m.c, Disp: v * m.bytes})
		}
		ADDQ(m.ldc, m.c)
	}
	addTimes(m.lda, m.a, m.path.rows)
	SUBQ(U8(m.path.rows), m.rows)
	if prefix != "" {
		JEQ(LabelRef("done"))
	} else {
		JNE(LabelRef("rowLoop"))
	}
}

// aheadShift is the log₂ of how many rows of B are prefetched while packing: some hundred cycles, the latency of the L3
// cache. At a stride of a power of two the processor's own prefetchers do not follow.
const aheadShift = 5

// packing runs over k on B in place, and packs it.
func (m *microkernel) packing() {
	at, packed, left := GP64(), GP64(), load("k")
	b, ldb, ahead := load("b"), load("ldb"), GP64()
	MOVQ(m.a, at)
	MOVQ(m.packed, packed)
	MOVQ(ldb, ahead)
	SHLQ(U8(aheadShift), ahead)
	Label("packLoop")
	var row []reg.VecVirtual
	if m.size == 2 {
		row = m.twoSteps(b, ldb, ahead)
	} else {
		prefetch(Mem{Base: b, Index: ahead, Scale: 1}, m.rowBytes)
		row = m.loadB(b, 0)
	}
	for v, r := range row {
		VMOVUPS(r, Mem{Base: packed, Disp: v * m.bytes})
	}
	m.step(at, row, 0)
	ADDQ(ldb, b)
	ADDQ(U8(m.stepBytes()), at)
	ADDQ(U32(m.vecs*m.bytes), packed)
	m.count(left, 1)
	JNE(LabelRef("packLoop"))
}

// inner runs over k on the packed B.
func (m *microkernel) inner() {
	at, b, left := GP64(), GP64(), load("k")
	MOVQ(m.a, at)
	MOVQ(m.packed, b)
	Label("kLoop")
	for u := range m.unroll {
		m.step(at, m.loadB(b, u*m.vecs*m.bytes), u)
	}
	ADDQ(U8(m.stepBytes()*m.unroll), at)
	ADDQ(U32(m.unroll*m.vecs*m.bytes), b)
	m.count(left, m.unroll)
	JNE(LabelRef("kLoop"))
}

func (m *microkernel) loadB(b reg.Register, disp int) []reg.VecVirtual {
	row := make([]reg.VecVirtual, m.vecs)
	for v := range row {
		row[v] = m.vec()
		VMOVUPS(Mem{Base: b, Disp: disp + v*m.bytes}, row[v])
	}
	return row
}

// sumsAtOnce divides the vectors of a row. AVX2 has no registers for more.
const sumsAtOnce = 2

// step relaxes the whole microkernel with step u of k and its row of B. A's entries are broadcast to
// registers: with a broadcast operand in each add instead (AVX-512), or with B as the operand from memory,
// the product is 1 to 20 % slower. (On Zen 4 the first is as fast.)
func (m *microkernel) step(at reg.Register, b []reg.VecVirtual, u int) {
	for r, acc := range m.acc {
		x := m.vec()
		if place := m.row(at, r).Offset(m.stepBytes() * u); m.size == 2 {
			VPBROADCASTD(place, x)
		} else {
			m.broadcast(place, x)
		}
		for first := 0; first < len(b); first += sumsAtOnce {
			var sums [sumsAtOnce]reg.VecVirtual
			for v := range sums {
				sums[v] = m.vec()
				m.add(x, b[first+v], sums[v])
			}
			for v, sum := range sums {
				m.min(sum, acc[first+v], acc[first+v])
			}
		}
	}
}

// Entries of 2 bytes are relaxed with two steps of k at once: a lane of 4 bytes has a minimum over even k and one
// over odd k, A is broadcast as pairs of neighbours, and the packed B has its rows interleaved by pairs. A broadcast
// of 2 bytes would take a port that additions and minima need.

// stepBytes is how far a step goes along A.
func (m *microkernel) stepBytes() int { return max(4, m.size) }

// count subtracts steps from what is left of k.
func (m *microkernel) count(left reg.Register, steps int) {
	switch {
	case m.size == 2:
		SUBQ(U8(2*steps), left)
	case steps == 1:
		DECQ(left)
	default:
		SUBQ(U8(steps), left)
	}
}

// twoSteps loads two rows of B, interleaved, and leaves b at the second.
func (m *microkernel) twoSteps(b, ldb, ahead reg.Register) (row []reg.VecVirtual) {
	even := make([]reg.VecVirtual, m.vecs/2)
	load := func(v int) reg.VecVirtual {
		r := m.vec()
		VMOVUPS(Mem{Base: b, Disp: v * m.bytes}, r)
		return r
	}
	PREFETCHT0(Mem{Base: b, Index: ahead, Scale: 1})
	for v := range even {
		even[v] = load(v)
	}
	ADDQ(ldb, b)
	PREFETCHT0(Mem{Base: b, Index: ahead, Scale: 1})
	for v := range even {
		odd, low, high := load(v), m.vec(), m.vec()
		VPUNPCKLWD(odd, even[v], low)
		VPUNPCKHWD(odd, even[v], high)
		row = append(row, low, high)
	}
	return row
}

// foldSteps makes minima over all k of those over even and odd k, and undoes what interleaving did to the order of
// columns.
func (m *microkernel) foldSteps() {
	if m.size != 2 {
		return
	}
	for r, acc := range m.acc {
		for _, x := range acc {
			odd := m.vec()
			VPSRLD(U8(16), x, odd)
			VPMINUW(odd, x, x) // the upper half becomes 0
		}
		for v := range m.vecs / 2 {
			VPACKUSDW(acc[2*v+1], acc[2*v], acc[v])
		}
		m.acc[r] = acc[:m.vecs/2]
	}
}

// row addresses row r of A: one pointer and multiples of the stride.
func (s strides) row(at reg.Register, r int) Mem {
	index := [8]reg.Register{1: s.lda, 2: s.lda, 3: s.lda3, 4: s.lda, 5: s.lda5, 6: s.lda3, 7: s.lda7}[r]
	return Mem{Base: at, Index: index, Scale: [8]uint8{1: 1, 2: 2, 3: 1, 4: 4, 5: 1, 6: 2, 7: 1}[r]}
}
