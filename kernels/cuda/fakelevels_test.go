package cuda

import (
	"math"

	"ooc/kernels"
	"ooc/kernels/conformance"
	"ooc/kernels/entry"
)

// fakeLevel lowers the rows of one launch.
func fakeLevel(v entry.Variant, p *levelParam, blocks int) {
	strips := (int(p.width) + levelStrip - 1) / levelStrip
	perBlock := levelWarps / int(p.group)
	for item := range blocks * perBlock {
		row := int(p.lo) + item/strips
		if row < int(p.hi) {
			fakeStrip(v, p, row, item%strips*levelStrip)
		}
	}
}

func fakeStrip(v entry.Variant, p *levelParam, row, first int) {
	width := int(p.width)
	n := min(levelStrip, width-first)
	strip := func(row int) address { return p.lanes + address((row*width+first)*v.Bytes()) }
	c := make([]float64, n)
	entry.Fill(c, math.Inf(1))
	if p.fresh == 0 {
		c = values(v, strip(row), n)
	}
	offsets := at[int32](p.offsets, row+2)
	ends, kind := at[int32](p.ends, int(offsets[row+1])), v.Kind()
	weights := at[byte](p.weights, int(offsets[row+1])*v.WeightBytes())
	for k := int(offsets[row]); k < int(offsets[row+1]); k++ {
		relaxValues(v, c, kind.Value(kind.At(weights[k*v.WeightBytes():], 0)), values(v, strip(int(ends[k])), n))
	}
	for i := range c {
		if p.sources != 0 && int(at[int32](p.sources, width)[first+i]) == row {
			c[i] = 0
		}
	}
	store(v, strip(row), 0, c)
}

// fakeArcs makes the first rows of a product of arcs.
func fakeArcs(v entry.Variant, p *arcProductParam, rows int) {
	edge := int(p.edge)
	for row := range rows {
		to := p.to + address(row*edge*v.Bytes())
		c := make([]float64, edge)
		entry.Fill(c, math.Inf(1))
		if c[row] = 0; p.fresh == 0 {
			c = values(v, to, edge)
		}
		fakeRow(v, p.offsets, p.ends, p.weights, row, func(by int32, w float64) {
			fakeRow(v, p.offsets2, p.ends2, p.weights2, int(by), func(y int32, w2 float64) {
				if int(y) < edge {
					relaxValues(v, c[y:y+1], w, []float64{w2})
				}
			})
		})
		store(v, to, 0, c)
	}
}

// fakeRow calls do with the arcs of a row.
func fakeRow(v entry.Variant, offsets, ends, weights address, row int, do func(end int32, w float64)) {
	of := at[int32](offsets, row+2)[row:]
	for k := of[0]; k < of[1]; k++ {
		w := at[byte](weights, int(k+1)*v.WeightBytes())[int(k)*v.WeightBytes():]
		do(at[int32](ends, int(k+1))[k], v.Kind().Value(v.Kind().At(w, 0)))
	}
}

// fakeBlocks computes the rows of blocks.
func fakeBlocks(v entry.Variant, p *laneBlocksParam, blocks int) {
	width, kind := int(p.width), v.Kind()
	strips := entry.CeilDiv(width, blockLanes)
	for item := range blocks {
		first := item % strips * blockLanes
		n := min(blockLanes, width-first)
		strip := func(row int32) address { return p.lanes + address((int(row)*width+first)*v.Bytes()) }
		b := at[kernels.LaneBlock](p.blocks, blocks/strips)[item/strips]
		terms := at[kernels.LaneTerm](p.terms, int(b.First+b.Terms))[b.First:]
		for row := b.Row; row < b.Row+b.Rows; row++ {
			c := make([]float64, n)
			entry.Fill(c, math.Inf(1))
			if p.fresh == 0 {
				c = values(v, strip(row), n)
			}
			for _, t := range terms {
				weights := at[byte](p.weights+address(int(t.Weights+b.Shift)*kernels.LaneWeightUnit*v.Bytes()),
					int(row-b.Row+1)*v.Bytes())
				relaxValues(v, c, kind.Value(kind.At(weights, int(row-b.Row))), values(v, strip(t.Row), n))
			}
			store(v, strip(row), 0, c)
		}
	}
}

