package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pairs generates what products and closures of tiles of pairs need.
func pairs(p path) {
	for _, a := range arithmetics {
		pairStrip(p, a)
	}
	for _, a := range arithmetics {
		pairBase(p, a)
	}
}

// pair is a vector of distances with the predecessors that go with them. Two vectors of memory hold the
// columns in their order, each distance before its predecessor; here they are in the order in which
// vshufps finds and vunpcklps leaves them, the same for all operands.
type pair struct{ d, p reg.VecVirtual }

func (p path) newPair() pair { return pair{p.vec(), p.vec()} }

// split loads a pair of vectors.
func (p path) split(from Mem) pair {
	lo, hi, x := p.vec(), p.vec(), p.newPair()
	VMOVUPS(from, lo)
	VMOVUPS(from.Offset(p.bytes), hi)
	VSHUFPS(U8(0x88), hi, lo, x.d)
	VSHUFPS(U8(0xdd), hi, lo, x.p)
	return x
}

// join stores what split loads.
func (p path) join(x pair, to Mem) {
	lo, hi := p.vec(), p.vec()
	VUNPCKLPS(x.p, x.d, lo)
	VUNPCKHPS(x.p, x.d, hi)
	VMOVUPS(lo, to)
	VMOVUPS(hi, to.Offset(p.bytes))
}

// where copies src to the lanes of dst in which x is less than y. The bits of floats that are no NaN order
// as integers unless both are negative, which only signed arithmetic compares.
func (p path) where(a arithmetic, x, y, src, dst reg.VecVirtual) {
	float := a.float && a.signed
	switch {
	case p.wide() && float:
		k := K()
		VCMPPS(U8(1), y, x, k)
		VMOVDQA32(src, k, dst)
	case p.wide():
		k := K()
		VPCMPGTD(x, y, k)
		VMOVDQA32(src, k, dst)
	case float:
		m := p.vec()
		VCMPPS(U8(1), y, x, m)
		VBLENDVPS(m, src, dst, dst)
	default:
		m := p.vec()
		VPCMPGTD(x, y, m)
		VBLENDVPS(m, src, dst, dst)
	}
}

// pairKernel is the state of one function while it is generated: rows × vecs pairs of C in registers.
type pairKernel struct {
	path
	arithmetic
	rows, vecs   int
	c, a, packed reg.Register
	ldc, lda     reg.Register
	lda3, left   reg.Register
	acc          [][]pair
}

// pairRows is how many rows of C a microkernel has; it has two pairs of vectors of each.
func (p path) pairRows() int {
	if p.wide() {
		return 4
	}
	return 2
}

const pairVecs = 2

