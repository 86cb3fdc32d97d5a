package engine

import (
	"errors"
	"testing"

	"ooc/engine/graph"
	"ooc/tiles"
)

// TestUnknownAlgorithm refuses to go on from what an algorithm has done that this version does not know.
func TestUnknownAlgorithm(t *testing.T) {
	r := seeded(t)
	for _, dense := range []bool{false, true} {
		g := randomGraph(t, r, 300, graph.KindI32, false)
		p := create(t, g, 64)
		if dense {
			p = reopen(t, createMatrix(t, writeMatrix(t, g, false), g.Kind))
		}
		if _, _, err := p.store.Recover(); err != nil {
			t.Fatal(err)
		}
		if err := p.store.Checkpoint(tiles.State{Algorithm: "another", Done: 256}); err != nil {
			t.Fatal(err)
		}
		o := randomSolve(r, 300, 64).open(t)
		for _, o.Algorithm = range []string{"", AlgorithmBlocked} {
			if _, err := p.Solve(t.Context(), o); !errors.Is(err, ErrAlgorithm) {
				t.Errorf("matrix %v, algorithm %q: %v", dense, o.Algorithm, err)
			}
		}
	}
}

// TestRestartNeedsKernel keeps what is solved where the device has no kernel for what is asked for.
func TestRestartNeedsKernel(t *testing.T) {
	r := seeded(t)
	p := create(t, randomGraph(t, r, 300, graph.KindI32, false), 64)
	o := shape{tile: 64, width: 1, slots: 40, pages: 8, streams: 2}.open(t)
	mustSolve(t, p, o)
	o.Device, o.Algorithm, o.Round = plainDevice{o.Device}, AlgorithmSingleStage, 0
	if err := p.Restart(o); !errors.Is(err, ErrAlgorithm) {
		t.Fatalf("got %v", err)
	}
	if st, err := p.Status(); err != nil || st.State != "solved" {
		t.Errorf("%+v, %v", st, err)
	}
}
