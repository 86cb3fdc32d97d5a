package stats

import (
	"path/filepath"
	"reflect"
	"testing"

	"ooc/engine/factors"
	"ooc/engine/graph"
	"ooc/engine/internal/seeds"
	"ooc/engine/searches"
	"ooc/kernels/entry"
)

// TestOfGraphByLevels compares what is counted by levels with what an elimination gives, and what a store does.
func TestOfGraphByLevels(t *testing.T) {
	r := seeds.New(t)
	for i := range 60 {
		kind := entry.Kinds[r.IntN(len(entry.Kinds))]
		direction, n := graph.Directed, 1+r.IntN(900)
		if r.IntN(2) == 0 {
			direction = graph.Undirected
		}
		weight := float64(1 + r.IntN(3))
		if kind.Float() {
			weight = 0.1
		}
		b := graph.New(n, direction, graph.AsKind(kind))
		for range r.IntN(3 * n) {
			b.Add(r.IntN(n), r.IntN(1+r.IntN(n)), weight)
		}
		if r.IntN(4) == 0 {
			for v := 1; v < n; v++ { // a path, of many levels
				b.Add(v-1, v, weight)
			}
		}
		g, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		o := GraphOptions{Options: randomStats(r)}
		if r.IntN(5) == 0 {
			o.Nearest = 130 // more than a device lists
		}
		if r.IntN(2) == 0 {
			o.Sources = someRows(r, g.N)
		}
		o.offer = offering(factors.Engine{})
		want := ofGraph(t, g, o)
		o.offer, o.File = offering(searches.Engine{}), filepath.Join(t.TempDir(), "g.stats")
		got, sum, err := OfGraph(t.Context(), g, o)
		if err != nil || sum.Engine != "searches" {
			t.Fatalf("%+v, %v", sum, err)
		}
		if kind.Float() {
			closeStats(t, got, want)
			continue
		}
		sameStats(t, got, want)
		if !reflect.DeepEqual(got.DistanceHistogram, want.DistanceHistogram) ||
			!reflect.DeepEqual(got.EccentricityHistogram, want.EccentricityHistogram) {
			t.Errorf("graph %d: %+v, want %+v", i, got.DistanceHistogram, want.DistanceHistogram)
		}
	}
}

// TestLevelsResume stops calls again and again, and demands the bits of one that was never stopped.
func TestLevelsResume(t *testing.T) {
	r := seeds.New(t)
	for _, kind := range []entry.Kind{entry.KindI32, entry.KindF32} {
		b := graph.New(3000, graph.Directed, graph.AsKind(kind))
		for range 20000 {
			b.Add(r.IntN(3000), r.IntN(3000), 0.5)
		}
		if kind == entry.KindI32 {
			b = graph.New(3000, graph.Undirected)
			for range 9000 {
				b.Add(r.IntN(3000), r.IntN(1+r.IntN(3000)), 1)
			}
		}
		g, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		resumes(t, r, g, GraphOptions{Options: randomStats(r), offer: offering(searches.Engine{})})
	}
}
