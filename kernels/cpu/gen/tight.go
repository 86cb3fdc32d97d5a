package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// tight generates the search for tight arcs: in each lane, those that add up to the distance where they end. A line is
// two registers: with one of 64 bytes, finding predecessors takes a sixth less, which is little of a solve.
func tight(p path) {
	b := p.function("tight", words[0], 1, "func(pred, others, own, dist, start, ends, weights *byte, count int)",
		"finds tight arcs")
	pred, others, own, dist := load("pred"), load("others"), load("own"), load("dist")
	start, ends, weights, count := load("start"), load("ends"), load("weights"), load("count")
	none, one := p.splat(0xffffffff), p.splat(1)
	goal, before, tights := b.registers(), b.registers(), b.registers()
	k, stop := GP64(), GP64()
	MOVQ(Mem{Base: start}, stop)
	Label("vertexLoop")
	MOVQ(stop, k)
	MOVQ(Mem{Base: start, Disp: 8}, stop)
	b.load(Mem{Base: own}, goal)
	for i := range before {
		VMOVAPS(none, before[i])
		VPXOR(tights[i], tights[i], tights[i])
	}
	CMPQ(k, stop)
	JGE(LabelRef("vertexDone"))
	Label("arcLoop")
	from := GP64()
	MOVLQSX(Mem{Base: ends, Index: k, Scale: 4}, from)
	SHLQ(U8(6), from) // times lineBytes
	x, weight := b.splatAt(Mem{Base: ends, Index: k, Scale: 4}), b.splatAt(Mem{Base: weights, Index: k, Scale: 4})
	for i := range goal {
		is := p.vec()
		VPADDD(Mem{Base: dist, Index: from, Scale: 1, Disp: i * p.bytes}, weight, is)
		VPCMPEQD(goal[i], is, is)
		VPBLENDVB(is, x, before[i], before[i])
		VPSUBD(is, tights[i], tights[i])
	}
	INCQ(k)
	CMPQ(k, stop)
	JLT(LabelRef("arcLoop"))
	Label("vertexDone")
	low, high := GP32(), GP32()
	for i := range goal { // to what is unreachable, arcs count for nothing
		VPCMPEQD(b.inf, goal[i], goal[i])
		VPOR(goal[i], before[i], before[i])
		VPCMPEQD(one, tights[i], tights[i])
		VPOR(goal[i], tights[i], tights[i])
	}
	VMOVMSKPS(tights[0], low)
	VMOVMSKPS(tights[1], high)
	SHLL(U8(8), high)
	ORL(high, low)
	NOTL(low)
	MOVW(low.As16(), Mem{Base: others})
	b.store(before, Mem{Base: pred})
	ADDQ(U8(lineBytes), pred)
	ADDQ(U8(2), others)
	ADDQ(U8(lineBytes), own)
	ADDQ(U8(8), start)
	DECQ(count)
	JNE(LabelRef("vertexLoop"))
	done()
}
