package searches

import (
	"math/bits"

	"ooc/engine/rows"
	"ooc/engine/sparse"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
)

// planes are the levels of all vertices, bit by bit: plane p has bit p of each place's level, from 1 on, in each lane.
// 0 stands for no path, and for the source itself.
type planes struct {
	bits  [][]rows.Bits
	count int // planes that the levels of a search need; the others are there from earlier ones
	rows  *cpu.LevelRows
}

// add notes the level that a search is at.
func (p *planes) add(s *levels, level int) {
	for ; p.count < bits.Len(uint(level)); p.count++ {
		if p.count < len(p.bits) {
			clear(p.bits[p.count])
			continue
		}
		p.bits = append(p.bits, make([]rows.Bits, len(s.order)))
	}
	for i, plane := range p.bits[:p.count] {
		if level>>i&1 == 1 {
			for _, v := range s.at {
				join(&plane[v], &s.front[v])
			}
		}
	}
}

// write writes the rows of all lanes, each to its place. values are the entries of all levels, of size bytes each, 256
// or more.
func (p *planes) write(place []int32, to sparse.Target, values []byte, size int) {
	for first := to.First * to.Width; first < entry.RoundUp(len(place), to.Width); first += cpu.LevelColumns {
		block := p.rows.Planes(p.count)
		for i, plane := range p.bits[:p.count] {
			for c := range block[i] {
				if first+c < len(place) {
					block[i][c] = plane[place[first+c]]
				} else { // to a column that there is not, there is no path
					block[i][c] = rows.Bits{}
				}
			}
		}
		at := int64(first/to.Width)*to.Stride + int64(first%to.Width*size)
		p.rows.Write(to.Data[at:], to.Places, min(cpu.LevelColumns, to.Width-first%to.Width), block, values, size)
	}
}
