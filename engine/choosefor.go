package engine

import (
	"context"
	"errors"

	"ooc/engine/device"
	"ooc/engine/graph"
	"ooc/engine/plan"
	"ooc/kernels"
	"ooc/tiles"
)

// Choose picks the algorithm and the tile edge with which a new problem should be solved soonest. It fails with
// device.ErrMemory if a limit is too small, and with ErrAlgorithm if the algorithm that is asked for cannot solve the
// problem.
func Choose(ctx context.Context, w graph.Weights, d kernels.Device, l plan.Request) (*plan.Choice, error) {
	pairs, err := l.Device(d)
	if err != nil {
		return nil, err
	}
	q := basisFor(w, l)
	c, err := plan.Choose(ctx, planned(), *q, pairs)
	if err == nil {
		c.Without, err = withoutPredecessors(ctx, *q, d)
	}
	return c, err
}

// withoutPredecessors returns the algorithm that would be picked if no predecessors were to be kept; nil where they
// are not, or where it keeps them.
func withoutPredecessors(ctx context.Context, q plan.Basis, d kernels.Device) (*plan.Faster, error) {
	if !q.Predecessors || q.Dense || q.Algorithm != "" && q.Algorithm != plan.Auto {
		return nil, nil
	}
	q.Predecessors = false
	c, err := plan.Choose(ctx, planned(), q, d)
	switch {
	case errors.Is(err, device.ErrMemory), errors.Is(err, tiles.ErrNoSpace), errors.Is(err, plan.ErrLayout):
		return nil, nil
	case err != nil:
		return nil, err
	}
	t := TraitsOf(c.Algorithm)
	if t.Predecessors {
		return nil, nil
	}
	return &plan.Faster{Title: t.Title, Seconds: c.Left}, nil
}

// basisFor is what a problem that has no store yet is planned by.
func basisFor(w graph.Weights, r plan.Request) *plan.Basis {
	g, sparse := w.(*graph.Graph)
	q := &plan.Basis{Request: r, Facts: w.Facts(), Graph: g, Dense: !sparse}
	q.Kind = q.Facts.Kind
	return q
}
