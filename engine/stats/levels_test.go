package stats

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"

	"ooc/engine/factors"
	"ooc/engine/graph"
	"ooc/engine/internal/seeds"
	"ooc/engine/rows"
	"ooc/engine/searches"
	"ooc/kernels/entry"
	"ooc/tiles/crashtest"
)

// TestOfGraphByLevels compares what is counted by levels with what an elimination gives, and what a store does.
func TestOfGraphByLevels(t *testing.T) {
	r := seeds.New(t)
	for i := range crashtest.Repeats(20, 60) {
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

// eachSearched is the engine of searches, and each vertex is its own source.
type eachSearched struct{ searches.Engine }

func (e eachSearched) Offer(ctx context.Context, g *graph.Graph, q rows.Question) (rows.Offer, error) {
	o, err := e.Engine.Offer(ctx, g, q)
	prepare := o.Prepare
	o.Prepare = func(ctx context.Context) (rows.Ready, error) {
		ready, err := prepare(ctx)
		if l, ok := ready.(rows.LevelReady); ok {
			ready = ownSources{l}
		}
		return ready, err
	}
	return o, err
}

type ownSources struct{ rows.LevelReady }

func (r ownSources) Sources() (order, sources []int32) { return r.Order(), r.Order() }

// leafy makes an undirected graph of equal weights. Many of its vertices have one neighbour.
func leafy(t *testing.T, r *rand.Rand, n int, kind entry.Kind) *graph.Graph {
	t.Helper()
	weight := []float64{1, 3, 0.1, 0.3}[r.IntN(2)+2*r.IntN(2)]
	if !kind.Float() {
		weight = float64(1 + r.IntN(3))
	}
	b, names := graph.New(n, graph.Undirected, graph.AsKind(kind)), r.Perm(n)
	add := func(u, v int) { b.Add(names[u], names[v], weight) }
	shape := r.IntN(6)
	for v := 1; v < n; v++ {
		switch shape {
		case 0: // a star
			add(0, v)
		case 1: // stars, lone edges and isolated vertices
			add(v-v%(1+r.IntN(1+v)), v)
		case 2: // a path with leaves
			add(max(0, v-1-v%2), v)
		case 3: // a tree
			add(r.IntN(v), v)
		case 4: // a tree and some cycles
			add(r.IntN(1+r.IntN(v)), v)
			if r.IntN(4) == 0 {
				add(r.IntN(v), r.IntN(v))
			}
		default: // edges anywhere
			add(r.IntN(n), r.IntN(n))
		}
		if r.IntN(4) == 0 { // loops and parallel arcs are no neighbours
			add(v, v)
			add(0, min(1, n-1))
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestLeaves demands the bits of a search from each vertex of what is told by those of neighbours.
func TestLeaves(t *testing.T) {
	r := seeds.New(t)
	for i := range crashtest.Repeats(13, 40) {
		n := 1 + r.IntN([]int{4, 40, 1500}[r.IntN(3)])
		if i == 0 {
			n = mostRows + 1000
		}
		g := leafy(t, r, n, entry.Kinds[i%len(entry.Kinds)])
		o := GraphOptions{Options: randomStats(r), offer: offering(eachSearched{})}
		o.Within = append(o.Within, g.MaxWeight, float64(r.IntN(5))*g.MaxWeight)
		if r.IntN(5) == 0 {
			o.Nearest = 130 // more than a device lists
		}
		want := asJSON(t, ofGraph(t, g, o))
		o.offer = offering(searches.Engine{})
		if got := asJSON(t, ofGraph(t, g, o)); !bytes.Equal(got, want) {
			t.Fatalf("graph %d, %d vertices of %s, with %+v: it is\n%s\nwant\n%s", i, n, g.Kind, o.Options, got, want)
		}
	}
}

// TestLeavesResume stops calls that have leaves, and does not go on where bands were cut in another way.
func TestLeavesResume(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // with many, all bands are under way before two are done
	r := seeds.New(t)
	b := graph.New(3000, graph.Undirected) // 5 is a leaf, and the order of rows is the same without leaves
	for _, e := range [][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {3, 4}, {4, 5}, {6, 2999}} {
		b.Add(e[0], e[1], 1)
	}
	for v := 7; v < 3000; v++ {
		for back := 1; back <= 2 && v-back > 5; back++ {
			b.Add(v-back, v, 1)
		}
	}
	near, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range []*graph.Graph{leafy(t, r, 3000, entry.KindI32), leafy(t, r, 3000, entry.KindF32), near} {
		o := GraphOptions{Options: randomStats(r), offer: offering(searches.Engine{})}
		resumes(t, r, g, o)
		o.File, o.offer = filepath.Join(t.TempDir(), "g.stats"), offering(eachSearched{})
		interruptedFile(t, g, o)
		o.offer = offering(searches.Engine{})
		if _, _, err := OfGraph(t.Context(), g, o); g == near && !errors.Is(err, errOther) {
			t.Errorf("it goes on with other bands: %v", err)
		}
	}
}
