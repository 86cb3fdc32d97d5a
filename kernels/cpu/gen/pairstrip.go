package main

import (
	"fmt"
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pairKernel is the state of one function while it is generated: rows × vecs pairs of C in registers.
//
// To carry predecessors through every relaxation takes a comparison and a blend each. So only the number of the chunk
// of k is kept that lowered a distance last: one comparison and one blend a chunk. A second look finds the predecessor
// where C is lowered in the end: the first k of that chunk whose sum is the distance.
type pairKernel struct {
	path
	arithmetic
	strides
	rows, vecs   int
	c, a, packed reg.Register // packed: the distances of B, k rows of width bytes
	with         reg.Register // the predecessors of B, likewise
	ldc, left    reg.Register
	acc          [][]pair // minima of distances, with numbers of chunks until C is compared
	chunk        Op       // the number of the chunk in every lane

	numbers, minima, found Mem // of the lanes that are looked at
}

// pairRows is how many rows of C a microkernel has; it has two pairs of vectors of each.
func (p path) pairRows() int {
	if p.is512() {
		return 4
	}
	return 2
}

const (
	pairVecs   = 2
	pairChunk  = 8 // of k
	chunkShift = 3
)

// pairStrip generates strip for pairs.
func pairStrip(p path, a arithmetic) {
	p.begin("pairStrip"+a.name, "func(c, a, b, packed *byte, ldc, lda, ldb, k, rows int)",
		"relaxes rows×%d pairs of C, see pairStripFunc.", pairVecs*p.bytes/a.size)
	m := pairKernel{path: p, arithmetic: a, rows: p.pairRows(), vecs: pairVecs}
	m.numbers, m.minima, m.found = AllocLocal(p.bytes), AllocLocal(p.bytes), AllocLocal(p.bytes)
	m.pack()
	m.c, m.a, m.packed = load("c"), load("a"), load("packed")
	m.ldc, m.lda, m.left = load("ldc"), load("lda"), load("rows")
	m.lda3 = GP64()
	LEAQ(Mem{Base: m.lda, Index: m.lda, Scale: 2}, m.lda3)
	Label("rowLoop")
	m.start()
	m.inner()
	m.compare()
	m.store()
	SUBQ(U8(m.rows), m.left)
	JNE(LabelRef("rowLoop"))
	done()
}

// width is the bytes of the distances of a microkernel's row.
func (m *pairKernel) width() int { return m.vecs * m.bytes }

// rowBytes is the bytes of its pairs.
func (m *pairKernel) rowBytes() int { return m.vecs * m.pairVec(m.arithmetic) }

// splitAt loads vector v of the row from base on.
func (m *pairKernel) splitAt(base reg.Register, v int) pair {
	return m.split(m.arithmetic, Mem{Base: base, Disp: v * m.pairVec(m.arithmetic)})
}

// pack copies the panel of B to k rows without gaps, its distances apart from its predecessors.
func (m *pairKernel) pack() {
	b, packed := load("b"), load("packed")
	ldb, left, ahead := load("ldb"), load("k"), GP64()
	m.with = GP64()
	IMUL3Q(U32(m.width()), left, m.with)
	ADDQ(packed, m.with)
	with := GP64()
	MOVQ(m.with, with)
	MOVQ(ldb, ahead)
	SHLQ(U8(aheadShift), ahead)
	Label("packLoop")
	prefetch(Mem{Base: b, Index: ahead, Scale: 1}, m.rowBytes())
	for v := range m.vecs {
		x := m.splitAt(b, v)
		VMOVUPS(x.d, Mem{Base: packed, Disp: v * m.bytes})
		VMOVUPS(x.p, Mem{Base: with, Disp: v * m.bytes})
	}
	ADDQ(ldb, b)
	ADDQ(U32(m.width()), packed)
	ADDQ(U32(m.width()), with)
	DECQ(left)
	JNE(LabelRef("packLoop"))
}

// start sets the minima to infinity, and prefetches C.
func (m *pairKernel) start() {
	at, inf, zero := GP64(), m.infinity(m.arithmetic), m.splat(0)
	MOVQ(m.c, at)
	m.acc = make([][]pair, m.rows)
	for r := range m.acc {
		prefetch(Mem{Base: at}, m.rowBytes())
		if r+1 < len(m.acc) {
			ADDQ(m.ldc, at)
		}
		for range m.vecs {
			acc := m.newPair()
			VMOVAPS(inf, acc.d)
			VMOVAPS(zero, acc.p)
			m.acc[r] = append(m.acc[r], acc)
		}
	}
}

// inner runs over k on the packed B, a chunk a turn.
func (m *pairKernel) inner() {
	at, b, left := GP64(), GP64(), load("k")
	MOVQ(m.a, at)
	MOVQ(m.packed, b)
	next := m.chunks()
	Label("kLoop")
	least := make([][]reg.VecVirtual, m.rows)
	for u := range pairChunk {
		row := make([]reg.VecVirtual, m.vecs)
		for v := range row {
			row[v] = m.vec()
			VMOVUPS(Mem{Base: b, Disp: u*m.width() + v*m.bytes}, row[v])
		}
		for r := range m.acc {
			x := m.vec()
			m.broadcast(m.row(at, r).Offset(m.pairBytes()*u), x)
			for v := range row {
				s := m.vec()
				m.add(x, row[v], s)
				if u == 0 {
					least[r] = append(least[r], s)
				} else {
					m.min(s, least[r][v], least[r][v])
				}
			}
		}
	}
	for r := range m.acc {
		for v, acc := range m.acc[r] {
			m.blend(m.less(m.arithmetic, least[r][v], acc.d), m.chunk, acc.p)
			m.min(least[r][v], acc.d, acc.d)
		}
	}
	next()
	ADDQ(U32(m.pairBytes()*pairChunk), at)
	ADDQ(U32(pairChunk*m.width()), b)
	SUBQ(U8(pairChunk), left)
	JNE(LabelRef("kLoop"))
}

// chunks sets the number of the chunk to 0, and returns code that goes to the next. AVX2 has no register left for it.
func (m *pairKernel) chunks() (next func()) {
	zero, one := m.splat(0), U32(1)
	if m.is512() {
		ones := m.splat(1)
		m.chunk = zero
		return func() { VPADDD(ones, zero, zero) }
	}
	place := AllocLocal(m.bytes)
	VMOVUPS(zero, place)
	m.chunk = place
	return func() {
		n, x := m.vec(), XMM()
		number := GP32()
		MOVL(place, number)
		ADDL(one, number)
		VMOVD(number, x)
		m.broadcast(x, n)
		VMOVUPS(n, place)
	}
}

// compare resets the minima and lowers C by them. All loads come before all stores: see finish.
func (m *pairKernel) compare() {
	reset, at := m.resetter(m.arithmetic), GP64()
	for _, row := range m.acc {
		for _, acc := range row {
			reset(acc.d)
		}
	}
	MOVQ(m.c, at)
	for r := range m.acc {
		for v, acc := range m.acc[r] {
			done := fmt.Sprintf("kept%d_%d", r, v)
			x := m.splitAt(at, v)
			lowered := m.bits(m.arithmetic, m.less(m.arithmetic, acc.d, x.d))
			m.min(x.d, acc.d, acc.d)
			number := acc.p
			acc.p = m.vec()
			VMOVAPS(x.p, acc.p)
			m.acc[r][v] = acc
			TESTL(lowered, lowered)
			JEQ(LabelRef(done))
			m.look(r, v, number, lowered)
			Label(done)
		}
		if r+1 < len(m.acc) {
			ADDQ(m.ldc, at)
		}
	}
}

// look finds the predecessors of the lanes of an entry's minima that are lowered, in chunks of the given numbers, one
// lane after another: of the chunk's k the first whose sum is the minimum. As a rule few lanes are.
func (m *pairKernel) look(r, v int, number reg.VecVirtual, lowered reg.Register) {
	acc, place := m.acc[r][v], fmt.Sprintf("%d_%d", r, v)
	lane, k, a, b := GP64(), GP64(), GP64(), GP64()
	VMOVUPS(number, m.numbers)
	VMOVUPS(acc.d, m.minima)
	VMOVUPS(acc.p, m.found)
	Label("look" + place)
	TZCNTL(lowered, lane.As32())
	MOVL(m.numbers.Idx(lane, uint8(m.size)), k.As32())
	SHLQ(U8(chunkShift), k)
	LEAQ(m.row(m.a, r), a)
	if m.size == 8 {
		m.firstDouble(v, lane, k, a, b, place)
	} else {
		m.firstWord(v, lane, k, a, b)
	}
	MOVL(Mem{Base: b, Index: m.with, Scale: 1}, k.As32())
	MOVL(k.As32(), m.found.Idx(lane, uint8(m.size)))
	LEAL(Mem{Base: lowered, Disp: -1}, lane.As32())
	ANDL(lane.As32(), lowered)
	JNE(LabelRef("look" + place))
	VMOVUPS(m.found, acc.p)
}

// firstWord leaves in b where, from packed on, the first entry of B is whose sum is the minimum of a lane. k is the
// first of the chunk.
func (m *pairKernel) firstWord(v int, lane, k, a, b reg.GPVirtual) {
	// A's entries of the chunk, and B's of the lane.
	lo, hi, sum, of, want := YMM(), YMM(), YMM(), YMM(), YMM()
	VMOVUPS(Mem{Base: a, Index: k, Scale: 8}, lo)
	VMOVUPS(Mem{Base: a, Index: k, Scale: 8, Disp: 32}, hi)
	VSHUFPS(U8(0x88), hi, lo, sum)
	VPERMQ(U8(0xd8), sum, sum)
	MOVQ(k, b)
	SHLQ(U8(bits.TrailingZeros(uint(m.width()))), b)
	ADDQ(m.packed, b)
	LEAQ(Mem{Base: b, Index: lane, Scale: 4, Disp: v * m.bytes}, b)
	VMOVUPS(m.steps(), of)
	m.gather(Mem{Base: b, Index: of, Scale: 4}, want)
	m.add(want, sum, sum)
	VPBROADCASTD(m.minima.Idx(lane, 4), want)
	same := m.mask()
	VPCMPEQD(want, sum, same)
	TZCNTL(m.bits(m.arithmetic, same), k.As32())
	SHLQ(U8(bits.TrailingZeros(uint(m.width()))), k)
	ADDQ(k, b)
	SUBQ(m.packed, b)
}

// firstDouble does what firstWord does, an entry of the chunk after another.
func (m *pairKernel) firstDouble(v int, lane, k, a, b reg.GPVirtual, place string) {
	left, value, sum := GP64(), GP64(), XMM()
	IMUL3Q(U8(m.pairBytes()), k, b)
	ADDQ(b, a)
	SHLQ(U8(bits.TrailingZeros(uint(m.width()))), k)
	ADDQ(m.packed, k)
	LEAQ(Mem{Base: k, Index: lane, Scale: 8, Disp: v * m.bytes}, b)
	MOVQ(m.minima.Idx(lane, 8), k)
	MOVQ(U32(pairChunk), left)
	Label("next" + place)
	VMOVSD(Mem{Base: a}, sum)
	VADDSD(Mem{Base: b}, sum, sum)
	VMOVQ(sum, value)
	CMPQ(value, k)
	JEQ(LabelRef("found" + place))
	ADDQ(U8(m.pairBytes()), a)
	ADDQ(U8(m.width()), b)
	DECQ(left)
	JNE(LabelRef("next" + place))
	SUBQ(U8(m.width()), b) // there is no such sum: an operand is no number
	Label("found" + place)
	SUBQ(m.packed, b)
}

// steps are the places of a chunk's entries in a column of the packed B.
func (m *pairKernel) steps() Mem {
	if chunkSteps == nil {
		at := GLOBL("chunk"+m.suffix, RODATA|NOPTR)
		for u := range pairChunk {
			DATA(4*u, U32(uint32(u*m.width()/4)))
		}
		chunkSteps = &at
	}
	return *chunkSteps
}

var chunkSteps *Mem // of the path that is generated

// gather loads a lane each from the places that the vector in from names.
func (m *pairKernel) gather(from Mem, dst reg.VecVirtual) {
	VMOVAPS(from.Index, dst) // it depends on nothing older
	all := m.mask()
	VPCMPEQD(dst, dst, all)
	if m.is512() {
		VPGATHERDD(from, all, dst)
	} else {
		VPGATHERDD(all, from, dst)
	}
}

// store writes the minima, and moves on to the next rows.
func (m *pairKernel) store() {
	at := GP64()
	MOVQ(m.c, at)
	for r := range m.acc {
		for v, acc := range m.acc[r] {
			m.join(m.arithmetic, acc, Mem{Base: at, Disp: v * m.pairVec(m.arithmetic)})
		}
		if r+1 < len(m.acc) {
			ADDQ(m.ldc, at)
		}
	}
	addTimes(m.ldc, m.c, m.rows)
	addTimes(m.lda, m.a, m.rows)
}

// addTimes adds a small multiple of a register.
func addTimes(x, to reg.Register, times int) {
	product := GP64()
	IMUL3Q(U8(times), x, product)
	ADDQ(product, to)
}
