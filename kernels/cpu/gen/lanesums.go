package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// laneSummer is the state of one function of sums of lanes. The sums of rows are in memory: between two entries of a
// row the processor does so much for other rows that it does not wait for them.
type laneSummer struct {
	path
	arithmetic
	line, lane reg.Register // a column, and the number of the first row of a group in it
	never, one reg.VecVirtual
	// minus: -1 in every entry; without masks in registers of their own, with its sign flipped.
	minus  reg.VecVirtual
	name   reg.VecVirtual          // of the column, in every entry
	rows   map[string]reg.Register // where the sums of rows are
	column *columnTotal            // nil: no columns are added up
}

// columnTotal has the sums of a column by row mod sumLanes.
type columnTotal struct {
	sum, inverse []reg.VecVirtual
	missing      reg.GPVirtual
}

// group is how many rows are done at a time.
func (s *laneSummer) group() int { return max(sumLanes, s.bytes/s.size) }

// laneSums generates what adds columns of entries to the sums of their rows and, if these are asked for, to those of
// the columns.
func laneSums(p path, a arithmetic, cols bool) {
	name, signature := "laneSums"+a.name,
		"func(lanes, names, sum, inverse, missing, top, farthest *byte, columns, width int)"
	doc := "adds columns of width entries to the sums of their rows, see path."
	if cols {
		name, signature = "allLaneSums"+a.name,
			"func(lanes, names, sum, inverse, missing, top, farthest *byte, columns, width int, colSum, colInverse, "+
				"colMissing *byte)"
		doc = "adds columns of width entries to the sums of their rows and to their own, see path."
	}
	p.begin(name, signature, "%s", doc)
	s := &laneSummer{path: p, arithmetic: a, line: load("lanes"), lane: GP64(), rows: map[string]reg.Register{}}
	names, width, c := load("names"), load("width"), GP64()
	for _, field := range []string{"sum", "inverse", "missing", "top", "farthest"} {
		s.rows[field] = load(field)
	}
	s.never, s.one, s.name = p.infinity(a), p.splat64(0x3ff0000000000000), p.vec()
	switch {
	case p.is512():
		s.minus = p.splat64(math.MaxUint64)
	case a.size == 8:
		s.minus = p.splat64(math.MaxInt64)
	default:
		s.minus = p.splat(math.MaxInt32)
	}
	if cols {
		s.column = &columnTotal{missing: GP64()}
		for range sumLanes * 8 / p.bytes {
			s.column.sum, s.column.inverse = append(s.column.sum, p.vec()), append(s.column.inverse, p.vec())
		}
	}
	XORQ(c, c)
	Label("columnLoop")
	a.broadcast(Mem{Base: names, Index: c, Scale: uint8(a.size)}, s.name)
	if cols {
		s.clear()
	}
	XORQ(s.lane, s.lane)
	Label("laneLoop")
	for i := range s.group() * a.size / p.bytes {
		s.step(i)
	}
	ADDQ(U8(s.group()), s.lane)
	CMPQ(s.lane, width)
	JLT(LabelRef("laneLoop"))
	if cols {
		s.total(c)
	}
	at := GP64()
	MOVQ(width, at)
	IMUL3Q(U8(a.size), at, at)
	ADDQ(at, s.line)
	INCQ(c)
	CMPQ(c, NewParamAddr("columns", columnsAt))
	JLT(LabelRef("columnLoop"))
	done()
}

// columnsAt is where the number of columns is among the parameters.
const columnsAt = 7 * 8

// clear makes the sums of a column those of no entries.
func (s *laneSummer) clear() {
	for _, x := range append(s.column.sum[:len(s.column.sum):len(s.column.sum)], s.column.inverse...) {
		s.zero(x)
	}
	XORQ(s.column.missing, s.column.missing)
}

func (p path) zero(x reg.VecVirtual) {
	if p.is512() {
		VPXORQ(x, x, x)
	} else {
		VPXOR(x, x, x)
	}
}

