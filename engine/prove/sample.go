package prove

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"ooc/engine"
	"ooc/engine/internal/parallel"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/disk"
)

// sampling says what was compared.
type sampling struct {
	Tiles   int     `json:"tiles"`   // whose checksums were compared
	Rows    int     `json:"rows"`    // that were compared with a search from their source
	Columns int     `json:"columns"` // that were compared with a search to their target, instead of rows
	Entries int64   `json:"entries"` // in those rows or columns
	Method  string  `json:"method"`  // of the search
	Missing string  `json:"missing"` // why no row was compared, though asked for: the input is not there; else ""
	Trees   int     `json:"trees"`   // rows whose predecessors were checked: as many, where there are any
	Worst   float64 `json:"worst"`   // largest difference as a fraction of what rounding allows; 0 in i32
	Seed    uint64  `json:"seed"`    // that chose the rows

	Confidence float64 `json:"confidence"` // of the two bounds below: 0.99
	// the fraction of all rows, or columns, that may at most hold a wrong entry; nil: none was compared
	RowsBound *float64 `json:"wrong_rows_fraction_at_most"`
	// strips of tiles of which no entry is longer than a way over another vertex
	Triangles int `json:"triangles"`
	// sums of two entries that were compared with a third there
	TriangleSums int64 `json:"triangle_sums"`
	// the fraction of all such strips that may at most be otherwise; nil: none was checked
	StripsBound *float64 `json:"wrong_strips_fraction_at_most"`
}

// Sample compares every tile with its checksum, and the stored graph and ids with theirs. Then it compares the rows
// of the given number of random sources with a search on the stored graph, by Dijkstra's algorithm, or another one if
// arcs are negative: exactly in i32, within rounding in f32. It fails with disk.ErrCorrupt or engine.ErrWrong,
// naming a tile or an entry. If the input was a matrix, the search needs the input; if that is missing, Missing says
// why no row was compared. A matrix in Fortran order is compared by column. Since such a store keeps no arcs for a
// full proof, as many random triangles of tiles are checked too. If the store keeps predecessors, they are checked
// for the same sources.
func Sample(ctx context.Context, p *engine.Problem, rows int, seed uint64) (sampling, error) {
	v := sampling{Seed: seed, Confidence: confidence}
	if err := p.Solved(); err != nil {
		return v, err
	}
	if err := verifySums(ctx, p, &v); err != nil {
		return v, err
	}
	rows = min(max(rows, 0), p.Geometry().RowCount())
	if rows == 0 {
		return v, nil
	}
	if err := compareRows(ctx, p, rows, &v); err != nil {
		return v, err
	}
	// Where partial sums cancel, rounding has no useful bound.
	if p.Meta().Dense && p.Meta().Variant() != entry.F32Signed {
		return v, verifyTriangles(ctx, p, rows, &v)
	}
	return v, nil
}

// compareRows compares random rows, and their predecessors if there are any, with the input.
func compareRows(ctx context.Context, p *engine.Problem, rows int, v *sampling) error {
	newJudge, err := judges(ctx, p, v)
	if errors.Is(err, engine.ErrInput) {
		v.Missing = err.Error()
		return nil
	}
	if err != nil {
		return err
	}
	bound := atMostWrong(rows, p.Geometry().RowCount())
	v.Rows, v.Entries, v.RowsBound = rows, int64(rows)*int64(p.Geometry().N), &bound
	if p.ByColumn() {
		v.Rows, v.Columns = 0, rows
	}
	sources := rand.New(rand.NewPCG(v.Seed, 0)).Perm(p.Geometry().RowCount())[:rows]
	if err := verifyRows(ctx, p, newJudge, sources, v); err != nil || !p.Meta().Predecessors {
		return err
	}
	v.Trees = rows
	return verifyTrees(ctx, p, sources)
}

