package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// transpose generates the copy of a line of rows in any order, entries of some size, to columns of as many output rows.
// Rows are gathered and output is written in whole lines, so each is moved between caches once. past
// writes past the caches, which need not read a line first that is overwritten whole.
func transpose(p path, size int, past bool) {
	name, move := "transpose", func(x, to Op) { VMOVUPS(x, to) }
	if past {
		name, move = "transposePast", VMOVNTPS
	}
	if size != 4 {
		name += fmt.Sprint(size)
	}
	name += p.suffix
	TEXT(name, NOSPLIT, "func(dst, places, rows, columns *byte, blocks, stride int)")
	Doc(fmt.Sprintf("%s transposes blocks of %d×%[2]d entries, see path.", name, lineBytes/size))
	Pragma("noescape")
	t := transposing{path: p, size: size, move: move, dst: load("dst"), places: load("places"), rows: load("rows"),
		columns: load("columns"), stride: load("stride")}
	blocks := load("blocks")
	Label("blockLoop")
	switch {
	case size == 2:
		t.halves()
	case p.is512():
		t.square(0, 0, 16, transpose16)
	default:
		edge, transposed := 8, transpose8
		if size == 8 {
			edge, transposed = 4, transpose4
		}
		for lane := 0; lane < lineBytes/size; lane += edge {
			t.square(lane, 0, edge, transposed)
			t.square(lane, edge, edge, transposed)
		}
	}
	if size == 2 {
		ADDQ(U32(2*lineBytes), t.columns)
	} else {
		ADDQ(U8(4*lineBytes/size), t.columns)
	}
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
	size                               int // of an entry
	move                               func(x, to Op)
	dst, places, rows, columns, stride reg.Register
}

// from returns the place of an entry.
func (t transposing) from(lane, column int) Mem {
	at := GP64()
	MOVLQSX(Mem{Base: t.columns, Disp: 4 * column}, at)
	IMULQ(t.stride, at)
	return Mem{Base: t.rows, Index: at, Scale: 1, Disp: t.size * lane}
}

// to stores columns of some lanes.
func (t transposing) to(lane, column int, columns []reg.VecVirtual) {
	for i, x := range columns {
		at := GP64()
		MOVQ(Mem{Base: t.places, Disp: 8 * (lane + i)}, at)
		t.move(x, Mem{Base: t.dst, Index: at, Scale: 1, Disp: t.size * column})
	}
}

// square moves as many lanes as columns.
func (t transposing) square(lane, column, edge int, transposed func([]reg.VecVirtual) []reg.VecVirtual) {
	r := make([]reg.VecVirtual, edge)
	for i := range r {
		from := t.from(lane, column+i)
		r[i] = t.vec()
		VMOVUPS(from, r[i])
	}
	t.to(lane, column, transposed(r))
}

// halves moves a block of entries of 2 bytes by squares of 8 lanes and columns, two of them side by side in a register.
func (t transposing) halves() {
	const half = 8
	for lane := 0; lane < lineBytes/2; lane += half {
		for column := 0; column < lineBytes/2; column += 2 * half {
			r := make([]reg.VecVirtual, half)
			for i := range r {
				r[i] = YMM()
				VBROADCASTF128(t.from(lane, column+i), r[i])
				VINSERTF128(U8(1), t.from(lane, column+half+i), r[i], r[i])
			}
			t.to(lane, column, unpack(r, 2))
		}
	}
}

// unpack transposes entries of some size within both halves of registers, of which there are as many as a half has entries.
func unpack(r []reg.VecVirtual, size int) []reg.VecVirtual {
	if size == 16 {
		return r
	}
	low, high := VPUNPCKLWD, VPUNPCKHWD
	switch size {
	case 4:
		low, high = VPUNPCKLDQ, VPUNPCKHDQ
	case 8:
		low, high = VPUNPCKLQDQ, VPUNPCKHQDQ
	}
	var lows, highs []reg.VecVirtual // the first half of the columns, and the second; entries of neighbouring rows side by side
	for i := 0; i < len(r); i += 2 {
		l, h := YMM(), YMM()
		low(r[i+1], r[i], l)
		high(r[i+1], r[i], h)
		lows, highs = append(lows, l), append(highs, h)
	}
	return append(unpack(lows, 2*size), unpack(highs, 2*size)...)
}

// transpose4 transposes 4 registers of 4 entries.
func transpose4(r []reg.VecVirtual) []reg.VecVirtual {
	var even, odd [2]reg.VecVirtual // columns 0 and 2, or 1 and 3, of two rows
	for i := range even {
		even[i], odd[i] = YMM(), YMM()
		VUNPCKLPD(r[2*i+1], r[2*i], even[i])
		VUNPCKHPD(r[2*i+1], r[2*i], odd[i])
	}
	out := make([]reg.VecVirtual, 4)
	for c, u := range [][2]reg.VecVirtual{even, odd} {
		out[c], out[2+c] = YMM(), YMM()
		VPERM2F128(U8(0x20), u[1], u[0], out[c])
		VPERM2F128(U8(0x31), u[1], u[0], out[2+c])
	}
	return out
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
