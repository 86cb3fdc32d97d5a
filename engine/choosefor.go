package engine

import (
	"context"

	"ooc/engine/graph"
	"ooc/engine/plan"
	"ooc/kernels"
)

// Choose picks the algorithm and the tile edge with which a new problem should be solved soonest. It fails with
// device.ErrMemory if a limit is too small, and with ErrAlgorithm if the algorithm that is asked for cannot solve the
// problem.
func Choose(ctx context.Context, w graph.Weights, d kernels.Device, l plan.Limits) (*plan.Choice, error) {
	d, err := l.Device(d)
	if err != nil {
		return nil, err
	}
	return plan.Choose(ctx, planned(), *requestFor(w, l), d)
}

// requestFor returns the request for a plan of a problem that has no store yet.
func requestFor(w graph.Weights, l plan.Limits) *plan.Request {
	g, _ := w.(*graph.Graph)
	q := &plan.Request{Facts: w.Facts(), Graph: g, Limits: l}
	q.Limits.Kind = q.Facts.Kind
	return q
}
