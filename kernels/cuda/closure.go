package cuda

import (
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/kernels/internal/ledger"
)

// baseEdge is kBase of closure.cuh, the width of a round of the closure. It divides every tile's edge.
const baseEdge = 64

// pivotParam is Pivot of closure.cuh.
type pivotParam struct {
	list       address
	rows, cols address
	t, m, k    int32
	pad        int32
}

// Closure implements kernels.Stream. Beside the tiles it takes 128 entries of scratch for each vertex of
// the pivot.
func (s *stream) Closure(v entry.Variant, t int, pivot []kernels.Tile) error {
	return in("closure", s.closure(v, t, pivot))
}

func (s *stream) closure(v entry.Variant, t int, pivot []kernels.Tile) error {
	tiles, m, err := s.device.square(s.form, v, t, pivot)
	if err != nil {
		return err
	}
	if err := s.alive(); err != nil {
		return err
	}
	if err := s.hurry(); err != nil {
		return err
	}
	panel := int64(m*t) * baseEdge * s.form.entryBytes(v)
	if err := s.device.Need(&s.panels, 2*panel, s.Sync); err != nil {
		return err
	}
	p := &pivotParam{rows: s.panels.At.at, cols: s.panels.At.at + address(s.panels.Bytes/2), t: int32(t), m: int32(m)}
	return s.close64(v, p, tiles)
}

// square resolves m×m tiles.
func (d *Device) square(f *form, v entry.Variant, t int, tiles []kernels.Tile) (at []address, m int, err error) {
	if err := f.checkShape(v, t); err != nil {
		return nil, 0, err
	}
	return ledger.Square(tiles, func(tile kernels.Tile, _, _ bool) (address, error) {
		return d.resolveTile(f, v, t, tile)
	})
}

// close64 enqueues the rounds.
func (s *stream) close64(v entry.Variant, p *pivotParam, tiles []address) error {
	t, m := int(p.t), int(p.m)
	var err error
	if p.list, err = s.send(s.form.pivotList(v, t, m, tiles, p.rows, p.cols)); err != nil {
		return err
	}
	// The rest of a round multiplies m·t rows of 64, the column panel, with blocks of 64×t, the row panel.
	rest := operandShape{rows: t, cols: t, lda: baseEdge, ldb: t, ldc: t, depth: baseEdge}
	rounds := m * t / baseEdge
	for k := range rounds {
		p.k = int32(k)
		if err := s.launch(v, s.form.diagonal, 1, paramOf(p)); err != nil {
			return err
		}
		if rounds == 1 {
			break
		}
		if err := s.launch(v, s.form.panels, 2*rounds, paramOf(p)); err != nil {
			return err
		}
		if err := s.multiplyAt(v, p.list, nil, m*m, rest); err != nil {
			return err
		}
	}
	return nil
}

// pivotList lists the tiles of a pivot as jobs, each with its part of the copied panels.
func (f *form) pivotList(v entry.Variant, t, m int, tiles []address, rows, cols address) []listEntry {
	strip := uint64(t * baseEdge * int(f.entryBytes(v))) // of one tile in either panel
	list := make([]listEntry, m*m)
	for i := range m {
		for j := range m {
			at := i*m + j
			list[at] = jobEntry(tiles[at], len(list), 1, false)
			if f.begins > 0 {
				list = append(list, listEntry{x: uint64(tiles[at])})
			}
			list = append(list, listEntry{uint64(cols) + uint64(i)*strip, uint64(rows) + uint64(j)*strip})
		}
	}
	return list
}
