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
	case !counts || state.Done < int64(p.geom.N):
		return fmt.Errorf("%s is %w (%.1f %% done)", p.Dir(), ErrUnsolved, 100*float64(state.Done)/float64(p.geom.N))
	}
	return nil
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

// Distance returns the distance from row u to row v in the input's units; +Inf where there is no path.
func (p *Problem) Distance(u, v int) (float64, error) {
	bits, err := p.store.ReadAt(u, v)
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

// Row fills dst, of N elements, with the distances from row u to every row, in the input's units.
func (p *Problem) Row(dst []float64, u int) error {
	return p.line(dst, u, p.store.ReadRow)
}

// Col fills dst, of N elements, with the distances from every row to row v, in the input's units.
func (p *Problem) Col(dst []float64, v int) error {
	return p.line(dst, v, p.store.ReadCol)
}

func (p *Problem) line(dst []float64, at int, read func([]byte, int) error) error {
	if len(dst) != p.geom.N {
		return fmt.Errorf("%s: %d elements given for %d vertices", p.Dir(), len(dst), p.geom.N)
	}
	raw := entries(p.geom.N)
	if err := read(raw, at); err != nil {
		return err
	}
	for i, bits := range words32(raw) {
		dst[i] = p.distance(bits)
	}
	return nil
}
