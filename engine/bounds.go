package engine

import "math"

// bounds gives upper bounds on distances while a store is not solved. Each is the length of a walk that exists (in
// f32, as rounded sums make it), or +Inf, which says nothing, not even that there is no path. A later bound is never
// greater, and once the store is solved the bounds are the distances. Its methods may be called concurrently, also
// while the solve runs, here or in another process, unless that solve begins again.
type bounds struct {
	p    *Problem
	rows int // places in the matrix from here on hold nothing yet
}

// bounds returns upper bounds on the distances, from what the store holds now. Call it again for what a solve finds
// later.
func (p *Problem) Bounds() (bounds, error) {
	b := bounds{p: p}
	state, counts, err := p.store.State()
	if err != nil || !counts {
		return b, err
	}
	b.rows = int(state.Done)
	if a := solverNamed(state.Algorithm); a != nil && !a.Traits().Rows {
		b.rows = p.geom.RowCount()
	}
	return b, nil
}

// Distance is Problem.Distance with a bound. It does not fail with ErrUnsolved, nor do the other methods.
func (b bounds) Distance(u, v int) (float64, error) {
	place, err := b.p.Place(u)
	if err != nil || place >= b.rows && v >= 0 && v < b.p.geom.N {
		return math.Inf(1), err
	}
	entries, err := b.p.Entries()
	if err != nil {
		return 0, err
	}
	bits, err := entries.ReadAt(place, v)
	if err != nil {
		return 0, err
	}
	return b.p.meta.Distance(bits), nil
}

// Row is Problem.Row with bounds.
func (b bounds) Row(dst []float64, u int) error {
	place, err := b.p.Place(u)
	if err != nil {
		return err
	}
	entries, err := b.p.Entries()
	if err == nil {
		err = b.p.line(dst, place, b.p.geom.N, entries.ReadRow)
	}
	if err == nil && place >= b.rows {
		fillInf(dst)
	}
	return err
}

// Col is Problem.Col with bounds.
func (b bounds) Col(dst []float64, v int) error {
	entries, err := b.p.Entries()
	if err == nil {
		err = b.p.line(dst, v, b.p.geom.RowCount(), entries.ReadCol)
	}
	if err == nil {
		fillInf(dst[b.rows:])
	}
	return err
}

func fillInf(dst []float64) {
	for i := range dst {
		dst[i] = math.Inf(1)
	}
}
