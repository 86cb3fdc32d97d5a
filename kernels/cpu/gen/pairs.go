package main

import (
	"fmt"
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pairs generates what products and closures of tiles of pairs need. The AVX-512 path takes those of AVX2 for doubles.
func pairs(p path) {
	list := words
	if !p.is512() {
		list = append(slices.Clone(words), doubles)
	}
	each(p, list, pairStrip)
	each(p, list, pairBase)
	each(p, list, pairClimb)
}

// pairBase generates Floyd–Warshall on one contiguous 64×64 block of distances, behind which are those of the
// predecessors, in place, as base does.
func pairBase(p path, a arithmetic) {
	p.begin("pairBase"+a.name, "func(d *byte)", "closes a contiguous %d×%[1]d block and its predecessors.", edge)
	plane := a.size * edge * edge
	d := load("d")
	reset := p.resetter(a)
	floydWarshall(p, a, d, func(reg.Register) {}, func(row, at reg.Register, x reg.VecVirtual) {
		for v := range a.size * edge / p.bytes {
			sum, c, with := p.vec(), p.newPair(), p.vec()
			a.add(Mem{Base: row, Disp: v * p.bytes}, x, sum)
			reset(sum)
			VMOVUPS(Mem{Base: at, Disp: v * p.bytes}, c.d)
			VMOVUPS(Mem{Base: at, Disp: plane + v*p.bytes}, c.p)
			VMOVUPS(Mem{Base: row, Disp: plane + v*p.bytes}, with)
			p.blend(p.less(a, sum, c.d), with, c.p)
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
	p.begin("pairClimb"+a.name, "func(src, rows, ends, weights *byte, count, stride int)",
		"pushes count arcs for %d pairs, see path.", vecs*p.bytes/a.size)
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
	done()
}
