package cuda

import (
	"math"
	"unsafe"

	"ooc/kernels/entry"
)

// fakePairEntry is an entry of a tile of pairs.
type fakePairEntry struct {
	d uint32
	p int32
}

// lowerPairs relaxes entries of C with one of A and as many of B, whose predecessors those take over that are lowered.
func lowerPairs(v entry.Variant, c []fakePairEntry, a uint32, b []fakePairEntry) {
	if a == infinityOf(v) {
		return
	}
	if v.Float() {
		x := math.Float32frombits(a)
		for j, y := range b {
			if s := x + math.Float32frombits(y.d); s < math.Float32frombits(c[j].d) {
				c[j] = fakePairEntry{math.Float32bits(s), y.p}
			}
		}
		return
	}
	limit := entry.Inf32
	if v == entry.I32Signed {
		limit = entry.Limit32
	}
	for j, y := range b {
		if s := int32(a) + int32(y.d); s < limit && s < int32(c[j].d) {
			c[j] = fakePairEntry{uint32(s), y.p}
		}
	}
}

// fakePairProduct computes the blocks of each job.
func fakePairProduct(v entry.Variant, p *productParam, blocks int) {
	list := p.entries[:]
	if p.list != 0 {
		list = at[listEntry](p.list, slotEntries)
	}
	rows, cols := int(p.rows)*baseEdge, int(p.cols)*baseEdge
	for _, head := range list[:blocks/int(p.rows*p.cols)] {
		first, pairs := int(uint32(head.y)), int(head.y>>32)
		c := at[fakePairEntry](address(head.x), rows*int(p.ldc))
		begin := at[fakePairEntry](address(list[first].x), rows*int(p.ldc))
		for i := range rows {
			copy(c[i*int(p.ldc):][:cols], begin[i*int(p.ldc):])
		}
		for _, pair := range list[first+1 : first+1+pairs] {
			fakePairOfPairs(v, p, rows, cols, c, pair)
		}
	}
}

func fakePairOfPairs(v entry.Variant, p *productParam, rows, cols int, c []fakePairEntry, pair listEntry) {
	depth := int(p.depth)
	a := at[fakePairEntry](address(pair.x), (rows-1)*int(p.lda)+depth)
	b := at[fakePairEntry](address(pair.y), (depth-1)*int(p.ldb)+cols)
	for i := range rows {
		row := c[i*int(p.ldc):][:cols]
		for k := range depth {
			lowerPairs(v, row, a[i*int(p.lda)+k].d, b[k*int(p.ldb):][:cols])
		}
	}
}

type pairBlock [baseEdge][baseEdge]fakePairEntry

// pairsOf returns the entries from (i,j) of the pivot on, in one row.
func pairsOf(p *pivotParam, i, j int) []fakePairEntry {
	t, m := int(p.t), int(p.m)
	tile := at[fakePairEntry](address(at[listEntry](p.list, m*m)[i/t*m+j/t].x), t*t)
	return tile[i%t*t+j%t:][:baseEdge]
}

// load and store move the block whose first entry is (i0,j0) of the pivot.
func (b *pairBlock) load(p *pivotParam, i0, j0 int) {
	for i := range b {
		copy(b[i][:], pairsOf(p, i0+i, j0))
	}
}

func (b *pairBlock) store(p *pivotParam, i0, j0 int) {
	for i := range b {
		copy(pairsOf(p, i0+i, j0), b[i][:])
	}
}

// relax relaxes b with x ⊗ y, none of which is b.
func (b *pairBlock) relax(v entry.Variant, x, y *pairBlock) {
	for i := range b {
		for k := range y {
			lowerPairs(v, b[i][:], x[i][k].d, y[k][:])
		}
	}
}

func fakePairDiagonal(v entry.Variant, p *pivotParam) {
	lo := int(p.k) * baseEdge
	var b pairBlock
	b.load(p, lo, lo)
	for i := range b {
		if int32(b[i][i].d) >= 0 {
			b[i][i] = fakePairEntry{0, entry.NoVertex}
		}
	}
	for k := range b {
		row := b[k]
		for i := range b {
			lowerPairs(v, b[i][:], b[i][k].d, row[:])
		}
	}
	b.store(p, lo, lo)
}

func fakePairPanels(v entry.Variant, p *pivotParam, blocks int) {
	t, lo := int(p.t), int(p.k)*baseEdge
	var closed pairBlock
	closed.load(p, lo, lo)
	for n := range blocks / 2 {
		first := n * baseEdge
		var row, col pairBlock
		row.load(p, lo, first)
		col.load(p, first, lo)
		if n != int(p.k) {
			oldRow, oldCol := row, col
			row.relax(v, &closed, &oldRow)
			col.relax(v, &oldCol, &closed)
		}
		row.store(p, lo, first)
		col.store(p, first, lo)
		rows := at[fakePairEntry](p.rows, int(p.m)*baseEdge*t)[first/t*baseEdge*t+first%t:]
		cols := at[fakePairEntry](p.cols, int(p.m)*t*baseEdge)[first*baseEdge:]
		for i := range baseEdge {
			copy(rows[i*t:], row[i][:])
			copy(cols[i*baseEdge:], col[i][:])
		}
	}
}

func fakePairRankOne(v entry.Variant, p *rankParam) {
	q := &pivotParam{list: p.list, t: p.t, m: p.m}
	n, k := int(p.m*p.t), int(p.k)
	for i := range n {
		a := pairsOf(q, i, k&^(baseEdge-1))[k%baseEdge].d
		for j := 0; j < n; j += baseEdge {
			lowerPairs(v, pairsOf(q, i, j), a, pairsOf(q, k, j))
		}
	}
}

// pairArithmetic runs a kernel of those that keep predecessors.
func pairArithmetic(k kernel, v entry.Variant, blocks int, p unsafe.Pointer, bytes uintptr) Result {
	switch {
	case k == pairProduct && bytes == unsafe.Sizeof(productParam{}):
		fakePairProduct(v, (*productParam)(p), blocks)
	case k == pairDiagonal && bytes == unsafe.Sizeof(pivotParam{}):
		fakePairDiagonal(v, (*pivotParam)(p))
	case k == pairPanels && bytes == unsafe.Sizeof(pivotParam{}):
		fakePairPanels(v, (*pivotParam)(p), blocks)
	default:
		return invalidValue
	}
	return success
}
