package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ahead is how many arcs ahead of the one at hand the line at the end is fetched.
const ahead = 12

// pullBits generates a level of a search by bits: what lines at the ends of a place's arcs have, and its own does not.
// A line is two registers: with one of 64 bytes it takes as long.
func pullBits(p path) {
	p.begin("pullBits", "func(left, at, start, ends, last, front, seen *byte, count int) (kept, found int)",
		"pulls the bits of a level, see path.")
	read, at, start, ends := load("left"), load("at"), load("start"), load("ends")
	last, front, seen, end := load("last"), load("front"), load("seen"), load("count")
	keep := GP64()
	MOVQ(read, keep)
	LEAQ(Mem{Base: read, Index: end, Scale: 4}, end)
	bits := func() []reg.VecVirtual { return make([]reg.VecVirtual, lineBytes/p.bytes) }
	all, unseen, got := p.vec(), bits(), bits()
	VPCMPEQD(all, all, all)
	for i := range unseen {
		unseen[i], got[i] = p.vec(), p.vec()
	}
	line := func(base, offset reg.Register, i int) Mem {
		return Mem{Base: base, Index: offset, Scale: 1, Disp: i * p.bytes}
	}
	place, k, stop, to := GP64(), GP64(), GP64(), GP64()
	Label("place")
	CMPQ(read, end)
	JE(LabelRef("done"))
	MOVLQSX(Mem{Base: read}, place)
	ADDQ(U8(4), read)
	MOVQ(Mem{Base: start, Index: place, Scale: 8}, k)
	MOVQ(Mem{Base: start, Index: place, Scale: 8, Disp: 8}, stop)
	MOVQ(place, to)
	SHLQ(U8(6), to)
	for i := range unseen {
		VPXOR(line(seen, to, i), all, unseen[i])
	}
	jumpIfZero(p.vec(), unseen, "place")
	MOVL(place.As32(), Mem{Base: keep})
	ADDQ(U8(4), keep)
	for i := range got {
		VPXOR(got[i], got[i], got[i])
	}
	Label("arc")
	CMPQ(k, stop)
	JGE(LabelRef("pulled"))
	MOVLQSX(Mem{Base: ends, Index: k, Scale: 4, Disp: 4 * ahead}, to)
	SHLQ(U8(6), to)
	PREFETCHT0(Mem{Base: last, Index: to, Scale: 1})
	MOVLQSX(Mem{Base: ends, Index: k, Scale: 4}, to)
	SHLQ(U8(6), to)
	for i := range got {
		VPOR(line(last, to, i), got[i], got[i])
	}
	INCQ(k)
	JMP(LabelRef("arc"))
	Label("pulled")
	for i := range got {
		VPAND(unseen[i], got[i], got[i])
	}
	jumpIfZero(p.vec(), got, "place")
	MOVQ(place, to)
	SHLQ(U8(6), to)
	for i := range got {
		VMOVUPS(got[i], line(front, to, i))
		VPOR(line(seen, to, i), got[i], got[i])
		VMOVUPS(got[i], line(seen, to, i))
	}
	MOVL(place.As32(), Mem{Base: at})
	ADDQ(U8(4), at)
	JMP(LabelRef("place"))
	Label("done")
	SUBQ(load("left"), keep)
	SHRQ(U8(2), keep)
	Store(keep, Return("kept"))
	SUBQ(load("at"), at)
	SHRQ(U8(2), at)
	Store(at, Return("found"))
	done()
}

// jumpIfZero jumps where no bit of a line is set.
func jumpIfZero(any reg.VecVirtual, line []reg.VecVirtual, label string) {
	VPOR(line[0], line[1], any)
	VPTEST(any, any)
	JE(LabelRef(label))
}
