package prove

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"ooc/engine"
	"ooc/engine/internal/parallel"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// triangleRows is how many rows of a tile are taken at a time.
const triangleRows = 64

// triangle is rows first… of tile (i,j), which are compared with tiles (i,k) and (k,j).
type triangle struct{ i, first, k, j int }

// verifyTriangles takes random strips of rows of random tiles (i,j), and for each a random k. Every entry must be at
// most every sum of an entry of tile (i,k) and one of tile (k,j): no distance is longer than a path over another
// vertex. This also finds entries that are too small, since their sums then undercut others. In i32 it is exact; in
// f32 it allows what rounding can add up to on the longest possible path. It needs no input.
func verifyTriangles(ctx context.Context, p *engine.Problem, count int, v *sampling) error {
	g := p.Geometry()
	strips := entry.CeilDiv(g.N, triangleRows)
	all := strips * g.Side() * g.Side()
	list := sampled(rand.New(rand.NewPCG(v.Seed, 1)), count, all)
	var mu sync.Mutex
	err := parallel.Do(ctx, len(list), func() func(int) error {
		c := newTriangles(p)
		return func(at int) error {
			strip, k, j := list[at]/g.Side()/g.Side(), list[at]/g.Side()%g.Side(), list[at]%g.Side()
			sums, err := c.check(triangle{strip * triangleRows / g.T, strip * triangleRows % g.T, k, j})
			mu.Lock()
			defer mu.Unlock()
			v.TriangleSums += sums
			return err
		}
	}, func() { v.Triangles++ })
	bound := atMostWrong(len(list), all)
	v.StripsBound = &bound
	return err
}

// sampled returns count different numbers below n, or all of them.
func sampled(r *rand.Rand, count, n int) []int {
	if count >= n {
		return r.Perm(n)
	}
	seen, list := make(map[int]bool, count), make([]int, 0, count)
	for len(list) < count {
		if x := r.IntN(n); !seen[x] {
			seen[x], list = true, append(list, x)
		}
	}
	return list
}

// confidence is how sure a sample's statement is.
const confidence = 0.99

// atMostWrong returns the fraction of n things that may at most be wrong, with confidence, when a sample of them
// without replacement was right.
func atMostWrong(sample, n int) float64 {
	wrong, missed := 0, 1.0 // the probability that the sample misses so many
	for ; wrong < n; wrong++ {
		if missed *= 1 - float64(sample)/float64(n-wrong); missed < 1-confidence {
			break
		}
	}
	return float64(wrong) / float64(n)
}

// triangles is the scratch of one goroutine.
type triangles struct {
	p          *engine.Problem
	kind       entry.Kind // of what is read
	c, a, b    []byte
	vc, va, vb []float64
	slack      float64
}

func newTriangles(p *engine.Problem) *triangles {
	t := p.Geometry().T
	kind := p.Meta().Kind.Wide()
	return &triangles{p: p, kind: kind, c: kind.Make(triangleRows * t), a: kind.Make(triangleRows * t),
		b:  kind.Make(t * t),
		vc: make([]float64, t), va: make([]float64, t), vb: make([]float64, t*t),
		slack: kind.AllowedRounding(p.Geometry().N, 1)}
}

// check compares one strip, and returns how many sums there were.
func (x *triangles) check(s triangle) (sums int64, err error) {
	t := x.p.Geometry().T
	if err := x.p.Store().Unchecked().ReadEntries(x.c, s.i, s.j, s.first*t); err != nil {
		return 0, err
	}
	if err := x.p.Store().Unchecked().ReadEntries(x.a, s.i, s.k, s.first*t); err != nil {
		return 0, err
	}
	if err := x.p.Store().Unchecked().ReadEntries(x.b, s.k, s.j, 0); err != nil {
		return 0, err
	}
	x.kind.Values(x.vb, x.b)
	row := t * x.kind.Bytes()
	for r := range triangleRows {
		x.kind.Values(x.vc, x.c[r*row:][:row])
		x.kind.Values(x.va, x.a[r*row:][:row])
		for k, a := range x.va {
			if math.IsInf(a, 1) {
				continue
			}
			sums += int64(t)
			row := x.vb[k*t:][:len(x.vc)]
			for m, c := range x.vc {
				if sum := a + row[m]; !(c <= sum) && !x.rounded(c, a, row[m]) {
					return sums, x.broken(s, s.first+r, k, m, c, a, row[m])
				}
			}
		}
	}
	return sums, nil
}

// rounded reports whether c may miss a+b by rounding.
func (x *triangles) rounded(c, a, b float64) bool {
	return c-(a+b) <= x.slack*(math.Abs(a)+math.Abs(b)) // false where c is no number, or infinite
}

func (x *triangles) broken(s triangle, r, k, m int, c, a, b float64) error {
	p, t := x.p, x.p.Geometry().T
	ids, err := p.IDs()
	if err != nil {
		return err
	}
	from, over, to := s.i*t+r, s.k*t+k, s.j*t+m
	name := func(v int) string {
		if v >= p.Geometry().N {
			return "padding"
		}
		return ids.Name(v)
	}
	scale, number := float64(p.Meta().Scale), p.Numbers()
	tile := func(i, j int) string {
		i, j, _ = p.Geometry().Stored(i, j)
		return fmt.Sprintf("(%d,%d)", i, j)
	}
	return fmt.Errorf("%s/%s: tile %s, from %s to %s: %w: %s stored, but %s over %s, in tiles %s and %s; one of the "+
		"three is wrong: solve again with --restart",
		p.Dir(), tiles.MatrixName, tile(s.i, s.j), name(from), name(to), engine.ErrWrong, number.Text(c/scale),
		number.Text((a+b)/scale), name(over), tile(s.i, s.k), tile(s.k, s.j))
}