// at returns the place of vector i of a group of a field, whose entries have some bytes.
func (s *laneSummer) at(field string, size, i int) Mem {
	return Mem{Base: s.rows[field], Index: s.lane, Scale: uint8(size), Disp: i * s.bytes}
}

// step adds vector i of a group. Most entries are positive and less than their row's top, and only change sums.
func (s *laneSummer) step(i int) {
	d := s.vec()
	VMOVUPS(s.entries(i, 0), d)
	s.ifPlain(d, i, fmt.Sprint("plain", i))
	s.any(d, i)
	JMP(LabelRef(fmt.Sprint("done", i)))
	Label(fmt.Sprint("plain", i))
	for h := range 8 / s.size {
		x := s.loadHalf(i, h)
		r := s.vec()
		if h == 0 { // half by division, which the processor does beside all else
			VDIVPD(x, s.one, r)
		} else {
			r = s.reciprocal(x)
		}
		s.add(i*8/s.size+h, x, r, func() Op { return s.entries(i, h) })
	}
	Label(fmt.Sprint("done", i))
}

// entries returns the place of half h of vector i.
func (s *laneSummer) entries(i, h int) Mem {
	return Mem{Base: s.line, Index: s.lane, Scale: uint8(s.size), Disp: i*s.bytes + h*s.bytes/2}
}

// ifPlain jumps if all entries are positive, and less than their row's top. As numbers without a sign that are one
// less, all others are no less than the top: the unreachable, and 0 and what is negative.
func (s *laneSummer) ifPlain(d reg.VecVirtual, i int, label string) {
	less, top := s.vec(), s.vec()
	add := of(s.arithmetic, VPADDD, VPADDQ)
	add(s.minus, d, less)
	add(s.at("top", s.size, i), s.minus, top)
	if s.is512() {
		others := K()
		of(s.arithmetic, VPCMPUD, VPCMPUQ)(U8(5), top, less, others)
		KORTESTW(others, others)
		JEQ(LabelRef(label))
		return
	}
	// minus has flipped the sign too.
	n := GP32()
	(&summer{path: s.path, arithmetic: s.arithmetic}).greater(top, less, less)
	VPMOVMSKB(less, n)
	CMPL(n, I32(-1))
	JEQ(LabelRef(label))
}

// any adds any entries. What is unreachable becomes 0, which changes no sum and no top.
func (s *laneSummer) any(d reg.VecVirtual, i int) {
	halves := 8 / s.size
	if s.is512() {
		positive := s.marked(d, i)
		for h := range halves {
			if h > 0 {
				KSHIFTRW(U8(8), positive, positive)
			}
			x := s.half(d, h)
			r := s.reciprocal(x)
			VMOVAPD_Z(r, positive, r)
			s.add(i*halves+h, x, r, func() Op { return s.narrow(d, h) })
		}
		return
	}
	positive := s.masked(d, i)
	for h := range halves {
		x, mask := s.half(d, h), positive
		if halves > 1 {
			from := positive
			if h > 0 {
				from = s.vec()
				VEXTRACTI128(U8(1), positive, from.AsX())
			}
			mask = s.vec()
			VPMOVSXDQ(from.AsX(), mask)
		}
		r := s.reciprocal(x)
		VANDPD(mask, r, r)
		s.add(i*halves+h, x, r, func() Op { return s.narrow(d, h) })
	}
}

