package cuda

import (
	"math"
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
	case laneTranspose:
		fakeTranspose(v, (*laneTransposeParam)(p), blocks)
	case pulls, largePulls, links, rankOne, pairRankOne:
		return fakeVectors(k, v, blocks, p, bytes)
	}
	return success
}

func infinityOf(v entry.Variant) uint32 {
	if v.Float() {
		return math.Float32bits(entry.PosInf)
	}
	return uint32(entry.Inf32)
}

func settled(v entry.Variant, c uint32) uint32 {
	if v == entry.I32Signed && int32(c) >= entry.Limit32 {
		return uint32(entry.Inf32)
	}
	return c
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
		c := at[uint32](address(head.x), rows*int(p.ldc))
		if head.y>>63 != 0 {
			for i := range rows {
				for j := range cols {
					c[i*int(p.ldc)+j] = infinityOf(v)
				}
			}
		}
		first, pairs := int(uint32(head.y)), int(head.y>>32)&0x7fffffff
		for _, pair := range list[first : first+pairs] {
			fakePair(v, p, rows, cols, c, pair)
		}
		for i := range rows {
			for j := range cols {
				c[i*int(p.ldc)+j] = settled(v, c[i*int(p.ldc)+j])
			}
		}
	}
}

func fakePair(v entry.Variant, p *productParam, rows, cols int, c []uint32, pair listEntry) {
	depth := int(p.depth)
	a := at[uint32](address(pair.x), (rows-1)*int(p.lda)+depth)
	b := at[uint32](address(pair.y), (depth-1)*int(p.ldb)+cols)
	for i := range rows {
		for k := range depth {
			relaxRow(v, c[i*int(p.ldc):][:cols], a[i*int(p.lda)+k], b[k*int(p.ldb):][:cols])
		}
	}
}

// relaxRow relaxes entries of C with one of A and as many of B.
func relaxRow(v entry.Variant, c []uint32, a uint32, b []uint32) {
	if v.Float() {
		x := math.Float32frombits(a)
		for j, y := range b {
			if s := x + math.Float32frombits(y); s < math.Float32frombits(c[j]) {
				c[j] = math.Float32bits(s)
			}
		}
		return
	}
	for j, y := range b {
		c[j] = uint32(min(int32(a)+int32(y), int32(c[j])))
	}
}

type block [baseEdge][baseEdge]uint32

// load and store move the block whose first entry is (i0,j0) of the pivot.
func (b *block) load(p *pivotParam, i0, j0 int) {
	for i := range b {
		copy(b[i][:], unsafe.Slice(entryOf(p, i0+i, j0), baseEdge))
	}
}

func (b *block) store(v entry.Variant, p *pivotParam, i0, j0 int) {
	for i := range b {
		for j := range b[i] {
			b[i][j] = settled(v, b[i][j])
		}
		copy(unsafe.Slice(entryOf(p, i0+i, j0), baseEdge), b[i][:])
	}
}

// relax relaxes b with x ⊗ y, none of which is b.
func (b *block) relax(v entry.Variant, x, y *block) {
	for i := range b {
		for k := range y {
			relaxRow(v, b[i][:], x[i][k], y[k][:])
		}
	}
}

// entryOf returns entry (i,j) of the pivot.
func entryOf(p *pivotParam, i, j int) *uint32 {
	t, m := int(p.t), int(p.m)
	list := at[listEntry](p.list, m*m)
	tile := at[uint32](address(list[i/t*m+j/t].x), t*t)
	return &tile[i%t*t+j%t]
}

func fakeDiagonal(v entry.Variant, p *pivotParam) {
	lo := int(p.k) * baseEdge
	var d block
	d.load(p, lo, lo)
	for i := range d {
		if int32(d[i][i]) > 0 {
			d[i][i] = 0
		}
	}
	for k := range d {
		row := d[k]
		for i := range d {
			relaxRow(v, d[i][:], d[i][k], row[:])
			for j := range d[i] {
				d[i][j] = settled(v, d[i][j])
			}
		}
	}
	d.store(v, p, lo, lo)
}

func fakePanels(v entry.Variant, p *pivotParam, blocks int) {
	t, lo := int(p.t), int(p.k)*baseEdge
	var closed block
	closed.load(p, lo, lo)
	for n := range blocks / 2 {
		first := n * baseEdge
		var row, col block
		row.load(p, lo, first)
		col.load(p, first, lo)
		if n != int(p.k) {
			oldRow, oldCol := row, col
			row.relax(v, &closed, &oldRow)
			col.relax(v, &oldCol, &closed)
		}
		row.store(v, p, lo, first)
		col.store(v, p, first, lo)
		rows := at[uint32](p.rows, int(p.m)*baseEdge*t)[first/t*baseEdge*t+first%t:]
		cols := at[uint32](p.cols, int(p.m)*t*baseEdge)[first*baseEdge:]
		for i := range baseEdge {
			copy(rows[i*t:], row[i][:])
			copy(cols[i*baseEdge:], col[i][:])
		}
	}
}
