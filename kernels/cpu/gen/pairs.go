package main

import (
	"fmt"
	"math/bits"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pairs generates what products and closures of tiles of pairs need. The AVX-512 path takes those of AVX2 for doubles.
func pairs(p path) {
	all := words
	if !p.is512() {
		all = append(all[:len(all):len(all)], doubles)
	}
	for _, a := range all {
		pairStrip(p, a)
	}
	for _, a := range all {
		pairBase(p, a)
	}
	for _, a := range all {
		pairClimb(p, a)
	}
}

// pairBytes is the size of a pair.
func (a arithmetic) pairBytes() int { return a.size + 4 }

// pairVec is how many bytes of memory the pairs of a vector of distances take.
func (p path) pairVec(a arithmetic) int { return p.bytes / a.size * a.pairBytes() }

// pair is a vector of distances with the predecessors that go with them. Memory holds the columns in their order, each
// distance before its predecessor. Two vectors of words of it are here in the order in which vshufps finds and vunpcklps
// leaves them, the same for all operands. Doubles are in the order of memory, and each predecessor is in the lower half of
// what a double takes.
type pair struct{ d, p reg.VecVirtual }

func (p path) newPair() pair { return pair{p.vec(), p.vec()} }

// split loads a pair of vectors.
func (p path) split(a arithmetic, from Mem) pair {
	if a.size == 8 {
		return p.splitDoubles(from)
	}
	lo, hi, x := p.vec(), p.vec(), p.newPair()
	VMOVUPS(from, lo)
	VMOVUPS(from.Offset(p.bytes), hi)
	VSHUFPS(U8(0x88), hi, lo, x.d)
	VSHUFPS(U8(0xdd), hi, lo, x.p)
	return x
}

// splitDoubles loads four pairs, 48 bytes, as two vectors of which the second begins 16 bytes after the first.
func (p path) splitDoubles(from Mem) pair {
	second, x := from.Offset(16), p.newPair()
	p.pick(from, x.d, 0, 1, 3, 4, 6, 7)
	p.pickOver(second, x.d, 0xc0, 0, 0, 0, 0, 0, 0, 5, 6)
	p.pick(from, x.p, 2, 2, 5, 5)
	p.pickOver(second, x.p, 0xf0, 0, 0, 0, 0, 4, 4, 7, 7)
	return x
}

// joinDoubles stores what splitDoubles loads.
func (p path) joinDoubles(x pair, to Mem) {
	lo, hi := p.vec(), p.vec()
	p.pick(x.d, lo, 0, 1, 0, 2, 3, 0, 4, 5)
	p.pickOver(x.p, lo, 0x24, 0, 0, 0, 0, 0, 2)
	p.pick(x.d, hi, 0, 6, 7)
	p.pickOver(x.p, hi, 0x09, 4, 0, 0, 6)
	VMOVUPS(lo, to)
	VMOVUPS(hi.AsX(), to.Offset(32))
}

// pick sets the words of dst to the given ones of src.
func (p path) pick(src Op, dst reg.VecVirtual, words ...uint32) {
	which := p.vec()
	VMOVUPS(p.table(words), which)
	VPERMD(src, which, dst)
}

// pickOver sets those of the words of dst whose bit is set.
func (p path) pickOver(src Op, dst reg.VecVirtual, bits uint8, words ...uint32) {
	picked := p.vec()
	p.pick(src, picked, words...)
	VPBLENDD(U8(bits), picked, dst, dst)
}

// table returns the place of a vector of constants. Words that are not given are 0.
func (p path) table(words []uint32) Mem {
	name := fmt.Sprint("words", words, p.suffix)
	for _, c := range " []" {
		name = strings.ReplaceAll(name, string(c), "")
	}
	at, known := tables[name]
	if !known {
		at = GLOBL(name, RODATA|NOPTR)
		for i := range p.bytes / 4 {
			word := uint32(0)
			if i < len(words) {
				word = words[i]
			}
			DATA(4*i, U32(word))
		}
		tables[name] = at
	}
	return at
}

var tables = map[string]Mem{} // of the path that is generated

// join stores what split loads.
func (p path) join(a arithmetic, x pair, to Mem) {
	if a.size == 8 {
		p.joinDoubles(x, to)
		return
	}
	lo, hi := p.vec(), p.vec()
	VUNPCKLPS(x.p, x.d, lo)
	VUNPCKHPS(x.p, x.d, hi)
	VMOVUPS(lo, to)
	VMOVUPS(hi, to.Offset(p.bytes))
}

// where copies src to the lanes of dst in which x is less than y.
func (p path) where(a arithmetic, x, y, src, dst reg.VecVirtual) {
	p.blend(p.less(a, x, y), src, dst)
}

// less returns a mask of the lanes in which x is less than y. The bits of floats that are no NaN order as integers
// unless both are negative, which only signed arithmetic compares.
func (p path) less(a arithmetic, x, y reg.VecVirtual) reg.Register {
	m := p.mask()
	switch {
	case a.size == 8:
		VCMPPD(U8(1), y, x, m)
	case a.float && a.signed:
		VCMPPS(U8(1), y, x, m)
	default:
		VPCMPGTD(x, y, m)
	}
	return m
}

// mask returns a fresh register for a mask: AVX2 has masks in vectors, all bits of a lane alike.
func (p path) mask() reg.Register {
	if p.is512() {
		return K()
	}
	return p.vec()
}

// narrow returns a fresh register for a mask of eight lanes.
func (p path) narrow() reg.Register {
	if p.is512() {
		return K()
	}
	return YMM()
}

// blend copies src, a register or memory, to the lanes of dst that m marks.
func (p path) blend(m reg.Register, src Op, dst reg.VecVirtual) {
	if p.is512() {
		VMOVDQA32(src, m, dst)
	} else {
		VBLENDVPS(m, src, dst, dst)
	}
}

// bits returns the mask with a bit a lane.
func (p path) bits(a arithmetic, m reg.Register) reg.Register {
	g := GP32()
	switch {
	case p.is512():
		KMOVW(m, g)
	case a.size == 8:
		VMOVMSKPD(m, g)
	default:
		VMOVMSKPS(m, g)
	}
	return g
}

// pairKernel is the state of one function while it is generated: rows × vecs pairs of C in registers.
//
// To carry predecessors through every relaxation takes a comparison and a blend each. So only the number of the chunk
// of k is kept that lowered a distance last: one comparison and one blend a chunk. A second look finds the predecessor
// where C is lowered in the end: the first k of that chunk whose sum is the distance.
type pairKernel struct {
	path
	arithmetic
	rows, vecs   int
	c, a, packed reg.Register // packed: the distances of B, k rows of width bytes
	with         reg.Register // the predecessors of B, likewise
	ldc, lda     reg.Register
	lda3, left   reg.Register
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
	TEXT("pairStrip"+a.name+p.suffix, NOSPLIT,
		"func(c, a, b, packed *byte, ldc, lda, ldb, k, rows int)")
	Doc(fmt.Sprintf("pairStrip%s%s relaxes rows×%d pairs of C, see pairStripFunc.", a.name, p.suffix, pairVecs*p.bytes/a.size))
	Pragma("noescape")
	m := pairKernel{path: p, arithmetic: a, rows: p.pairRows(), vecs: pairVecs}
	m.numbers, m.minima, m.found = AllocLocal(p.bytes), AllocLocal(p.bytes), AllocLocal(p.bytes)
	m.pack()
	load := func(name string) reg.Register { return Load(Param(name), GP64()) }
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
	VZEROUPPER()
	RET()
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
	b, packed := Load(Param("b"), GP64()), Load(Param("packed"), GP64())
	ldb, left, ahead := Load(Param("ldb"), GP64()), Load(Param("k"), GP64()), GP64()
	m.with = GP64()
	IMUL3Q(U32(m.width()), left, m.with)
	ADDQ(packed, m.with)
	with := GP64()
	MOVQ(m.with, with)
	MOVQ(ldb, ahead)
	SHLQ(U8(aheadShift), ahead)
	Label("packLoop")
	for line := 0; line < m.rowBytes(); line += 64 {
		PREFETCHT0(Mem{Base: b, Index: ahead, Scale: 1, Disp: line})
	}
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
		for line := 0; line < m.rowBytes(); line += 64 {
			PREFETCHT0(Mem{Base: at, Disp: line})
		}
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
	at, b, left := GP64(), GP64(), Load(Param("k"), GP64())
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
	ADDQ(U8(m.pairBytes()*pairChunk), at)
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

// row addresses row r of A.
func (m *pairKernel) row(at reg.Register, r int) Mem {
	switch r {
	case 0:
		return Mem{Base: at}
	case 3:
		return Mem{Base: at, Index: m.lda3, Scale: 1}
	}
	return Mem{Base: at, Index: m.lda, Scale: uint8(r)}
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
			if m.size == 8 {
				m.lookDoubles(r, v, number, lowered)
			} else {
				m.look(r, v, number, lowered)
			}
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
	acc := m.acc[r][v]
	lane, k, a, b := GP64(), GP64(), GP64(), GP64()
	VMOVUPS(number, m.numbers)
	VMOVUPS(acc.d, m.minima)
	VMOVUPS(acc.p, m.found)
	loop := fmt.Sprintf("look%d_%d", r, v)
	Label(loop)
	TZCNTL(lowered, lane.As32())
	MOVL(m.numbers.Idx(lane, 4), k.As32())
	SHLQ(U8(chunkShift), k)
	LEAQ(m.row(m.a, r), a)
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
	same := m.narrow()
	VPCMPEQD(want, sum, same)
	TZCNTL(m.bits(m.arithmetic, same), k.As32())
	SHLQ(U8(bits.TrailingZeros(uint(m.width()))), k)
	ADDQ(k, b)
	SUBQ(m.packed, b)
	MOVL(Mem{Base: b, Index: m.with, Scale: 1}, k.As32())
	MOVL(k.As32(), m.found.Idx(lane, 4))
	LEAL(Mem{Base: lowered, Disp: -1}, lane.As32())
	ANDL(lane.As32(), lowered)
	JNE(LabelRef(loop))
	VMOVUPS(m.found, acc.p)
}

// lookDoubles does what look does, an entry of the chunk after another.
func (m *pairKernel) lookDoubles(r, v int, number reg.VecVirtual, lowered reg.Register) {
	acc := m.acc[r][v]
	lane, k, a, b, left, value, sum := GP64(), GP64(), GP64(), GP64(), GP64(), GP64(), XMM()
	VMOVUPS(number, m.numbers)
	VMOVUPS(acc.d, m.minima)
	VMOVUPS(acc.p, m.found)
	loop, next, found := fmt.Sprintf("look%d_%d", r, v), fmt.Sprintf("next%d_%d", r, v), fmt.Sprintf("found%d_%d", r, v)
	Label(loop)
	TZCNTL(lowered, lane.As32())
	MOVL(m.numbers.Idx(lane, 8), k.As32())
	SHLQ(U8(chunkShift), k)
	LEAQ(m.row(m.a, r), a)
	IMUL3Q(U8(m.pairBytes()), k, b)
	ADDQ(b, a)
	SHLQ(U8(bits.TrailingZeros(uint(m.width()))), k)
	ADDQ(m.packed, k)
	LEAQ(Mem{Base: k, Index: lane, Scale: 8, Disp: v * m.bytes}, b)
	MOVQ(m.minima.Idx(lane, 8), k)
	MOVQ(U32(pairChunk), left)
	Label(next)
	VMOVSD(Mem{Base: a}, sum)
	VADDSD(Mem{Base: b}, sum, sum)
	VMOVQ(sum, value)
	CMPQ(value, k)
	JEQ(LabelRef(found))
	ADDQ(U8(m.pairBytes()), a)
	ADDQ(U8(m.width()), b)
	DECQ(left)
	JNE(LabelRef(next))
	SUBQ(U8(m.width()), b) // there is no such sum: an operand is no number
	Label(found)
	SUBQ(m.packed, b)
	MOVL(Mem{Base: b, Index: m.with, Scale: 1}, k.As32())
	MOVL(k.As32(), m.found.Idx(lane, 8))
	LEAL(Mem{Base: lowered, Disp: -1}, lane.As32())
	ANDL(lane.As32(), lowered)
	JNE(LabelRef(loop))
	VMOVUPS(m.found, acc.p)
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
	all := m.narrow()
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

// pairBase generates Floyd–Warshall on one contiguous 64×64 block of distances, behind which are those of the
// predecessors, in place, as base does.
func pairBase(p path, a arithmetic) {
	TEXT("pairBase"+a.name+p.suffix, NOSPLIT, "func(d *byte)")
	Doc(fmt.Sprintf("pairBase%s%s closes a contiguous %d×%d block and its predecessors.", a.name, p.suffix, edge, edge))
	Pragma("noescape")
	plane := a.size * edge * edge
	d := Load(Param("d"), GP64())
	reset := p.resetter(a)
	floydWarshall(p, a, d, func(reg.Register) {}, func(row, at reg.Register, x reg.VecVirtual) {
		for v := range a.size * edge / p.bytes {
			sum, c, with := p.vec(), p.newPair(), p.vec()
			a.add(Mem{Base: row, Disp: v * p.bytes}, x, sum)
			reset(sum)
			VMOVUPS(Mem{Base: at, Disp: v * p.bytes}, c.d)
			VMOVUPS(Mem{Base: at, Disp: plane + v*p.bytes}, c.p)
			VMOVUPS(Mem{Base: row, Disp: plane + v*p.bytes}, with)
			p.where(a, sum, c.d, with, c.p)
			a.min(sum, c.d, c.d)
			VMOVUPS(c.d, Mem{Base: at, Disp: v * p.bytes})
			VMOVUPS(c.p, Mem{Base: at, Disp: plane + v*p.bytes})
		}
	})
}

// pairClimb generates climb for pairs: what a sum lowers takes over the predecessor of the row that is added to. A
// vector in which nothing is lowered is not stored.
func pairClimb(p path, a arithmetic) {
	vecs := 2
	if p.is512() {
		vecs = 4
	}
	TEXT("pairClimb"+a.name+p.suffix, NOSPLIT, "func(src, rows, ends, weights *byte, count, stride int)")
	Doc(fmt.Sprintf("pairClimb%s%s pushes count arcs for %d pairs, see path.", a.name, p.suffix, vecs*p.bytes/a.size))
	Pragma("noescape")
	src, rows, ends, weights := load("src"), load("rows"), load("ends"), load("weights")
	count, stride, k := load("count"), load("stride"), GP64()
	row, reset := make([]pair, vecs), p.resetter(a)
	for v := range row {
		row[v] = p.split(a, Mem{Base: src, Disp: v * p.pairVec(a)})
	}
	XORQ(k, k)
	Label("arcLoop")
	to, w := end(ends, k, stride, rows), p.vec()
	a.broadcast(Mem{Base: weights, Index: k, Scale: uint8(a.weightBytes())}, w)
	for v, from := range row {
		place, sum, kept := to.Offset(v*p.pairVec(a)), p.vec(), fmt.Sprintf("kept%d", v)
		x := p.split(a, place)
		a.add(from.d, w, sum)
		reset(sum)
		lower := p.less(a, sum, x.d)
		lowered := p.bits(a, lower)
		TESTL(lowered, lowered)
		JEQ(LabelRef(kept))
		p.blend(lower, sum, x.d)
		p.blend(lower, from.p, x.p)
		p.join(a, x, place)
		Label(kept)
	}
	INCQ(k)
	CMPQ(k, count)
	JLT(LabelRef("arcLoop"))
	VZEROUPPER()
	RET()
}
