package cuda

import (
	"encoding/binary"
	"math"
	"slices"
	"unsafe"

	"ooc/kernels/entry"
)

// fakePairEntry is an entry of a tile of pairs; an unreachable distance is +Inf.
type fakePairEntry struct {
	d float64
	p int32
}

// pairsAt returns n pairs in device memory.
func pairsAt(v entry.Variant, a address, n int) []fakePairEntry {
	each, size, none := v.Kind().PairBytes(), v.Bytes(), uint32(entry.Inf32)
	memory, x := at[byte](a, n*each), make([]fakePairEntry, n)
	for i := range x {
		pair := memory[i*each:][:each]
		x[i].p = int32(binary.LittleEndian.Uint32(pair[size:]))
		switch bits := binary.LittleEndian.Uint32(pair); {
		case size == 8:
			x[i].d = math.Float64frombits(binary.LittleEndian.Uint64(pair))
		case v == entry.F32 || v == entry.F32Signed:
			x[i].d = float64(math.Float32frombits(bits))
		case bits == none:
			x[i].d = math.Inf(1)
		default:
			x[i].d = float64(int32(bits))
		}
	}
	return x
}

// storePairs writes pairs to device memory.
func storePairs(v entry.Variant, a address, x []fakePairEntry) {
	kind, each := v.Kind(), v.Kind().PairBytes()
	memory := at[byte](a, len(x)*each)
	clear(memory)
	for i, y := range x {
		kind.Put(memory[i*each:], 0, kind.Bits(y.d))
		binary.LittleEndian.PutUint32(memory[i*each+kind.Bytes():], uint32(y.p))
	}
}

// pairsOn returns the address i pairs on.
func pairsOn(v entry.Variant, a address, i int) address {
	return a + address(i*v.Kind().PairBytes())
}

// lowerPairs relaxes entries of C with one of A and as many of B, whose predecessors those take over that are lowered.
func lowerPairs(v entry.Variant, c []fakePairEntry, a float64, b []fakePairEntry) {
	narrow, limit := sums(v)
	for j, y := range b {
		s := a + y.d
		if narrow {
			s = float64(float32(s))
		}
		if s < c[j].d && s < limit {
			c[j] = fakePairEntry{s, y.p}
		}
	}
}

// fakePairProduct computes the blocks of each job.
func fakePairProduct(v entry.Variant, p *productParam, blocks int) {
	list := p.entries[:]
	if p.list != 0 {
		list = at[listEntry](p.list, slotEntries)
	}
	rows, cols, depth := int(p.rows)*baseEdge, int(p.cols)*baseEdge, int(p.depth)
	for _, head := range list[:blocks/int(p.rows*p.cols)] {
		first, pairs := int(uint32(head.y)), int(head.y>>32)
		c := make([][]fakePairEntry, rows)
		for i := range c {
			c[i] = pairsAt(v, pairsOn(v, address(list[first].x), i*int(p.ldc)), cols)
		}
		for _, pair := range list[first+1 : first+1+pairs] {
			b := make([][]fakePairEntry, depth) // those rows that are needed
			for i := range c {
				for k, a := range pairsAt(v, pairsOn(v, address(pair.x), i*int(p.lda)), depth) {
					if math.IsInf(a.d, 1) {
						continue
					}
					if b[k] == nil {
						b[k] = pairsAt(v, pairsOn(v, address(pair.y), k*int(p.ldb)), cols)
					}
					lowerPairs(v, c[i], a.d, b[k])
				}
			}
		}
		for i := range c {
			storePairs(v, pairsOn(v, address(head.x), i*int(p.ldc)), c[i])
		}
	}
}

type pairBlock [baseEdge][]fakePairEntry

// placeOfPair returns the address of entry (i,j) of the pivot.
func placeOfPair(v entry.Variant, p *pivotParam, i, j int) address {
	t, m := int(p.t), int(p.m)
	return pairsOn(v, address(at[listEntry](p.list, m*m)[i/t*m+j/t].x), i%t*t+j%t)
}

// load and store move the block whose first entry is (i0,j0) of the pivot.
func (b *pairBlock) load(v entry.Variant, p *pivotParam, i0, j0 int) {
	for i := range b {
		b[i] = pairsAt(v, placeOfPair(v, p, i0+i, j0), baseEdge)
	}
}

func (b *pairBlock) store(v entry.Variant, p *pivotParam, i0, j0 int) {
	for i := range b {
		storePairs(v, placeOfPair(v, p, i0+i, j0), b[i])
	}
}

// relax relaxes b with x ⊗ y.
func (b *pairBlock) relax(v entry.Variant, x, y *pairBlock) {
	for i := range b {
		row := slices.Clone(b[i])
		for k := range y {
			lowerPairs(v, row, x[i][k].d, y[k])
		}
		b[i] = row
	}
}

func fakePairDiagonal(v entry.Variant, p *pivotParam) {
	lo := int(p.k) * baseEdge
	var b pairBlock
	b.load(v, p, lo, lo)
	for i := range b {
		if b[i][i].d >= 0 {
			b[i][i] = fakePairEntry{0, entry.NoVertex}
		}
	}
	for k := range b {
		row := slices.Clone(b[k])
		for i := range b {
			lowerPairs(v, b[i], b[i][k].d, row)
		}
	}
	b.store(v, p, lo, lo)
}

func fakePairPanels(v entry.Variant, p *pivotParam, blocks int) {
	t, lo := int(p.t), int(p.k)*baseEdge
	var closed pairBlock
	closed.load(v, p, lo, lo)
	for n := range blocks / 2 {
		first := n * baseEdge
		var row, col pairBlock
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
			storePairs(v, pairsOn(v, p.rows, first/t*baseEdge*t+first%t+i*t), row[i])
			storePairs(v, pairsOn(v, p.cols, (first+i)*baseEdge), col[i])
		}
	}
}

func fakePairRankOne(v entry.Variant, p *rankParam) {
	q := &pivotParam{list: p.list, t: p.t, m: p.m}
	n, k := int(p.m*p.t), int(p.k)
	for i := range n {
		a := pairsAt(v, placeOfPair(v, q, i, k), 1)[0].d
		for j := 0; j < n && !math.IsInf(a, 1); j += int(p.t) {
			c := pairsAt(v, placeOfPair(v, q, i, j), int(p.t))
			lowerPairs(v, c, a, pairsAt(v, placeOfPair(v, q, k, j), int(p.t)))
			storePairs(v, placeOfPair(v, q, i, j), c)
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
