package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	fewPlanes  = 4         // that levels takes, a block of columns each
	planeBytes = edge * 64 // of a block: a line for each column
)

// turn generates the transposition of each word of 64 lines: bit c of word k of line r becomes bit r of word k of line
// c (H. S. Warren, Hacker's Delight, 2013, section 7-3). Three steps are done while eight lines are in registers.
func turn(p path) {
	p.begin("turn", "func(lines *byte)", "transposes the words of 64 lines, see path.")
	lines, at, left := load("lines"), GP64(), GP64()
	pass := func(label string, apart, next int, masks ...uint64) {
		var words []reg.VecVirtual
		for _, m := range masks {
			words = append(words, p.splat64(m))
		}
		MOVQ(lines, at)
		MOVQ(U32(8), left)
		Label(label)
		for half := range lineBytes / p.bytes {
			x := make([]reg.VecVirtual, 8)
			place := func(i int) Mem { return Mem{Base: at, Disp: i*apart*lineBytes + half*p.bytes} }
			for i := range x {
				x[i] = p.vec()
				VMOVUPS(place(i), x[i])
			}
			for s, m := range words {
				step := 4 >> s
				for i := range x {
					if i&step == 0 {
						exchange(p, x[i], x[i+step], m, uint8(step*apart))
					}
				}
			}
			for i := range x {
				VMOVUPS(x[i], place(i))
			}
		}
		ADDQ(U32(next*lineBytes), at)
		DECQ(left)
		JNE(LabelRef(label))
	}
	pass("far", 8, 1, 0x00000000ffffffff, 0x0000ffff0000ffff, 0x00ff00ff00ff00ff)
	pass("near", 1, 8, 0x0f0f0f0f0f0f0f0f, 0x3333333333333333, 0x5555555555555555)
	done()
}

// exchange swaps the bits of x that are by some places above those of a mask, and the bits of y under the mask.
func exchange(p path, x, y, mask reg.VecVirtual, by uint8) {
	t := p.vec()
	VPSRLQ(U8(by), x, t)
	VPXOR(y, t, t)
	VPAND(mask, t, t)
	VPXOR(t, y, y)
	VPSLLQ(U8(by), t, t)
	VPXOR(t, x, x)
}

// levels generates the rows of a block of columns, entries of some size, from the bits of their levels.
func levels(p path, size int) {
	p.begin(fmt.Sprint("levels", size), "func(dst, places, planes, tables *byte, lanes int)",
		"writes 64 columns of rows of levels, see levelTables.")
	dst, places, planes, tables, lanes := load("dst"), load("places"), load("planes"), load("tables"), load("lanes")
	repeat, bits := p.vec(), p.splat64(0x8040201008040201)
	table := make([]reg.VecVirtual, size)
	for i := range table {
		table[i] = p.vec()
		VBROADCASTI128(Mem{Base: tables, Disp: 16 * i}, table[i])
	}
	VMOVUPS(Mem{Base: tables, Disp: 4 * 16}, repeat)
	lane, word, to := GP64(), GP64(), GP64()
	XORQ(lane, lane)
	Label("lane")
	MOVQ(Mem{Base: places, Index: lane, Scale: 8}, to)
	ADDQ(dst, to)
	// Lane l's bits of all columns are word l/64 of line l%64.
	at := GP64()
	MOVQ(lane, word)
	SHRQ(U8(6), word)
	MOVQ(lane, at)
	ANDQ(U8(63), at)
	SHLQ(U8(3), at)
	ADDQ(word, at)
	for part := range edge / p.bytes {
		level := p.vec()
		VPXOR(level, level, level)
		for i := fewPlanes - 1; i >= 0; i-- {
			x := p.vec()
			VPBROADCASTD(Mem{Base: planes, Index: at, Scale: 8, Disp: i*planeBytes + part*p.bytes/8}, x)
			VPSHUFB(repeat, x, x)
			VPAND(bits, x, x)
			VPCMPEQB(bits, x, x)
			VPADDB(level, level, level)
			VPSUBB(x, level, level)
		}
		out := make([]reg.VecVirtual, size)
		for i := range out {
			out[i] = p.vec()
			VPSHUFB(level, table[i], out[i])
		}
		for i, x := range inOrder(out) {
			VMOVUPS(x, Mem{Base: to, Disp: (part*size + i) * p.bytes})
		}
	}
	INCQ(lane)
	CMPQ(lane, lanes)
	JL(LabelRef("lane"))
	done()
}

// inOrder makes entries of registers that have a byte of each.
func inOrder(parts []reg.VecVirtual) []reg.VecVirtual {
	if len(parts) == 1 {
		return parts
	}
	interleaved := func(low, high reg.VecVirtual, unpack ...func(operands ...Op)) (r []reg.VecVirtual) {
		for _, u := range unpack {
			x := YMM()
			u(high, low, x)
			r = append(r, x)
		}
		return r
	}
	r := interleaved(parts[0], parts[1], VPUNPCKLBW, VPUNPCKHBW)
	if len(parts) == 4 {
		high := interleaved(parts[2], parts[3], VPUNPCKLBW, VPUNPCKHBW)
		r = append(interleaved(r[0], high[0], VPUNPCKLWD, VPUNPCKHWD),
			interleaved(r[1], high[1], VPUNPCKLWD, VPUNPCKHWD)...)
	}
	// A register has columns of the first half of all, and of the second.
	var out []reg.VecVirtual
	for _, half := range []uint8{0x20, 0x31} {
		for i := 0; i < len(r); i += 2 {
			x := YMM()
			VPERM2I128(U8(half), r[i+1], r[i], x)
			out = append(out, x)
		}
	}
	return out
}
