package dense

import (
	"fmt"
	"math"

	"ooc/kernels/entry"
)

// FillTile is Graph.FillTile for a matrix that was surveyed. It fails with ErrChanged where the file is not
// what it was when the matrix was opened.
func (d *Matrix) FillTile(dst []byte, t, i, j int) error {
	kind := d.numbers.want
	if len(dst) != kind.Bytes()*t*t {
		panic(fmt.Sprintf("graph: FillTile of edge %d given %d bytes", t, len(dst)))
	}
	err := error(nil)
	switch x := d.numbers; kind {
	case entry.KindU16:
		words := make([]uint32, t)
		err = fill(d, entry.View[uint16](dst), t, i, j, func(dst []uint16, raw []byte) {
			x.wordsOf(words[:len(dst)], raw, tileShorts)
			for k := range dst {
				dst[k] = uint16(words[k])
			}
		})
	case entry.KindF64:
		err = fill(d, entry.View[float64](dst), t, i, j, func(dst []float64, raw []byte) { x.valuesOf(dst, raw, nil) })
	default:
		err = fill(d, entry.View[uint32](dst), t, i, j, func(dst []uint32, raw []byte) { x.wordsOf(dst, raw, tileWords) })
	}
	if err != nil {
		return err
	}
	if i == j {
		for k := 0; k < t*t; k += t + 1 {
			kind.Put(dst, k, 0)
		}
	}
	return d.unchanged()
}

// fill writes a tile with stored, which makes entries of what the file has.
func fill[E entry.Word](d *Matrix, tile []E, t, i, j int, stored func(dst []E, raw []byte)) error {
	rows, cols := max(0, min(t, d.n-i*t)), max(0, min(t, d.n-j*t))
	if rows < t || cols < t {
		kind := d.numbers.want
		kind.Fill(entry.Bytes(tile), kind.Unreachable())
	}
	if d.head.Fortran {
		return fillColumns(d, tile, t, i*t, j*t, rows, cols, stored)
	}
	raw := newBuffer(cols * d.numbers.Size())
	for r := range rows {
		if err := d.readAt(raw, i*t+r, j*t); err != nil {
			return err
		}
		stored(tile[r*t:][:cols], raw)
	}
	return nil
}

// fillColumns reads some columns at a time, so that what is written to the tile's rows fills cache lines.
func fillColumns[E entry.Word](d *Matrix, tile []E, t, top, left, rows, cols int, stored func(dst []E, raw []byte)) error {
	const strip = 16
	raw, columns := newBuffer(rows*d.numbers.Size()), make([]E, strip*rows)
	for c := 0; c < cols; c += strip {
		wide := min(strip, cols-c)
		for k := range wide {
			if err := d.readAt(raw, left+c+k, top); err != nil {
				return err
			}
			stored(columns[k*rows:][:rows], raw)
		}
		for r := range rows {
			out := tile[r*t+c:][:wide]
			for k := range out {
				out[k] = columns[k*rows+r]
			}
		}
	}
	return nil
}

// Weight returns the weight of the arc from u to v in stored units, +Inf where there is none. It may be called
// concurrently.
func (d *Matrix) Weight(u, v int) (float64, error) {
	if u == v {
		return math.Inf(1), nil
	}
	if d.head.Fortran {
		u, v = v, u
	}
	return d.weight(cell{u, v})
}

// weight returns the weight of an entry in stored units, +Inf where there is no arc. The diagonal counts as any.
func (d *Matrix) weight(e cell) (float64, error) {
	raw, value := newBuffer(d.numbers.Size()), [1]float64{}
	if err := d.readAt(raw, e.line, e.at); err != nil {
		return 0, err
	}
	d.numbers.valuesOf(value[:], raw, make([]uint32, 1))
	return value[0], nil
}

// value returns the number that a word in lineWords stands for.
func (x *numbers) value(word uint32) float64 {
	switch {
	case x.float:
		return float64(math.Float32frombits(word))
	case int32(word) == lineWords.none:
		return math.Inf(1)
	}
	return float64(int32(word))
}

// lineScratch is what reading a line as numbers needs.
type lineScratch struct {
	raw   []byte
	words []uint32
}

func (d *Matrix) newScratch() *lineScratch {
	return &lineScratch{newBuffer(int(d.lineBytes())), make([]uint32, d.n)}
}

// line fills dst, of n elements, with the weights of a line, as weight returns them, and 0 on the diagonal.
func (d *Matrix) line(dst []float64, u int, s *lineScratch) error {
	if err := d.readAt(s.raw, u, 0); err != nil {
		return err
	}
	d.numbers.valuesOf(dst, s.raw, s.words)
	dst[u] = 0
	return nil
}
