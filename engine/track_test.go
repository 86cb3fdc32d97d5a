package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"ooc/engine/graph"
	"ooc/kernels"
	"ooc/tiles"
	"ooc/tiles/crashtest"
)

// randomPairSolve is randomSolve for a store that keeps predecessors.
func randomPairSolve(r *rand.Rand, n, tile int) shape {
	s := randomSolve(r, n, tile)
	s.pairs = true
	return s
}

// hardGraph makes a graph whose predecessors are hard to get right: of ties and cycles of length 0, or of any sort.
func hardGraph(t testing.TB, r *rand.Rand, n int, kind graph.Kind, negative bool) *graph.Graph {
	if r.IntN(3) == 0 {
		return randomGraph(t, r, n, kind, negative)
	}
	return zeroLaden(t, r, n, kind, negative)
}

// trackedStore makes a store that keeps predecessors: of a graph, or of its matrix.
func trackedStore(t testing.TB, r *rand.Rand, g *graph.Graph, tile int) *Problem {
	t.Helper()
	o, w := CreateOptions{Tile: tile}, Weights(g)
	if r.IntN(2) == 0 {
		w, o = openMatrix(t, writeMatrix(t, g, r.IntN(2) == 0), g.Kind, tile)
	}
	o.Predecessors = true
	p, err := Create(filepath.Join(t.TempDir(), "p.ooc"), w, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// checkTrees follows every predecessor of a solved store back, along the arcs of the graph.
func checkTrees(t *testing.T, p *Problem, g *graph.Graph) {
	t.Helper()
	none := []int32{NoPredecessor, -1}[g.N%2]
	got := parseNPY(t, exported(t, p, ExportOptions{Format: "npy", Predecessors: &none}))
	search := graph.NewSearch(g)
	for u, pred := range got.values {
		checkTree(t, g, u, pred, search.From(u), float64(none))
	}
	if v := verifyMatrix(t, p); v.Trees != g.N {
		t.Fatalf("%d trees of %d verified", v.Trees, g.N)
	}
}

// sameDistances compares the distances of two stores of one graph, bit by bit.
func sameDistances(t *testing.T, p, q *Problem) {
	t.Helper()
	a, b := entries(p.geom.N), entries(p.geom.N)
	for u := range p.geom.N {
		if err := errors.Join(p.store.ReadRow(a, u), q.store.ReadRow(b, u)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Fatalf("the distances from %d differ", u)
		}
	}
}

// TestTrackedSolve solves random graphs and their matrices with predecessors, under random limits.
func TestTrackedSolve(t *testing.T) {
	r := seeded(t)
	for range 4 {
		for _, k := range everyKind {
			n := 2 + r.IntN(330)
			g := hardGraph(t, r, n, k.kind, k.negative)
			p := trackedStore(t, r, g, 64)
			mustSolve(t, p, trackedBy(t, r, p))
			checkTrees(t, p, g)
			if k.kind == graph.KindI32 {
				sameDistances(t, p, solvedStore(t, r, g))
			}
			if !p.Meta().Dense {
				if proof := mustProve(t, p); proof.Trees != n {
					t.Errorf("%d trees of %d proved", proof.Trees, n)
				}
			}
			if sum := mustSolve(t, p, randomPairSolve(r, n, 64).open(t)); !sum.AlreadySolved {
				t.Error("solved again")
			}
		}
	}
}

// trackedBy picks one of the ways to solve a store that keep predecessors, and limits.
func trackedBy(t testing.TB, r *rand.Rand, p *Problem) Options {
	s := randomPairSolve(r, p.geom.N, 64)
	if r.IntN(2) == 0 {
		return s.open(t)
	}
	s.slots = p.geom.Tiles()
	o := s.open(t)
	o.Algorithm, o.Round = AlgorithmSingleStage, 0
	return o
}

// TestTrackedUnique wants the same predecessors whatever the limits where each pair has one shortest path.
func TestTrackedUnique(t *testing.T) {
	r := seeded(t)
	n := 150 + r.IntN(100)
	b := graph.New(n, graph.AsKind(graph.KindI32))
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
		p := trackedStore(t, r, g, 64)
		mustSolve(t, p, trackedBy(t, r, p))
		switch file := matrixFile(t, p.Dir()); {
		case whole == nil:
			whole = file
		case !bytes.Equal(file, whole) && !hasTies(p, g):
			t.Error("other predecessors under other limits")
		}
	}
}

// hasTies reports whether a solved graph has two shortest paths between any two vertices.
func hasTies(p *Problem, g *graph.Graph) bool {
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

// TestTrackedPowerCuts cuts the power of solves with predecessors: what is left must end in the same distances, and
// in trees of shortest paths.
func TestTrackedPowerCuts(t *testing.T) {
	r := seeded(t)
	cuts := 0
	for cuts < 20 {
		for _, k := range everyKind {
			n := 150 + r.IntN(250)
			g := hardGraph(t, r, n, k.kind, k.negative)
			whole := solvedStore(t, r, g)
			made, w := CreateOptions{Tile: 64}, Weights(g)
			if r.IntN(2) == 0 {
				w, made = openMatrix(t, writeMatrix(t, g, false), g.Kind, 64)
			}
			made.Predecessors = true
			for i, dir := range cutWhileSolving(t, r, w, made, randomPairSolve(r, n, 64).open(t)) {
				cuts++
				p, err := Open(dir)
				if err != nil {
					t.Fatalf("cut %d: %v", i, err)
				}
				mustSolve(t, p, randomPairSolve(r, n, 64).open(t))
				checkTrees(t, p, g)
				if k.kind == graph.KindI32 {
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

// knot is a graph on whose cycle of length 0 rounds of 64 vertices leave predecessors that lead round and round:
// 66 → 65 → 0 ⇄ 64. The first round finds 65 → 0 → 64. In the second, the closure finds the way from 66 to 64 by 65, whose
// last arc comes from 0, and the row panel meets first, of two ways to 0 that are the same, that by 64.
func knot(t *testing.T) *graph.Graph {
	t.Helper()
	g, err := graph.New(100, graph.AsKind(graph.KindI32)).Add(66, 65, 1).Add(65, 0, 0).Add(0, 64, 0).Add(64, 0, 0).Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestSettle cuts a solve at each of its syncs. After that of the last round predecessors are no trees yet, and the
// store does not count as solved; the next run sees to that.
func TestSettle(t *testing.T) {
	r := seeded(t)
	g := knot(t)
	dir, copies := filepath.Join(t.TempDir(), "x.ooc"), t.TempDir()
	h, err := crashtest.Watch(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	p, err := Create(dir, g, CreateOptions{Tile: 64, Predecessors: true})
	if err != nil {
		t.Fatal(err)
	}
	var dirs []string
	h.OnSync = func(name string, done bool) {
		dst := filepath.Join(copies, fmt.Sprintf("%d-%s-%v", len(dirs), filepath.Base(name), done))
		if h.Cut(dst, r) == nil {
			dirs = append(dirs, dst)
		}
	}
	o := shape{tile: 64, width: 1, slots: 4, pages: 4, streams: 1, pairs: true}
	mustSolve(t, p, o.open(t))
	checkTrees(t, p, g)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	unsettled, round := 0, 0
	for _, d := range dirs {
		q := reopen(t, d)
		if state, _, err := q.store.Recover(); err != nil {
			t.Fatal(err)
		} else if state.Done == 100 && !isSettled(t, q) {
			unsettled++
			wantUnsettled(t, q)
			if goesRound(t, q) {
				round++
			}
		}
		mustSolve(t, q, randomPairSolve(r, 100, 64).open(t))
		checkTrees(t, q, g)
	}
	if unsettled == 0 || round == 0 {
		t.Errorf("of %d cuts, %d between the last round and the checksums, %d with predecessors that go round", len(dirs), unsettled, round)
	}
}

func wantUnsettled(t *testing.T, p *Problem) {
	t.Helper()
	if st, err := p.Status(); err != nil || st.State != "unfinished" {
		t.Errorf("state %q, %v", st.State, err)
	}
	if err := p.Solved(); !errors.Is(err, ErrUnsolved) {
		t.Errorf("a question: %v", err)
	}
}

// goesRound reports whether the predecessors of 0 and 64 on the way from 66 are each other.
func goesRound(t *testing.T, p *Problem) bool {
	t.Helper()
	raw := entries(100)
	if err := p.store.ReadRowPredecessors(raw, 66); err != nil {
		t.Fatal(err)
	}
	pred := words[int32](raw)
	return pred[0] == 64 && pred[64] == 0
}

// TestSettleRandom spoils the predecessors of solved stores, but for those of arcs, and has them settled.
func TestSettleRandom(t *testing.T) {
	r := seeded(t)
	for range 6 {
		for _, k := range everyKind {
			n := 2 + r.IntN(150)
			g := hardGraph(t, r, n, k.kind, k.negative)
			p := trackedStore(t, r, g, 64)
			mustSolve(t, p, randomPairSolve(r, n, 64).open(t))
			p.meta.MinWeight = min(p.meta.MinWeight, 0) // else nothing is looked at
			for range r.IntN(2 * n) {
				spoil(t, p, r)
			}
			if _, err := p.settle(context.Background(), new(Control)); err != nil {
				t.Fatal(err)
			}
			if err := p.storeSums(make([]uint32, p.geom.Tiles()), make([]bool, p.geom.Tiles())); err != nil {
				t.Fatal(err)
			}
			checkTrees(t, p, g)
		}
	}
}

// spoil makes a random cycle of predecessors in a random row, of vertices that have others.
func spoil(t *testing.T, p *Problem, r *rand.Rand) {
	t.Helper()
	n, u := p.geom.N, r.IntN(p.geom.N)
	raw := entries(n)
	if err := p.store.ReadRowPredecessors(raw, u); err != nil {
		t.Fatal(err)
	}
	var cycle []int32
	for v, x := range words[int32](raw) {
		if x != tiles.NoPredecessor && int(x) != u && r.IntN(4) == 0 {
			cycle = append(cycle, int32(v))
		}
	}
	if len(cycle) < 2 {
		return
	}
	before := append(slices.Clone(cycle[1:]), cycle[0])
	if err := p.store.WritePredecessors(u, cycle, before); err != nil {
		t.Fatal(err)
	}
}

// TestTrackedPaths compares paths by stored predecessors with a search.
func TestTrackedPaths(t *testing.T) {
	r := seeded(t)
	for _, k := range everyKind {
		for range 4 {
			n := 2 + r.IntN(120)
			g := hardGraph(t, r, n, k.kind, k.negative)
			p := trackedStore(t, r, g, 64)
			mustSolve(t, p, randomPairSolve(r, n, 64).open(t))
			var pairs [][2]int
			for range 200 {
				pairs = append(pairs, [2]int{r.IntN(n), r.IntN(n)})
			}
			paths, err := p.Paths(context.Background(), pairs)
			if err != nil {
				t.Fatal(err)
			}
			search := graph.NewSearch(g)
			for i, path := range paths {
				checkPath(t, g, path, pairs[i][0], pairs[i][1], search.From(pairs[i][0])[pairs[i][1]])
			}
		}
	}
}

// TestWrongPredecessorIsFound changes single predecessors of solved stores.
func TestWrongPredecessorIsFound(t *testing.T) {
	r := seeded(t)
	for range 20 {
		n := 20 + r.IntN(100)
		g, err := graph.New(n, graph.AsKind(graph.KindI32)).Add(0, 1, 5).Add(1, 2, 2).Add(2, 3, 1).Add(0, 4, 1).Build()
		if err != nil {
			t.Fatal(err)
		}
		p := trackedStore(t, r, g, 64)
		mustSolve(t, p, randomPairSolve(r, n, 64).open(t))
		wrong := []int32{0, 3, 4, tiles.NoPredecessor, 9, math.MaxInt32}[r.IntN(6)]
		if err := p.store.WritePredecessors(0, []int32{2}, []int32{wrong}); err != nil {
			t.Fatal(err)
		}
		if err := p.verifyTrees(context.Background(), []int{0}); !errors.Is(err, ErrWrong) {
			t.Errorf("predecessor %d in the place of 1: %v", wrong, err)
		}
		// An entry of 7 may be an arc of 7, as far as a path can tell without the graph.
		if _, err := p.Path(0, 2); (wrong != 0) != errors.Is(err, ErrWrong) {
			t.Errorf("a path by %d in the place of 1: %v", wrong, err)
		}
	}
}

// plainDevice is a device that keeps no predecessors.
type plainDevice struct{ kernels.Device }

func TestTrackedRefusals(t *testing.T) {
	r := seeded(t)
	g := knot(t)
	o := randomPairSolve(r, g.N, 64).open(t)
	for _, c := range []struct {
		l    Limits
		d    kernels.Device
		kind error
	}{
		{Limits{Algorithm: AlgorithmEliminate}, o.Device, ErrAlgorithm},
		{Limits{Sources: tiles.RowSet{1, 2}}, o.Device, ErrAlgorithm},
		{Limits{}, plainDevice{o.Device}, ErrNoDevice},
	} {
		c.l.Predecessors = true
		if _, err := Choose(g, c.d, c.l); !errors.Is(err, c.kind) {
			t.Errorf("%+v: %v", c.l, err)
		}
	}
	p := trackedStore(t, r, g, 64)
	o.Algorithm = AlgorithmEliminate
	if _, err := p.Solve(context.Background(), o); !errors.Is(err, ErrAlgorithm) {
		t.Errorf("elimination: %v", err)
	}
	o.Algorithm, o.Device = AlgorithmAuto, plainDevice{o.Device}
	if _, err := p.Solve(context.Background(), o); !errors.Is(err, ErrNoDevice) {
		t.Errorf("a device without: %v", err)
	}
}

// isSettled is settled without an error.
func isSettled(t *testing.T, p *Problem) bool {
	t.Helper()
	settled, err := p.settled()
	if err != nil {
		t.Fatal(err)
	}
	return settled
}
