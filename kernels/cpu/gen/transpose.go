package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// transpose generates the copy of a line, 16 lanes, of rows in any order to columns of 16 output rows.
// Rows are gathered and output is written in whole lines, so each is moved between caches once. past
// writes past the caches, which need not read a line first that is overwritten whole.
func transpose(p path, past bool) {
	name, move := "transpose"+p.suffix, func(x, to Op) { VMOVUPS(x, to) }
	if past {
		name, move = "transposePast"+p.suffix, VMOVNTPS
	}
	TEXT(name, NOSPLIT, "func(dst, places, rows, columns *byte, blocks, stride int)")
	Doc(fmt.Sprintf("%s transposes blocks of 16×16 entries, see path.", name))
	Pragma("noescape")
	t := transposing{path: p, move: move, dst: load("dst"), places: load("places"), rows: load("rows"),
		columns: load("columns"), stride: load("stride")}
	blocks := load("blocks")
	Label("blockLoop")
	if p.is512() {
		t.square(0, 0, 16, transpose16)
	} else {
		for lane := 0; lane < 16; lane += 8 {
			t.square(lane, 0, 8, transpose8)
			t.square(lane, 8, 8, transpose8)
		}
	}
	ADDQ(U8(lineBytes), t.columns)
	ADDQ(U8(lineBytes), t.dst)
	DECQ(blocks)
	JNE(LabelRef("blockLoop"))
	if past {
		SFENCE()
	}
	VZEROUPPER()
	RET()
}

type transposing struct {
	path
	move                               func(x, to Op)
	dst, places, rows, columns, stride reg.Register
}

// square moves size lanes of size columns.
func (t transposing) square(lane, column, size int, transposed func([]reg.VecVirtual) []reg.VecVirtual) {
	r := make([]reg.VecVirtual, size)
	for i := range r {
		at := GP64()
		MOVLQSX(Mem{Base: t.columns, Disp: 4 * (column + i)}, at)
		IMULQ(t.stride, at)
		r[i] = t.vec()
		VMOVUPS(Mem{Base: t.rows, Index: at, Scale: 1, Disp: 4 * lane}, r[i])
	}
	for i, x := range transposed(r) {
		at := GP64()
		MOVQ(Mem{Base: t.places, Disp: 8 * (lane + i)}, at)
		t.move(x, Mem{Base: t.dst, Index: at, Scale: 1, Disp: 4 * column})
	}
}

// interleave transposes blocks of 4×4 entries: four registers, and within each a quarter of 128 bits. Pairs of
// entries first, then pairs of pairs.
func interleave(vec func() reg.VecVirtual, r []reg.VecVirtual) []reg.VecVirtual {
	low := make([]reg.VecVirtual, len(r)) // low[i]: entries 0, 1 of rows i and i+1; low[i+1]: entries 2, 3
	for i := 0; i < len(r); i += 2 {
		low[i], low[i+1] = vec(), vec()
		VUNPCKLPS(r[i+1], r[i], low[i])
		VUNPCKHPS(r[i+1], r[i], low[i+1])
	}
	out := make([]reg.VecVirtual, len(r)) // out[4g+c]: entry c of rows 4g…4g+3
	for g := 0; g < len(r); g += 4 {
		for h := range 2 {
			out[g+2*h], out[g+2*h+1] = vec(), vec()
			VUNPCKLPD(low[g+2+h], low[g+h], out[g+2*h])
			VUNPCKHPD(low[g+2+h], low[g+h], out[g+2*h+1])
		}
	}
	return out
}

// transpose16 transposes 16 registers of 16 entries: within quarters, then the quarters.
func transpose16(r []reg.VecVirtual) []reg.VecVirtual {
	u := interleave(func() reg.VecVirtual { return ZMM() }, r)
	parity := func(x, y reg.VecVirtual) (even, odd reg.VecVirtual) {
		even, odd = ZMM(), ZMM()
		VSHUFF32X4(U8(0x88), y, x, even)
		VSHUFF32X4(U8(0xdd), y, x, odd)
		return even, odd
	}
	out := make([]reg.VecVirtual, 16)
	for c := range 4 { // quarter q of u[4g+c] is column 4q+c of rows 4g…4g+3
		even0, odd0 := parity(u[c], u[4+c])
		even1, odd1 := parity(u[8+c], u[12+c])
		out[c], out[8+c] = parity(even0, even1)
		out[4+c], out[12+c] = parity(odd0, odd1)
	}
	return out
}

// transpose8 transposes 8 registers of 8 entries.
func transpose8(r []reg.VecVirtual) []reg.VecVirtual {
	u := interleave(func() reg.VecVirtual { return YMM() }, r)
	out := make([]reg.VecVirtual, 8)
	for c := range 4 {
		out[c], out[4+c] = YMM(), YMM()
		VPERM2F128(U8(0x20), u[4+c], u[c], out[c])
		VPERM2F128(U8(0x31), u[4+c], u[c], out[4+c])
	}
	return out
}
