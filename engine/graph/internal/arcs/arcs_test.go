package arcs

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ooc/engine/internal/seeds"
)

// TestCollector packs random arcs, between few vertices and many, of small words and large ones, and
// compares the CSR with arcs that were sorted.
func TestCollector(t *testing.T) {
	r := seeds.New(t)
	for i := range 60 {
		n, m := 1+r.IntN(1<<r.IntN(21)), r.IntN(1<<r.IntN(18))
		if i == 0 {
			n, m = 20, 1<<19 // so that rows are long
		}
		recs := randomRecords(r, n, m)
		float := r.IntN(3) == 0
		known := n * r.IntN(2) // what is not known puts a few rows into one bucket
		c, other := New(known, int64(len(recs)), false), New(known, int64(len(recs)), false)
		half := r.IntN(len(recs) + 1)
		for part, piece := range [][]Arc{recs[:half], recs[half:]} {
			into := []*Collector{c, other}[r.IntN(2)]
			if float {
				FloatWords(piece)
				into.ToFloat()
			}
			into.AddAll(piece)
			if part == 0 && !float && r.IntN(2) == 0 { // the first half is turned
				float = true
				FloatWords(recs[:half])
			}
		}
		if float {
			c.ToFloat()
			other.ToFloat()
		}
		c.Join(other)
		compareCSR(t, n, c, recs)
	}
}

// TestRenumber packs arcs between provisional numbers, of which some are negative.
func TestRenumber(t *testing.T) {
	r := seeds.New(t)
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
		c := New(0, 0, true)
		for _, a := range recs {
			c.AddAll([]Arc{{name[a.From], name[a.To], a.Word}})
		}
		back := func(p int32) int32 { return int32(row[max(p, ^p)]) }
		by := New(n, int64(len(recs)), false)
		c.Renumber(by, back)
		compareCSR(t, n, by, recs)
	}
}

func randomRecords(r *rand.Rand, n, m int) []Arc {
	most := int64(1) << r.IntN(32)
	recs := make([]Arc, 0, m)
	for range m {
		// Half of the tails are among few, so that there are long rows and empty buckets.
		u, v := int32(r.IntN(n)), int32(r.IntN(n))
		if r.IntN(2) == 0 {
			u = int32(r.IntN(1 + n/1000))
		}
		if u != v {
			recs = append(recs, Arc{u, v, uint32(int32(r.Int64N(2*most-1) - most + 1))})
		}
	}
	return recs
}

// compareCSR sorts recs.
func compareCSR(t *testing.T, n int, c *Collector, recs []Arc) {
	t.Helper()
	value := func(w uint32) float64 { return float64(int32(w)) }
	if c.layout.float {
		value = func(w uint32) float64 { return float64(math.Float32frombits(w)) }
	}
	g := c.Rows(n, func(a, b uint32) bool { return value(a) < value(b) })
	slices.SortFunc(recs, func(a, b Arc) int {
		return slices.Compare([]float64{float64(a.From), float64(a.To), value(a.Word)},
			[]float64{float64(b.From), float64(b.To), value(b.Word)})
	})
	least := slices.CompactFunc(slices.Clone(recs), func(a, b Arc) bool { return a.From == b.From && a.To == b.To })
	if len(g.Targets) != len(least) || int(g.Parallel) != len(recs)-len(least) {
		t.Fatalf("%d arcs and %d parallel ones, not %d of %d", len(g.Targets), g.Parallel, len(least), len(recs))
	}
	k := int64(0)
	for u := range n {
		if g.Offsets[u] != k {
			t.Fatalf("row %d begins at %d, not %d", u, g.Offsets[u], k)
		}
		for ; k < g.Offsets[u+1]; k++ {
			if want := least[k]; int(want.From) != u || want.To != g.Targets[k] ||
				value(want.Word) != value(g.Words[k]) {
				t.Fatalf("arc %d is %d→%d of %v, not %+v", k, u, g.Targets[k], value(g.Words[k]), want)
			}
		}
	}
}
