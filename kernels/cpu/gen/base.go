package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	edge      = 64 // of the block that base closes
	mostPivot = 8  // vectors of a row that stay in registers
)

// base generates Floyd–Warshall on one contiguous 64×64 block, in place: for each k, row k stays in registers while
// it relaxes all rows, if there are enough. In the arithmetic that resets, every step resets, so that no sum with the
// sentinel survives into the next.
func base(p path, a arithmetic) {
	p.begin("base"+a.name, "func(d *byte)", "closes a contiguous %d×%[1]d block.", edge)
	d := load("d")
	reset := p.resetter(a)
	pivot := make([]reg.VecVirtual, a.size*edge/p.bytes)
	kept := len(pivot) <= mostPivot
	floydWarshall(p, a, d, func(row reg.Register) {
		for v := 0; kept && v < len(pivot); v++ {
			pivot[v] = p.vec()
			VMOVUPS(Mem{Base: row, Disp: v * p.bytes}, pivot[v])
		}
	}, func(row, at reg.Register, x reg.VecVirtual) {
		for v := range pivot {
			t, place := p.vec(), Mem{Base: at, Disp: v * p.bytes}
			if kept {
				a.add(x, pivot[v], t)
			} else {
				a.add(Mem{Base: row, Disp: v * p.bytes}, x, t)
			}
			a.min(place, t, t)
			reset(t)
			VMOVUPS(t, place)
		}
	})
}

// floydWarshall generates the loops over a block of 64×64 distances from d on: for each k, begin gets row k, and relax
// then row k, each row of the block, and a register full of the row's entry in column k.
func floydWarshall(p path, a arithmetic, d reg.Register, begin func(row reg.Register),
	relax func(row, at reg.Register, x reg.VecVirtual)) {
	row, column, left := GP64(), GP64(), GP64()
	MOVQ(d, row)
	MOVQ(d, column)
	MOVQ(U32(edge), left)
	Label("kLoop")
	begin(row)
	at, entry, rows := GP64(), GP64(), GP64()
	MOVQ(d, at)
	MOVQ(column, entry)
	MOVQ(U32(edge), rows)
	Label("rowLoop")
	x := p.vec()
	a.broadcast(Mem{Base: entry}, x)
	relax(row, at, x)
	ADDQ(U32(a.size*edge), at)
	ADDQ(U32(a.size*edge), entry)
	DECQ(rows)
	JNE(LabelRef("rowLoop"))
	ADDQ(U32(a.size*edge), row)
	ADDQ(U8(a.size), column)
	DECQ(left)
	JNE(LabelRef("kLoop"))
	done()
}