// fakeLaneSums adds up a part of the rows of lanes, the parts, or rows.
func fakeLaneSums(k kernel, v entry.Variant, p *laneSumsParam, blocks int) {
	width, rows := int(p.width), int(p.rows)
	names, parts := at[int32](p.names, rows), entry.CeilDiv(rows, kernels.LaneSumRows)
	row := func(i int) []float64 { return values(v, p.lanes+address(i*width*v.Bytes()), width) }
	sums := at[kernels.LaneSum](p.byLane, width*(parts+1))
	switch k {
	case laneSums:
		for part := range blocks / entry.CeilDiv(width, sumStrip) {
			of := sums[(part+1)*width:][:width]
			for l := range of {
				of[l] = kernels.LaneSum{Farthest: -1}
			}
			for i := part * kernels.LaneSumRows; i < min(rows, (part+1)*kernels.LaneSumRows); i++ {
				for l, d := range row(i) {
					conformance.AddTo(&of[l], v, d, names[i])
				}
			}
		}
	case laneTotals:
		for l := range width {
			all := kernels.LaneSum{Farthest: -1}
			for part := range parts {
				conformance.Join(&all, v, sums[(part+1)*width+l])
			}
			sums[l] = all
		}
	case rowSums:
		of := at[kernels.LaneSum](p.byRow, rows)
		for i := range of {
			of[i] = kernels.LaneSum{}
			for _, d := range row(i)[:p.count] {
				conformance.AddTo(&of[i], v, d, 0)
			}
			of[i].Top, of[i].Farthest = 0, -1
		}
	}
}

// fakeTranspose transposes.
func fakeTranspose(v entry.Variant, p *laneTransposeParam, blocks int) {
	width, edge, side := int(p.width), int(p.edge), int(p.side)
	columns := at[int32](p.columns, side*edge)
	for block := range blocks {
		across := width / patchEdge
		for c := block / across * patchEdge; c < (block/across+1)*patchEdge; c++ {
			lane, row := block%across*patchEdge, int(columns[c])
			x := make([]float64, patchEdge)
			entry.Fill(x, math.Inf(1))
			if row >= 0 {
				x = values(v, p.lanes+address((row*width+lane)*v.Bytes()), patchEdge)
			}
			for l := lane; l < lane+patchEdge; l++ {
				if row >= 0 && p.sources != 0 && int(at[int32](p.sources, width)[l]) == row {
					x[l-lane] = 0
				}
				store(v, p.to, ((l/edge*side+c/edge)*edge+l%edge)*edge+c%edge, x[l-lane:][:1])
			}
		}
	}
}

// fakeSums sums as the kernel does, but that a thread's words are multiplied bit by bit.
func fakeSums(p *sumsParam, blocks int) Result {
	if p.words%(sumBytes/4) != 0 || blocks > int(p.count) {
		return invalidValue
	}
	times := func(a, b uint32) (product uint32) {
		for bit := 31; bit >= 0; bit-- {
			product ^= b & -(a >> bit & 1)
			b = b>>1 ^ 0x82f63b78&-(b&1)
		}
		return product
	}
	for tile, data := range split(at[uint32](p.data, int(p.words)*int(p.count)), int(p.words)) {
		var s [256]uint32
		for i := 0; i < len(data); i += 4 {
			t := i / 4 % len(s)
			s[t] = times(p.round, s[t])
			for k, w := range data[i:][:4] {
				s[t] ^= times(p.advance[3-k], w)
			}
		}
		for j, by := range p.tree {
			for t := 0; t < len(s); t += 2 << j {
				s[t] = times(by, s[t]) ^ s[t+1<<j]
			}
		}
		at[uint32](p.sums, int(p.count))[tile] = s[0] ^ p.zeros
	}
	return success
}

func split(data []uint32, n int) (all [][]uint32) {
	for ; len(data) > 0; data = data[n:] {
		all = append(all, data[:n])
	}
	return all
}
