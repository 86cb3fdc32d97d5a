package opencl

import (
	"errors"
	"fmt"
	"math"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// diagonal is the kernel that closes a block of 64.
const diagonal = "diagonal"

// diagonalItems are the items of a group of it.
func (d *Device) diagonalItems() int {
	if d.found.cpu {
		return 1
	}
	return 256
}

// Closure implements kernels.Stream: blocked Floyd–Warshall on blocks of 64 (Venkataraman, Sahni and Mukhopadhyaya, JEA 8, 2003). A round
// closes the diagonal block, multiplies the row and the column panel with it, into scratch of 128 entries for each vertex, and then
// is one product of the two, of depth 64, over the whole block; the panels become final in it too. No entry is read in a launch that
// writes it, so results do not depend on timing.
func (s *stream) Closure(v entry.Variant, t int, pivot []kernels.Tile) error {
	if err := s.closure(v, t, pivot); err != nil {
		return fmt.Errorf("opencl: closure: %w", err)
	}
	return nil
}

func (s *stream) closure(v entry.Variant, t int, pivot []kernels.Tile) error {
	if err := checkShape(v, t); err != nil {
		return err
	}
	if err := s.alive(); err != nil {
		return err
	}
	p := &places{stream: s}
	tiles, m, err := p.square(int64(t)*int64(t)*int64(v.Bytes()), pivot)
	if err != nil {
		return err
	}
	if err := s.need(&s.panels, int64(2*m*t*smallBlock*v.Bytes())); err != nil {
		return err
	}
	c := &closer{jobs: jobs{stream: s, variant: v}, t: t, m: m, tiles: tiles}
	return errors.Join(c.close(), p.putBack(), s.flush())
}

// square finds m×m tiles that are read and written.
func (p *places) square(bytes int64, tiles []kernels.Tile) (at []place, m int, err error) {
	m = int(math.Round(math.Sqrt(float64(len(tiles)))))
	if m == 0 || m*m != len(tiles) {
		return nil, 0, fmt.Errorf("%d tiles make no square", len(tiles))
	}
	at = make([]place, len(tiles))
	for i, tile := range tiles {
		if at[i], err = p.find(tile, bytes, true, true); err != nil {
			return nil, 0, fmt.Errorf("tile (%d,%d): %w", i/m, i%m, err)
		}
	}
	return at, m, nil
}

// closer is one closure.
type closer struct {
	jobs
	t, m  int
	tiles []place
}

// at returns where entry (i,j) of the pivot block is.
func (c *closer) at(i, j int) place {
	p := c.tiles[i/c.t*c.m+j/c.t]
	p.off += int64(i%c.t*c.t+j%c.t) * int64(c.variant.Bytes())
	return p
}

// panel returns where the part of a tile is in the copied row panel, 0, or the column panel, 1.
func (c *closer) panel(which, tile int) place {
	part := int64(c.t * smallBlock * c.variant.Bytes())
	return place{c.stream.panels.memory, int64(which*c.m+tile) * part}
}

// close runs the rounds.
func (c *closer) close() error {
	const b = smallBlock
	t := c.t
	for k := 0; k < c.m*t; k += b {
		block := c.at(k, k)
		if err := c.step(diagonal, operands{rows: b, cols: b, lda: t, ldb: t, ldc: t, depth: b}, []job{{c: block, pairs: [][2]place{{block, block}}}}); err != nil {
			return err
		}
		if c.m*t == b {
			return nil
		}
		var row, col, rest []job
		for i := range c.m {
			row = append(row, job{c.panel(0, i), true, [][2]place{{block, c.at(k, i*t)}}})
			col = append(col, job{c.panel(1, i), true, [][2]place{{c.at(i*t, k), block}}})
			for j := range c.m {
				rest = append(rest, job{c.at(i*t, j*t), false, [][2]place{{c.panel(1, i), c.panel(0, j)}}})
			}
		}
		err := c.step(product, operands{rows: b, cols: t, lda: t, ldb: t, ldc: t, depth: b}, row)
		if err == nil {
			err = c.step(product, operands{rows: t, cols: b, lda: t, ldb: t, ldc: b, depth: b}, col)
		}
		if err == nil {
			err = c.step(product, operands{rows: t, cols: t, lda: b, ldb: t, ldc: t, depth: b}, rest)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// step runs jobs with one kernel.
func (c *closer) step(kernel string, o operands, list []job) error {
	c.kernel, c.operands = kernel, o
	for _, one := range list {
		if err := c.add(one); err != nil {
			return err
		}
	}
	return c.run()
}
