package sparse

import (
	"context"
	"errors"
	"testing"

	"ooc/engine/internal/seeds"
	"ooc/engine/sparse/internal/sparsetest"
	"ooc/kernels/conformance"
	"ooc/kernels/cpu"
)

// TestCloseKeptCore closes cores where a device has memory for the matrix and none for its arcs, and wants the same
// distances; and the cause of a context that has ended.
func TestCloseKeptCore(t *testing.T) {
	r, short := seeds.New(t), 0
	d := openCPU(t, cpu.Options{Threads: 2})
	for range 30 {
		g := sparsetest.RandomOfDegree(t, r, 100+r.IntN(300), 3)
		o := mustOrder(t, g, OrderOptions{})
		e, err := o.EliminateInPieces(t.Context(), g, o.Limit/2, Cutting{Sizes: []int{8}, MostUpper: 1 << 20}, d)
		if err != nil {
			t.Fatal(err)
		}
		if e.Pieces == nil || e.Core() == 0 {
			continue
		}
		want, err := e.CloseCore(t.Context(), d, d, false)
		if err != nil {
			t.Fatal(err)
		}
		pitch := int64(want.Pitch)
		for _, arcs := range []int64{0, int64(r.IntN(1 << 16)), 1 << 30} {
			small := openCPU(t, cpu.Options{Threads: 1, Memory: 4*pitch*(pitch+e.below()) + arcs})
			kept, err := e.CloseCore(t.Context(), conformance.WithLaneOps(small), d, true)
			if err = errors.Join(err, kept.Fetch()); err != nil {
				t.Fatalf("%d bytes for arcs: %v", arcs, err)
			}
			sameRows(t, e, e.Variant.Entries(kept.Matrix), want)
			short++
		}
		cause := errors.New("enough")
		ctx, end := context.WithCancelCause(t.Context())
		end(cause)
		if _, err := e.CloseCore(ctx, conformance.WithLaneOps(d), d, true); !errors.Is(err, cause) {
			t.Errorf("a core is closed though its context has ended: %v", err)
		}
	}
	if short < 30 {
		t.Errorf("%d cores", short)
	}
}
