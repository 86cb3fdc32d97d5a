package engine_test

import (
	"context"
	"math"
	"testing"

	"ooc/engine"
	"ooc/engine/eliminate"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/plan"
	"ooc/kernels/entry"
)

// TestSmallerCore asks for elimination where the core that pays best has no room on the volume, and wants one that has.
func TestSmallerCore(t *testing.T) {
	const n = 8000
	r := seeds.New(t)
	b := graph.New(n, graph.AsKind(entry.KindI32))
	for range 3 * n {
		u, v := r.IntN(n), r.IntN(n)
		b.Add(u, v, 1)
		b.Add(v, u, 1)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	d := enginetest.Device(t, 64, 1024)
	// a larger one is in a store
	t.Cleanup(engine.ChangeElimination(func(o *eliminate.Algorithm) { o.CoreAtOnce = 2048 }))
	limits := plan.Request{Algorithm: eliminate.Name, Room: math.MaxInt64}
	best, err := engine.ForecastGraph(context.Background(), g, d, limits, "")
	if err != nil || best.BesideBytes == 0 {
		t.Fatalf("%+v, %v", best, err)
	}
	limits.Room = best.StoreBytes + best.BesideBytes/2
	small, err := engine.ForecastGraph(context.Background(), g, d, limits, "")
	if err != nil || small.Fits() != nil ||
		plan.Of[*eliminate.Plan](small.Plans).Core >= plan.Of[*eliminate.Plan](best.Plans).Core || small.Lacks == nil {
		t.Errorf("a core of %d takes %d bytes beside the store; with room for half of that: %+v, %v",
			plan.Of[*eliminate.Plan](best.Plans).Core, best.BesideBytes, small, err)
	}
}
