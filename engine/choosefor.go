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
	q := requestFor(w, l)
	c, err := plan.Choose(ctx, planned(), *q, pairs)
	if err == nil {
		c.Without, err = withoutPredecessors(ctx, *q, d)
	}
	return c, err
}

// withoutPredecessors returns how many seconds the elimination takes that would be picked if no predecessors were to be kept;
// nil where they are not, or it would not be picked.
func withoutPredecessors(ctx context.Context, q plan.Basis, d kernels.Device) (*float64, error) {
	if name := q.Algorithm; !q.Predecessors || q.Graph == nil || name != "" && name != plan.Auto {
		return nil, nil
	}
	q.Predecessors = false
	c, err := plan.Choose(ctx, planned(), q, d)
	switch {
	case errors.Is(err, device.ErrMemory), errors.Is(err, tiles.ErrNoSpace), errors.Is(err, plan.ErrLayout):
		return nil, nil
	case err != nil || c.Eliminate == nil || c.Algorithm != c.Eliminate.Algorithm:
		return nil, err
	}
	return &c.Eliminate.Seconds, nil
}

// requestFor returns the request for a plan of a problem that has no store yet.
func requestFor(w graph.Weights, l plan.Request) *plan.Basis {
	g, _ := w.(*graph.Graph)
	q := &plan.Basis{Facts: w.Facts(), Graph: g, Request: l}
	q.Kind = q.Facts.Kind
	return q
}
