package conformance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"ooc/kernels/entry"
)

// graphPattern is a kind of input of closures: no cycle in them is negative.
type graphPattern struct {
	named
	signed bool // wants negative arcs
	exact  bool // all distances are exact in float32
	// weights returns the arc of each pair of vertices; an absent arc is +Inf.
	weights func(r *rand.Rand, n int) func(u, v int) float64
}

var graphPatterns = []graphPattern{
	{"dense", false, true, each(func(r *rand.Rand, _ int) float64 { return float64(r.IntN(1000)) })},
	{"sparse", false, true, sparse(3, 0)},
	{"disconnected", false, true, sparse(0.7, 0)},
	{"zero weights", false, true, each(func(r *rand.Rand, _ int) float64 { return float64(r.IntN(100) / 99) })},
	{"empty", false, true, each(func(*rand.Rand, int) float64 { return math.Inf(1) })},
	{"cycle", false, true, cycle(func(int) int { return 3 })},
	// Lengths that pass what 16 bits hold.
	{"long cycle", false, true, cycle(func(u int) int { return 6000 * (1 + u%5) })},
	{"signed sparse", true, true, sparse(3, 1<<12)},
	// Cut into pieces that do not reach each other, with arcs far below zero: sums with the sentinel
	// drift unless each step resets them.
	{"signed disconnected", true, true, sparse(0.9, 1<<12)},
	rounding,
}

// rounding are graphs in which sums are rounded.
var rounding = graphPattern{"rounding", false, false, each(func(r *rand.Rand, n int) float64 {
	if r.IntN(n) < 4 {
		return r.Float64()*100 + 1
	}
	return math.Inf(1)
})}

// each draws the weight of each pair without regard to others.
func each(weight func(r *rand.Rand, n int) float64) func(r *rand.Rand, n int) func(u, v int) float64 {
	return func(r *rand.Rand, n int) func(u, v int) float64 {
		return func(_, _ int) float64 { return weight(r, n) }
	}
}

// cycle is one through all vertices in random order: paths of n-1 arcs.
func cycle(length func(u int) int) func(r *rand.Rand, n int) func(u, v int) float64 {
	return func(r *rand.Rand, n int) func(u, v int) float64 {
		place := r.Perm(n)
		return func(u, v int) float64 {
			if place[v] == (place[u]+1)%n {
				return float64(length(u))
			}
			return math.Inf(1)
		}
	}
}

// graphPatternsOf returns the patterns that suit a variant.
func graphPatternsOf(v entry.Variant) (all []graphPattern) {
	for _, g := range graphPatterns {
		if (v.Signed() || !g.signed) && (v.Float() || g.exact) {
			all = append(all, g)
		}
	}
	return all
}

// sparse returns random arcs, some per vertex, of weights 0…999 shifted by potentials of up to range: w(u,v)
// = w₀ + p(u) − p(v) keeps every cycle's length, so that none is negative (Johnson 1977).
func sparse(arcs float64, potential int) func(r *rand.Rand, n int) func(u, v int) float64 {
	return func(r *rand.Rand, n int) func(u, v int) float64 {
		p := make([]float64, n)
		for i := range p {
			p[i] = float64(r.IntN(2*potential+1) - potential)
		}
		return func(u, v int) float64 {
			if r.Float64()*float64(n) >= arcs {
				return math.Inf(1)
			}
			return float64(r.IntN(1000)) + p[u] - p[v]
		}
	}
}

// The edges of tiles and tiles in a row of pivots.
var (
	smallPivots = []shape{{64, 1}, {64, 2}, {128, 1}, {64, 5}, {192, 1}, {128, 2}}
	largePivots = []shape{{320, 1}, {192, 2}, {128, 4}, {576, 1}}

	smallAgain = []shape{{64, 1}, {64, 3}, {192, 1}, {128, 2}, {320, 1}}
	largeAgain = []shape{{320, 1}, {128, 3}, {256, 4}}
)

// closure closes pivots.
func closure(b *bench, shapes []shape) {
	try(b, entry.Variants, shapes, graphPatternsOf, 191, 3, (*bench).oneClosure)
}

