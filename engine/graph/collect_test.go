package graph

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestCollector packs random arcs, between few vertices and many, of small words and large ones, and
// compares the CSR with arcs that were sorted.
func TestCollector(t *testing.T) {
	r := fresh(t)
	for i := range 60 {
		n, m := 1+r.IntN(1<<r.IntN(21)), r.IntN(1<<r.IntN(18))
		if i == 0 {
			n, m = 2000, 3*spreadMost // so that a bucket has more than are spread
		}
		recs := randomRecords(r, n, m)
		float := r.IntN(3) == 0
		c := newCollector(n, int64(len(recs)), float)
		half := r.IntN(len(recs) + 1)
		for part, piece := range [][]record{recs[:half], recs[half:]} {
			for i := range piece {
				if float {
					piece[i].word = toFloatWord(piece[i].word)
				}
			}
			if loops := c.addAll(piece); loops != 0 {
				t.Fatalf("%d self-loops of 0", loops)
			}
			if part == 0 && !float && r.IntN(2) == 0 { // the first half is turned
				float = true
				c.toFloat()
				toFloatWords(recs[:half])
			}
		}
		compareCSR(t, n, c, recs)
	}
}

// TestRenumber packs arcs between provisional numbers, of which some are negative.
func TestRenumber(t *testing.T) {
	r := fresh(t)
	for range 40 {
		n := 2 + r.IntN(1<<r.IntN(18))
		recs := randomRecords(r, n, r.IntN(1<<r.IntN(17)))
		row := r.Perm(n)
		name := make([]int32, n) // provisional number of a row
		for p, v := range row {
			name[v] = int32(p)
			if p%3 == 0 {
				name[v] = ^int32(p)
			}
		}
		c := newCollector(0, 0, false)
		for _, a := range recs {
			c.add(name[a.from], name[a.to], a.word)
		}
		back := func(p int32) int32 { return int32(row[max(p, ^p)]) }
		compareCSR(t, n, c.renumber(n, back), recs)
	}
}

func randomRecords(r *rand.Rand, n, m int) []record {
	most := int64(1) << r.IntN(32)
	recs := make([]record, 0, m)
	for range m {
		// Half of the tails are among few, so that there are long rows and empty buckets.
		u, v := int32(r.IntN(n)), int32(r.IntN(n))
		if r.IntN(2) == 0 {
			u = int32(r.IntN(1 + n/1000))
		}
		if u != v {
			recs = append(recs, record{u, v, uint32(int32(r.Int64N(2*most-1) - most + 1))})
		}
	}
	return recs
}

// compareCSR sorts recs.
func compareCSR(t *testing.T, n int, c *collector, recs []record) {
	t.Helper()
	g := &Graph{N: n, Kind: KindI32, Directed: true, Scale: 1}
	value := func(w uint32) float64 { return float64(int32(w)) }
	if c.layout.float {
		g.Kind = KindF32
		value = func(w uint32) float64 { return float64(math.Float32frombits(w)) }
	}
	newAssembly(g, c).run()
	if err := g.Validate(); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(recs, func(a, b record) int {
		return slices.Compare([]float64{float64(a.from), float64(a.to), value(a.word)}, []float64{float64(b.from), float64(b.to), value(b.word)})
	})
	least := slices.CompactFunc(slices.Clone(recs), func(a, b record) bool { return a.from == b.from && a.to == b.to })
	if int(g.Arcs()) != len(least) || int(g.Parallel) != len(recs)-len(least) {
		t.Fatalf("%d arcs and %d parallel ones, not %d of %d", g.Arcs(), g.Parallel, len(least), len(recs))
	}
	k := int64(0)
	for u := range n {
		for ; k < g.Offsets[u+1]; k++ {
			if want := least[k]; int(want.from) != u || want.to != g.Targets[k] || value(want.word) != g.Weight(k) {
				t.Fatalf("arc %d is %d→%d of %v, not %+v", k, u, g.Targets[k], g.Weight(k), want)
			}
		}
	}
}

// TestRowSorter sorts rows of every length about where another way begins, spread evenly and not.
func TestRowSorter(t *testing.T) {
	r := fresh(t)
	s := &rowSorter{}
	for _, n := range []int{0, 1, 2, 3, 9, 20, 40, 300, 5000, 100000} {
		for _, spread := range []int{1, 2, 100, math.MaxInt32} {
			targets, words := make([]int32, n), make([]uint32, n)
			for i := range targets {
				targets[i] = int32(r.IntN(spread))
				if r.IntN(50) == 0 {
					targets[i] = int32(r.IntN(math.MaxInt32))
				}
				words[i] = uint32(targets[i]) * 3
			}
			want := slices.Sorted(slices.Values(targets))
			s.sort(targets, words)
			if !slices.Equal(targets, want) {
				t.Fatalf("%d targets below %d are not sorted", n, spread)
			}
			for i, v := range targets {
				if words[i] != uint32(v)*3 {
					t.Fatalf("%d targets below %d: a weight has strayed", n, spread)
				}
			}
		}
	}
}

// TestTables looks up ids that are there and ids that are not, in tables that grow.
func TestTables(t *testing.T) {
	r := fresh(t)
	var ints intTable
	var texts textTable
	numbers, names := map[int64]int32{}, map[string]int32{}
	for i := range int32(20000) {
		id := r.Int64() >> r.IntN(64)
		name := make([]byte, r.IntN(40))
		for k := range name {
			name[k] = "ab"[r.IntN(2)]
		}
		want, known := numbers[id]
		if got, ok := ints.find(id); ok != known || got != want {
			t.Fatalf("%d is %d, %v", id, got, ok)
		}
		if !known {
			numbers[id] = i
			ints.add(id, i)
		}
		var key textKey
		texts.setKey(&key, name, 0, len(name))
		want, known = names[string(name)]
		if got, ok := texts.find(&key, name); ok != known || got != want {
			t.Fatalf("%q is %d, %v", name, got, ok)
		}
		if !known {
			names[string(name)] = i
			texts.add(&key, name, i)
		}
	}
	for name, number := range names {
		var key textKey
		texts.setKey(&key, []byte(name), 0, len(name))
		if got, ok := texts.find(&key, []byte(name)); !ok || got != number {
			t.Fatalf("%q is %d, %v", name, got, ok)
		}
	}
}
