package engine

import (
	"context"

	"ooc/engine/live"
	"ooc/engine/plan"
	"ooc/engine/task"
	"ooc/engine/text"
	"ooc/tiles"
)

// begun returns the algorithm that a store was begun with, "" if there is nothing to continue from.
func (p *Problem) begun(state tiles.State) (string, error) {
	if state.Done > 0 {
		if solverNamed(state.Algorithm) == nil {
			return "", text.ErrorOf(plan.ErrAlgorithm,
				"%s was begun by algorithm %q, which this version does not know; continue with the one that began it, "+
					"or begin again with --restart", p.Dir(), state.Algorithm)
		}
		return state.Algorithm, nil
	}
	for _, a := range algorithms {
		if left, err := a.Left(new(live.Status), p.store, false); left || err != nil {
			return a.Name(), err
		}
	}
	return "", nil
}

// goesOn returns the algorithm to continue with, given the one that is asked for and the one that the store was begun
// with.
func (p *Problem) goesOn(asked, begun string) (string, error) {
	was, wanted := solverNamed(begun), solverNamed(asked)
	if p.meta.Predecessors && wanted != nil && !wanted.Traits().Predecessors {
		return "", plan.KeepsNoPredecessors(planned(), wanted)
	}
	switch {
	case was == nil:
		return asked, nil
	case wanted != nil && wanted.Traits().Pivots && was.Traits().Pivots:
		return asked, nil
	case asked != "" && asked != plan.Auto && asked != begun:
		return "", text.ErrorOf(plan.ErrAlgorithm,
			"%s was begun by algorithm %s; continue with that, or begin again with --restart", p.Dir(), begun)
	}
	return begun, nil
}

// choose returns how to continue what an algorithm has begun, or how to begin if begun is "".
func (p *Problem) choose(ctx context.Context, o Options, begun string) (*plan.Choice, error) {
	name, err := p.goesOn(o.Algorithm, begun)
	if err != nil {
		return nil, err
	}
	if c := p.choice; c != nil && (name == "" || name == plan.Auto || name == c.Algorithm) {
		return c, nil
	}
	r := o.Request
	r.Algorithm = name
	q, err := p.basis(r)
	if err != nil {
		return nil, err
	}
	candidates, err := q.Candidates(planned())
	if err != nil {
		return nil, err
	}
	if len(candidates) == 1 { // which makes its plan when it runs
		return &plan.Choice{Offer: plan.Offer{Algorithm: candidates[0].Name(), Tile: p.geom.T}}, nil
	}
	return q.ChooseOn(ctx, candidates, o.Device)
}

// basis is what the problem's solve is planned by, from its beginning on.
func (p *Problem) basis(r plan.Request) (q *plan.Basis, err error) {
	q = task.BasisOf(p.store, r)
	if !p.meta.Dense {
		q.Graph, err = p.Graph()
	}
	return q, err
}
