package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lowerLine lowers a line of dst to one of src plus by.
func (p path) lowerLine(a arithmetic, dst, src Mem, by reg.VecVirtual) {
	for at := 0; at < lineBytes; at += p.bytes {
		t := p.vec()
		a.add(src.Offset(at), by, t)
		a.min(dst.Offset(at), t, t)
		VMOVUPS(t, dst.Offset(at))
	}
}

// lowerRow generates what lowers a row to another plus a weight.
func lowerRow(p path, a arithmetic) {
	p.begin("lowerRow"+a.name, "func(dst, src, by *byte, lines int)",
		"lowers lines to others plus a weight, see path.")
	dst, src, lines, by := load("dst"), load("src"), load("lines"), p.vec()
	a.broadcast(Mem{Base: load("by")}, by)
	before := GP64() // the row two rows before, which is soon needed by who goes backwards
	MOVQ(lines, before)
	SHLQ(U8(7), before)
	NEGQ(before)
	Label("loop")
	PREFETCHT0(Mem{Base: src, Index: before, Scale: 1})
	p.lowerLine(a, Mem{Base: dst}, Mem{Base: src}, by)
	ADDQ(U8(lineBytes), dst)
	ADDQ(U8(lineBytes), src)
	DECQ(lines)
	JNE(LabelRef("loop"))
	done()
}

// lowerLines generates lowerRow for chosen lines of the other row.
func lowerLines(p path, a arithmetic) {
	p.begin("lowerLines"+a.name, "func(dst, src, by, places *byte, lines int)",
		"lowers lines to chosen others plus a weight, see path.")
	dst, src, places, lines, by := load("dst"), load("src"), load("places"), load("lines"), p.vec()
	a.broadcast(Mem{Base: load("by")}, by)
	Label("loop")
	at := GP64()
	MOVLQSX(Mem{Base: places}, at)
	SHLQ(U8(6), at) // times lineBytes
	p.lowerLine(a, Mem{Base: dst}, Mem{Base: src, Index: at, Scale: 1}, by)
	ADDQ(U8(lineBytes), dst)
	ADDQ(U8(4), places)
	DECQ(lines)
	JNE(LabelRef("loop"))
	done()
}

// leastSum generates the least sum of two rows.
func leastSum(p path, a arithmetic) {
	p.begin("leastSum"+a.name, "func(least, x, y *byte, lines int)",
		"lowers a weight to the least sum of two rows, see path.")
	least, x, y, lines := load("least"), load("x"), load("y"), load("lines")
	var acc []reg.VecVirtual
	for range lineBytes / p.bytes {
		v := p.vec()
		a.broadcast(Mem{Base: least}, v)
		acc = append(acc, v)
	}
	Label("loop")
	for v := range acc {
		t := p.vec()
		VMOVUPS(Mem{Base: x, Disp: v * p.bytes}, t)
		a.add(Mem{Base: y, Disp: v * p.bytes}, t, t)
		a.min(t, acc[v], acc[v])
	}
	ADDQ(U8(lineBytes), x)
	ADDQ(U8(lineBytes), y)
	DECQ(lines)
	JNE(LabelRef("loop"))
	half := YMM()
	if p.is512() {
		VEXTRACTI64X4(U8(1), acc[0], half)
	} else {
		VMOVAPS(acc[1].AsY(), half)
	}
	a.min(acc[0].AsY(), half, half)
	quarter := XMM()
	VEXTRACTI128(U8(1), half, quarter)
	a.min(half.AsX(), quarter, quarter)
	t := XMM()
	VPSHUFD(U8(0x4e), quarter, t)
	a.min(t, quarter, quarter)
	if a.size == 4 {
		VPSHUFD(U8(0xb1), quarter, t)
		a.min(t, quarter, quarter)
		VMOVD(quarter, Mem{Base: least})
	} else {
		VMOVQ(quarter, Mem{Base: least})
	}
	done()
}
