package prove

import (
	"context"
	"math"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
)

// TestProveWhereSumsWrap compares entries with equal minima: where sums with an entry might wrap, that proves nothing.
func TestProveWhereSumsWrap(t *testing.T) {
	for _, c := range []struct {
		variant entry.Variant
		entries []int32
		bad     bool
	}{
		{entry.I32, []int32{0, 1, entry.Limit32, entry.Inf32 - 1, entry.Inf32}, false},
		{entry.I32, []int32{-1, -entry.Inf32, entry.Inf32 + 1, math.MaxInt32, math.MinInt32}, true},
		{entry.I32Signed, []int32{0, 1, -1, entry.Limit32 - 1, 1 - entry.Limit32, entry.Inf32}, false},
		{entry.I32Signed, []int32{entry.Inf32 + 1, -entry.Inf32 - 1, math.MaxInt32, math.MinInt32}, true},
	} {
		w := smallWorker(t, c.variant)
		for _, d := range c.entries {
			clear(w.words)
			clear(w.bad[:])
			for _, row := range []int{1, w.width + 1} { // both the entry and the minimum
				w.lane(row)[7] = uint32(d)
			}
			w.compare(0, 2)
			if w.bad[7] != c.bad || w.bad[6] {
				t.Errorf("%v: %d is taken for bad: %v", c.variant, d, w.bad[7])
			}
		}
	}
}

// TestProveLongArcs proves the distances of a graph with an arc that is longer than unreachable, and on no shortest
// path.
func TestProveLongArcs(t *testing.T) {
	for _, zero := range []bool{false, true} { // a cycle of length 0 too, whose vertices are one group
		b := graph.New(5, graph.Directed)
		b.Add(0, 1, 1)
		b.Add(1, 2, 1)
		b.Add(2, 0, 1)
		b.Add(0, 2, math.MaxInt32)
		if zero {
			b.Add(2, 3, 0)
			b.Add(3, 2, 0)
			b.Add(0, 3, math.MaxInt32)
		}
		g, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		if r, err := All(t.Context(), enginetest.Solved(t, seeds.New(t), g), Options{}); err != nil {
			t.Errorf("with a cycle of length 0: %t: %v, %+v", zero, err, r)
		}
	}
}

// smallWorker returns one for a graph of 100 vertices without arcs, of which all distances are 0.
func smallWorker(t *testing.T, variant entry.Variant) *worker {
	t.Helper()
	g, err := graph.New(100).Build()
	if err != nil {
		t.Fatal(err)
	}
	d, err := cpu.Open(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	pr := &prover{source: storeSource(enginetest.Solved(t, seeds.New(t), g)), g: g, ops: d, variant: variant}
	if pr.arcs, err = newTightArcs(context.Background(), g, pr.width); err != nil {
		t.Fatal(err)
	}
	w := pr.newWorker()
	w.first, w.count = 32, lanesAtOnce
	return w
}
