package searches

import (
	"testing"

	"ooc/engine/graph"
	"ooc/engine/internal/seeds"
	"ooc/engine/rows"
)

// square makes a map of crossroads, of equal weights or others.
func square(t *testing.T, side int, weight func() float64) *graph.Graph {
	t.Helper()
	b := graph.New(side*side, graph.Undirected)
	for v := range side * side {
		if v%side > 0 {
			b.Add(v-1, v, weight())
		}
		if v >= side {
			b.Add(v-side, v, weight())
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestTrials compares what a trial expects of a batch on a map with what it takes, where sources are next to each
// other, and where they are far from each other and share little work.
func TestTrials(t *testing.T) {
	defer func(was int64) { trialArcs = was }(trialArcs)
	r := seeds.New(t)
	g := square(t, 150, func() float64 { return float64(1 + r.IntN(1000)) })
	l := newLaned(g, numberOut(g))
	w, err := l.newLaner()
	if err != nil {
		t.Fatal(err)
	}
	for _, count := range []int{g.N, 2000, 200, 40} {
		w.search(l.spread(count, l.lanes()))
		want := w.seconds() + lineSeconds*float64(g.N)
		trialArcs = w.work / 4
		if got, _, err := l.try(count); err != nil || got < 0.5*want || got > 2.5*want {
			t.Errorf("for %d rows a batch is expected to take %v, and takes %v: %v", count, got, want, err)
		}
	}
}

// TestTrialsByLevel does the same by levels: on a map, and on three that have no way to each other.
func TestTrialsByLevel(t *testing.T) {
	defer func(was int64) { trialArcs = was }(trialArcs)
	one := square(t, 100, func() float64 { return 1 })
	b := graph.New(3*one.N, graph.Undirected)
	for v := range one.N {
		for _, u := range one.Targets[one.Offsets[v]:one.Offsets[v+1]] {
			for part := range 3 {
				b.Add(part*one.N+v, part*one.N+int(u), 1)
			}
		}
	}
	three, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range []*graph.Graph{one, three} {
		l := &leveled{searched: searched{g: g}, numbered: number(g)}
		for _, count := range []int{g.N, 2000, 40} {
			trialArcs = 1 << 60
			levels, want, err := l.try(count)
			if err != nil {
				t.Fatal(err)
			}
			trialArcs = 1 << 19
			depth, got, err := l.try(count)
			if err != nil || got < want/2 || got > 2.3*want || depth < levels/4 || depth > 2*levels {
				t.Errorf("%d of %d rows: %v and %d levels are expected, of %v and %d: %v", count, g.N, got, depth, want,
					levels, err)
			}
		}
	}
}

// TestFewRowsOfMaps asks for few rows of maps: those far from each other are found one by one, all of them side by side.
func TestFewRowsOfMaps(t *testing.T) {
	r := seeds.New(t)
	for _, weight := range []func() float64{
		func() float64 { return 1 }, func() float64 { return float64(1 + r.IntN(1000)) },
	} {
		g := square(t, 150, weight)
		for _, count := range []int{40, g.N} {
			o, err := Engine{}.Offer(t.Context(), g, rows.Question{Rows: count})
			if err != nil || o.Tiles != (count == g.N) {
				t.Errorf("%d rows of %v: %q, %v", count, g.MaxWeight, o.How, err)
			}
		}
	}
}