// marked counts what is unreachable, and keeps the greatest entries, with masks in registers of their own. It returns
// what is positive.
func (s *laneSummer) marked(d reg.VecVirtual, i int) reg.OpmaskVirtual {
	missing, reached, above, equal, positive := K(), K(), K(), K(), K()
	compare, greater := of(s.arithmetic, VPCMPEQD, VPCMPEQQ), of(s.arithmetic, VPCMPGTD, VPCMPGTQ)
	compare(s.never, d, missing)
	KNOTW(missing, reached)
	ones, count := s.vec(), s.vec()
	VPTERNLOGD(U8(0xff), ones, ones, ones)
	VMOVUPS(s.at("missing", s.size, i), count)
	of(s.arithmetic, VPSUBD, VPSUBQ)(ones, count, missing, count)
	of(s.arithmetic, VMOVDQA32_Z, VMOVDQA64_Z)(d, reached, d)
	VMOVUPS(count, s.at("missing", s.size, i))
	if s.column != nil {
		n := GP64()
		KMOVW(missing, n.As32())
		POPCNTQ(n, n)
		ADDQ(n, s.column.missing)
	}
	top, where := s.vec(), s.vec()
	VMOVUPS(s.at("top", s.size, i), top)
	VMOVUPS(s.at("farthest", s.size, i), where)
	greater(top, d, above)
	compare(top, d, equal)
	greater(s.name, where, equal, equal)
	KORW(above, equal, above)
	move := of(s.arithmetic, VMOVDQA32, VMOVDQA64)
	move(d, above, top)
	move(s.name, above, where)
	VMOVUPS(top, s.at("top", s.size, i))
	VMOVUPS(where, s.at("farthest", s.size, i))
	zero := s.vec()
	s.zero(zero)
	greater(zero, d, positive)
	return positive
}

// masked is marked with masks in vectors.
func (s *laneSummer) masked(d reg.VecVirtual, i int) reg.VecVirtual {
	sums := &summer{path: s.path, arithmetic: s.arithmetic}
	mask, other := s.vec(), s.vec()
	sums.equal(s.never, d, mask)
	VPANDN(d, mask, d)
	sums.count(mask, s.at("missing", s.size, i))
	if s.column != nil {
		n := GP64()
		of(s.arithmetic, VMOVMSKPS, VMOVMSKPD)(mask, n.As32())
		POPCNTQ(n, n)
		ADDQ(n, s.column.missing)
	}
	top, where := s.vec(), s.vec()
	VMOVUPS(s.at("top", s.size, i), top)
	VMOVUPS(s.at("farthest", s.size, i), where)
	sums.equal(top, d, mask)
	sums.greater(where, s.name, other)
	VPAND(other, mask, mask)
	sums.greater(d, top, other)
	VPOR(other, mask, mask)
	VBLENDVPS(mask, d, top, top)
	VBLENDVPS(mask, s.name, where, where)
	VMOVUPS(top, s.at("top", s.size, i))
	VMOVUPS(where, s.at("farthest", s.size, i))
	VPXOR(mask, mask, mask)
	sums.greater(d, mask, mask)
	return mask
}

// half returns the entries of half h of a vector, or of all of it, as numbers of 8 bytes.
func (s *laneSummer) half(d reg.VecVirtual, h int) reg.VecVirtual {
	if s.size == 8 {
		return d
	}
	return s.convert(s.narrow(d, h))
}

// loadHalf is half from memory, which is one instruction less.
func (s *laneSummer) loadHalf(i, h int) reg.VecVirtual {
	if s.size == 8 {
		x := s.vec()
		VMOVUPD(s.entries(i, 0), x)
		return x
	}
	return s.convert(s.entries(i, h))
}

func (s *laneSummer) convert(from Op) reg.VecVirtual {
	x := s.vec()
	if s.float {
		VCVTPS2PD(from, x)
	} else {
		VCVTDQ2PD(from, x)
	}
	return x
}

// narrow returns a register with half h of a vector.
func (s *laneSummer) narrow(d reg.VecVirtual, h int) Op {
	switch {
	case s.is512() && h == 0:
		return d.AsY()
	case s.is512():
		y := YMM()
		VEXTRACTI64X4(U8(1), d, y)
		return y
	case h == 0:
		return d.AsX()
	}
	x := XMM()
	VEXTRACTI128(U8(1), d, x)
	return x
}

