package cuda

import (
	"math"

	"ooc/kernels/entry"
)

// fakeSearch runs a kernel of search.cuh.
func fakeSearch(k kernel, v entry.Variant, p *searchParam, blocks int) {
	rows, width, kind, threads := int(p.rows), int(p.width), v.Kind(), blocks*kernelInfo[k].threads
	least, keys, live := at[int32](p.least, 3), at[int32](p.keys, rows), at[byte](p.live, rows)
	row := func(i int) address { return p.lanes + address(i*width*v.Bytes()) }
	now, next := &least[p.sweep%3], &least[(p.sweep+1)%3]
	switch k {
	case searchClear:
		kind.Fill(at[byte](p.lanes, rows*width*v.Bytes()), v.Unreachable())
		entry.Fill(keys, math.MaxInt32)
		entry.Fill(least, math.MaxInt32)
		if p.count > 0 {
			least[0] = 0
		}
	case searchSeed:
		for lane, s := range at[int32](p.sources, min(int(p.count), threads)) {
			store(v, row(int(s)), lane, []float64{0})
			keys[s] = 0
		}
	case searchPick:
		least[(p.sweep+2)%3] = math.MaxInt32
		for i := range min(rows, threads) {
			if *now == math.MaxInt32 {
				break
			}
			live[i] = 0
			if distanceOf(kind, keys[i]) <= distanceOf(kind, *now)+p.near && keys[i] < math.MaxInt32 {
				live[i], keys[i] = 1, math.MaxInt32
			}
			*next = min(*next, keys[i])
		}
	case searchLower:
		strips := entry.CeilDiv(width, min(512, 2048/v.Bytes()))
		for _, piece := range at[[4]int32](p.pieces, min(int(p.pieceCount), blocks*searchWarps/strips)) {
			if *now == math.MaxInt32 {
				break
			}
			fakeLower(v, p, piece, row, live, keys, next)
		}
	}
}

// distanceOf is a distance that has the key, or almost.
func distanceOf(kind entry.Kind, key int32) float64 {
	if kind == entry.KindF64 {
		return kind.Value(uint64(key) << 32)
	}
	return kind.Value(uint64(uint32(key)))
}

// fakeLower takes the arcs of a piece.
func fakeLower(v entry.Variant, p *searchParam, piece [4]int32, row func(int) address, live []byte, keys []int32,
	next *int32) {
	width, kind, first, last := int(p.width), v.Kind(), piece[1], piece[2]
	ends, weights := at[int32](p.ends, int(last)), at[byte](p.weights, int(last)*v.WeightBytes())
	was := values(v, row(int(piece[0])), width)
	m := append([]float64(nil), was...)
	for k := first; k < last; k++ {
		if live[ends[k]] != 0 {
			relaxValues(v, m, kind.Value(kind.Wide().At(weights, int(k))), values(v, row(int(ends[k])), width))
		}
	}
	low := math.Inf(1)
	for i, x := range m {
		if x < was[i] {
			low = min(low, x)
		}
	}
	if math.IsInf(low, 1) {
		return
	}
	store(v, row(int(piece[0])), 0, m)
	key := int32(kind.Bits(low))
	if kind == entry.KindF64 {
		key = int32(kind.Bits(low) >> 32)
	}
	keys[piece[0]], *next = min(keys[piece[0]], key), min(*next, key)
}
