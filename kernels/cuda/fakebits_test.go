package cuda

import (
	"math/bits"

	"ooc/kernels/entry"
)

// fakeBits runs a kernel of bits.cuh.
func fakeBits(k kernel, p *bitParam, blocks int) Result {
	n, words, rows := int(p.n), int(p.words), blocks*bitWarps
	header := at[int32](p.header, 5) // any, hubs, pieces
	now := header[(p.level+2)%3] != 0
	row := func(rows address, v int) []uint32 { return at[uint32](rows+address(4*words*v), words) }
	switch k {
	case bitClear:
		if p.level == 0 {
			clear(header)
			header[0] = 1
		}
		to := at[uint32](p.results, int(p.width))
		for i := range min(len(to), blocks*kernelInfo[k].threads) {
			to[i] = -uint32(i / (32 * words) % 2)
		}
	case bitStart:
		for v := range min(n, rows) {
			fakeBitRow(p, v, row, header)
		}
	case bitSeed:
		for lane, v := range at[int32](p.sources, min(int(p.count), blocks*kernelInfo[k].threads)) {
			row(p.from, int(v))[lane/32] |= 1 << (lane % 32)
			row(p.seen, int(v))[lane/32] |= 1 << (lane % 32)
			at[byte](p.live, n)[v] = 1
		}
	case bitHubs:
		for _, piece := range at[[4]int32](p.pieces, int(header[4])) {
			if now {
				fakeBitArcs(p, row, row(p.hubs, int(piece[1])), piece[2], piece[3])
			}
		}
	case bitPull1, bitPull2, bitPull4, bitPull8:
		if words != 32<<(k-bitPull1) {
			return invalidValue
		}
		header[(p.level+1)%3] = 0
		for v := range min(n, rows) {
			if now {
				fakeBitPull(p, v, row, header)
			}
		}
	case bitCount:
		strips := words / 32
		for at := range min(n, blocks/strips*countRows) {
			if header[p.level%3] != 0 {
				fakeBitCount(p, at, row)
			}
		}
	}
	return success
}

func fakeBitRow(p *bitParam, v int, row func(address, int) []uint32, header []int32) {
	n := int(p.n)
	seen := row(p.seen, v)
	clear(row(p.from, v))
	for i := range int(p.planeCount) {
		clear(row(p.planes, i*n+v))
	}
	for w := range seen {
		seen[w] = ^uint32(0)
		for lane := 32 * w; lane < min(int(p.count), 32*w+32); lane++ {
			seen[w] &^= 1 << (lane % 32)
		}
	}
	at[byte](p.live, n)[v], at[byte](p.full, n)[v] = 0, 0
	first, last := at[int32](p.offsets, n+1)[v], at[int32](p.offsets, n+1)[v+1]
	if last-first <= hubArcs {
		return
	}
	slot := header[3]
	header[3]++
	at[int32](p.slot, n)[v] = slot
	clear(row(p.hubs, int(slot)))
	for ; first < last; first += pieceArcs {
		piece := [4]int32{int32(v), slot, first, min(last, first+pieceArcs)}
		at[[4]int32](p.pieces, int(header[4])+1)[header[4]] = piece
		header[4]++
	}
}

func fakeBitArcs(p *bitParam, row func(address, int) []uint32, to []uint32, first, last int32) {
	for _, u := range at[int32](p.ends, int(last))[first:] {
		if at[byte](p.live, int(p.n))[u] != 0 {
			for w, b := range row(p.from, int(u)) {
				to[w] |= b
			}
		}
	}
}

func fakeBitPull(p *bitParam, v int, row func(address, int) []uint32, header []int32) {
	n, found := int(p.n), make([]uint32, p.words)
	liveTo, full := at[byte](p.liveTo, n), at[byte](p.full, n)
	if liveTo[v] = 0; full[v] != 0 {
		return
	}
	first, last := at[int32](p.offsets, n+1)[v], at[int32](p.offsets, n+1)[v+1]
	if last-first > hubArcs {
		brought := row(p.hubs, int(at[int32](p.slot, n)[v]))
		copy(found, brought)
		clear(brought)
	} else {
		fakeBitArcs(p, row, found, first, last)
	}
	seen, all := row(p.seen, v), ^uint32(0)
	for w := range found {
		found[w] &^= seen[w]
		if found[w] != 0 {
			liveTo[v] = 1
		}
	}
	if liveTo[v] == 0 {
		return
	}
	copy(row(p.to, v), found)
	for w := range found {
		seen[w] |= found[w]
		all &= seen[w]
		for i := range int(p.planeCount) {
			if p.level>>i&1 == 1 {
				row(p.planes, i*n+v)[w] |= found[w]
			}
		}
	}
	if all == ^uint32(0) {
		full[v] = 1
	}
	header[p.level%3] = 1
}

// fakeBitCount counts the row that is at this place in the order.
func fakeBitCount(p *bitParam, place int, row func(address, int) []uint32) {
	n, lanes := int(p.n), 32*int(p.words)
	v := at[int32](p.order, n)[place]
	if at[byte](p.liveTo, n)[v] == 0 {
		return
	}
	results := at[uint32](p.results, 2*lanes)
	for w, b := range row(p.to, int(v)) {
		for ; b != 0; b &= b - 1 {
			lane := 32*w + bits.TrailingZeros32(b)
			results[lane]++
			results[lanes+lane] = min(results[lanes+lane], uint32(place))
		}
	}
}

// fakeBitRows writes rows block by block.
func fakeBitRows(k kernel, p *bitRowsParam, blocks int) Result {
	n, words, edge, side := int(p.n), int(p.words), int(p.edge), int(p.side)
	size, columns, sources := 1<<(k-bitRows1), at[int32](p.columns, side*edge), at[int32](p.sources, int(p.count))
	values, strips := at[byte](p.values, size<<p.planeCount), entry.CeilDiv(int(p.count), rowLanes)
	to := at[byte](p.to, entry.CeilDiv(int(p.count), edge)*side*edge*edge*size)
	for block := range blocks {
		first, last := block%strips*rowLanes, min(block%strips*rowLanes+rowLanes, int(p.count))
		for lane := first; lane < last; lane++ {
			for i := range rowColumns {
				c := int(p.first)*edge + block/strips*rowColumns + i
				level, v := 0, int(columns[c])
				for plane := 0; plane < int(p.planeCount) && v >= 0; plane++ {
					word := at[uint32](p.planes, ((plane*n+v)+1)*words)[(plane*n+v)*words+lane/32]
					level |= int(word>>(lane%32)&1) << plane
				}
				out := to[(((lane/edge*side+c/edge)*edge+lane%edge)*edge+c%edge)*size:][:size]
				if copy(out, values[level*size:]); columns[c] == sources[lane] {
					clear(out)
				}
			}
		}
	}
	return success
}
