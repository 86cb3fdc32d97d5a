package cuda

import (
	"math"
	"slices"
	"unsafe"

	"ooc/kernels/entry"
)

// arithmetic runs a kernel in plain Go.
func (f *fake) arithmetic(k kernel, v entry.Variant, blocks, threads int, p unsafe.Pointer, bytes uintptr) Result {
	if threads != kernelInfo[k].threads {
		return invalidValue
	}
	switch k {
	case productBlocks:
		if bytes != unsafe.Sizeof(productParam{}) {
			return invalidValue
		}
		fakeProduct(v, (*productParam)(p), blocks)
	case diagonal:
		fakeDiagonal(v, (*pivotParam)(p))
	case panels:
		fakePanels(v, (*pivotParam)(p), blocks)
	case pairProduct, pairDiagonal, pairPanels:
		return pairArithmetic(k, v, blocks, p, bytes)
	case levelRows:
		fakeLevel(v, (*levelParam)(p), blocks)
	case arcProduct:
		fakeArcs(v, (*arcProductParam)(p), blocks)
	case laneTranspose:
		fakeTranspose(v, (*laneTransposeParam)(p), blocks)
	case laneBlocks:
		fakeBlocks(v, (*laneBlocksParam)(p), blocks)
	case laneSums, laneTotals, rowSums:
		fakeLaneSums(k, v, (*laneSumsParam)(p), blocks)
	case laneBelow, laneBins, laneNearest, nearestOfAll:
		fakeLaneStats(k, v, p, blocks)
	case searchClear, searchSeed, searchPick, searchLower:
		if bytes != unsafe.Sizeof(searchParam{}) {
			return invalidValue
		}
		fakeSearch(k, v, (*searchParam)(p), blocks)
	case pulls, largePulls, links, rankOne, pairRankOne:
		return fakeVectors(k, v, blocks, p, bytes)
	}
	return success
}

func infinityOf(v entry.Variant) uint32 { return uint32(v.Unreachable()) }

// values returns n entries in device memory as numbers, unreachable as +Inf.
func values(v entry.Variant, a address, n int) []float64 {
	switch v.Bytes() {
	case 2:
		return valuesOf(v.Kind(), at[uint16](a, n))
	case 4:
		return valuesOf(v.Kind(), at[uint32](a, n))
	}
	return valuesOf(v.Kind(), at[uint64](a, n))
}

func valuesOf[E uint16 | uint32 | uint64](k entry.Kind, memory []E) []float64 {
	x := make([]float64, len(memory))
	for i, bits := range memory {
		x[i] = k.Value(uint64(bits))
	}
	return x
}

// store writes numbers to device memory from entry i on.
func store(v entry.Variant, a address, i int, x []float64) {
	k := v.Kind()
	memory := at[byte](a, (i+len(x))*v.Bytes())[i*v.Bytes():]
	for j := range x {
		k.Put(memory, j, k.Bits(x[j]))
	}
}

// sums says whether a variant's sums are rounded to float32, and from which limit on they are unreachable.
func sums(v entry.Variant) (narrow bool, limit float64) {
	narrow, limit = v == entry.F32 || v == entry.F32Signed, math.Inf(1)
	switch v {
	case entry.I32:
		limit = float64(entry.Inf32)
	case entry.I32Signed:
		limit = float64(entry.Limit32)
	case entry.U16:
		limit = float64(entry.Inf16)
	}
	return narrow, limit
}

// relaxValues relaxes numbers of C with one of A and as many of B.
func relaxValues(v entry.Variant, c []float64, a float64, b []float64) {
	if math.IsInf(a, 1) {
		return
	}
	narrow, limit := sums(v)
	c = c[:len(b)]
	for j, y := range b {
		s := a + y
		if narrow {
			s = float64(float32(s))
		}
		if s < c[j] && s < limit {
			c[j] = s
		}
	}
}

