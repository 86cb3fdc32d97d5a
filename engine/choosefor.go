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
func Choose(ctx context.Context, w graph.Weights, d kernels.Device, l plan.Request) (*plan.Choice, error) {
	pairs, err := l.Device(d)
	if err != nil {
		return nil, err
	}
	return basisFor(w, l).ChooseOn(ctx, planned(), pairs)
}

// basisFor is what a problem that has no store yet is planned by.
func basisFor(w graph.Weights, r plan.Request) *plan.Basis {
	g, sparse := w.(*graph.Graph)
	q := &plan.Basis{Request: r, Facts: w.Facts(), Graph: g, Dense: !sparse}
	q.Kind = q.Facts.Kind
	return q
}
