package prove

import (
	"fmt"
	"math"
	"unsafe"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/graph/dense"
	"ooc/engine/rows"
	"ooc/engine/text"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// alignedEntries returns memory for n entries that begins at a cache line, where the operations on lanes are fastest;
// their results are the same anywhere. It begins there for good: Go's collector does not move what it has allocated.
func alignedEntries(n int) []byte {
	b := make([]byte, 4*n+63)
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) & 63
	return b[skip : skip+4*n : skip+4*n]
}

// laneColumns are the rows for a transposition that takes all of them in order.
var laneColumns = func() []int32 {
	c := make([]int32, lanesAtOnce)
	for i := range c {
		c[i] = int32(i)
	}
	return c
}()

// storeSource is the store's matrix. It is read in strips of lanesAtOnce rows of a tile; the edge of a tile is a
// multiple of that.
func storeSource(p *engine.Problem) source {
	g := p.Geometry()
	return source{
		kind: p.Meta().Kind, rows: g.RowCount(), width: g.Side() * g.T,
		vertex: p.Meta().Sources.Vertex,
		values: func() rowReader { return newRowReader(p) },
		wrong:  func(row int, d difference) error { return wrongEntry(p, row, d) },
		ahead:  func(row int) { readAhead(p, row) },
		edge:   g.T,
		memory: func(most int) (int64, error) {
			if ready, err := p.Ready(); err != nil {
				return 0, err
			} else if ready != nil {
				return ready.WorkerBytes(most) + rowBytes(most, g.N), nil
			}
			return int64(most) * int64(g.T) * entry.WordBytes, nil
		},
		pieces: func(most int) pieceReader {
			if g.Factors {
				return computedPieces(p, most)
			}
			tile := alignedEntries(most * g.T)
			return func(first, count int, take func(int, []byte, int)) error {
				for j := range g.Side() {
					if err := p.Store().Unchecked().ReadEntries(tile[:4*count*g.T], first/g.T, j,
						first%g.T*g.T); err != nil {
						return err
					}
					take(j*g.T, tile, g.T)
				}
				return nil
			}
		},
	}
}

// rowBytes is what whole rows of n entries take.
func rowBytes(rows, n int) int64 {
	return int64(rows) * int64(entry.RoundUp(n, kernels.HostLaneUnit)) * entry.WordBytes
}

// readRows computes rows of a store without a matrix.
func readRows(p *engine.Problem, dst []byte, sources []int) error {
	entries, err := p.Entries()
	if err != nil {
		return err
	}
	return entries.(*rows.Reader).ReadRows(dst, sources)
}

// computedPieces reads rows of a store without a matrix, each piece whole rows.
func computedPieces(p *engine.Problem, most int) pieceReader {
	n := p.Geometry().N
	width := entry.RoundUp(n, kernels.HostLaneUnit)
	rows := alignedEntries(most * width)
	return func(first, count int, take func(int, []byte, int)) error {
		sources := make([]int, count)
		for l := range sources {
			sources[l] = first + l
		}
		if err := readRows(p, rows[:4*count*n], sources); err != nil {
			return err
		}
		for l := count - 1; l > 0; l-- { // apart, by the width; from the last on, none is written over
			copy(rows[4*l*width:], rows[4*l*n:4*(l+1)*n])
		}
		take(0, rows, width)
		return nil
	}
}

// readAhead asks for the next row of tiles when the first row of one is read.
func readAhead(p *engine.Problem, row int) {
	if i := row/p.Geometry().T + 1; row%p.Geometry().T == 0 && i < p.Geometry().Down() {
		for j := range p.Geometry().Side() {
			p.Store().Prefetch(i, j)
		}
	}
}

// matrixSource is a matrix in a file. Its lines take the place of rows.
func matrixSource(g *graph.Graph, m *dense.Matrix) source {
	width := entry.RoundUp(g.N, kernels.HostLaneUnit)
	values := func() rowReader {
		read := m.NewLineReader()
		return func(dst []float64, row int) error {
			err := read(dst, row)
			for v, x := range dst {
				dst[v] = inStoredUnits(x, g.Scale)
			}
			return err
		}
	}
	pieces := func(most int) pieceReader {
		read, line, rows := values(), make([]float64, g.N), alignedEntries(most*width)
		words := entry.View[uint32](rows)
		return func(first, count int, take func(int, []byte, int)) error {
			for l := range count {
				if err := read(line, first+l); err != nil {
					return err
				}
				storeEntries(words[l*width:], line, g.Kind)
			}
			take(0, rows, width)
			return nil
		}
	}
	return source{
		kind: entry.Kind(g.Kind), rows: g.N, width: width, values: values, ahead: func(int) {},
		vertex: func(row int) int { return row },
		wrong: func(row int, d difference) error {
			u, v := row, d.at
			if m.ByColumn() {
				u, v = v, u
			}
			scale, number := float64(g.Scale), text.NumbersOf(g.Kind, g.Scale)
			return fmt.Errorf("%s: entry [%d, %d], from %s to %s: %w: it holds %s, the distance is %s",
				m.Source().Name, u, v, g.Name(u), g.Name(v), engine.ErrWrong, number.Text(d.got/scale),
				number.Text(d.want/scale))
		},
		memory: func(most int) (int64, error) { return 8*int64(g.N) + rowBytes(most, g.N), nil },
		pieces: pieces,
	}
}

// inStoredUnits multiplies a distance in the input's units by the scale. The product should be an integer; sums of
// decimal numbers may miss it by less than a thousandth, and it is rounded then.
func inStoredUnits(x float64, scale int64) float64 {
	if scale == 1 {
		return x
	}
	x *= float64(scale)
	if whole := math.Round(x); math.Abs(x-whole) < 1e-3 {
		return whole
	}
	return x
}

// storeEntries writes distances in stored units as entries of a kind. A value that i32 cannot hold becomes an entry
// that is never a distance.
func storeEntries(dst []uint32, line []float64, kind entry.Kind) {
	if kind == entry.KindF32 {
		for v, x := range line {
			dst[v] = math.Float32bits(float32(x))
		}
		return
	}
	for v, x := range line {
		d := int32(math.MaxInt32)
		if math.IsInf(x, 1) {
			d = entry.Inf32
		} else if x > -float64(entry.Inf32) && x < float64(entry.Inf32) && x == math.Trunc(x) {
			d = int32(x)
		}
		dst[v] = uint32(d)
	}
}
