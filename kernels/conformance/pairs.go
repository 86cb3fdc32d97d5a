package conformance

import (
	"encoding/binary"
	"math"
	"testing"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// pairs judges streams that keep predecessors.
func (b *bench) pairs(d kernels.TileOps) {
	large := []shape{{192, 2}, {320, 1}}[b.IntN(2)]
	b.tracked(d, []trackedPart{
		{"MinPlus", func(b *tracking) { pairProducts(b, []shape{{64, 1}, {64, 4}, large}) }},
		{"Closure", func(b *tracking) { pairClosures(b, []shape{{64, 1}, {64, 2}, {128, 1}, {64, 5}, {320, 1}, {192, 2}}) }},
		{"Pivots", pairPivots},
		{"BadOperations", badPairs},
	})
}

// largePairs runs products and closures of pairs at more and larger edges of tiles.
func largePairs(b *bench) {
	d, ok := kernels.As[kernels.TileOps](b.device)
	if !ok {
		b.Fatalf("%T keeps no predecessors", b.device)
	}
	b.tracked(d, []trackedPart{
		{"MinPlus", func(b *tracking) {
			pairProducts(b, []shape{{128, 1}, {192, 1}, {256, 2}, {320, 1}, {384, 1}, {448, 1}})
		}},
		{"Closure", func(b *tracking) {
			pairClosures(b, []shape{{192, 1}, {256, 1}, {384, 1}, {128, 3}, {448, 1}})
		}},
	})
}

type trackedPart struct {
	name string
	run  func(*tracking)
}

// tracked runs parts of the suite, each with a stream that keeps predecessors.
func (b *bench) tracked(d kernels.TileOps, parts []trackedPart) {
	for _, part := range parts {
		b.Run(part.name, func(t *testing.T) {
			s, err := d.NewTrackingStream()
			b := b.with(t)
			b.must(err)
			b.open[s] = true
			t.Cleanup(func() {
				delete(b.open, s)
				b.must(s.Close())
			})
			part.run(&tracking{bench: b, ops: d, tracker: s})
		})
	}
}

// tracking is a bench with a stream of each sort.
type tracking struct {
	*bench
	ops     kernels.TileOps
	tracker kernels.Stream
}

// on returns b for a subtest.
func (b *tracking) on(c *bench) *tracking { return &tracking{c, b.ops, b.tracker} }

// pairEntry is an entry as it is stored. rest is what is behind the predecessor in a pair of 16 bytes: 0 in operands,
// and so in results, whatever was there.
type pairEntry struct {
	d    uint64
	p    int32
	rest uint32
}

// junk is an entry of any bits.
func (a *pairTiles) junk() pairEntry {
	x := pairEntry{a.Uint64() >> (64 - 8*a.kind.Bytes()), int32(a.Uint32()), a.Uint32()}
	if a.kind.PairBytes() < 16 {
		x.rest = 0
	}
	return x
}

// pairTiles is a buffer with tiles of pairs of a kind in it, at odd places.
type pairTiles struct {
	*tracking
	kind   entry.Kind
	buf    kernels.Buffer
	t      int
	places []int
	want   []pairEntry
}

func (b *tracking) pairTiles(v entry.Variant, t, n int) *pairTiles {
	places, size := b.layOut(t, n)
	a := &pairTiles{tracking: b, kind: v.Kind(), t: t, places: places, want: make([]pairEntry, size)}
	for i := range a.want {
		a.want[i] = a.junk()
	}
	a.buf = b.alloc(int64(size * a.kind.PairBytes()))
	return a
}

func (a *pairTiles) tiles(lo, n int) (all []kernels.Tile) {
	for _, place := range a.places[lo : lo+n] {
		all = append(all, kernels.Tile{Buf: a.buf, Off: int64(place * a.kind.PairBytes())})
	}
	return all
}

func (a *pairTiles) data(i int) []pairEntry { return a.want[a.places[i]:][:a.t*a.t] }

func (a *pairTiles) upload() {
	each := a.kind.PairBytes()
	memory := make([]byte, len(a.want)*each)
	for i, x := range a.want {
		pair := memory[i*each:][:each]
		a.kind.Put(pair, 0, x.d)
		binary.LittleEndian.PutUint32(pair[each/2:], uint32(x.p))
		if each == 16 {
			binary.LittleEndian.PutUint32(pair[12:], x.rest)
		}
	}
	a.must(a.tracker.CopyIn(kernels.Tile{Buf: a.buf}, memory))
	a.must(a.tracker.Sync())
}

func (a *pairTiles) download() []pairEntry {
	got, each := make([]pairEntry, len(a.want)), a.kind.PairBytes()
	memory := make([]byte, len(got)*each)
	a.must(a.tracker.CopyOut(memory, kernels.Tile{Buf: a.buf}))
	a.must(a.tracker.Sync())
	for i := range got {
		x := memory[i*each:][:each]
		got[i] = pairEntry{d: a.kind.At(x, 0), p: int32(binary.LittleEndian.Uint32(x[each/2:]))}
		if each == 16 {
			got[i].rest = binary.LittleEndian.Uint32(x[12:])
		}
	}
	return got
}

// fill makes a tile of a pattern's distances with predecessors of any name. An operand B that stands on the
// diagonal of its matrix has the walks without arcs there.
func (a *pairTiles) fill(v entry.Variant, i int, p pattern, diagonal bool) {
	for at := range a.data(i) {
		x := pairEntry{d: p.randomEntry(a.Rand), p: a.Int32N(math.MaxInt32)}
		if x.d == v.Unreachable() {
			x.p = entry.NoVertex
		}
		if diagonal && at%(a.t+1) == 0 {
			x = pairEntry{p: entry.NoVertex}
		}
		a.data(i)[at] = x
	}
}

// pairProducts tries products of pairs.
func pairProducts(b *tracking, shapes []shape) {
	try(b.bench, entry.Paired, shapes, patterns, 64, 1, func(c *bench, v entry.Variant, s shape, p pattern) { b.on(c).products(v, s, p) })
}

// products runs a batch of a fresh product and one that is not, with the same operands. The fresh one is of a panel:
// one operand is of a closed pivot, with the walks without arcs on its diagonal, and C begins as the other.
func (b *tracking) products(v entry.Variant, s shape, p pattern) {
	a := b.pairTiles(v, s.t, 2+2*s.m)
	row, k := b.IntN(2), b.IntN(s.m)
	for i := range s.m {
		a.fill(v, 2+i, p, row == 1 && i == k)
		a.fill(v, 2+s.m+i, p, row == 0 && i == k)
	}
	before := 2 + row*s.m + k
	a.fill(v, 0, p, false)
	for at, x := range a.data(before) { // what is not above it in C
		if y := &a.data(0)[at]; lower(v, v.Unreachable(), y.d, 0) != lower(v, x.d, y.d, 0) {
			*y = x
		}
	}
	for i := range a.data(1) {
		a.data(1)[i] = a.junk()
		a.data(1)[i].d = worst(v, b.Rand)
	}
	left, right := a.tiles(2, s.m), a.tiles(2+s.m, s.m)
	batch := []kernels.Product{{C: a.tiles(0, 1)[0], A: left, B: right}, {C: a.tiles(1, 1)[0], A: left, B: right, Fresh: true, Before: a.tiles(before, 1)[0]}}
	var got, again []pairEntry
	for _, out := range []*[]pairEntry{&got, &again} {
		a.upload()
		b.must(b.tracker.MinPlus(v, s.t, batch))
		*out = a.download()
	}
	for at := range got {
		if got[at] != again[at] {
			b.Fatalf("entry %d is %v, then %v", at, got[at], again[at])
		}
	}
	for c := range batch {
		a.judge(v, s, c, []int{0, before}[c], got[a.places[c]:][:s.t*s.t])
		copy(got[a.places[c]:][:s.t*s.t], a.data(c))
	}
	for at := range got {
		if got[at] != a.want[at] {
			b.Fatalf("entry %d of the buffer, outside of the results, became %v", at, got[at])
		}
	}
}

// judge compares what became of tile c, which began as another or itself, with plain loops: the distances are those
// of a product without predecessors, and each predecessor belongs to a sum that makes its distance.
func (a *pairTiles) judge(v entry.Variant, s shape, c, before int, got []pairEntry) {
	distances := func(i int) matrix {
		m := make(matrix, s.t*s.t)
		for at, x := range a.data(i) {
			m[at] = x.d
		}
		return m
	}
	old, want := a.data(before), distances(before)
	var left, right []matrix
	for i := range s.m {
		left, right = append(left, distances(2+i)), append(right, distances(2+s.m+i))
	}
	refMinPlus(v, s.t, want, left, right, false)
	for at, x := range got {
		i, j := at/s.t, at%s.t
		switch {
		case x.rest != 0:
			a.Fatalf("product %d, entry (%d,%d) ends in %#x", c, i, j, x.rest)
		case x.d != want[at]:
			a.Fatalf("product %d, entry (%d,%d): %s, not %s", c, i, j, show(v, x.d), show(v, want[at]))
		case x.d == old[at].d:
			if x.p != old[at].p {
				a.Fatalf("product %d, entry (%d,%d) was not lowered, and its predecessor %d became %d", c, i, j, old[at].p, x.p)
			}
		case !a.explained(v, s, i, j, x):
			a.Fatalf("product %d, entry (%d,%d) = %s: predecessor %d is of no sum that makes it", c, i, j, show(v, x.d), x.p)
		}
	}
}

// explained reports whether a sum of the operands' entries makes a distance with its predecessor.
func (a *pairTiles) explained(v entry.Variant, s shape, i, j int, x pairEntry) bool {
	for m := range s.m {
		left, right := a.data(2+m), a.data(2+s.m+m)
		for k := range s.t {
			l, r := left[i*s.t+k], right[k*s.t+j]
			if r.p == x.p && r.p != entry.NoVertex && lower(v, v.Unreachable(), l.d, r.d) == x.d {
				return true
			}
		}
	}
	return false
}

// pairClosures closes pivots of pairs.
func pairClosures(b *tracking, shapes []shape) {
	try(b.bench, entry.Paired, shapes, graphPatternsOf, 128, 1, func(c *bench, v entry.Variant, s shape, g graphPattern) { b.on(c).closure(v, s, g) })
}

// closure closes a pivot of arcs, with and without predecessors.
func (b *tracking) closure(v entry.Variant, s shape, g graphPattern) {
	n := s.m * s.t
	arcs := b.graph(v, n, g)
	plain := b.newArena(v, s.t, s.m*s.m)
	plain.setSquare(s.m, arcs)
	plain.upload()
	b.done(b.stream.Closure(v, s.t, plain.tiles(0, s.m*s.m)))
	want := plain.square(s.m)

	a := b.pairTiles(v, s.t, s.m*s.m)
	place := func(i, j int) int { return a.places[i/s.t*s.m+j/s.t] + i%s.t*s.t + j%s.t }
	for at, w := range arcs {
		i, j := at/n, at%n
		x := pairEntry{d: w, p: int32(i)}
		if i == j || w == v.Unreachable() {
			x.p = entry.NoVertex
		}
		a.want[place(i, j)] = x
	}
	a.upload()
	b.must(b.tracker.Closure(v, s.t, a.tiles(0, s.m*s.m)))
	got := a.download()
	for at, d := range want {
		i, j := at/n, at%n
		x := got[place(i, j)]
		if x.rest != 0 {
			b.Fatalf("entry (%d,%d) ends in %#x", i, j, x.rest)
		}
		if x.d != d && !b.tight(v, g, n, d, 0, x.d) {
			b.Fatalf("entry (%d,%d): %s, %s without predecessors", i, j, show(v, x.d), show(v, d))
		}
		if none := i == j || d == v.Unreachable(); none != (x.p == entry.NoVertex) || x.p >= int32(n) {
			b.Fatalf("entry (%d,%d) = %s has predecessor %d", i, j, show(v, x.d), x.p)
		} else if !none && !b.tight(v, g, n, want[i*n+int(x.p)], arcs[int(x.p)*n+j], d) {
			b.Fatalf("entry (%d,%d) = %s: predecessor %d at %s, arc %s", i, j, show(v, d), x.p,
				show(v, want[i*n+int(x.p)]), show(v, arcs[int(x.p)*n+j]))
		}
		a.want[place(i, j)] = x
	}
	for at := range got {
		if got[at] != a.want[at] {
			b.Fatalf("entry %d of the buffer, outside of the tiles, became %v", at, got[at])
		}
	}
}

// tight reports whether a distance and an arc make another distance, within rounding where the graph has any.
func (b *tracking) tight(v entry.Variant, g graphPattern, n int, before, arc, d uint64) bool {
	if v.Float() && !g.exact {
		x, w, y := v.Kind().Value(before), v.Kind().Value(arc), v.Kind().Value(d)
		return math.Abs(x+w-y) <= 2*float64(n)*y*epsilon(v)
	}
	return arc != v.Unreachable() && lower(v, v.Unreachable(), before, arc) == d
}

// pairPivots compares runs of pivots with Floyd–Warshall, step by step.
func pairPivots(b *tracking) {
	for _, v := range entry.Paired {
		for range draws(3) {
			m, edge := 1+b.IntN(2), 64*(1+b.IntN(2))
			n := m * edge
			a := b.pairTiles(v, edge, m*m)
			at := func(i, j int) *pairEntry { return &a.data(i/edge*m + j/edge)[i%edge*edge+j%edge] }
			for i, w := range b.arcsOfPivots(v, n) {
				x := pairEntry{d: w, p: int32(i / n)}
				if i/n == i%n || w == v.Unreachable() {
					x.p = entry.NoVertex
				}
				*at(i/n, i%n) = x
			}
			a.upload()
			lo := b.IntN(n)
			hi := lo + b.IntN(n-lo+1)
			b.must(b.ops.Pivots(b.tracker, v, edge, a.tiles(0, m*m), lo, hi))
			got := a.download()
			for k := lo; k < hi; k++ {
				for i := range n {
					for j := range n {
						if c := lower(v, at(i, j).d, at(i, k).d, at(k, j).d); c != at(i, j).d {
							*at(i, j) = pairEntry{d: c, p: at(k, j).p}
						}
					}
				}
			}
			for i := range got {
				if got[i] != a.want[i] {
					b.Fatalf("%s, %d tiles of %d, pivots %d…%d: entry %d of the buffer is %v, not %v", v, m*m, edge, lo, hi-1, i, got[i], a.want[i])
				}
			}
		}
	}
}

// badPairs wants errors where there is no room for pairs.
func badPairs(b *tracking) {
	const t = 64
	size := int64(t * t * entry.KindI32.PairBytes())
	buf := b.alloc(3 * size)
	tile := func(i int64) kernels.Tile { return kernels.Tile{Buf: buf, Off: i * size} }
	past := kernels.Tile{Buf: buf, Off: buf.Bytes() - size/2}
	product := func(c, x, y kernels.Tile, fresh bool, before kernels.Tile) func(s kernels.Stream) error {
		p := kernels.Product{C: c, A: []kernels.Tile{x}, B: []kernels.Tile{y}, Fresh: fresh, Before: before}
		return func(s kernels.Stream) error { return s.MinPlus(entry.I32, t, []kernels.Product{p}) }
	}
	none := kernels.Tile{}
	for name, operation := range map[string]func(s kernels.Stream) error{
		"A past the end":       product(tile(0), past, tile(1), false, none),
		"C past the end":       product(past, tile(0), tile(1), false, none),
		"C an operand":         product(tile(1), tile(0), tile(1), false, none),
		"fresh, not of before": product(tile(2), tile(0), tile(1), true, none),
		"no pairs of u16":      func(s kernels.Stream) error { return s.Closure(entry.U16, t, []kernels.Tile{tile(0)}) },
		"pivot past the end":   func(s kernels.Stream) error { return s.Closure(entry.I32, t, []kernels.Tile{past}) },
	} {
		b.refuses(name, b.ops.NewTrackingStream, operation)
	}
}
