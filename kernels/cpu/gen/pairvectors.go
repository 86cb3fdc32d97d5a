package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pairBytes is the size of a pair.
func (a arithmetic) pairBytes() int { return 2 * a.size }

// pairVec is how many bytes of memory the pairs of a vector of distances take.
func (p path) pairVec(a arithmetic) int { return p.bytes / a.size * a.pairBytes() }

// pair is a vector of distances with the predecessors that go with them, which take as many bytes each. Memory holds
// the columns in their order, each distance before its predecessor. Two vectors of it are here in the order in which
// vshufps and vunpcklpd find and vunpcklps and vunpcklpd leave them, the same for all operands.
type pair struct{ d, p reg.VecVirtual }

func (p path) newPair() pair { return pair{p.vec(), p.vec()} }

// split loads a pair of vectors.
func (p path) split(a arithmetic, from Mem) pair {
	lo, hi, x := p.vec(), p.vec(), p.newPair()
	VMOVUPS(from, lo)
	VMOVUPS(from.Offset(p.bytes), hi)
	if a.size == 8 {
		VUNPCKLPD(hi, lo, x.d)
		VUNPCKHPD(hi, lo, x.p)
	} else {
		VSHUFPS(U8(0x88), hi, lo, x.d)
		VSHUFPS(U8(0xdd), hi, lo, x.p)
	}
	return x
}

// join stores what split loads.
func (p path) join(a arithmetic, x pair, to Mem) {
	lo, hi := p.vec(), p.vec()
	of(a, VUNPCKLPS, VUNPCKLPD)(x.p, x.d, lo)
	of(a, VUNPCKHPS, VUNPCKHPD)(x.p, x.d, hi)
	VMOVUPS(lo, to)
	VMOVUPS(hi, to.Offset(p.bytes))
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
	if p.is512() {
		KMOVW(m, g)
	} else {
		of(a, VMOVMSKPS, VMOVMSKPD)(m, g)
	}
	return g
}