// verifySums compares all that has a checksum.
func verifySums(ctx context.Context, p *engine.Problem, v *sampling) error {
	if err := p.Store().CheckInputs(); err != nil {
		return err
	}
	f, err := openFile(p)
	if err != nil {
		return err
	}
	if f != nil {
		err := parallel.Do(ctx, f.Blocks(), func() func(i int) error { return f.Check }, func() { v.Tiles++ })
		return errors.Join(err, f.Close())
	}
	sums, err := storedSums(p)
	if err != nil {
		return err
	}
	return parallel.Do(ctx, p.Geometry().Tiles(), func() func(t int) error {
		got := make([]uint32, p.Meta().SumsPerTile())
		return func(t int) error {
			i, j := p.Geometry().TileAt(t)
			if err := p.Store().TileSums(got, i, j); err != nil {
				return err
			}
			if err := p.Meta().CompareSums(i, j, 0, got, sums[t*len(got):]); err != nil {
				return fmt.Errorf("%s: %w: %w; solve again with --restart", p.Store().FileOf(i, j), disk.ErrCorrupt,
					err)
			}
			return nil
		}
	}, func() { v.Tiles++ })
}

func verifyRows(ctx context.Context, p *engine.Problem, newJudge func() judge, sources []int, v *sampling) error {
	var mu sync.Mutex
	return parallel.Do(ctx, len(sources), func() func(int) error {
		c := &comparison{kind: p.Meta().Kind, judge: newJudge(), read: newRowReader(p),
			got: make([]float64, p.Geometry().N)}
		return func(i int) error {
			wrong, worst, err := c.row(sources[i], p.Meta().Sources.Vertex(sources[i]))
			if err == nil && wrong != nil {
				err = wrongEntry(p, sources[i], *wrong)
			}
			mu.Lock()
			defer mu.Unlock()
			v.Worst = max(v.Worst, worst)
			return err
		}
	}, func() {})
}

// comparison is one goroutine's scratch for comparing rows.
type comparison struct {
	kind  entry.Kind
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
	want, err := c.judge.From(vertex)
	if err != nil {
		return nil, 0, err
	}
	for v, got := range c.got {
		ref := want[v]
		if got == ref {
			continue
		}
		allowed := 0.0
		if c.kind.Float() && !math.IsInf(got-ref, 0) && got == got {
			arcs, magnitude := c.judge.Path(v)
			allowed = c.kind.AllowedRounding(arcs, magnitude)
		}
		if diff := math.Abs(got - ref); !(diff <= allowed) {
			return &difference{at: v, got: got, want: ref}, 0, nil
		} else if allowed > 0 {
			worst = max(worst, diff/allowed)
		}
	}
	return nil, worst, nil
}

// newRowReader returns a reader of rows, or of columns if judges go by columns, for one goroutine.
func newRowReader(p *engine.Problem) rowReader {
	kind := p.Meta().Kind.Wide()
	read, raw := p.Store().Unchecked().ReadRow, kind.Make(p.Geometry().N)
	switch {
	case p.Geometry().Factors:
		read = func(dst []byte, row int) error { return readRows(p, dst, []int{row}) }
	case p.ByColumn():
		read = p.Store().Unchecked().ReadCol
	}
	return func(dst []float64, row int) error {
		if err := read(raw, row); err != nil {
			return err
		}
		kind.Values(dst, raw)
		return nil
	}
}

// wrongEntry says which entry of the store is wrong.
func wrongEntry(p *engine.Problem, row int, d difference) error {
	u, v := row, d.at
	if p.ByColumn() {
		u, v = v, u
	}
	ids, err := p.IDs()
	if err != nil {
		return err
	}
	t, scale, number := p.Geometry().T, float64(p.Meta().Scale), p.Numbers()
	if p.Geometry().Factors {
		return fmt.Errorf("%s: from %s to %s: %w: %s from the factors, %s by search; solve again with --restart",
			p.Store().FactorsPath(), ids.Name(u), ids.Name(v), engine.ErrWrong, number.Text(d.got/scale),
			number.Text(d.want/scale))
	}
	i, j, _ := p.Geometry().Stored(u/t, v/t)
	return fmt.Errorf("%s/%s: tile (%d,%d), from %s to %s: %w: %s stored, %s by search; solve again with --restart",
		p.Dir(), tiles.MatrixName, i, j, ids.Name(p.Meta().Sources.Vertex(u)), ids.Name(v), engine.ErrWrong,
		number.Text(d.got/scale), number.Text(d.want/scale))
}
