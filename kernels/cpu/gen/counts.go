package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pushCounts generates a step of a search that counts paths: from one place along its arcs.
func pushCounts(p path) {
	p.begin("pushCounts", "func(counts, from, seen, next, ends, found *byte, lanes uint64, count, stride int) (more int)",
		"pushes counts of paths, see path.")
	counts, from, seen, next := load("counts"), load("from"), load("seen"), load("next")
	ends, found, lanes, end, stride := load("ends"), load("found"), load("lanes"), load("count"), load("stride")
	more := load("found")
	LEAQ(Mem{Base: ends, Index: end, Scale: 4}, end)
	place, mask, old := GP64(), GP64(), GP64()
	Label("arc")
	CMPQ(ends, end)
	JE(LabelRef("done"))
	fetchRow(counts, seen, ends, lanes, stride, true)
	MOVLQSX(Mem{Base: ends}, place)
	ADDQ(U8(4), ends)
	MOVQ(Mem{Base: seen, Index: place, Scale: 8}, mask)
	NOTQ(mask)
	ANDQ(lanes, mask)
	JE(LabelRef("arc"))
	MOVQ(Mem{Base: next, Index: place, Scale: 8}, old)
	MOVL(place.As32(), Mem{Base: more})
	TESTQ(old, old)
	JNE(LabelRef("known"))
	ADDQ(U8(4), more)
	Label("known")
	ORQ(mask, old)
	MOVQ(old, Mem{Base: next, Index: place, Scale: 8})
	addRow(counts, from, place, mask, stride, false)
	JMP(LabelRef("arc"))
	Label("done")
	SUBQ(found, more)
	SHRQ(U8(2), more)
	Store(more, Return("more"))
	done()
}

// pullCounts generates a step of the way back: to one place along its arcs.
func pullCounts(p path) {
	p.begin("pullCounts", "func(sum, counts, next, ends *byte, lanes uint64, count, stride int)",
		"pulls sums, see path.")
	sum, counts, next, ends := load("sum"), load("counts"), load("next"), load("ends")
	lanes, end, stride := load("lanes"), load("count"), load("stride")
	LEAQ(Mem{Base: ends, Index: end, Scale: 4}, end)
	place, mask := GP64(), GP64()
	Label("arc")
	CMPQ(ends, end)
	JE(LabelRef("done"))
	fetchRow(counts, next, ends, lanes, stride, false)
	MOVLQSX(Mem{Base: ends}, place)
	ADDQ(U8(4), ends)
	MOVQ(Mem{Base: next, Index: place, Scale: 8}, mask)
	ANDQ(lanes, mask)
	JE(LabelRef("arc"))
	addRow(counts, sum, place, mask, stride, true)
	JMP(LabelRef("arc"))
	Label("done")
	done()
}

// fetchRow fetches the first lines of a row that comes soon, if it has lanes of a mask, or has not.
func fetchRow(rows, bits, ends, lanes, stride reg.Register, not bool) {
	place, mask := GP64(), GP64()
	MOVLQSX(Mem{Base: ends, Disp: 4 * ahead}, place)
	PREFETCHT0(Mem{Base: bits, Index: place, Scale: 8})
	MOVLQSX(Mem{Base: ends, Disp: 4 * ahead / 3}, place)
	MOVQ(Mem{Base: bits, Index: place, Scale: 8}, mask)
	if not {
		NOTQ(mask)
	}
	TESTQ(lanes, mask)
	JE(LabelRef("fetched"))
	IMULQ(stride, place)
	for line := range 4 {
		PREFETCHT0(Mem{Base: rows, Index: place, Scale: 1, Disp: 64 * line})
	}
	Label("fetched")
}

// addRow adds one to the other of a row of lanes and the row of a place, in the lanes of a mask. It consumes the mask
// and the place. into says that the row of lanes is what is added to.
func addRow(rows, row reg.Register, place, mask reg.GPVirtual, stride reg.Register, into bool) {
	to := GP64()
	MOVQ(row, to)
	IMULQ(stride, place)
	ADDQ(rows, place)
	source, target := reg.Register(place), reg.Register(to)
	if !into {
		source, target = to, place
	}
	some, sum := K(), ZMM()
	Label("line")
	KMOVW(mask.As32(), some)
	VMOVUPD(Mem{Base: target}, sum)
	VADDPD(Mem{Base: source}, sum, some, sum)
	VMOVUPD(sum, Mem{Base: target})
	ADDQ(U8(64), target)
	ADDQ(U8(64), source)
	SHRQ(U8(8), mask)
	JNE(LabelRef("line"))
}
