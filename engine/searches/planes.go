package searches

import (
	"math/bits"

	"ooc/engine/rows"
	"ooc/engine/sparse"
	"ooc/kernels/entry"
)

// block is how many columns of all lanes are turned into rows at a time.
const block = 64

// planes are the levels of all vertices, bit by bit: plane p has bit p of each place's level, from 1 on, in each lane.
// 0 stands for no path, and for the source itself.
type planes struct {
	bits   [][]rows.Bits
	count  int // planes that the levels of a search need; the others are there from earlier ones
	words  [rows.Lanes / 64][block]uint64
	turned [][rows.Lanes]uint64 // of each plane: of each lane, the bits of a block's columns
}

// add notes the level that a search is at.
func (p *planes) add(s *levels, level int) {
	for ; p.count < bits.Len(uint(level)); p.count++ {
		if p.count < len(p.bits) {
			clear(p.bits[p.count])
			continue
		}
		p.bits = append(p.bits, make([]rows.Bits, len(s.order)))
		p.turned = append(p.turned, [rows.Lanes]uint64{})
	}
	for i, plane := range p.bits[:p.count] {
		if level>>i&1 == 1 {
			for _, v := range s.at {
				join(&plane[v], &s.front[v])
			}
		}
	}
}

// turn makes rows of a block of columns. To those that there are not, there is no path.
func (p *planes) turn(place []int32, first, lanes int) {
	for i, plane := range p.bits[:p.count] {
		for c := range block {
			var b rows.Bits
			if first+c < len(place) {
				b = plane[place[first+c]]
			}
			for k := range b {
				p.words[k][c] = b[k]
			}
		}
		for k := range entry.CeilDiv(lanes, 64) {
			transpose(&p.words[k])
			copy(p.turned[i][64*k:], p.words[k][:])
		}
	}
}

// transpose makes bit c of word r bit r of word c (H. S. Warren, Hacker's Delight, 2013, section 7-3).
func transpose(x *[64]uint64) {
	mask := uint64(1)<<32 - 1
	for j := 32; j > 0; j, mask = j/2, mask^mask<<(j/2) {
		for k := 0; k < 64; k = (k + j + 1) &^ j {
			t := (x[k]>>j ^ x[k|j]) & mask
			x[k] ^= t << j
			x[k|j] ^= t
		}
	}
}

// spread makes of eight bits eight bytes.
var spread = func() (table [256]uint64) {
	for x := range table {
		for i := range 8 {
			table[x] |= uint64(x>>i&1) << (8 * i)
		}
	}
	return table
}()

// write writes the rows of all lanes, each to its place. values are the entries of all levels, 256 or more.
func write[W entry.Word](p *planes, place []int32, to sparse.Target, values []byte) {
	entries := entry.View[W](values)
	size := len(values) / len(entries)
	for first := to.First * to.Width; first < entry.RoundUp(len(place), to.Width); first += block {
		p.turn(place, first, len(to.Places))
		at := int64(first/to.Width)*to.Stride + int64(first%to.Width*size)
		count := min(block, to.Width-first%to.Width)
		for lane, start := range to.Places {
			writeLane(entry.View[W](to.Data[start+at:][:count*size]), p.turned[:p.count], lane, entries)
		}
	}
}

// writeLane writes a lane's entries of a block.
func writeLane[W entry.Word](out []W, turned [][rows.Lanes]uint64, lane int, values []W) {
	if len(turned) > 8 {
		for c := range out {
			level := 0
			for i := range turned {
				level |= int(turned[i][lane]>>c&1) << i
			}
			out[c] = values[level]
		}
		return
	}
	var planes [8]uint64
	for i := range turned {
		planes[i] = turned[i][lane]
	}
	few := (*[256]W)(values[:256])
	for c := 0; c < len(out); c += 8 {
		levels := spread[byte(planes[0]>>c)] | spread[byte(planes[1]>>c)]<<1 | spread[byte(planes[2]>>c)]<<2
		for i := 3; i < len(turned); i++ {
			levels |= spread[byte(planes[i]>>c)] << i
		}
		if len(out)-c < 8 {
			for k := range out[c:] {
				out[c+k] = few[byte(levels>>(8*k))]
			}
			break
		}
		o := (*[8]W)(out[c:])
		o[0] = few[byte(levels)]
		o[1] = few[byte(levels>>8)]
		o[2] = few[byte(levels>>16)]
		o[3] = few[byte(levels>>24)]
		o[4] = few[byte(levels>>32)]
		o[5] = few[byte(levels>>40)]
		o[6] = few[byte(levels>>48)]
		o[7] = few[byte(levels>>56)]
	}
}
