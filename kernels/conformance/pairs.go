package conformance

import (
	"math"
	"testing"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// tryPairs judges streams that keep predecessors.
func (b *bench) tryPairs(d kernels.TileOps) {
	large := []shape{{192, 2}, {320, 1}}[b.IntN(2)]
	b.tracked(d, []shape{{64, 1}, {64, 4}, large}, []shape{{64, 1}, {64, 2}, {128, 1}, {64, 5}, {320, 1}, {192, 2}},
		part{"Pivots", func(b *bench) { b.pivots(d, entry.Paired) }},
		part{"BadOperations", func(b *bench) { badPairs(b, d) }})
}

// largePairs runs products and closures of pairs at more and larger edges of tiles.
func (b *bench) largePairs(d kernels.TileOps) {
	b.tracked(d, []shape{{128, 1}, {192, 1}, {256, 2}, {320, 1}, {384, 1}, {448, 1}},
		[]shape{{192, 1}, {256, 1}, {384, 1}, {128, 3}, {448, 1}})
}

// tracked tries products, closures and more, each on a stream that keeps predecessors.
func (b *bench) tracked(d kernels.TileOps, products, closures []shape, more ...part) {
	for _, p := range append([]part{
		{"MinPlus", func(b *bench) { try(b, entry.Paired, products, patterns, 64, 1, (*bench).pairProducts) }},
		{"Closure", func(b *bench) { try(b, entry.Paired, closures, graphPatternsOf, 128, 1, (*bench).oneClosure) }},
	}, more...) {
		b.Run(p.name, func(t *testing.T) {
			b := b.with(t)
			b.pairs, b.stream = true, b.opened(d.NewTrackingStream())
			p.run(b)
		})
	}
}

// noPair is the word of entry.NoVertex in a pair. What is behind the predecessor in a pair of 16 bytes is 0 in
// operands, and so in results, whatever was there.
const noPair = math.MaxUint32

// fillPairs makes a tile of a pattern's distances with predecessors of any name. An operand B that stands on the
// diagonal of its matrix has the walks without arcs there.
func (a *arena) fillPairs(v entry.Variant, i int, p pattern, diagonal bool) {
	for at := range a.t * a.t {
		d, before := p.randomEntry(a.Rand), uint64(a.Int32N(math.MaxInt32))
		if d == v.Unreachable() {
			before = noPair
		}
		if diagonal && at%(a.t+1) == 0 {
			d, before = 0, noPair
		}
		copy(a.data(i)[2*at:], matrix{d, before})
	}
}

// pairProducts runs a batch of a fresh product and one that is not, with the same operands. The fresh one is of a
// panel: one operand is of a closed pivot, with the walks without arcs on its diagonal, and C begins as the other.
func (b *bench) pairProducts(v entry.Variant, s shape, p pattern) {
	a := b.newArena(v, s.t, 2+2*s.m)
	row, k := b.IntN(2), b.IntN(s.m)
	for i := range s.m {
		a.fillPairs(v, 2+i, p, row == 1 && i == k)
		a.fillPairs(v, 2+s.m+i, p, row == 0 && i == k)
	}
	before := 2 + row*s.m + k
	a.fillPairs(v, 0, p, false)
	poison(b.Rand, a.data(1), a.size)
	for at := 0; at < a.area(); at += 2 {
		x, y := a.data(before)[at:], a.data(0)[at:]
		if lower(v, v.Unreachable(), y[0], 0) != lower(v, x[0], y[0], 0) { // what is not above it in C
			copy(y, x[:2])
		}
		a.data(1)[at] = worst(v, b.Rand)
	}
	left, right := a.tiles(2, s.m), a.tiles(2+s.m, s.m)
	batch := []kernels.Product{{C: a.tile(0), A: left, B: right},
		{C: a.tile(1), A: left, B: right, Fresh: true, Before: a.tile(before)}}
	var got [2]matrix
	for i := range got {
		a.upload()
		b.done(b.stream.MinPlus(v, s.t, batch))
		got[i] = a.downloadAs(a.whole(), len(a.want), a.size)
	}
	b.same(v, "the same products again", got[1], got[0])
	for c := range batch {
		a.judgePairs(v, s, c, []int{0, before}[c], got[0][a.places[c]:])
	}
	for c := range batch {
		copy(a.data(c), got[0][a.places[c]:])
	}
	a.check(v)
}

// distances are those of a tile of pairs.
func (a *arena) distances(i int) matrix {
	m := make(matrix, a.t*a.t)
	for at := range m {
		m[at] = a.data(i)[2*at]
	}
	return m
}

// judgePairs compares what became of tile c, which began as another or itself, with plain loops: the distances are
// those of a product without predecessors, and each predecessor belongs to a sum that makes its distance.
func (a *arena) judgePairs(v entry.Variant, s shape, c, before int, got matrix) {
	old, want := a.data(before), a.distances(before)
	var left, right []matrix
	for i := range s.m {
		left, right = append(left, a.distances(2+i)), append(right, a.distances(2+s.m+i))
	}
	refMinPlus(v, s.t, want, left, right, false)
	for at, d := range want {
		i, j, x, y := at/s.t, at%s.t, got[2*at:][:2], old[2*at:][:2]
		switch {
		case x[0] != d:
			a.Fatalf("product %d, entry (%d,%d): %s, not %s", c, i, j, show(v, x[0]), show(v, d))
		case d == y[0] && x[1] != y[1]:
			a.Fatalf("product %d, entry (%d,%d) was not lowered, and its predecessor %d became %d", c, i, j, y[1], x[1])
		case d != y[0] && !a.explained(v, s, i, j, x):
			a.Fatalf("product %d, entry (%d,%d) = %s: no sum has predecessor %d", c, i, j, show(v, d), x[1])
		}
	}
}

// explained reports whether a sum of the operands' entries makes a distance with its predecessor.
func (a *arena) explained(v entry.Variant, s shape, i, j int, x matrix) bool {
	for m := range s.m {
		left, right := a.data(2+m), a.data(2+s.m+m)
		for k := range s.t {
			l, r := left[2*(i*s.t+k)], right[2*(k*s.t+j):]
			if r[1] == x[1] && r[1] != noPair && lower(v, v.Unreachable(), l, r[0]) == x[0] {
				return true
			}
		}
	}
	return false
}

// ofArcs returns the arcs of a matrix as entries of the arena: in pairs with their predecessors.
func (a *arena) ofArcs(v entry.Variant, n int, arcs matrix) (m matrix) {
	if !a.pairs {
		return arcs
	}
	for at, w := range arcs {
		before := uint64(at / n)
		if at%(n+1) == 0 || w == v.Unreachable() {
			before = noPair
		}
		m = append(m, w, before)
	}
	return m
}

// tight reports whether a distance and an arc make another distance, within rounding where the graph has any.
func tight(v entry.Variant, g graphPattern, n int, before, arc, d uint64) bool {
	if v.Float() && !g.exact {
		x, w, y := v.Kind().Value(before), v.Kind().Value(arc), v.Kind().Value(d)
		return math.Abs(x+w-y) <= 2*float64(n)*y*v.Kind().RoundingSlack()/4
	}
	return arc != v.Unreachable() && lower(v, v.Unreachable(), before, arc) == d
}

// badPairs wants errors where there is no room for pairs, or none are to be made.
func badPairs(b *bench, d kernels.TileOps) {
	b.bad(d.NewTrackingStream, entry.KindI32.PairBytes(), map[string]onTiles{
		"fresh, not of before": func(s kernels.Stream, tiles []kernels.Tile) error {
			return s.MinPlus(entry.I32, 64, []kernels.Product{{C: tiles[2], A: tiles[:1], B: tiles[1:2], Fresh: true}})
		},
		"no pairs of u16": func(s kernels.Stream, tiles []kernels.Tile) error {
			return s.Closure(entry.U16, 64, tiles[:1])
		},
	})
}