// fakeProduct computes the blocks of each job.
func fakeProduct(v entry.Variant, p *productParam, blocks int) {
	list := p.entries[:]
	if p.list != 0 {
		list = at[listEntry](p.list, slotEntries)
	}
	perJob := int(p.rows * p.cols)
	for job := range blocks / perJob {
		head := list[job]
		rows, cols := int(p.rows)*baseEdge, int(p.cols)*baseEdge
		c := values(v, address(head.x), (rows-1)*int(p.ldc)+cols)
		if head.y>>63 != 0 {
			for i := range rows {
				entry.Fill(c[i*int(p.ldc):][:cols], math.Inf(1))
			}
		}
		first, pairs := int(uint32(head.y)), int(head.y>>32)&0x7fffffff
		for _, pair := range list[first : first+pairs] {
			fakePair(v, p, rows, cols, c, pair)
		}
		for i := range rows {
			store(v, address(head.x), i*int(p.ldc), c[i*int(p.ldc):][:cols])
		}
	}
}

func fakePair(v entry.Variant, p *productParam, rows, cols int, c []float64, pair listEntry) {
	depth := int(p.depth)
	a := values(v, address(pair.x), (rows-1)*int(p.lda)+depth)
	b := values(v, address(pair.y), (depth-1)*int(p.ldb)+cols)
	for i := range rows {
		for k := range depth {
			relaxValues(v, c[i*int(p.ldc):][:cols], a[i*int(p.lda)+k], b[k*int(p.ldb):][:cols])
		}
	}
}

type block [baseEdge][]float64

// load and store move the block whose first entry is (i0,j0) of the pivot.
func (b *block) load(v entry.Variant, p *pivotParam, i0, j0 int) {
	for i := range b {
		b[i] = values(v, placeOf(v, p, i0+i, j0), baseEdge)
	}
}

func (b *block) store(v entry.Variant, p *pivotParam, i0, j0 int) {
	for i := range b {
		store(v, placeOf(v, p, i0+i, j0), 0, b[i])
	}
}

// relax relaxes b with x ⊗ y.
func (b *block) relax(v entry.Variant, x, y *block) {
	for i := range b {
		row := slices.Clone(b[i])
		for k := range y {
			relaxValues(v, row, x[i][k], y[k])
		}
		b[i] = row
	}
}

// placeOf returns the address of entry (i,j) of the pivot.
func placeOf(v entry.Variant, p *pivotParam, i, j int) address {
	t, m := int(p.t), int(p.m)
	list := at[listEntry](p.list, m*m)
	return address(list[i/t*m+j/t].x) + address((i%t*t+j%t)*v.Bytes())
}

func fakeDiagonal(v entry.Variant, p *pivotParam) {
	lo := int(p.k) * baseEdge
	var d block
	d.load(v, p, lo, lo)
	for i := range d {
		d[i][i] = min(d[i][i], 0)
	}
	for k := range d {
		row := slices.Clone(d[k])
		for i := range d {
			relaxValues(v, d[i], d[i][k], row)
		}
	}
	d.store(v, p, lo, lo)
}

func fakePanels(v entry.Variant, p *pivotParam, blocks int) {
	t, lo := int(p.t), int(p.k)*baseEdge
	var closed block
	closed.load(v, p, lo, lo)
	for n := range blocks / 2 {
		first := n * baseEdge
		var row, col block
		row.load(v, p, lo, first)
		col.load(v, p, first, lo)
		if n != int(p.k) {
			oldRow, oldCol := row, col
			row.relax(v, &closed, &oldRow)
			col.relax(v, &oldCol, &closed)
		}
		row.store(v, p, lo, first)
		col.store(v, p, first, lo)
		for i := range baseEdge {
			store(v, p.rows, first/t*baseEdge*t+first%t+i*t, row[i])
			store(v, p.cols, (first+i)*baseEdge, col[i])
		}
	}
}
