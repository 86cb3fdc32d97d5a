package engine_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"ooc/engine"
	"ooc/engine/device"
	"ooc/engine/export"
	"ooc/engine/graph"
	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/engine/live"
	"ooc/engine/plan"
	"ooc/engine/prove"
	"ooc/engine/rounds"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/crashtest"
)

// checkTrees follows every predecessor of a solved store back, along the arcs of the graph.
func checkTrees(t *testing.T, p *engine.Problem, g *graph.Graph) {
	t.Helper()
	none := []int32{entry.SciPyNoVertex, -1}[g.N%2]
	var file bytes.Buffer
	if err := export.Write(t.Context(), p, &file, export.Options{Format: "npy", Predecessors: &none}); err != nil {
		t.Fatal(err)
	}
	got := enginetest.ParseNPY(t, file.Bytes())
	search := graph.NewSearch(g)
	for u, pred := range got.Values {
		enginetest.CheckTree(t, g, u, pred, search.From(u), float64(none))
	}
	if _, _, trees := verifyMatrix(t, p); trees != g.N {
		t.Fatalf("%d trees of %d verified", trees, g.N)
	}
}

// sameDistances compares the distances of two stores of one graph, bit by bit.
func sameDistances(t *testing.T, p, q *engine.Problem) {
	t.Helper()
	a, b := entry.Make(p.Geometry().N), entry.Make(p.Geometry().N)
	for u := range p.Geometry().N {
		if err := errors.Join(p.Store().ReadRow(a, u), q.Store().ReadRow(b, u)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Fatalf("the distances from %d differ", u)
		}
	}
}

// TestTrackedSolve solves random graphs and their matrices with predecessors, under random limits.
func TestTrackedSolve(t *testing.T) {
	crashtest.Slow(t)
	r := seeds.New(t)
	for range crashtest.Repeats(1, 6) {
		for _, k := range enginetest.PairedKinds {
			n := 2 + r.IntN(330)
			g := enginetest.HardGraph(t, r, n, k.Kind, k.Negative)
			p := enginetest.Tracked(t, r, g, 64)
			enginetest.Solve(t, p, trackedBy(t, r, p, g))
			checkTrees(t, p, g)
			if k.Kind == entry.KindI32 {
				sameDistances(t, p, enginetest.Solved(t, r, g))
			}
			if !p.Meta().Dense {
				if proof, err := prove.All(t.Context(), p, prove.Options{}); err != nil || proof.Trees != n {
					t.Errorf("%d trees of %d proved: %v", proof.Trees, n, err)
				}
			}
			if sum := enginetest.Solve(t, p,
				enginetest.RandomShape(r, g.N, 64).Paired(g.Kind).Options(t)); !sum.AlreadySolved {
				t.Error("solved again")
			}
		}
	}
}

// trackedBy picks one of the ways to solve a store that keep predecessors, and limits.
func trackedBy(t testing.TB, r *rand.Rand, p *engine.Problem, g *graph.Graph) engine.Options {
	s := enginetest.RandomShape(r, g.N, 64).Paired(g.Kind)
	if r.IntN(2) == 0 {
		return s.Options(t)
	}
	s.Slots = p.Geometry().Tiles()
	o := s.Options(t)
	o.Algorithm, o.Round = rounds.SingleStage.Name(), 0
	return o
}

