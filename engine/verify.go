package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"ooc/engine/graph"
	"ooc/tiles"
)

// ErrWrong is wrapped by the error of a verification that found a distance that is not the graph's.
var ErrWrong = errors.New("wrong distance")

// Verification says what was looked at.
type Verification struct {
	Tiles   int     `json:"tiles"`   // whose checksums were compared
	Rows    int     `json:"rows"`    // that were compared with a search from their source
	Entries int64   `json:"entries"` // in those rows
	Method  string  `json:"method"`  // of the search
	Worst   float64 `json:"worst"`   // largest difference as a fraction of what rounding allows; 0 in i32
	Seed    uint64  `json:"seed"`    // that chose the rows
}

// Verify compares every tile with its checksum, and then the rows of the given number of random sources
// with Dijkstra's algorithm, or Bellman–Ford's where arcs are negative, on the stored graph: exactly in
// i32, within rounding in f32. It fails with tiles.ErrCorrupt or ErrWrong, naming a tile or an entry.
func (p *Problem) Verify(ctx context.Context, rows int, seed uint64) (Verification, error) {
	v := Verification{Rows: min(max(rows, 0), p.geom.N), Seed: seed, Method: "Dijkstra"}
	if p.meta.Negative {
		v.Method = "Bellman–Ford"
	}
	if err := p.Solved(); err != nil {
		return v, err
	}
	if err := p.verifySums(ctx, &v); err != nil {
		return v, err
	}
	if v.Rows == 0 {
		return v, nil
	}
	g, err := p.Graph()
	if err != nil {
		return v, err
	}
	err = p.verifyRows(ctx, g, &v)
	return v, err
}

func (p *Problem) verifySums(ctx context.Context, v *Verification) error {
	sums, err := p.store.Sums()
	if errors.Is(err, fs.ErrNotExist) { // the solve was killed after its last checkpoint
		return fmt.Errorf("%s has no checksums: it is %w to the last step", p.Dir(), ErrUnsolved)
	} else if err != nil {
		return err
	}
	side := p.geom.Side()
	return parallel(ctx, len(sums), func() func(t int) error {
		return func(t int) error {
			got, err := p.store.TileSum(t/side, t%side)
			if err == nil && got != sums[t] {
				err = fmt.Errorf("%s/dist.npy: tile (%d,%d): %w: its checksum is %08x, it was solved with %08x; solve again with --restart",
					p.Dir(), t/side, t%side, tiles.ErrCorrupt, got, sums[t])
			}
			return err
		}
	}, func() { v.Tiles++ })
}

func (p *Problem) verifyRows(ctx context.Context, g *graph.Graph, v *Verification) error {
	sources := rand.New(rand.NewPCG(v.Seed, 0)).Perm(p.geom.N)[:v.Rows]
	var mu sync.Mutex
	v.Entries = int64(v.Rows) * int64(p.geom.N)
	return parallel(ctx, len(sources), func() func(int) error {
		c := newComparison(p, g)
		return func(i int) error {
			worst, err := c.row(sources[i])
			mu.Lock()
			defer mu.Unlock()
			v.Worst = max(v.Worst, worst)
			return err
		}
	}, func() {})
}

// parallel runs do(0…n-1) on as many goroutines as there are processors, each with its own do from make,
// until the first error; done is called after each success, one call at a time.
func parallel(ctx context.Context, n int, make func() func(int) error, done func()) error {
	g, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	var mu sync.Mutex
	for range min(n, runtime.GOMAXPROCS(0)) {
		g.Go(func() error {
			do := make()
			for i := int(next.Add(1) - 1); i < n; i = int(next.Add(1) - 1) {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				if err := do(i); err != nil {
					return err
				}
				mu.Lock()
				done()
				mu.Unlock()
			}
			return nil
		})
	}
	return g.Wait()
}

// comparison is one goroutine's scratch for comparing rows.
type comparison struct {
	p      *Problem
	g      *graph.Graph
	search *graph.Search
	raw    []byte
	hops   []int32   // arcs on the reference path; -1: not known yet
	sum    []float64 // of the magnitudes of their weights
	path   []int32
}

func newComparison(p *Problem, g *graph.Graph) *comparison {
	n := p.geom.N
	return &comparison{p: p, g: g, search: graph.NewSearch(g), raw: entries(n), hops: make([]int32, n), sum: make([]float64, n)}
}

// row compares row u, and returns the largest difference as a fraction of what is allowed.
func (c *comparison) row(u int) (worst float64, err error) {
	want := c.search.From(u)
	if err := c.p.store.ReadRow(c.raw, u); err != nil {
		return 0, err
	}
	if c.p.meta.Kind == tiles.F32 {
		c.measurePaths(u)
	}
	for v, bits := range words32(c.raw) {
		got, ref := c.stored(bits), want[v]
		if got == ref {
			continue
		}
		allowed := 0.0
		if c.p.meta.Kind == tiles.F32 && !math.IsInf(got-ref, 0) && got == got {
			allowed = roundingSlack * (1 + float64(c.hops[v])) * (c.sum[v] + math.SmallestNonzeroFloat32)
		}
		if diff := math.Abs(got - ref); !(diff <= allowed) {
			t := c.p.geom.T
			return 0, fmt.Errorf("%s/dist.npy: tile (%d,%d), from %s to %s: %w: %v stored, %v by search (units of the matrix); solve again with --restart",
				c.p.Dir(), u/t, v/t, c.g.Name(u), c.g.Name(v), ErrWrong, got, ref)
		} else if allowed > 0 {
			worst = max(worst, diff/allowed)
		}
	}
	return worst, nil
}

// roundingSlack is what one float32 addition may lose in proportion to the path's length, 2⁻²⁴, four
// times over: the solve may have added another path of almost the same length, with more arcs.
const roundingSlack = 4.0 / (1 << 24)

// stored returns an entry in stored units, unreachable as +Inf.
func (c *comparison) stored(bits uint32) float64 {
	return c.p.distance(bits) * float64(c.p.meta.Scale)
}

// measurePaths sets hops and sum for the tree of the last search, whose source is u.
func (c *comparison) measurePaths(u int) {
	pred := c.search.Pred()
	for v := range c.hops {
		c.hops[v] = -1
	}
	c.hops[u], c.sum[u] = 0, 0
	for v := range pred {
		c.path = c.path[:0]
		x := int32(v)
		for c.hops[x] < 0 && pred[x] >= 0 {
			c.path = append(c.path, x)
			x = pred[x]
		}
		if c.hops[x] < 0 {
			continue // unreachable
		}
		for i := len(c.path) - 1; i >= 0; i-- {
			y := c.path[i]
			w := c.g.Weight(c.g.Find(int(pred[y]), int(y)))
			c.hops[y], c.sum[y] = c.hops[pred[y]]+1, c.sum[pred[y]]+math.Abs(w)
		}
	}
}
