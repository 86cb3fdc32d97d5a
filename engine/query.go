package engine

import (
	"errors"
	"fmt"
	"math"

	"ooc/kernels"
	"ooc/tiles"
)

// ErrUnsolved is wrapped by the error of a question to a store whose distances are not final yet.
var ErrUnsolved = errors.New("not solved yet")

// ErrNoVertex is wrapped by the error of a look-up of an id that the input does not have.
var ErrNoVertex = errors.New("no such vertex")

// Solved returns nil if every distance is final, else an error that wraps ErrUnsolved.
func (p *Problem) Solved() error {
	state, counts, err := p.store.State()
	switch {
	case err != nil:
		return err
	case !counts || state.Done < int64(p.geom.RowCount()):
		return fmt.Errorf("%s is %w (%.1f %% done)", p.Dir(), ErrUnsolved, 100*float64(state.Done)/float64(p.geom.RowCount()))
	}
	settled, err := p.settled()
	if err == nil && !settled {
		err = fmt.Errorf("%s is %w: its predecessors were not looked through to the end", p.Dir(), ErrUnsolved)
	}
	return err
}

// Lookup returns the row of a vertex named by its id in the input.
func (p *Problem) Lookup(id string) (int, error) {
	ids, err := p.IDs()
	if err != nil {
		return 0, err
	}
	row, ok := ids.Row(id, p.geom.N)
	if !ok {
		return 0, fmt.Errorf("%w: %s has no vertex %q", ErrNoVertex, p.Dir(), id)
	}
	return row, nil
}

// Distance returns the distance from row u to row v in the input's units; +Inf where there is no path. It fails
// with ErrNoVertex where the store keeps no distances from u.
func (p *Problem) Distance(u, v int) (float64, error) {
	place, err := p.place(u)
	if err != nil {
		return 0, err
	}
	bits, err := p.store.ReadAt(place, v)
	if err != nil {
		return 0, err
	}
	return p.distance(bits), nil
}

// distance converts one stored entry.
func (p *Problem) distance(bits uint32) float64 {
	if p.meta.Kind == tiles.F32 {
		return float64(math.Float32frombits(bits)) / float64(p.meta.Scale)
	}
	if int32(bits) == kernels.Inf32 {
		return math.Inf(1)
	}
	return float64(int32(bits)) / float64(p.meta.Scale)
}

// Sources returns the rows that the store keeps distances from, ascending; empty stands for all.
func (p *Problem) Sources() tiles.RowSet { return p.meta.Sources }

// place returns where in the matrix the distances from row u are.
func (p *Problem) place(u int) (int, error) {
	if place, ok := p.meta.Sources.Index(u); ok {
		return place, nil
	}
	ids, err := p.IDs()
	if err != nil {
		return 0, err
	}
	return 0, fmt.Errorf("%w: %s keeps distances from chosen sources, and %s is none of them", ErrNoVertex, p.Dir(), ids.Name(u))
}

// Row fills dst, of N elements, with the distances from row u to every row, in the input's units. It fails
// with ErrNoVertex where the store keeps no distances from u.
func (p *Problem) Row(dst []float64, u int) error {
	place, err := p.place(u)
	if err != nil {
		return err
	}
	return p.line(dst, place, p.geom.N, p.store.ReadRow)
}

// Col fills dst with the distances from every row, or from each of Sources, to row v, in the input's units. It
// has as many elements.
func (p *Problem) Col(dst []float64, v int) error {
	return p.line(dst, v, p.geom.RowCount(), p.store.ReadCol)
}

func (p *Problem) line(dst []float64, at, n int, read func([]byte, int) error) error {
	if len(dst) != n {
		return fmt.Errorf("%s: %d elements given for %d distances", p.Dir(), len(dst), n)
	}
	raw := entries(n)
	if err := read(raw, at); err != nil {
		return err
	}
	for i, bits := range words32(raw) {
		dst[i] = p.distance(bits)
	}
	return nil
}