// reciprocal returns 1/x rounded to nearest, as a division does, whatever it returns for 0. A division of 8 numbers
// takes 16 cycles. Entries of 4 bytes are below 2³⁰ or have 24 significant bits, and for them an estimate, good to 14
// bits, becomes exact in two steps. The first leaves an error of 2⁻⁴², the second one of less than 2⁻⁸⁴ before it is
// rounded. 1/x either has 53 bits or is farther than that from every number half-way between two of 53 bits (P.
// Markstein, IA-64 and Elementary Functions, 2000).
func (s *laneSummer) reciprocal(x reg.VecVirtual) reg.VecVirtual {
	y := s.vec()
	if !s.is512() || s.size == 8 {
		VDIVPD(x, s.one, y)
		return y
	}
	e, t := s.vec(), s.vec()
	VRCP14PD(x, y)
	VMOVAPD(y, e)
	VFNMADD213PD(s.one, x, e) // e = 1 − x·y
	VMOVAPD(e, t)
	VFMADD213PD(e, e, t) // e² + e
	VFMADD213PD(y, y, t) // y·(e²+e) + y
	VMOVAPD(t, e)
	VFNMADD213PD(s.one, x, e)
	VFMADD213PD(t, t, e)
	return e
}

// add adds vector h of numbers of a group, and their reciprocals, to the sums. integers is where the numbers are as
// integers.
func (s *laneSummer) add(h int, x, r reg.VecVirtual, integers func() Op) {
	sum, inverse := s.vec(), s.vec()
	if s.float {
		VADDPD(s.at("sum", 8, h), x, sum)
	} else {
		x = s.vec()
		VPMOVSXDQ(integers(), x)
		VPADDQ(s.at("sum", 8, h), x, sum)
	}
	VMOVUPS(sum, s.at("sum", 8, h))
	VADDPD(s.at("inverse", 8, h), r, inverse)
	VMOVUPS(inverse, s.at("inverse", 8, h))
	if t := s.column; t != nil {
		i := h % len(t.sum)
		s.plus(x, t.sum[i])
		VADDPD(r, t.inverse[i], t.inverse[i])
	}
}

// plus adds x to y, both sums.
func (s *laneSummer) plus(x, y reg.Register) {
	if s.float {
		VADDPD(x, y, y)
	} else {
		VPADDQ(x, y, y)
	}
}

// total adds up a column, halves first, and adds that to what there is of column c.
func (s *laneSummer) total(c reg.Register) {
	t := s.column
	fold := func(v []reg.VecVirtual, plus func(x, y reg.Register)) reg.Register {
		y, upper := v[0].AsY(), XMM()
		if len(v) == 2 {
			plus(v[1], v[0])
		} else {
			high := YMM()
			VEXTRACTF64X4(U8(1), v[0], high)
			plus(high, y)
		}
		VEXTRACTF128(U8(1), y, upper)
		plus(upper, v[0].AsX())
		VPERMILPD(U8(1), v[0].AsX(), upper)
		plus(upper, v[0].AsX())
		return v[0].AsX()
	}
	addFloat := func(x reg.Register, at Mem) {
		VADDSD(at, x, x)
		VMOVSD(x, at)
	}
	at := func(name string, offset, size int) Mem {
		base := GP64()
		MOVQ(NewParamAddr(name, offset), base)
		return Mem{Base: base, Index: c, Scale: uint8(size)}
	}
	sum := fold(t.sum, s.plus)
	if to := at("colSum", columnsAt+16, 8); s.float {
		addFloat(sum, to)
	} else {
		n := GP64()
		VMOVQ(sum, n)
		ADDQ(n, to)
	}
	addFloat(fold(t.inverse, func(x, y reg.Register) { VADDPD(x, y, y) }), at("colInverse", columnsAt+24, 8))
	if to := at("colMissing", columnsAt+32, s.size); s.size == 8 {
		ADDQ(t.missing, to)
	} else {
		ADDL(t.missing.As32(), to)
	}
}
