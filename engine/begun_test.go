package engine_test

import (
	"errors"
	"testing"

	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/live"
	"ooc/engine/plan"
	"ooc/engine/rounds"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// TestUnknownAlgorithm refuses to go on from what an algorithm has done that this version does not know.
func TestUnknownAlgorithm(t *testing.T) {
	r := seeds.New(t)
	for _, dense := range []bool{false, true} {
		g := enginetest.RandomGraph(t, r, 300, entry.KindI32, false)
		p := enginetest.Create(t, g, 64)
		if dense {
			p = enginetest.Open(t, enginetest.CreateMatrix(t, enginetest.WriteMatrix(t, g, false), g.Kind))
		}
		if _, _, err := p.Store().Recover(); err != nil {
			t.Fatal(err)
		}
		if err := p.Store().Checkpoint(tiles.State{Algorithm: "another", Done: 256}); err != nil {
			t.Fatal(err)
		}
		o := enginetest.RandomShape(r, 300, 64).Options(t)
		for _, o.Algorithm = range []string{"", rounds.Blocked.Name()} {
			if _, err := p.Solve(t.Context(), o); !errors.Is(err, plan.ErrAlgorithm) {
				t.Errorf("matrix %v, algorithm %q: %v", dense, o.Algorithm, err)
			}
		}
	}
}

// TestRestartNeedsKernel keeps what is solved where the device has no kernel for what is asked for.
func TestRestartNeedsKernel(t *testing.T) {
	r := seeds.New(t)
	p := enginetest.Create(t, enginetest.RandomGraph(t, r, 300, entry.KindI32, false), 64)
	o := enginetest.Shape{Tile: 64, Width: 1, Slots: 40, Pages: 8, Streams: 2}.Options(t)
	enginetest.Solve(t, p, o)
	o.Device, o.Algorithm, o.Round = plainDevice{o.Device}, rounds.SingleStage.Name(), 0
	if err := p.Restart(t.Context(), o); !errors.Is(err, plan.ErrAlgorithm) {
		t.Fatalf("got %v", err)
	}
	if st, err := p.Status(); err != nil || st.State != live.Solved {
		t.Errorf("%+v, %v", st, err)
	}
}
