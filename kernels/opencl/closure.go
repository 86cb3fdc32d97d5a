package opencl

import (
	"errors"

	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/kernels/internal/ledger"
)

// The kernels of a closure, beside that of products: diagonal closes a block of 64, putPanel copies the column panel
// to its tiles.
const (
	diagonal = "diagonal"
	putPanel = "putPanel"
)

// Closure implements kernels.Stream: blocked Floyd–Warshall on blocks of 64 (Venkataraman, Sahni and Mukhopadhyaya,
// JEA 8, 2003). A round closes the diagonal block, multiplies the row and the column panel with it, into scratch of
// 128 entries for each vertex, and then is one product of the two, of depth 64, over the whole block; the panels
// become final in it too. Of pairs the column panel is put back before: in that product the walk without arcs, which
// has no predecessor, would lower it. No entry is read in a launch that writes it, so results do not depend on
// timing.
func (s *stream) Closure(v entry.Variant, t int, pivot []kernels.Tile) error {
	return in("closure", s.closure(v, t, pivot))
}

func (s *stream) closure(v entry.Variant, t int, pivot []kernels.Tile) error {
	if err := s.checkShape(v, t); err != nil {
		return err
	}
	p := &places{stream: s}
	tiles, m, err := ledger.Square(pivot, p.tiles(s.tileBytes(v, t)))
	if err != nil {
		return err
	}
	if err := s.need(&s.panels, int64(2*m*t*smallBlock*s.entryBytes(v))); err != nil {
		return err
	}
	c := &closer{jobs: jobs{stream: s, queue: s.queue, variant: v}, t: t, m: m, tiles: tiles}
	return errors.Join(c.close(), p.putBack(), s.flush())
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
	p.off += int64(i%c.t*c.t+j%c.t) * int64(c.stream.entryBytes(c.variant))
	return p
}

// panel returns where the part of a tile is in the copied row panel, 0, or the column panel, 1.
func (c *closer) panel(which, tile int) place {
	part := int64(c.t * smallBlock * c.stream.entryBytes(c.variant))
	return place{objectOf(c.stream.panels), int64(which*c.m+tile) * part}
}

// close runs the rounds.
func (c *closer) close() error {
	const b = smallBlock
	t := c.t
	for k := 0; k < c.m*t; k += b {
		block := c.at(k, k)
		if err := c.step(diagonal, operands{b, b, t, t, t, t, b},
			[]job{{c: block, begin: block, pairs: [][2]place{{block, block}}}}); err != nil {
			return err
		}
		if c.m*t == b {
			return nil
		}
		var row, col, back, rest []job
		for i := range c.m {
			above, left := c.at(k, i*t), c.at(i*t, k)
			row = append(row, job{c.panel(0, i), above, true, [][2]place{{block, above}}})
			col = append(col, job{c.panel(1, i), left, true, [][2]place{{left, block}}})
			back = append(back, job{left, c.panel(1, i), false, [][2]place{{left, left}}})
			for j := range c.m {
				to := c.at(i*t, j*t)
				rest = append(rest, job{to, to, false, [][2]place{{c.panel(1, i), c.panel(0, j)}}})
			}
		}
		err := c.step(product, operands{b, t, t, t, t, t, b}, row)
		if err == nil {
			err = c.step(product, operands{t, b, t, t, b, t, b}, col)
		}
		if err == nil && c.stream.pairs {
			err = c.step(putPanel, operands{rows: t, cols: b, ldc: t, depth: 1}, back)
		}
		if err == nil {
			err = c.step(product, operands{t, t, b, t, t, t, b}, rest)
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
