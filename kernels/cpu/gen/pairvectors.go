package main

import (
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

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
