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

// lanePlaces returns where the lanes of n vertices from first on begin.
func lanePlaces(first, n int) []int64 {
	places := make([]int64, n)
	for i := range places {
		places[i] = int64(first+i) * lanesAtOnce * entry.WordBytes
	}
	return places
}

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
				return ready.WorkerBytes(most), nil
			}
			return int64(most) * int64(g.T) * entry.WordBytes, nil
		},
		strips: func(most, pitch int) stripReader {
			if p.Geometry().Factors {
				return computedStrips(p, pitch)
			}
			tile := entry.Make(most * g.T)
			return func(dst []byte, first, count int) error {
				for j := range g.Side() {
					if err := p.Store().Unchecked().ReadEntries(tile[:4*count*g.T], first/g.T, j, first%g.T*g.T); err != nil {
						return err
					}
					for l := range count {
						copy(dst[4*(l*pitch+j*g.T):], tile[4*l*g.T:4*(l+1)*g.T])
					}
				}
				return nil
			}
		},
		lanes: func(ops kernels.HostLaneOps) laneReader {
			if p.Geometry().Factors {
				width := entry.RoundUp(g.N, kernels.HostLaneUnit)
				return lanesOf(computedStrips(p, width), width, ops)
			}
			strip, places := alignedEntries(lanesAtOnce*g.T), lanePlaces(0, g.T)
			return func(m kernels.Lanes, first, count int) error {
				for j := range g.Side() {
					if err := p.Store().Unchecked().ReadEntries(strip[:4*count*g.T], first/g.T, j, first%g.T*g.T); err != nil {
						return err
					}
					ops.Transpose(m.Data[4*lanesAtOnce*j*g.T:], places, kernels.Lanes{Data: strip, Width: g.T, Entry: entry.WordBytes}, laneColumns, false)
				}
				return nil
			}
		},
	}
}

// readRows computes rows of a store without a matrix.
func readRows(p *engine.Problem, dst []byte, sources []int) error {
	entries, err := p.Entries()
	if err != nil {
		return err
	}
	return entries.(*rows.Reader).ReadRows(dst, sources)
}

// computedStrips reads rows of a store without a matrix.
func computedStrips(p *engine.Problem, pitch int) stripReader {
	n := p.Geometry().N
	return func(dst []byte, first, count int) error {
		sources := make([]int, count)
		for l := range sources {
			sources[l] = first + l
		}
		if err := readRows(p, dst[:4*count*n], sources); err != nil {
			return err
		}
		for l := count - 1; l > 0; l-- { // apart, as the caller wants them; from the last on, none is written over
			copy(dst[4*l*pitch:], dst[4*l*n:4*(l+1)*n])
		}
		return nil
	}
}

// lanesOf turns strips of rows of width entries, a multiple of kernels.HostLaneUnit, into lanes.
func lanesOf(read stripReader, width int, ops kernels.HostLaneOps) laneReader {
	strip, places := alignedEntries(lanesAtOnce*width), lanePlaces(0, width)
	return func(m kernels.Lanes, first, count int) error {
		if err := read(strip, first, count); err != nil {
			return err
		}
		ops.Transpose(m.Data, places, kernels.Lanes{Data: strip, Width: width, Entry: entry.WordBytes}, laneColumns, false)
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
	width := entry.CeilDiv(g.N, kernels.HostLaneUnit) * kernels.HostLaneUnit
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
	strips := func(_, pitch int) stripReader {
		read, line := values(), make([]float64, g.N)
		return func(dst []byte, first, count int) error {
			words := entry.View[uint32](dst)
			for l := range count {
				if err := read(line, first+l); err != nil {
					return err
				}
				storeEntries(words[l*pitch:], line, g.Kind)
			}
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
				m.Source().Name, u, v, g.Name(u), g.Name(v), engine.ErrWrong, number.Text(d.got/scale), number.Text(d.want/scale))
		},
		lanes:  func(ops kernels.HostLaneOps) laneReader { return lanesOf(strips(lanesAtOnce, width), width, ops) },
		memory: func(int) (int64, error) { return 8 * int64(g.N), nil },
		strips: strips,
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
