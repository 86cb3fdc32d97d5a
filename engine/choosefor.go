package engine

import (
	"context"

	"ooc/engine/graph"
	"ooc/engine/plan"
	"ooc/kernels"
)

// Choose picks the algorithm and tile edge that should solve a new problem first. It fails with device.ErrMemory
// where a limit is too small, and with ErrAlgorithm where the algorithm that is asked for is not possible.
func Choose(ctx context.Context, w graph.Weights, d kernels.Device, l plan.Limits) (*plan.Choice, error) {
	d, err := l.Device(d)
	if err != nil {
		return nil, err
	}
	return plan.Choose(ctx, planned(), *requestFor(w, l), d)
}

// requestFor is what a plan for a problem that has no store yet is asked for.
func requestFor(w graph.Weights, l plan.Limits) *plan.Request {
	g, _ := w.(*graph.Graph)
	return &plan.Request{Facts: w.Facts(), Graph: g, Limits: l}
}
