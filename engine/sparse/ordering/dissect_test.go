package ordering

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"ooc/engine/graph"
	"ooc/engine/graph/gen"
	"ooc/engine/internal/seeds"
	"ooc/engine/sparse/internal/sparsetest"
)

// symmetric returns the pattern of a graph.
func symmetric(g *graph.Graph) *Pattern {
	return (&Pattern{g.Offsets, g.Targets}).Symmetric()
}

func mustDissect(t *testing.T, g *graph.Graph) []int32 {
	t.Helper()
	order, err := Dissect(t.Context(), symmetric(g))
	if err != nil {
		t.Fatal(err)
	}
	return order
}

// TestNoThinSeparator: graphs whose separators are thick are not dissected.
func TestNoThinSeparator(t *testing.T) {
	for name, g := range map[string]*graph.Graph{
		"random": sparsetest.Generated(t, "random", gen.Options{N: 7000, M: 50000, Seed: 1}),
		"rmat":   sparsetest.Generated(t, "rmat", gen.Options{N: 32768, M: 60000, Seed: 1}),
	} {
		if order := mustDissect(t, g); order != nil {
			t.Errorf("%s: dissected", name)
		}
	}
}

// TestInterruptedDissection ends the context before the first search, and after some.
func TestInterruptedDissection(t *testing.T) {
	p := symmetric(sparsetest.Generated(t, "road", gen.Options{N: 20000, Seed: 1}))
	cause := errors.New("stop")
	ended := 0
	for _, after := range []int{0, 1, 5, 20, 100} {
		ctx := &countdown{left: after, cause: cause}
		ctx.Context, ctx.cancel = context.WithCancelCause(t.Context())
		order, err := Dissect(ctx, p)
		if err != nil {
			ended++
		}
		if (order == nil) != (err != nil) || err != nil && !errors.Is(err, cause) {
			t.Errorf("after %d looks at the context: %d vertices, %v", after, len(order), err)
		}
	}
	if ended < 4 {
		t.Errorf("only %d of 5 dissections ended early", ended)
	}
}

// countdown is a context that ends after it was asked for its error some times.
type countdown struct {
	context.Context
	mu     sync.Mutex
	left   int
	cause  error
	cancel context.CancelCauseFunc
}

func (c *countdown) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left--; c.left < 0 {
		c.cancel(c.cause)
	}
	return c.Context.Err()
}

// TestDissectOnAnyProcessors: the order does not depend on the number of processors.
func TestDissectOnAnyProcessors(t *testing.T) {
	g := sparsetest.Generated(t, "road", gen.Options{N: 3 * forkVertices, Seed: 2})
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	want := mustDissect(t, g)
	if want == nil {
		t.Fatal("not dissected")
	}
	for _, processors := range []int{2, 5} {
		runtime.GOMAXPROCS(processors)
		if !slices.Equal(mustDissect(t, g), want) {
			t.Errorf("on %d processors the order is another", processors)
		}
	}
}

// TestSmallestSeparator compares separators with the number of paths that share no vertex, found one by one.
func TestSmallestSeparator(t *testing.T) {
	r := seeds.New(t)
	cuts := 0
	for range 300 {
		g := randomRegion(r)
		n := g.n()
		index, band := make([]int32, n), []int32(nil)
		for v := range index {
			switch v * 5 / n {
			case 0:
				index[v] = atSource
			case 4:
				index[v] = atSink
			default:
				index[v] = int32(len(band))
				band = append(band, int32(v))
			}
		}
		f := &flow{r: g, band: band, index: index}
		want, separable := disjointPaths(g, index)
		side := f.cut(t.Context(), n)
		if (side != nil) != separable {
			t.Fatalf("region %v: a separator is found: %v", g, side != nil)
		}
		if side == nil {
			continue
		}
		cuts++
		got := 0
		for v, s := range side {
			if s == between {
				got++
			}
			if index[v] == atSource && s != left || index[v] == atSink && s != right {
				t.Fatalf("vertex %d is on side %d", v, s)
			}
			for _, u := range g.row(int32(v)) {
				if s == left && side[u] == right {
					t.Fatalf("an arc between %d and %d passes the separator", v, u)
				}
			}
		}
		if got != want {
			t.Fatalf("a separator of %d vertices, there is one of %d", got, want)
		}
		if want > 0 && f.cut(t.Context(), want-1) != nil {
			t.Fatalf("a separator of %d vertices where at most %d were asked for", want, want-1)
		}
	}
	if cuts < 50 {
		t.Fatalf("only %d regions had a separator", cuts)
	}
}

