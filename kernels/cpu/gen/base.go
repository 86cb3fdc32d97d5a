package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const edge = 64 // of the block that base closes

// base generates Floyd–Warshall on one contiguous 64×64 block, in place: for each k, row k stays in
// registers while it relaxes all rows. In the arithmetic that resets, every step resets, so that no sum
// with the sentinel survives into the next.
func base(p path, a arithmetic) {
	TEXT("base"+a.name+p.suffix, NOSPLIT, "func(d *byte)")
	Doc(fmt.Sprintf("base%s%s closes a contiguous %d×%d block.", a.name, p.suffix, edge, edge))
	Pragma("noescape")
	d := Load(Param("d"), GP64())
	reset := p.resetter(a)
	row, column, left := GP64(), GP64(), GP64()
	MOVQ(d, row)
	MOVQ(d, column)
	MOVQ(U32(edge), left)
	Label("kLoop")
	pivot := make([]reg.VecVirtual, 4*edge/p.bytes)
	for v := range pivot {
		pivot[v] = p.vec()
		VMOVUPS(Mem{Base: row, Disp: v * p.bytes}, pivot[v])
	}
	at, entry, rows := GP64(), GP64(), GP64()
	MOVQ(d, at)
	MOVQ(column, entry)
	MOVQ(U32(edge), rows)
	Label("rowLoop")
	x := p.vec()
	VBROADCASTSS(Mem{Base: entry}, x)
	for v := range pivot {
		t, place := p.vec(), Mem{Base: at, Disp: v * p.bytes}
		a.add(x, pivot[v], t)
		a.min(place, t, t)
		reset(t)
		VMOVUPS(t, place)
	}
	ADDQ(U32(4*edge), at)
	ADDQ(U32(4*edge), entry)
	DECQ(rows)
	JNE(LabelRef("rowLoop"))
	ADDQ(U32(4*edge), row)
	ADDQ(U8(4), column)
	DECQ(left)
	JNE(LabelRef("kLoop"))
	VZEROUPPER()
	RET()
}