// TestTrackedUnique wants the same predecessors whatever the limits where each pair has one shortest path.
func TestTrackedUnique(t *testing.T) {
	r := seeds.New(t)
	n := 150 + r.IntN(100)
	b := graph.New(n, graph.AsKind(entry.KindI32))
	bit := r.Perm(4 * n) // sums of a few random numbers below 2²⁰: ties are unlikely, and looked for
	for _, k := range bit {
		if u, v := k%n, r.IntN(n); u != v {
			b.Add(u, v, float64(1+r.IntN(1<<20)))
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	var whole []byte
	for range 3 {
		p := enginetest.Tracked(t, r, g, 64)
		enginetest.Solve(t, p, trackedBy(t, r, p, g))
		switch file := enginetest.MatrixFile(t, p.Dir()); {
		case whole == nil:
			whole = file
		case !bytes.Equal(file, whole) && !hasTies(p, g):
			t.Error("other predecessors under other limits")
		}
	}
}

// hasTies reports whether a solved graph has two shortest paths between any two vertices.
func hasTies(p *engine.Problem, g *graph.Graph) bool {
	back := g.Reverse()
	dist := make([]float64, g.N)
	for u := range g.N {
		if p.Row(dist, u) != nil {
			return false
		}
		for v, d := range dist {
			tight := 0
			for k := back.Offsets[v]; k < back.Offsets[v+1]; k++ {
				if !math.IsInf(d, 1) && dist[back.Targets[k]]+back.Weight(k) == d {
					tight++
				}
			}
			if tight > 1 {
				return true
			}
		}
	}
	return false
}

// TestCampaignTrackedPowerCuts cuts the power of solves with predecessors: what is left must end in the same
// distances, and in trees of shortest paths.
func TestCampaignTrackedPowerCuts(t *testing.T) {
	crashtest.Campaign(t)
	r := seeds.New(t)
	cuts := 0
	for cuts < 20 {
		for _, k := range enginetest.PairedKinds {
			n := 150 + r.IntN(250)
			g := enginetest.HardGraph(t, r, n, k.Kind, k.Negative)
			whole := enginetest.Solved(t, r, g)
			made, w := engine.CreateOptions{Tile: 64}, graph.Weights(g)
			if r.IntN(2) == 0 {
				w, made = enginetest.OpenMatrix(t, enginetest.WriteMatrix(t, g, false), g.Kind, 64)
			}
			made.Predecessors = true
			for i, dir := range cutWhileSolving(t, r, w, made,
				enginetest.RandomShape(r, g.N, 64).Paired(g.Kind).Options(t)) {
				cuts++
				p, err := engine.Open(dir)
				if err != nil {
					t.Fatalf("cut %d: %v", i, err)
				}
				enginetest.Solve(t, p, enginetest.RandomShape(r, g.N, 64).Paired(g.Kind).Options(t))
				checkTrees(t, p, g)
				if k.Kind == entry.KindI32 {
					sameDistances(t, p, whole)
				}
				if err := p.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	t.Logf("%d power cuts", cuts)
}

// loopingGraph is a graph on whose cycle of length 0 rounds of 64 vertices leave predecessors that form a loop: 66 →
// 65 → 0 ⇄ 64. The first round finds 65 → 0 → 64. In the second, the closure finds the way from 66 to 64 by 65, whose
// last arc comes from 0, and the row panel meets first, of two ways to 0 that are the same, that by 64.
func loopingGraph(t *testing.T) *graph.Graph {
	t.Helper()
	g, err := graph.New(100, graph.AsKind(entry.KindI32)).Add(66, 65, 1).Add(65, 0, 0).Add(0, 64, 0).Add(64, 0,
		0).Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// loopingShape is that of a solve which leaves such predecessors.
var loopingShape = enginetest.Shape{Tile: 64, Width: 1, Slots: 4, Pages: 4, Streams: 1}.Paired("")

// TestRootTrees cuts a solve at each of its syncs. After that of the last round predecessors are no trees yet, and the
// store does not count as solved; the next run sees to that.
func TestRootTrees(t *testing.T) {
	r := seeds.New(t)
	g := loopingGraph(t)
	p, dirs := cutAtSyncs(t, r, g, engine.CreateOptions{Tile: 64, Predecessors: true}, loopingShape.Options(t))
	checkTrees(t, p, g)
	unrooted, looping := 0, 0
	for _, d := range dirs {
		q := enginetest.Open(t, d)
		if state, _, err := q.Store().Recover(); err != nil {
			t.Fatal(err)
		} else if state.Done == 100 && !treesRooted(t, q) {
			unrooted++
			wantUnrooted(t, q)
			if hasLoop(t, q) {
				looping++
			}
		}
		enginetest.Solve(t, q, enginetest.RandomShape(r, g.N, 64).Paired(g.Kind).Options(t))
		checkTrees(t, q, g)
	}
	if unrooted == 0 || looping == 0 {
		t.Errorf("of %d cuts, %d between the last round and the checksums, %d with predecessors in a loop", len(dirs),
			unrooted, looping)
	}
}

func wantUnrooted(t *testing.T, p *engine.Problem) {
	t.Helper()
	if st, err := p.Status(); err != nil || st.State != live.Unfinished {
		t.Errorf("state %q, %v", st.State, err)
	}
	if err := p.Solved(); !errors.Is(err, engine.ErrUnsolved) {
		t.Errorf("a question: %v", err)
	}
}

// hasLoop reports whether the predecessors of 0 and 64 on the way from 66 are each other.
func hasLoop(t *testing.T, p *engine.Problem) bool {
	t.Helper()
	raw := entry.Make(100)
	if err := p.Store().ReadRowPredecessors(raw, 66); err != nil {
		t.Fatal(err)
	}
	pred := entry.View[int32](raw)
	return pred[0] == 64 && pred[64] == 0
}

// TestRootTreesRandom spoils the predecessors of solved stores, but for those of arcs, and has them made trees again.
func TestRootTreesRandom(t *testing.T) {
	r := seeds.New(t)
	for range crashtest.Repeats(2, 6) {
		for _, k := range enginetest.PairedKinds {
			n := 2 + r.IntN(150)
			g := enginetest.HardGraph(t, r, n, k.Kind, k.Negative)
			p := enginetest.Tracked(t, r, g, 64)
			enginetest.Solve(t, p, enginetest.RandomShape(r, g.N, 64).Paired(g.Kind).Options(t))
			p.Meta().MinWeight = min(p.Meta().MinWeight, 0) // else nothing is looked at
			for range r.IntN(2 * n) {
				spoil(t, p, r)
			}
			if _, err := p.RootTrees(context.Background(), new(live.Control)); err != nil {
				t.Fatal(err)
			}
			if err := p.StoreSums(make([]uint32, p.Geometry().Tiles()),
				make([]bool, p.Geometry().Tiles())); err != nil {
				t.Fatal(err)
			}
			checkTrees(t, p, g)
		}
	}
}

// TestRootTreesWritesAlone wants nothing of the matrix read or written while predecessors are written: tiles are for
// one goroutine at a time where one writes.
func TestRootTreesWritesAlone(t *testing.T) {
	r := seeds.New(t)
	dir, n := filepath.Join(t.TempDir(), "x.ooc"), 300
	h, err := crashtest.Watch(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	var begun, beside, writes atomic.Int64
	var watch atomic.Bool
	h.Step = func(op, name string) error {
		if watch.Load() && (op == "read" || op == "write") {
			now := begun.Add(1)
			if op == "write" && writes.Add(1) < 50 {
				time.Sleep(2 * time.Millisecond)
				beside.Add(begun.Load() - now)
			}
		}
		return nil
	}
	g := ring(t, n)
	p, err := engine.Create(t.Context(), dir, g, engine.CreateOptions{Tile: 64, Predecessors: true})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	enginetest.Solve(t, p, enginetest.RandomShape(r, g.N, 64).Paired(g.Kind).Options(t))
	p.Meta().MinWeight = min(p.Meta().MinWeight, 0) // else nothing is looked at
	for range 2 * n {
		spoil(t, p, r)
	}
	watch.Store(true)
	if _, err := p.RootTrees(t.Context(), new(live.Control)); err != nil {
		t.Fatal(err)
	}
	if beside.Load() > 0 || writes.Load() == 0 {
		t.Errorf("%d accesses to tiles while there were %d writes", beside.Load(), writes.Load())
	}
}

// ring is a cycle of n vertices, so that each has a predecessor in each row but its own.
func ring(t *testing.T, n int) *graph.Graph {
	t.Helper()
	b := graph.New(n, graph.AsKind(entry.KindI32))
	for v := range n {
		b.Add(v, (v+1)%n, float64(v%3))
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// spoil makes a random cycle of predecessors in a random row, of vertices that have others.
func spoil(t *testing.T, p *engine.Problem, r *rand.Rand) {
	t.Helper()
	n, u := p.Geometry().N, r.IntN(p.Geometry().N)
	raw := entry.Make(n)
	if err := p.Store().ReadRowPredecessors(raw, u); err != nil {
		t.Fatal(err)
	}
	var cycle []int32
	for v, x := range entry.View[int32](raw) {
		if x != entry.NoVertex && int(x) != u && r.IntN(4) == 0 {
			cycle = append(cycle, int32(v))
		}
	}
	if len(cycle) < 2 {
		return
	}
	before := append(slices.Clone(cycle[1:]), cycle[0])
	if err := p.Store().WritePredecessors(u, cycle, before); err != nil {
		t.Fatal(err)
	}
}

// plainDevice is a device that keeps no predecessors.
type plainDevice struct{ kernels.Device }

func TestTrackedRefusals(t *testing.T) {
	r := seeds.New(t)
	g := loopingGraph(t)
	o := enginetest.RandomShape(r, g.N, 64).Paired(g.Kind).Options(t)
	for _, c := range []struct {
		l    plan.Request
		d    kernels.Device
		kind error
	}{
		{plan.Request{Algorithm: "squaring"}, o.Device, plan.ErrAlgorithm},
		{plan.Request{Sources: tiles.RowSet{1, 2}}, o.Device, plan.ErrAlgorithm},
		{plan.Request{}, plainDevice{o.Device}, device.ErrUnknown},
	} {
		c.l.Predecessors = true
		if _, err := engine.Choose(t.Context(), g, c.d, c.l); !errors.Is(err, c.kind) {
			t.Errorf("%+v: %v", c.l, err)
		}
	}
	p := enginetest.Tracked(t, r, g, 64)
	o.Algorithm = "squaring"
	if _, err := p.Solve(context.Background(), o); !errors.Is(err, plan.ErrAlgorithm) {
		t.Errorf("squaring: %v", err)
	}
	o.Algorithm, o.Device = plan.Auto, plainDevice{o.Device}
	if _, err := p.Solve(context.Background(), o); !errors.Is(err, device.ErrUnknown) {
		t.Errorf("a device without: %v", err)
	}
}

// treesRooted is TreesRooted without an error.
func treesRooted(t *testing.T, p *engine.Problem) bool {
	t.Helper()
	rooted, err := p.TreesRooted()
	if err != nil {
		t.Fatal(err)
	}
	return rooted
}
