package engine_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"ooc/engine"
	"ooc/engine/eliminate"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/plan"
	"ooc/engine/task"
	"ooc/tiles"
)

// TestInterruptedPlan ends the context before vertices are ordered: of a plan alone, and of a solve, which calls that
// interrupted.
func TestInterruptedPlan(t *testing.T) {
	r := seeds.New(t)
	n := 30_000
	b := graph.New(n)
	for v := range n {
		b.Add(v, (v+1)%n, 1).Add(v, r.IntN(n), float64(r.IntN(1000)))
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	p, err := engine.Create(filepath.Join(t.TempDir(), "x.ooc"), g, engine.CreateOptions{Tile: 64, Sources: tiles.RowSet{7}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	device := enginetest.Device(t, 64, 64)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := engine.Choose(ctx, g, device, plan.Limits{Algorithm: eliminate.Name}); !errors.Is(err, context.Canceled) {
		t.Errorf("a plan: %v", err)
	}
	if _, err := p.Solve(ctx, engine.Options{Device: device, Algorithm: eliminate.Name}); !errors.Is(err, task.ErrInterrupted) {
		t.Errorf("a solve: %v", err)
	}
}