// pairStrip generates strip for pairs.
func pairStrip(p path, a arithmetic) {
	TEXT("pairStrip"+a.name+p.suffix, NOSPLIT,
		"func(c, a, b, packed *byte, ldc, lda, ldb, k, rows int)")
	Doc(fmt.Sprintf("pairStrip%s%s relaxes rows×%d pairs of C, see pairStripFunc.", a.name, p.suffix, pairVecs*p.bytes/4))
	Pragma("noescape")
	m := pairKernel{path: p, arithmetic: a, rows: p.pairRows(), vecs: pairVecs}
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

// width is the bytes of a microkernel's row.
func (m *pairKernel) width() int { return 2 * m.vecs * m.bytes }

// pack copies the panel of B to k rows without gaps, its distances apart from its predecessors.
func (m *pairKernel) pack() {
	b, packed := Load(Param("b"), GP64()), Load(Param("packed"), GP64())
	ldb, left, ahead := Load(Param("ldb"), GP64()), Load(Param("k"), GP64()), GP64()
	MOVQ(ldb, ahead)
	SHLQ(U8(aheadShift), ahead)
	Label("packLoop")
	for line := 0; line < m.width(); line += 64 {
		PREFETCHT0(Mem{Base: b, Index: ahead, Scale: 1, Disp: line})
	}
	for v := range m.vecs {
		x := m.split(Mem{Base: b, Disp: 2 * v * m.bytes})
		VMOVUPS(x.d, Mem{Base: packed, Disp: 2 * v * m.bytes})
		VMOVUPS(x.p, Mem{Base: packed, Disp: (2*v + 1) * m.bytes})
	}
	ADDQ(ldb, b)
	ADDQ(U32(m.width()), packed)
	DECQ(left)
	JNE(LabelRef("packLoop"))
}

// start sets the minima to infinity, with predecessors that nothing takes over, and prefetches C.
func (m *pairKernel) start() {
	at, inf := GP64(), m.infinity(m.arithmetic)
	MOVQ(m.c, at)
	m.acc = make([][]pair, m.rows)
	for r := range m.acc {
		for line := 0; line < m.width(); line += 64 {
			PREFETCHT0(Mem{Base: at, Disp: line})
		}
		if r+1 < len(m.acc) {
			ADDQ(m.ldc, at)
		}
		for range m.vecs {
			acc := m.newPair()
			VMOVAPS(inf, acc.d)
			VMOVAPS(inf, acc.p)
			m.acc[r] = append(m.acc[r], acc)
		}
	}
}

// inner runs over k on the packed B.
func (m *pairKernel) inner() {
	const unroll, entry = 4, 8
	at, b, left := GP64(), GP64(), Load(Param("k"), GP64())
	MOVQ(m.a, at)
	MOVQ(m.packed, b)
	Label("kLoop")
	for u := range unroll {
		row := make([]pair, m.vecs)
		for v := range row {
			row[v] = m.newPair()
			VMOVUPS(Mem{Base: b, Disp: u*m.width() + 2*v*m.bytes}, row[v].d)
			VMOVUPS(Mem{Base: b, Disp: u*m.width() + (2*v+1)*m.bytes}, row[v].p)
		}
		for r, acc := range m.acc {
			x := m.vec()
			VBROADCASTSS(m.row(at, r).Offset(entry*u), x)
			for v := range row {
				s := m.vec()
				m.add(x, row[v].d, s)
				m.where(m.arithmetic, s, acc[v].d, row[v].p, acc[v].p)
				m.min(s, acc[v].d, acc[v].d)
			}
		}
	}
	ADDQ(U8(entry*unroll), at)
	ADDQ(U32(unroll*m.width()), b)
	SUBQ(U8(unroll), left)
	JNE(LabelRef("kLoop"))
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

// each calls do for every pair of minima and its place in C.
func (m *pairKernel) each(do func(acc pair, place Mem)) {
	at := GP64()
	MOVQ(m.c, at)
	for r := range m.acc {
		for v, acc := range m.acc[r] {
			do(acc, Mem{Base: at, Disp: 2 * v * m.bytes})
		}
		if r+1 < len(m.acc) {
			ADDQ(m.ldc, at)
		}
	}
}

// compare resets the minima and lowers them by C. All loads come before all stores: see finish.
func (m *pairKernel) compare() {
	reset := m.resetter(m.arithmetic)
	m.each(func(acc pair, place Mem) {
		x := m.split(place)
		reset(acc.d)
		m.where(m.arithmetic, acc.d, x.d, acc.p, x.p)
		VMOVAPS(x.p, acc.p)
		m.min(x.d, acc.d, acc.d)
	})
}

// store writes the minima, and moves on to the next rows.
func (m *pairKernel) store() {
	m.each(m.join)
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
	const plane = 4 * edge * edge
	d := Load(Param("d"), GP64())
	reset := p.resetter(a)
	row, column, left := GP64(), GP64(), GP64()
	MOVQ(d, row)
	MOVQ(d, column)
	MOVQ(U32(edge), left)
	Label("kLoop")
	at, entry, rows := GP64(), GP64(), GP64()
	MOVQ(d, at)
	MOVQ(column, entry)
	MOVQ(U32(edge), rows)
	Label("rowLoop")
	x := p.vec()
	VBROADCASTSS(Mem{Base: entry}, x)
	for v := range 4 * edge / p.bytes {
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
	ADDQ(U32(4*edge), at)
	ADDQ(U32(4*edge), entry)
	DECQ(rows)
	JNE(LabelRef("rowLoop"))
	ADDQ(U32(4*edge), row)
	ADDQ(U8(4), column)
	DECQ(left)
	JNE(LabelRef("kLoop"))
	VZEROUPPER()
	RET()
}
