package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"ooc/kernels"
	"ooc/tiles"
)

// ErrWrong is wrapped by the error of a verification that found a distance that is not the graph's.
var ErrWrong = errors.New("wrong distance")

// Verification says what was looked at.
type Verification struct {
	Tiles   int     `json:"tiles"`   // whose checksums were compared
	Rows    int     `json:"rows"`    // that were compared with a search from their source
	Columns int     `json:"columns"` // that were compared with a search to their target, instead of rows
	Entries int64   `json:"entries"` // in those rows or columns
	Method  string  `json:"method"`  // of the search
	Missing string  `json:"missing"` // why no row was compared, though asked for: the input is not there; else ""
	Trees   int     `json:"trees"`   // rows whose predecessors were checked: as many, where there are any
	Worst   float64 `json:"worst"`   // largest difference as a fraction of what rounding allows; 0 in i32
	Seed    uint64  `json:"seed"`    // that chose the rows

	RowsWrong      float64 `json:"rows_wrong"`      // the fraction of all rows, or columns, that may at most hold a wrong entry, with 99 % confidence
	Triangles      int     `json:"triangles"`       // strips of tiles of which no entry is longer than a way over another vertex
	TriangleSums   int64   `json:"triangle_sums"`   // sums of two entries that were compared with a third there
	TrianglesWrong float64 `json:"triangles_wrong"` // the fraction of all such strips that may at most be otherwise, with 99 % confidence
}

// Verify compares every tile with its checksum, and then the rows of the given number of random sources
// with Dijkstra's algorithm, or another one where arcs are negative, on the stored graph: exactly in
// i32, within rounding in f32. It fails with tiles.ErrCorrupt or ErrWrong, naming a tile or an entry. Where
// the graph was a matrix, that must still be there, or Missing says why not; one in Fortran order is compared
// by column. Such a store has no arcs to prove all of it with, so as many random triangles of tiles are looked at too.
// Predecessors, where the store keeps them, are checked for the same sources.
func (p *Problem) Verify(ctx context.Context, rows int, seed uint64) (Verification, error) {
	v := Verification{Seed: seed}
	if err := p.Solved(); err != nil {
		return v, err
	}
	if err := p.verifySums(ctx, &v); err != nil {
		return v, err
	}
	rows = min(max(rows, 0), p.geom.RowCount())
	if rows == 0 {
		return v, nil
	}
	if err := p.compareRows(ctx, rows, &v); err != nil {
		return v, err
	}
	if p.meta.Dense && p.variant() != kernels.F32Signed { // where partial sums cancel, rounding has no useful bound
		return v, p.verifyTriangles(ctx, rows, &v)
	}
	return v, nil
}

// compareRows compares random rows, and their predecessors if there are any, with the input.
func (p *Problem) compareRows(ctx context.Context, rows int, v *Verification) error {
	newJudge, err := p.judges(v)
	if errors.Is(err, ErrInput) {
		v.Missing = err.Error()
		return nil
	}
	if err != nil {
		return err
	}
	v.Rows, v.Entries, v.RowsWrong = rows, int64(rows)*int64(p.geom.N), atMostWrong(rows, p.geom.RowCount())
	if p.byColumn() {
		v.Rows, v.Columns = 0, rows
	}
	sources := rand.New(rand.NewPCG(v.Seed, 0)).Perm(p.geom.RowCount())[:rows]
	if err := p.verifyRows(ctx, newJudge, sources, v); err != nil || !p.meta.Predecessors {
		return err
	}
	v.Trees = rows
	return p.verifyTrees(ctx, sources)
}

func (p *Problem) verifySums(ctx context.Context, v *Verification) error {
	sums, err := p.sums()
	if err != nil {
		return err
	}
	side := p.geom.Side()
	return parallel(ctx, len(sums), func() func(t int) error {
		return func(t int) error {
			got, err := p.store.TileSum(t/side, t%side)
			if err == nil && got != sums[t] {
				err = fmt.Errorf("%s/dist.npy: %w: %w; solve again with --restart", p.Dir(), tiles.ErrCorrupt, sumError(t/side, t%side, got, sums[t]))
			}
			return err
		}
	}, func() { v.Tiles++ })
}

