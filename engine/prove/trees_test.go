package prove

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/path"
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
		enginetest.Solve(t, p, enginetest.RandomPairShape(r, g, 64).Options(t))
		wrong := []int32{0, 3, 4, entry.NoVertex, 9, math.MaxInt32}[r.IntN(6)]
		if err := p.Store().WritePredecessors(0, []int32{2}, []int32{wrong}); err != nil {
			t.Fatal(err)
		}
		if err := verifyTrees(context.Background(), p, []int{0}); !errors.Is(err, engine.ErrWrong) {
			t.Errorf("predecessor %d in the place of 1: %v", wrong, err)
		} else if wrong == 4 && !strings.Contains(err.Error(), "from 0 to 2: wrong distance: its predecessor is 4, from which there is no arc;") {
			t.Error(err)
		}
		// An entry of 7 may be an arc of 7, as far as a path can tell without the graph.
		if _, err := path.Between(p, 0, 2); (wrong != 0) != errors.Is(err, engine.ErrWrong) {
			t.Errorf("a path by %d in the place of 1: %v", wrong, err)
		}
	}
}
