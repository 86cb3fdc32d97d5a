package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	lineBytes  = 64
	crossWidth = 4 // rows of the source that one crossing takes
)

// block is the part of a row that one function works on, in registers.
type block struct {
	path
	arithmetic
	lines int
	inf   reg.VecVirtual
	reset func(reg.VecVirtual)
}

// function opens a function for blocks of some lines.
func (p path) function(name string, a arithmetic, lines int, signature, doc string) block {
	p.begin(name+a.name, signature, "%s for %d lanes, see path.", doc, lines*lineBytes/a.size)
	return block{path: p, arithmetic: a, lines: lines, inf: p.infinity(a), reset: p.resetter(a)}
}

func (b block) registers() []reg.VecVirtual {
	r := make([]reg.VecVirtual, b.lines*lineBytes/b.bytes)
	for v := range r {
		r[v] = b.vec()
	}
	return r
}

func (b block) load(from Mem, r []reg.VecVirtual) {
	for v := range r {
		VMOVUPS(from.Offset(v*b.bytes), r[v])
	}
}

func (b block) unreachable(r []reg.VecVirtual) {
	for v := range r {
		VMOVAPS(b.inf, r[v])
	}
}

// store resets and stores.
func (b block) store(r []reg.VecVirtual, to Mem) {
	for v := range r {
		b.reset(r[v])
		VMOVUPS(r[v], to.Offset(v*b.bytes))
	}
}

// splatAt returns a register full of the entry at from.
func (b block) splatAt(from Mem) reg.VecVirtual {
	x := b.vec()
	b.broadcast(from, x)
	return x
}

// end returns the place, from base on, of the row at the end of arc k.
func end(ends, k, stride, base reg.Register) Mem {
	at := GP64()
	MOVLQSX(Mem{Base: ends, Index: k, Scale: 4}, at)
	IMULQ(stride, at)
	return Mem{Base: base, Index: at, Scale: 1}
}

func load(name string) reg.Register { return Load(Param(name), GP64()) }

// sweep generates the pull form: rows from dst on become the least over their arcs.
func sweep(p path, a arithmetic, lines int) {
	b := p.function(fmt.Sprintf("sweep%d", lines*lineBytes/a.size), a, lines,
		"func(dst, rows, offsets, ends, weights, keep *byte, count, stride int)", "sweeps count rows")
	dst, rows, offsets := load("dst"), load("rows"), load("offsets")
	ends, weights, keep := load("ends"), load("weights"), load("keep")
	count, stride := load("count"), load("stride")
	k, last := GP64(), GP64()
	MOVLQSX(Mem{Base: offsets}, last)
	Label("rowLoop")
	MOVQ(last, k)
	MOVLQSX(Mem{Base: offsets, Disp: 4}, last)
	acc := b.registers()
	b.unreachable(acc)
	CMPB(Mem{Base: keep}, U8(0))
	JE(LabelRef("fresh"))
	b.load(Mem{Base: dst}, acc)
	Label("fresh")
	CMPQ(k, last)
	JGE(LabelRef("rowDone"))
	Label("arcLoop")
	from := end(ends, k, stride, rows)
	x := b.splatAt(Mem{Base: weights, Index: k, Scale: uint8(a.weightBytes())})
	for v := range acc {
		t := b.vec()
		b.add(from.Offset(v*b.bytes), x, t)
		b.min(t, acc[v], acc[v])
	}
	INCQ(k)
	CMPQ(k, last)
	JLT(LabelRef("arcLoop"))
	Label("rowDone")
	b.store(acc, Mem{Base: dst})
	ADDQ(stride, dst)
	ADDQ(U8(4), offsets)
	INCQ(keep)
	DECQ(count)
	JNE(LabelRef("rowLoop"))
	done()
}

// climb generates the push form: one row lowers those at the ends of its arcs.
func climb(p path, a arithmetic, lines int) {
	b := p.function(fmt.Sprintf("climb%d", lines*lineBytes/a.size), a, lines,
		"func(src, rows, ends, weights *byte, count, stride int)", "pushes count arcs")
	src, rows, ends, weights := load("src"), load("rows"), load("ends"), load("weights")
	count, stride := load("count"), load("stride")
	row, k := b.registers(), GP64()
	b.load(Mem{Base: src}, row)
	XORQ(k, k)
	Label("arcLoop")
	to := end(ends, k, stride, rows)
	x := b.splatAt(Mem{Base: weights, Index: k, Scale: uint8(a.weightBytes())})
	for v := range row {
		t, place := b.vec(), to.Offset(v*b.bytes)
		b.add(row[v], x, t)
		b.min(place, t, t)
		b.reset(t)
		VMOVUPS(t, place)
	}
	INCQ(k)
	CMPQ(k, count)
	JLT(LabelRef("arcLoop"))
	done()
}

// cross generates the product of a few rows, kept in registers, with as many rows of weights.
func cross(p path, a arithmetic) {
	b := p.function("cross", a, 1, "func(dst, s0, s1, s2, s3, w0, w1, w2, w3 *byte, count, stride, keep int)",
		"crosses from four rows to count rows")
	var src [crossWidth][]reg.VecVirtual
	var weights [crossWidth]reg.Register
	for i := range src {
		src[i] = b.registers()
		b.load(Mem{Base: load(fmt.Sprintf("s%d", i))}, src[i])
		weights[i] = load(fmt.Sprintf("w%d", i))
	}
	dst, count, stride, keep, j := load("dst"), load("count"), load("stride"), load("keep"), GP64()
	XORQ(j, j)
	Label("rowLoop")
	acc := b.registers()
	b.unreachable(acc)
	TESTQ(keep, keep)
	JE(LabelRef("fresh"))
	b.load(Mem{Base: dst}, acc)
	Label("fresh")
	for i := range src {
		x := b.splatAt(Mem{Base: weights[i], Index: j, Scale: uint8(a.weightBytes())})
		for v := range acc {
			t := b.vec()
			b.add(src[i][v], x, t)
			b.min(t, acc[v], acc[v])
		}
	}
	b.store(acc, Mem{Base: dst})
	ADDQ(stride, dst)
	INCQ(j)
	CMPQ(j, count)
	JLT(LabelRef("rowLoop"))
	done()
}
