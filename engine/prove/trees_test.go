package prove

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"ooc/engine"
	"ooc/engine/eliminate"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/live"
	"ooc/engine/path"
	"ooc/engine/plan"
	"ooc/engine/task"
	"ooc/kernels/entry"
)

// TestWrongPredecessorIsFound changes single predecessors of solved stores.
func TestWrongPredecessorIsFound(t *testing.T) {
	r := seeds.New(t)
	for range 20 {
		n := 20 + r.IntN(100)
		g, err := graph.New(n, graph.AsKind(entry.KindI32)).Add(0, 1, 5).Add(1, 2, 2).Add(2, 3, 1).Add(0, 4, 1).Build()
		if err != nil {
			t.Fatal(err)
		}
		p := enginetest.Tracked(t, r, g, 64)
		enginetest.Solve(t, p, enginetest.RandomShape(r, g.N, 64).Paired(g.Kind).Options(t))
		wrong := []int32{0, 3, 4, entry.NoVertex, 9, math.MaxInt32}[r.IntN(6)]
		if err := p.Store().WritePredecessors(0, []int32{2}, []int32{wrong}); err != nil {
			t.Fatal(err)
		}
		if err := verifyTrees(context.Background(), p, []int{0}); !errors.Is(err, engine.ErrWrong) {
			t.Errorf("predecessor %d in the place of 1: %v", wrong, err)
		} else if wrong == 4 && !strings.Contains(err.Error(),
			"from 0 to 2: wrong distance: its predecessor is 4, from which there is no arc;") {
			t.Error(err)
		}
		// An entry of 7 may be an arc of 7, as far as a path can tell without the graph.
		w, err := path.New(p)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Between(0, 2); (wrong != 0) != errors.Is(err, engine.ErrWrong) {
			t.Errorf("a path by %d in the place of 1: %v", wrong, err)
		}
	}
}

// TestPredecessorsOfRows solves graphs full of cycles of length 0 by rows, stops on the way, and proves the trees.
func TestPredecessorsOfRows(t *testing.T) {
	r := seeds.New(t)
	for _, kind := range []entry.Kind{entry.KindI32, entry.KindF32, entry.KindF64} {
		for range 5 {
			g := enginetest.ZeroLaden(t, r, 70+r.IntN(200), kind, r.IntN(2) == 0)
			p, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "x.ooc"), g,
				engine.CreateOptions{Tile: 64, Predecessors: true})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			o := engine.Options{Device: enginetest.Device(t, 8, 64), Request: plan.Request{Algorithm: eliminate.Name}}
			ctx, stop := context.WithCancel(t.Context())
			o.Control = new(live.Control)
			if r.IntN(2) == 0 {
				stop()
			}
			if _, err := p.Solve(ctx, o); err != nil && !errors.Is(err, task.ErrInterrupted) {
				t.Fatal(err)
			}
			stop()
			sum, err := p.Solve(t.Context(), o)
			if err != nil || sum.Algorithm != eliminate.Name {
				t.Fatal(sum.Algorithm, err)
			}
			proof, err := All(t.Context(), p, Options{})
			if err != nil || proof.Trees != g.N {
				t.Errorf("kind %s, %d vertices: %d trees: %v", kind, g.N, proof.Trees, err)
			}
		}
	}
}
