package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pack generates the copy of a panel of B, rows of one microkernel's width at a stride, to contiguous
// rows: at a stride of a power of two all rows of the panel would share a few sets of the L1 cache.
func pack(p path) {
	TEXT("pack"+p.suffix, NOSPLIT, "func(dst, src *byte, stride, rows int)")
	Doc(fmt.Sprintf("pack%s copies rows×%d entries of src, rows being a multiple of 4, to dst without gaps.",
		p.suffix, p.vecs*p.bytes/4))
	Pragma("noescape")
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	stride, rows := Load(Param("stride"), GP64()), Load(Param("rows"), GP64())
	Label("loop")
	for u := range 4 {
		var row []reg.VecVirtual
		for v := range p.vecs {
			r := p.vec()
			VMOVUPS(Mem{Base: src, Disp: v * p.bytes}, r)
			row = append(row, r)
		}
		ADDQ(stride, src)
		for v, r := range row {
			VMOVUPS(r, Mem{Base: dst, Disp: (u*p.vecs + v) * p.bytes})
		}
	}
	ADDQ(U32(4*p.vecs*p.bytes), dst)
	SUBQ(U8(4), rows)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
