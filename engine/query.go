package engine

import (
	"errors"
	"fmt"

	"ooc/engine/graph"
	"ooc/engine/text"
	"ooc/tiles"
	"ooc/tiles/class"
)

// ErrUnsolved is wrapped by the error of a question to a store whose distances are not final yet.
var ErrUnsolved = errors.New("not solved yet")

// Solved returns nil if every distance is final, else an error that wraps ErrUnsolved.
func (p *Problem) Solved() error {
	if p.store.IsPart() {
		return p.store.OtherPart()
	}
	for _, part := range p.store.Parts() {
		if state, counts, err := part.State(); err != nil {
			return err
		} else if !counts || state.Done < int64(p.geom.N) {
			return fmt.Errorf("%s is %w (%.1f %% done); continue with: %s", part.Dir(), ErrUnsolved,
				100*float64(state.Done)/float64(p.geom.N), p.ClusterCommand())
		}
	}
	state, counts, err := p.store.State()
	switch {
	case err != nil:
		return err
	case !counts || state.Done < int64(p.geom.RowCount()):
		return fmt.Errorf("%s is %w (%.1f %% done)", p.Dir(), ErrUnsolved,
			100*float64(state.Done)/float64(p.geom.RowCount()))
	}
	rooted, err := p.treesRooted()
	if err == nil && !rooted {
		err = fmt.Errorf("%s is %w: its predecessors were not all checked", p.Dir(), ErrUnsolved)
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
		return 0, text.ErrorOf(graph.ErrNoVertex, "%s has no vertex %q", p.Dir(), id)
	}
	return row, nil
}

// all are the bounds that a solved store gives, which are the distances. It stops asking once these are final: they
// remain so while the store is open.
func (p *Problem) all() (b bounds, err error) {
	if !p.final.Load() {
		err = p.Solved()
		p.final.Store(err == nil)
	}
	return bounds{p, p.geom.RowCount()}, err
}

// Distance returns the distance from row u to row v in the input's units; +Inf where there is no path. It fails
// with graph.ErrNoVertex where the store keeps no distances from u, and with ErrUnsolved where distances are not final.
func (p *Problem) Distance(u, v int) (float64, error) {
	b, err := p.all()
	if err != nil {
		return 0, err
	}
	return b.Distance(u, v)
}

// Numbers returns what writes the store's distances and weights, in the input's units.
func (p *Problem) Numbers() text.Numbers { return text.NumbersOf(p.meta.Kind, p.meta.Scale) }

// Sources returns the rows that the store keeps distances from, ascending; empty stands for all.
func (p *Problem) Sources() tiles.RowSet { return p.meta.Sources }

// Place returns where in the matrix the distances from row u are.
func (p *Problem) Place(u int) (int, error) {
	if place, ok := p.meta.Sources.Index(u); ok {
		return place, nil
	}
	ids, err := p.IDs()
	if err != nil {
		return 0, err
	}
	return 0, text.ErrorOf(graph.ErrNoVertex, "%s keeps distances from chosen sources, and %s is none of them", p.Dir(),
		ids.Name(u))
}

// Row fills dst, of N elements, with the distances from row u to every row, in the input's units. Errors are
// those of Distance.
func (p *Problem) Row(dst []float64, u int) error {
	b, err := p.all()
	if err != nil {
		return err
	}
	return b.Row(dst, u)
}

// Col fills dst with the distances from every row, or from each of Sources, to row v, in the input's units. It
// has as many elements. It fails with ErrUnsolved where distances are not final.
func (p *Problem) Col(dst []float64, v int) error {
	b, err := p.all()
	if err != nil {
		return err
	}
	return b.Col(dst, v)
}

func (p *Problem) line(dst []float64, at, n int, read func([]byte, int) error) error {
	if len(dst) != n {
		return fmt.Errorf("%s: %d elements given for %d distances", p.Dir(), len(dst), n)
	}
	kind := p.meta.Kind.Wide()
	raw := kind.Make(n)
	if err := read(raw, at); err != nil {
		return err
	}
	kind.Values(dst, raw)
	if scale := float64(p.meta.Scale); scale != 1 {
		for i := range dst {
			dst[i] /= scale
		}
	}
	return nil
}

// ErrWrong is wrapped by the error of a verification that found a distance that is not the graph's.
var ErrWrong = class.New(class.Corrupt, "wrong distance")
