package engine_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"ooc/engine"
	"ooc/engine/eliminate"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/plan"
	"ooc/engine/prove"
	"ooc/engine/rounds"
	"ooc/kernels/conformance"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// otherKinds are those whose entries do not have 4 bytes.
var otherKinds = []entry.Kind{entry.KindU16, entry.KindF64}

// shortGraph makes a graph whose distances fit every kind, symmetric or not, often not connected, with arcs that are
// longer than any distance in u16, and paths around them.
func shortGraph(t *testing.T, r *rand.Rand, n int, kind entry.Kind, symmetric bool) *graph.Graph {
	t.Helper()
	options := []graph.BuildOption{graph.AsKind(kind)}
	if symmetric {
		options = append(options, graph.Undirected)
	}
	b := graph.New(n, options...)
	// The vertices before split are all connected, so that no distance between them is longer than the ring around
	// them.
	split := 1 + r.IntN(n)
	for v := 1; v < split; v++ {
		b.Add(v-1, v, float64(1+r.IntN(32638/n)))
	}
	b.Add(split-1, 0, 1)
	for range r.IntN(3 * n) {
		u, v := r.IntN(split), r.IntN(split)
		w := float64(r.IntN(1000))
		if r.IntN(3) == 0 {
			w = 40000 + float64(r.IntN(1e9))
		}
		if kind.Float() {
			w += r.Float64()
		}
		if u != v {
			b.Add(u, v, w)
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// sameAsSearch wants every distance to be what a search finds, and both proofs to pass.
func sameAsSearch(t *testing.T, p *engine.Problem, g *graph.Graph) {
	t.Helper()
	search, got := graph.NewSearch(g), make([]float64, g.N)
	for k := range p.Geometry().RowCount() {
		u := p.Meta().Sources.Vertex(k)
		if err := p.Row(got, u); err != nil {
			t.Fatal(err)
		}
		for v, want := range search.From(u) {
			if got[v] != want && !(math.Abs(got[v]-want) <= g.Kind.AllowedRounding(g.N, want)) {
				t.Fatalf("from %d to %d: %v, not %v", u, v, got[v], want)
			}
		}
		v := (7*k + 3) % g.N
		if d, err := p.Distance(u, v); err != nil || d != got[v] {
			t.Fatalf("from %d to %d: %v alone, %v; %v in its row", u, v, d, err, got[v])
		}
	}
	if _, err := prove.Sample(t.Context(), p, 8, 1); err != nil {
		t.Error(err)
	}
	if _, err := prove.All(t.Context(), p, prove.Options{}); err != nil {
		t.Error(err)
	}
	if _, err := prove.Scrub(t.Context(), p, prove.ScrubOptions{}); err != nil {
		t.Error(err)
	}
}

// TestOtherKinds solves graphs in kinds of 2 and 8 bytes into every layout by every algorithm, under random limits.
func TestOtherKinds(t *testing.T) {
	r := seeds.New(t)
	smallCores(t, 0)
	for _, kind := range otherKinds {
		for _, layout := range []tiles.Layout{tiles.Square, tiles.Upper, tiles.Rows} {
			n, tile := []int{1 + r.IntN(64), 130 + r.IntN(60)}[min(1, r.IntN(4))], 64*(1+r.IntN(2))
			g := shortGraph(t, r, n, kind, layout == tiles.Upper)
			ways := map[string]engine.Options{
				"blocked":     enginetest.RandomShape(r, g.N, tile).Of(g.Kind).Options(t),
				"elimination": eliminating(t),
				"device": {Device: conformance.WithLaneOps(enginetest.Device(t, 1000, tile)),
					Request: plan.Request{Algorithm: eliminate.Name}},
			}
			create := engine.CreateOptions{Tile: tile}
			switch layout {
			case tiles.Square:
				ways["squaring"] = engine.Options{Request: plan.Request{Algorithm: rounds.Squaring.Name()}}
				ways["single-stage"] = engine.Options{Request: plan.Request{Algorithm: rounds.SingleStage.Name()}}
			case tiles.Upper:
				create.Layout = tiles.Upper
			default:
				create.Sources = tiles.RowSet{int32(r.IntN(n))}
				delete(ways, "blocked")
			}
			for name, o := range ways {
				if testing.Short() && r.IntN(2) == 0 {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%s/n=%d", kind, layout, name, n), func(t *testing.T) {
					dir := filepath.Join(t.TempDir(), "x.ooc")
					p, err := engine.Create(t.Context(), dir, g, create)
					if err != nil {
						t.Fatal(err)
					}
					enginetest.Solve(t, p, o)
					if err := p.Close(); err != nil {
						t.Fatal(err)
					}
					p = enginetest.Open(t, dir) // with the graph as it is stored
					if again := enginetest.Solve(t, p, o); !again.AlreadySolved || p.Meta().Kind != kind {
						t.Errorf("solved a solved store of kind %s again: %+v", p.Meta().Kind, again)
					}
					sameAsSearch(t, p, g)
				})
			}
		}
	}
}

// TestRangeOfU16 solves graphs whose longest distance is the largest of kind u16, and wants those refused in which it
// is one more.
func TestRangeOfU16(t *testing.T) {
	const longest = float64(entry.Inf16) - 1
	build := func(longest float64, undirected bool) *graph.Graph {
		options := []graph.BuildOption{graph.AsKind(entry.KindU16)}
		if undirected {
			options = append(options, graph.Undirected)
		}
		b := graph.New(100, options...)
		for v := 1; v < 99; v++ {
			b.Add(v-1, v, 300)
		}
		b.Add(98, 99, longest-98*300)
		if undirected { // an arc that is longer than any distance: no bound from weights alone shows that these fit
			b.Add(0, 50, 40000)
		}
		g, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	for _, undirected := range []bool{false, true} {
		g := build(longest, undirected)
		if far := graph.NewSearch(g).From(0)[99]; far != longest {
			t.Fatalf("the longest distance is %v", far)
		}
		for _, algorithm := range []string{rounds.Blocked.Name(), eliminate.Name} {
			p := enginetest.Create(t, g, 64)
			enginetest.Solve(t, p, engine.Options{Request: plan.Request{Algorithm: algorithm}})
			sameAsSearch(t, p, g)
		}
		_, err := engine.Create(t.Context(), filepath.Join(t.TempDir(), "x.ooc"), build(longest+1, undirected),
			engine.CreateOptions{})
		var wrong *graph.RangeError
		if !errors.As(err, &wrong) || wrong.Kind != entry.KindU16 || wrong.Limit != longest+1 {
			t.Errorf("a distance of %v: %v", longest+1, err)
		}
	}
}
