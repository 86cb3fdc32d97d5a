package feed

import (
	"sync"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// newPieces feeds the matrix of weights in pieces of some of its columns.
func newPieces(m Matrix, o Options) *pieces {
	p := &pieces{matrix: m, n: m.Facts().N, transposed: o.Transposed, edge: o.Edge}
	_, most := o.room()
	for _, edge := range []int{512, 256, 128, 64} {
		if p.edge == 0 && (edge == 64 || edge <= p.n && int64(edge)*int64(edge)*entry.WordBytes <= most) {
			p.edge = edge
		}
	}
	tile, side := int64(p.edge)*int64(p.edge)*entry.WordBytes, int64(entry.CeilDiv(p.n, p.edge))
	p.across = 1
	if o.Edge == 0 && !o.Device.Info().SharedCores {
		// A step has threads for the vertices of one block, and a GPU wants many.
		p.across = int(max(1, min(most/tile, side)))
	}
	p.high = int(max(1, min(most/tile/int64(p.across), side)))
	p.scratch.New = func() any { s := make([]uint32, p.edge*p.edge); return &s }
	return p
}

// pieces are blocks of a matrix, across tiles wide and at most high tiles high.
type pieces struct {
	matrix             Matrix
	n                  int
	edge, across, high int
	transposed         bool
	scratch            sync.Pool // of tiles
}

func (p *pieces) width() int { return p.across * p.edge }

func (p *pieces) blocks() (specs []blockSpec) {
	for lo := 0; lo < p.n; lo += p.width() {
		for row := 0; row < p.n; row += p.high * p.edge {
			tiles := min(p.high, entry.CeilDiv(p.n-row, p.edge))
			specs = append(specs, blockSpec{
				lo: lo, hi: min(lo+p.width(), p.n), row: row, rows: min(p.n-row, tiles*p.edge),
				bytes: int64(tiles) * int64(p.edge) * int64(p.width()) * entry.WordBytes,
			})
		}
	}
	return specs
}

func (p *pieces) fill(dst []byte, b blockSpec) error {
	size := p.edge * p.edge * entry.WordBytes
	first, column := b.row/p.edge, b.lo/p.edge
	if !p.transposed && p.across == 1 {
		for k := 0; k*size < len(dst); k++ {
			if err := p.matrix.FillTile(dst[k*size:(k+1)*size], p.edge, first+k, column); err != nil {
				return err
			}
		}
		return nil
	}
	tile := p.scratch.Get().(*[]uint32)
	defer p.scratch.Put(tile)
	words := entry.View[uint32](dst)
	for k := 0; k*p.edge < b.rows; k++ {
		for c := 0; c*p.edge < b.hi-b.lo; c++ {
			if err := p.matrix.FillTile(entry.Bytes(*tile)[:size], p.edge, first+k, column+c); err != nil {
				return err
			}
			if rows := min(p.edge, b.rows-k*p.edge); p.transposed {
				transpose(words[c*p.edge*b.rows+k*p.edge:], *tile, p.edge, rows, b.rows)
			} else {
				for r := range rows {
					copy(words[(k*p.edge+r)*p.width()+c*p.edge:][:p.edge], (*tile)[r*p.edge:])
				}
			}
		}
	}
	return nil
}

// transpose writes the first rows rows of a tile as columns, whose beginnings are pitch entries apart. It goes by
// squares that stay in the first-level cache.
func transpose(dst, tile []uint32, edge, rows, pitch int) {
	const square = 32
	for top := 0; top < rows; top += square {
		for left := 0; left < edge; left += square {
			for c := left; c < left+square; c++ {
				for r := top; r < min(top+square, rows); r++ {
					dst[c*pitch+r] = tile[r*edge+c]
				}
			}
		}
	}
}

func (p *pieces) place(b blockSpec, at kernels.Tile) kernels.Block {
	return kernels.Block{Lo: b.lo, Hi: b.hi, Edge: p.width(), Row: b.row, Rows: b.rows, Transposed: p.transposed,
		Weights: at}
}

// Tiles returns the whole tiles of a piece of Options.Edge columns that is not transposed, from the first row on.
func Tiles(b kernels.Block) []kernels.Tile {
	size := int64(b.Edge) * int64(b.Edge) * entry.WordBytes
	tiles := make([]kernels.Tile, entry.CeilDiv(b.Rows, b.Edge))
	for k := range tiles {
		tiles[k] = kernels.Tile{Buf: b.Weights.Buf, Off: b.Weights.Off + int64(k)*size}
	}
	return tiles
}