// oneClosure closes one pivot and judges every byte of the buffer it is in. With predecessors, each is the last vertex
// but one of a shortest path.
func (b *bench) oneClosure(v entry.Variant, s shape, g graphPattern) {
	n := s.m * s.t
	d := b.graph(v, n, g)
	a, got := b.closed(v, s, d)
	want := refClosure(v, n, d)
	for at := range want {
		i, j, x := at/n, at%n, got[at*a.wide]
		if !matches(v, x, want[at], g, n) {
			b.Fatalf("entry (%d,%d): got %s, want %g", i, j, show(v, x), want[at])
		}
		if !b.pairs {
			continue
		}
		p := int(got[at*a.wide+1])
		if none := i == j || x == v.Unreachable(); none != (p == noPair) || !none && p >= n {
			b.Fatalf("entry (%d,%d) = %s has predecessor %d", i, j, show(v, x), p)
		} else if !none && !tight(v, g, n, got[(i*n+p)*a.wide], d[p*n+j], x) {
			b.Fatalf("entry (%d,%d) = %s: predecessor %d at %s, arc %s", i, j, show(v, x), p,
				show(v, got[(i*n+p)*a.wide]), show(v, d[p*n+j]))
		}
	}
	a.setSquare(s.m, got)
	a.check(v) // nothing outside the tiles changed
}

// closed closes a matrix.
func (b *bench) closed(v entry.Variant, s shape, d matrix) (a *arena, got matrix) {
	b.Helper()
	a = b.newArena(v, s.t, s.m*s.m)
	a.setSquare(s.m, a.ofArcs(v, s.t*s.m, d))
	a.upload()
	b.done(b.stream.Closure(v, s.t, a.tiles(0, s.m*s.m)))
	return a, a.square(s.m)
}

// graph returns the matrix of a random graph. Some vertices are isolated, as padding is.
func (b *bench) graph(v entry.Variant, n int, g graphPattern) matrix {
	isolated := make([]bool, n)
	for range b.IntN(4) * n / 16 {
		isolated[b.IntN(n)] = true
	}
	for i := n - b.IntN(n/2); i < n; i++ {
		isolated[i] = isolated[i] || b.IntN(2) == 0
	}
	weight, d := g.weights(b.Rand, n), make(matrix, n*n)
	for i := range d {
		from, to := i/n, i%n
		w := weight(from, to)
		switch {
		case from == to:
			// The empty walk is shorter than any loop: whatever stands here counts as 0.
			d[i] = pick(b.Rand, 0, 0, 0, v.Unreachable(), 1)
		case math.IsInf(w, 1) || isolated[from] || isolated[to]:
			d[i] = v.Unreachable()
		default:
			d[i] = v.Kind().Bits(w)
		}
	}
	return d
}

// matches compares an entry with the judge's: bit by bit, or within the rounding of the additions of a
// path, of which there are fewer than n.
func matches(v entry.Variant, got uint64, want float64, g graphPattern, n int) bool {
	if math.IsInf(want, 1) || g.exact || !v.Float() {
		return got == encode(v, want)
	}
	return math.Abs(v.Kind().Value(got)-want) <= float64(n)*want*v.Kind().RoundingSlack()/4
}

// setSquare sets tiles 0 … m²-1, row-major, to the matrix d.
func (a *arena) setSquare(m int, d matrix) {
	row := a.t * a.wide
	for i := range m * a.t {
		for j := range m {
			copy(a.data(i/a.t*m + j)[i%a.t*row:][:row], d[(i*m+j)*row:])
		}
	}
}

// square reads tiles 0 … m²-1 from the device as one matrix.
func (a *arena) square(m int) matrix {
	row, d := a.t*a.wide, make(matrix, m*m*a.area())
	for k := range m * m {
		got := a.downloadAs(a.tile(k), a.area(), a.size)
		for i := range a.t {
			copy(d[((k/m*a.t+i)*m+k%m)*row:][:row], got[i*row:])
		}
	}
	return d
}

// closureAgain wants the same bits each time: results of floats must not depend on who comes first. The closure of a
// symmetric block is symmetric.
func closureAgain(b *bench, shapes []shape) {
	for _, v := range entry.Variants {
		for _, s := range slices.DeleteFunc(slices.Clone(shapes), func(s shape) bool { return b.skips(s.t * s.m) }) {
			n := s.t * s.m
			d, what := b.graph(v, n, rounding), fmt.Sprintf(" closure, T=%d m=%d", s.t, s.m)
			symmetric := func(d matrix) matrix { // the lower half becomes the upper
				d = slices.Clone(d)
				for at := range d {
					if i, j := at/n, at%n; j < i && !v.Signed() { // a symmetric negative arc is a negative cycle
						d[at] = d[j*n+i]
					}
				}
				return d
			}
			d = symmetric(d)
			_, first := b.closed(v, s, d)
			b.same(v, "symmetric"+what, first, symmetric(first))
			for range 2 {
				_, got := b.closed(v, s, d)
				b.same(v, "repeated"+what, got, first)
			}
		}
	}
}
