package engine_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"ooc/engine"
	"ooc/engine/eliminate"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/plan"
	"ooc/engine/task"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/crashtest"
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
	p, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "x.ooc"), g,
		engine.CreateOptions{Tile: 64, Sources: tiles.RowSet{7}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	device := enginetest.Device(t, 64, 64)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := engine.Choose(ctx, g, device, plan.Request{Algorithm: eliminate.Name}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("a plan: %v", err)
	}
	if _, err := p.Solve(ctx,
		engine.Options{Device: device, Request: plan.Request{Algorithm: eliminate.Name}}); !errors.Is(err,
		task.ErrInterrupted) {
		t.Errorf("a solve: %v", err)
	}
}

// TestInterruptedCheck ends the context before the numbers of a graph, and of a matrix, are checked: a search for
// negative cycles, and one for the longest distance. A store is not begun then.
func TestInterruptedCheck(t *testing.T) {
	crashtest.Slow(t)
	r := seeds.New(t)
	const n = 2000
	ring := func(first float64) *graph.Graph { // weights are so large that only a search can bound the distances
		b := graph.New(n, graph.AsKind(entry.KindI32)).Add(0, 1, first)
		for v := range n {
			b.Add(v, (v+1)%n, float64(r.IntN(100_000)))
			for range 1200 {
				b.Add(v, r.IntN(n), 1e6)
			}
		}
		g, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	for name, g := range map[string]*graph.Graph{"negative arcs": ring(-10), "large weights": ring(10)} {
		d, _ := enginetest.OpenMatrix(t, enginetest.WriteMatrix(t, g, false), entry.KindI32, 64)
		for input, w := range map[string]graph.Weights{"graph": g, "matrix": d} {
			dir := filepath.Join(t.TempDir(), "x.ooc")
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := engine.Create(ctx, dir, w, engine.CreateOptions{Tile: 64}); !errors.Is(err,
				task.ErrInterrupted) {
				t.Errorf("%s, %s: %v", input, name, err)
			}
			if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s, %s: a store was begun: %v", input, name, err)
			}
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}