func (p *Problem) verifyRows(ctx context.Context, newJudge func() judge, sources []int, v *Verification) error {
	var mu sync.Mutex
	return parallel(ctx, len(sources), func() func(int) error {
		c := &comparison{kind: p.meta.Kind, judge: newJudge(), read: p.rowReader(), got: make([]float64, p.geom.N)}
		return func(i int) error {
			wrong, worst, err := c.row(sources[i], p.meta.Sources.Vertex(sources[i]))
			if err == nil && wrong != nil {
				err = p.wrong(sources[i], *wrong)
			}
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
	kind  tiles.Kind
	judge judge
	read  rowReader
	got   []float64
}

// difference is an entry of a row that is not what a search found, both in stored units.
type difference struct {
	at        int
	got, want float64
}

// row compares a row with a search from its vertex. It returns the first entry that differs, or nil and the
// largest difference as a fraction of what is allowed.
func (c *comparison) row(row, vertex int) (wrong *difference, worst float64, err error) {
	if err := c.read(c.got, row); err != nil {
		return nil, 0, err
	}
	want, err := c.judge.from(vertex)
	if err != nil {
		return nil, 0, err
	}
	for v, got := range c.got {
		ref := want[v]
		if got == ref {
			continue
		}
		allowed := 0.0
		if c.kind == tiles.F32 && !math.IsInf(got-ref, 0) && got == got {
			arcs, magnitude := c.judge.path(v)
			allowed = allowedRounding(arcs, magnitude)
		}
		if diff := math.Abs(got - ref); !(diff <= allowed) {
			return &difference{at: v, got: got, want: ref}, 0, nil
		} else if allowed > 0 {
			worst = max(worst, diff/allowed)
		}
	}
	return nil, worst, nil
}

// rowReader returns what reads rows, or columns if judges go by columns, for one goroutine.
func (p *Problem) rowReader() rowReader {
	read, raw := p.store.ReadRow, entries(p.geom.N)
	if p.byColumn() {
		read = p.store.ReadCol
	}
	return func(dst []float64, row int) error {
		if err := read(raw, row); err != nil {
			return err
		}
		for v, bits := range words32(raw) {
			dst[v] = storedValue(p.meta.Kind, bits)
		}
		return nil
	}
}

// wrong says which entry of the store is wrong.
func (p *Problem) wrong(row int, d difference) error {
	u, v := row, d.at
	if p.byColumn() {
		u, v = v, u
	}
	ids, err := p.IDs()
	if err != nil {
		return err
	}
	t, scale := p.geom.T, float64(p.meta.Scale)
	return fmt.Errorf("%s/dist.npy: tile (%d,%d), from %s to %s: %w: %v stored, %v by search; solve again with --restart",
		p.Dir(), u/t, v/t, ids.Name(p.meta.Sources.Vertex(u)), ids.Name(v), ErrWrong, d.got/scale, d.want/scale)
}

// roundingSlack is what one float32 addition may lose in proportion to the path's length, 2⁻²⁴, four
// times over: the solve may have added another path of almost the same length, with more arcs.
const roundingSlack = 4.0 / (1 << 24)

// allowedRounding is how far an f32 distance may be from the length of a path with so many arcs, whose weights add
// up to magnitude without their signs: what docs/promises.md says.
func allowedRounding(arcs int, magnitude float64) float64 {
	return roundingSlack * (1 + float64(arcs)) * (magnitude + math.SmallestNonzeroFloat32)
}

// storedValue returns an entry in stored units, unreachable as +Inf. It is not distance times the scale: that
// rounds twice.
func storedValue(kind tiles.Kind, bits uint32) float64 {
	if kind == tiles.F32 {
		return float64(math.Float32frombits(bits))
	}
	if int32(bits) == kernels.Inf32 {
		return math.Inf(1)
	}
	return float64(int32(bits))
}
