package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pushBytes are of a vertex's lanes.
const pushBytes = 128

// pushAhead is how many arcs ahead of the one at hand the lanes at the end are fetched.
const pushAhead = 6

// pushLanes generates the relaxation of arcs from a vertex whose distances from many sources are in lanes. Ends in
// which a lane falls are listed, with the least of the lanes that fell.
func pushLanes(p path, a arithmetic) {
	p.begin("pushLanes"+a.name, "func(lines, from, ends, weights, changed, keys, next *byte, count int) (found int)",
		"relaxes count arcs, at least one, see path.")
	lines, from, ends, weights := load("lines"), load("from"), load("ends"), load("weights")
	changed, keys, count := load("changed"), load("keys"), load("count")
	found, to := GP64(), GP64()
	inf := p.infinity(a)
	vecs := func() []reg.VecVirtual {
		r := make([]reg.VecVirtual, pushBytes/p.bytes)
		for i := range r {
			r[i] = p.vec()
		}
		return r
	}
	source, sum := vecs(), vecs()
	for i := range source {
		VMOVUPS(Mem{Base: from, Disp: i * p.bytes}, source[i])
	}
	XORQ(found, found)
	fetch := func(ends reg.Register, i int) {
		MOVLQSX(Mem{Base: ends, Disp: 4 * i}, to)
		SHLQ(U8(7), to)
		PREFETCHT0(Mem{Base: lines, Index: to, Scale: 1})
		PREFETCHT0(Mem{Base: lines, Index: to, Scale: 1, Disp: lineBytes})
	}
	for i := range pushAhead {
		fetch(ends, i)
	}
	next := load("next")
	for i := range pushAhead { // where the next call begins
		fetch(next, i)
	}
	Label("arc")
	fetch(ends, pushAhead)
	MOVLQSX(Mem{Base: ends}, to)
	SHLQ(U8(7), to) // times pushBytes
	ADDQ(lines, to)
	x := p.vec()
	a.broadcast(Mem{Base: weights}, x)
	fell := p.fall(a, to, x, source, sum, inf)
	for i := len(fell) / 2; i > 0; i /= 2 {
		for j := range i {
			a.min(fell[j+i], fell[j], fell[j])
		}
	}
	mask := GP32()
	least := p.leastLane(a, fell[0])
	MOVL(Mem{Base: ends}, mask)
	MOVL(mask, Mem{Base: changed, Index: found, Scale: 4})
	VMOVD(least, mask)
	MOVL(mask, Mem{Base: keys, Index: found, Scale: 4})
	INCQ(found)
	Label("next")
	ADDQ(U8(4), ends)
	ADDQ(U8(a.weightBytes()), weights)
	DECQ(count)
	JNE(LabelRef("arc"))
	Store(found, Return("found"))
	done()
}

// fall lowers the lanes at an address to the source's plus x, and returns these where they fell, or inf. It jumps to
// "next" where none did.
func (p path) fall(a arithmetic, to reg.Register, x reg.VecVirtual, source, sum []reg.VecVirtual,
	inf reg.VecVirtual) (fell []reg.VecVirtual) {
	if p.is512() {
		return p.fallMasked(a, to, x, source, sum, inf)
	}
	equal := map[int]func(operands ...Op){2: VPCMPEQW, 4: VPCMPEQD, 8: VPCMPEQQ}[a.size]
	var same []reg.VecVirtual
	all, mask := p.vec(), GP32()
	for i := range sum {
		old := Mem{Base: to, Disp: i * p.bytes}
		a.add(x, source[i], sum[i])
		a.min(old, sum[i], sum[i])
		same = append(same, p.vec())
		if equal(old, sum[i], same[i]); i == 0 {
			VMOVAPS(same[i], all)
		} else {
			VPAND(same[i], all, all)
		}
	}
	VPMOVMSKB(all, mask)
	CMPL(mask, I8(-1))
	JE(LabelRef("next"))
	for i := range sum {
		VMOVUPS(sum[i], Mem{Base: to, Disp: i * p.bytes})
		VPBLENDVB(same[i], inf, sum[i], sum[i])
	}
	return sum
}

// fallMasked is fall with masks. Entries order as integers, since none is negative.
func (p path) fallMasked(a arithmetic, to reg.Register, x reg.VecVirtual, source, sum []reg.VecVirtual,
	inf reg.VecVirtual) (fell []reg.VecVirtual) {
	blend := map[int]func(operands ...Op){2: VPBLENDMW, 4: VPBLENDMD, 8: VPBLENDMQ}[a.size]
	any := []reg.OpmaskVirtual{K(), K()}
	var least []reg.VecVirtual
	for i := range sum {
		old := p.vec()
		VMOVUPS(Mem{Base: to, Disp: i * p.bytes}, old)
		a.add(x, source[i], sum[i])
		switch a.size {
		case 2:
			VPCMPUW(U8(6), sum[i], old, any[i])
		case 4:
			VPCMPGTD(sum[i], old, any[i])
		default:
			VPCMPGTQ(sum[i], old, any[i])
		}
		least = append(least, old)
	}
	if a.size == 2 {
		KORTESTD(any[1], any[0])
	} else {
		KORTESTW(any[1], any[0])
	}
	JE(LabelRef("next"))
	for i := range sum {
		a.min(sum[i], least[i], least[i])
		VMOVUPS(least[i], Mem{Base: to, Disp: i * p.bytes})
		blend(sum[i], inf, any[i], sum[i])
	}
	return sum
}

// leastLane returns a register that begins with the least lane of another, or with its upper half of two words.
func (p path) leastLane(a arithmetic, x reg.VecVirtual) reg.Register {
	if p.is512() {
		half := YMM()
		VEXTRACTI64X4(U8(1), x, half)
		a.min(half, x.AsY(), x.AsY())
	}
	low, high := x.AsX(), XMM()
	VEXTRACTI128(U8(1), x.AsY(), high)
	a.min(high, low, low)
	if a.size == 2 {
		VPHMINPOSUW(low, low)
		t := XMM()
		VPXOR(t, t, t)
		VPBLENDW(U8(1), low, t, t)
		return t
	}
	VPSHUFD(U8(0x4e), low, high)
	a.min(high, low, low)
	if a.size == 4 {
		VPSHUFD(U8(0xb1), low, high)
		a.min(high, low, low)
		return low
	}
	VPSRLQ(U8(32), low, low)
	return low
}