// randomRegion has arcs between vertices whose numbers are near each other.
func randomRegion(r *rand.Rand) *region {
	n := 10 + r.IntN(60)
	reach := 2 + r.IntN(n/5+2)
	rows := make([][]int32, n)
	for range n * (1 + r.IntN(4)) {
		u := r.IntN(n)
		v := min(n-1, u+1+r.IntN(reach))
		if u != v && !slices.Contains(rows[u], int32(v)) {
			rows[u], rows[v] = append(rows[u], int32(v)), append(rows[v], int32(u))
		}
	}
	g := &region{vertices: make([]int32, n), start: []int32{0}}
	for v, row := range rows {
		g.vertices[v] = int32(v)
		g.adj = append(g.adj, row...)
		g.start = append(g.start, int32(len(g.adj)))
	}
	return g
}

// disjointPaths counts paths from source to sink that share no vertex of the band, by one search for each. There is
// no separator if an arc joins the two sides.
func disjointPaths(g *region, index []int32) (count int, separable bool) {
	n := g.n()
	room := map[[2]int]int{} // between states: entrance 2v, exit 2v+1, source 2n, sink 2n+1
	next := make([][]int, 2*n+2)
	join := func(a, b, most int) {
		room[[2]int{a, b}] += most
		next[a], next[b] = append(next[a], b), append(next[b], a)
	}
	for v := range n {
		if index[v] >= 0 {
			join(2*v, 2*v+1, 1)
		}
		for _, u := range g.row(int32(v)) {
			switch {
			case index[v] == atSource && index[u] == atSink:
				return 0, false
			case index[v] == atSource && index[u] >= 0:
				join(2*n, 2*int(u), n)
			case index[v] >= 0 && index[u] == atSink:
				join(2*v+1, 2*n+1, n)
			case index[v] >= 0 && index[u] >= 0:
				join(2*v+1, 2*int(u), n)
			}
		}
	}
	for {
		from, queue := map[int]int{2 * n: -1}, []int{2 * n}
		for i := 0; i < len(queue); i++ {
			for _, b := range next[queue[i]] {
				if _, seen := from[b]; !seen && room[[2]int{queue[i], b}] > 0 {
					from[b], queue = queue[i], append(queue, b)
				}
			}
		}
		if _, found := from[2*n+1]; !found {
			return count, true
		}
		count++
		for b := 2*n + 1; from[b] >= 0; b = from[b] {
			room[[2]int{from[b], b}]--
			room[[2]int{b, from[b]}]++
		}
	}
}

// TestSeparateCoarsely: a separator that is looked for in a coarser region separates, and has few vertices more than
// one of the region.
func TestSeparateCoarsely(t *testing.T) {
	seed := seeds.New(t).Uint64()
	for kind, o := range map[string]gen.Options{"road": {N: 20000, Seed: seed}, "grid": {N: 20000, Undirected: true},
		"ring": {N: 9000}} {
		p := symmetric(sparsetest.Generated(t, kind, o))
		g := &region{vertices: make([]int32, p.n()), start: make([]int32, p.n()+1), adj: p.Adj}
		for v := range p.n() {
			g.vertices[v], g.start[v+1] = int32(v), int32(p.Start[v+1])
		}
		size := func(side []int32) (sizes [3]int) {
			for v, s := range side {
				sizes[1+s]++
				for _, u := range g.row(int32(v)) {
					if s == left && side[u] == right {
						t.Fatalf("%s: an arc between %d and %d passes the separator", kind, v, u)
					}
				}
			}
			return sizes
		}
		side, order := g.separateCoarsely(t.Context())
		got := size(side)
		if len(order) != g.n() || 4*min(got[1+left], got[1+right]) < g.n() {
			t.Errorf("%s: %d vertices in order, and between, left and right %v", kind, len(order), got)
		}
		b := newSearcher(t.Context(), g)
		if !b.main() {
			t.Fatalf("%s: no component has nearly all vertices", kind)
		}
		side, _ = g.separate(b)
		if want := size(side); got[1+between] > want[1+between]*3/2+2 {
			t.Errorf("%s: a separator of %d vertices, and without a coarser region one of %d", kind, got[1+between],
				want[1+between])
		}
	}
}
