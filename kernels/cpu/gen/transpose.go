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
	p.begin(name, "func(dst, places, rows, columns *byte, blocks, stride int)",
		"transposes blocks of %d×%[1]d entries, see path.", lineBytes/size)
	t := transposing{path: p, size: size, move: move, dst: load("dst"), places: load("places"), rows: load("rows"),
		columns: load("columns"), stride: load("stride")}
	blocks := load("blocks")
	Label("blockLoop")
	CMPQ(blocks, U8(1))
	JE(LabelRef("last"))
	// Rows are anywhere in memory, so the processor does not foresee which ones the next block reads.
	for i := range lineBytes / size {
		PREFETCHT0(t.from(0, lineBytes/size+i))
	}
	Label("last")
	if p.is512() {
		t.square()
	} else {
		t.quarters()
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
	done()
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

// to stores columns of a lane, from some column on.
func (t transposing) to(lane, column int, columns ...reg.VecVirtual) {
	at := GP64()
	MOVQ(Mem{Base: t.places, Disp: 8 * lane}, at)
	for i, x := range columns {
		t.move(x, Mem{Base: t.dst, Index: at, Scale: 1, Disp: t.size*column + i*t.bytes})
	}
}

// square moves 16 lanes of as many columns.
func (t transposing) square() {
	r := make([]reg.VecVirtual, 16)
	for i := range r {
		from := t.from(0, i)
		r[i] = t.vec()
		VMOVUPS(from, r[i])
	}
	for lane, x := range transpose16(r) {
		t.to(lane, 0, x)
	}
}

// quarters moves a block of a line of lanes and as many columns by squares of 16 bytes. Two of them are side by side
// in a register, half a line of the output. Both halves are written at once, if there are registers for that: past
// the caches, a half alone takes longer than a line.
func (t transposing) quarters() {
	edge := 16 / t.size
	for lane := 0; lane < lineBytes/t.size; lane += edge {
		var before []reg.VecVirtual
		for column := 0; column < lineBytes/t.size; column += 2 * edge {
			r := make([]reg.VecVirtual, edge)
			for i := range r {
				r[i] = YMM()
				VBROADCASTF128(t.from(lane, column+i), r[i])
				VINSERTF128(U8(1), t.from(lane, column+edge+i), r[i], r[i])
			}
			r = unpack(r, t.size)
			for i, x := range r {
				switch {
				case t.size == 2:
					t.to(lane+i, column, x)
				case before != nil:
					t.to(lane+i, 0, before[i], x)
				}
			}
			before = r
		}
	}
}

// unpack transposes entries of some size within both halves of registers, of which there are as many as a half has
// entries.
func unpack(r []reg.VecVirtual, size int) []reg.VecVirtual {
	if size == 16 {
		return r
	}
	low := map[int]func(operands ...Op){2: VPUNPCKLWD, 4: VPUNPCKLDQ, 8: VPUNPCKLQDQ}[size]
	high := map[int]func(operands ...Op){2: VPUNPCKHWD, 4: VPUNPCKHDQ, 8: VPUNPCKHQDQ}[size]
	// The first half of the columns, and the second; entries of neighbouring rows side by side.
	var lows, highs []reg.VecVirtual
	for i := 0; i < len(r); i += 2 {
		l, h := YMM(), YMM()
		low(r[i+1], r[i], l)
		high(r[i+1], r[i], h)
		lows, highs = append(lows, l), append(highs, h)
	}
	return append(unpack(lows, 2*size), unpack(highs, 2*size)...)
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
