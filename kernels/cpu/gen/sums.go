package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	sumLanes  = 8  // of RowSums: two vectors of numbers of 8 bytes
	sumVector = 32 // bytes; the functions are for AVX2 alone, since divisions take their time in wider ones too
)

// Where the fields of RowSums begin. The last two depend on the size of entries.
const (
	inverseAt = sumLanes * 8
	missingAt = 2 * inverseAt
)

func (a arithmetic) topAt() int   { return missingAt + sumLanes*a.size }
func (a arithmetic) blockAt() int { return a.topAt() + sumLanes*a.size }

// summer is the state of one function of sums.
type summer struct {
	path
	arithmetic
	row  Mem
	cols *columns // nil: of the row alone

	sum, inverse [2]reg.VecVirtual
	top, where   []reg.VecVirtual
	block        reg.VecVirtual // its number in every entry
	one, never   reg.VecVirtual // 1.0; unreachable
}

// columns are where the sums of the columns of a block are.
type columns struct{ sum, inverse, missing reg.Register }

// sums generates what adds a row of entries to its sums and, if these are asked for, to those of its columns.
func sums(p path, a arithmetic, cols bool) {
	name, signature := "rowSums"+a.name, "func(line, row *byte, first, blocks int)"
	doc := "adds blocks of %d entries to the sums of their row, see path."
	if cols {
		name, signature = "allSums"+a.name, "func(line, row, sum, inverse, missing *byte, first, blocks int)"
		doc = "adds blocks of %d entries to the sums of their row and of their columns, see path."
	}
	p.begin(name, signature, doc, sumLanes)
	line, blocks := load("line"), load("blocks")
	s := newSummer(p, a)
	if cols {
		s.cols = &columns{load("sum"), load("inverse"), load("missing")}
	}
	s.begin()
	Label("loop")
	for i := range s.top {
		s.step(Mem{Base: line}.Offset(i*sumVector), i)
	}
	ones := p.vec() // all bits set, which is -1
	VPCMPEQD(ones, ones, ones)
	s.sub(ones, s.block, s.block)
	ADDQ(U8(sumLanes*a.size), line)
	if cols {
		ADDQ(U8(sumLanes*8), s.cols.sum)
		ADDQ(U8(sumLanes*8), s.cols.inverse)
		ADDQ(U8(sumLanes*a.size), s.cols.missing)
	}
	DECQ(blocks)
	JNE(LabelRef("loop"))
	s.end()
	done()
}

func newSummer(p path, a arithmetic) *summer {
	s := &summer{path: p, arithmetic: a, row: Mem{Base: load("row")}, never: p.infinity(a),
		one: p.splat64(0x3ff0000000000000)}
	s.block = p.vec()
	first := XMM()
	VMOVQ(load("first"), first)
	s.broadcast(first, s.block)
	s.top = make([]reg.VecVirtual, sumLanes*a.size/sumVector)
	s.where = make([]reg.VecVirtual, len(s.top))
	return s
}

// each visits the registers and their places in RowSums.
func (s *summer) each(do func(at Mem, r *reg.VecVirtual)) {
	for h := range s.sum {
		do(s.row.Offset(h*sumVector), &s.sum[h])
		do(s.row.Offset(inverseAt+h*sumVector), &s.inverse[h])
	}
	for i := range s.top {
		do(s.row.Offset(s.topAt()+i*sumVector), &s.top[i])
		do(s.row.Offset(s.blockAt()+i*sumVector), &s.where[i])
	}
}

func (s *summer) begin() {
	s.each(func(at Mem, r *reg.VecVirtual) {
		*r = s.vec()
		VMOVUPS(at, *r)
	})
}

func (s *summer) end() {
	s.each(func(at Mem, r *reg.VecVirtual) { VMOVUPS(*r, at) })
}

// step adds vector i of a block. What is unreachable becomes 0, which changes no sum and no top.
func (s *summer) step(from Mem, i int) {
	d, mask := s.vec(), s.vec()
	VMOVUPS(from, d)
	s.equal(s.never, d, mask)
	VPANDN(d, mask, d)
	s.count(mask, s.row.Offset(missingAt+i*sumVector))
	if s.cols != nil {
		s.count(mask, Mem{Base: s.cols.missing}.Offset(i*sumVector))
	}
	s.greater(d, s.top[i], mask)
	VBLENDVPS(mask, d, s.top[i], s.top[i])
	VBLENDVPS(mask, s.block, s.where[i], s.where[i])
	VPXOR(mask, mask, mask)
	s.greater(d, mask, mask) // what is positive
	if s.size == 8 {
		s.half(i, d, mask)
		return
	}
	positive := s.vec() // masks of 8 bytes
	VPMOVSXDQ(mask.AsX(), positive)
	s.half(0, d, positive)
	VEXTRACTI128(U8(1), d, d.AsX())
	VEXTRACTI128(U8(1), mask, mask.AsX())
	VPMOVSXDQ(mask.AsX(), mask)
	s.half(1, d, mask)
}

// count takes masks, which are -1, off the numbers at a place.
func (s *summer) count(mask reg.VecVirtual, at Mem) {
	n := s.vec()
	VMOVUPS(at, n)
	s.sub(mask, n, n)
	VMOVUPS(n, at)
}

// half adds four entries to half h of the sums: the lower ones of d, where they are of 4 bytes.
func (s *summer) half(h int, d, positive reg.VecVirtual) {
	number, inverse := s.vec(), s.vec()
	switch {
	case s.size == 8:
		number = d
	case s.float:
		VCVTPS2PD(d.AsX(), number)
	default:
		VCVTDQ2PD(d.AsX(), number)
	}
	VDIVPD(number, s.one, inverse)
	if s.float {
		VADDPD(number, s.sum[h], s.sum[h])
	} else {
		VPMOVSXDQ(d.AsX(), number)
		VPADDQ(number, s.sum[h], s.sum[h])
	}
	VANDPD(positive, inverse, inverse)
	VADDPD(inverse, s.inverse[h], s.inverse[h])
	if s.cols == nil {
		return
	}
	sum, inverses := Mem{Base: s.cols.sum}.Offset(h*sumVector), Mem{Base: s.cols.inverse}.Offset(h*sumVector)
	if s.float {
		VADDPD(sum, number, number)
	} else {
		VPADDQ(sum, number, number)
	}
	VMOVUPS(number, sum)
	VADDPD(inverses, inverse, inverse)
	VMOVUPS(inverse, inverses)
}

func (s *summer) equal(x, y, dst reg.VecVirtual) { of(s.arithmetic, VPCMPEQD, VPCMPEQQ)(x, y, dst) }

// greater compares bits as signed integers: above 0 they ascend as the numbers do, in every kind.
func (s *summer) greater(x, y, dst reg.VecVirtual) { of(s.arithmetic, VPCMPGTD, VPCMPGTQ)(y, x, dst) }

// sub sets dst to y less x.
func (s *summer) sub(x, y, dst reg.VecVirtual) { of(s.arithmetic, VPSUBD, VPSUBQ)(x, y, dst) }
