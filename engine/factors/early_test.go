package factors

import (
	"math"
	"slices"
	"testing"
	"time"

	"ooc/engine/graph"
	"ooc/engine/live"
	"ooc/engine/rows"
	"ooc/engine/sparse"
	"ooc/kernels/conformance"
	"ooc/kernels/cpu"
)

// TestEarly eliminates while a device opens, however long that has to take, and wants the same elimination as without.
// Where the device has no room for its pieces, another is made.
func TestEarly(t *testing.T) {
	const side = 150
	b := graph.New(side*side, graph.Undirected)
	for v := range side * side {
		if v%side > 0 {
			b.Add(v-1, v, float64(1+v%7))
		}
		if v >= side {
			b.Add(v-side, v, float64(1+v%5))
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	d, err := cpu.Open(cpu.Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	on, wait := conformance.WithLaneOps(d), time.Millisecond
	for _, pieces := range []int{1 << 20, 1} {
		q := rows.Question{Stage: func(live.Stage, live.StageShares) {}, Most: func() float64 { return math.Inf(1) },
			Open: func(q *rows.Question) error {
				time.Sleep(wait)
				q.Device, q.Pieces = on, pieces
				return nil
			}}
		order, best, made, err := stop(t.Context(), g, q)
		for ; err == nil && made == nil && wait < time.Minute; wait *= 2 {
			order, best, made, err = stop(t.Context(), g, q)
		}
		if err != nil || made == nil {
			t.Fatalf("nothing is eliminated in %v: %v", wait, err)
		}
		e := made.e
		opened, err := q.Opened()
		if err != nil {
			t.Fatal(err)
		}
		f, err := prepare(t.Context(), g, opened, order, best, made, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		want, err := order.EliminateInPieces(t.Context(), g, best.Eliminated, sparse.Cutting{MostUpper: pieces}, d)
		if err != nil {
			t.Fatal(err)
		}
		got := f.Elimination
		if (got == e) != (pieces > 1) {
			t.Errorf("%d upper ranks fit: the early elimination is taken: %t", pieces, got == e)
		}
		if !slices.Equal(got.Vertices, want.Vertices) || !slices.Equal(got.Up.Weights, want.Up.Weights) ||
			(got.Pieces == nil) != (want.Pieces == nil) {
			t.Errorf("%d upper ranks fit: the elimination is another", pieces)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
