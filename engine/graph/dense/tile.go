package dense

import (
	"fmt"
	"math"

	"ooc/kernels/entry"
)

// FillTile is Graph.FillTile for a matrix that was surveyed. It fails with ErrChanged where the file is not
// what it was when the matrix was opened.
func (d *Matrix) FillTile(dst []byte, t, i, j int) error {
	if len(dst) != 4*t*t {
		panic(fmt.Sprintf("graph: FillTile of edge %d given %d bytes", t, len(dst)))
	}
	words := entry.View[uint32](dst)
	rows, cols := max(0, min(t, d.n-i*t)), max(0, min(t, d.n-j*t))
	if rows < t || cols < t {
		none := uint32(entry.KindI32.Unreachable())
		if d.numbers.float {
			none = uint32(entry.KindF32.Unreachable())
		}
		entry.Fill(words, none)
	}
	err := error(nil)
	if d.head.Fortran {
		err = d.fillColumns(words, t, i*t, j*t, rows, cols)
	} else {
		err = d.fillRows(words, t, i*t, j*t, rows, cols)
	}
	if err != nil {
		return err
	}
	if i == j {
		for k := 0; k < t*t; k += t + 1 {
			words[k] = 0
		}
	}
	return d.unchanged()
}

func (d *Matrix) fillRows(words []uint32, t, top, left, rows, cols int) error {
	raw := newBuffer(cols * d.numbers.Size())
	for r := range rows {
		if err := d.readAt(raw, top+r, left); err != nil {
			return err
		}
		d.numbers.wordsOf(words[r*t:][:cols], raw, tileWords)
	}
	return nil
}

// fillColumns reads some columns at a time, so that what is written to the tile's rows fills cache lines.
func (d *Matrix) fillColumns(words []uint32, t, top, left, rows, cols int) error {
	const strip = 16
	raw, columns := newBuffer(rows*d.numbers.Size()), make([]uint32, strip*rows)
	for c := 0; c < cols; c += strip {
		wide := min(strip, cols-c)
		for k := range wide {
			if err := d.readAt(raw, left+c+k, top); err != nil {
				return err
			}
			d.numbers.wordsOf(columns[k*rows:][:rows], raw, tileWords)
		}
		for r := range rows {
			out := words[r*t+c:][:wide]
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
	raw, word := newBuffer(d.numbers.Size()), [1]uint32{}
	if err := d.readAt(raw, e.line, e.at); err != nil {
		return 0, err
	}
	d.numbers.wordsOf(word[:], raw, lineWords)
	return d.numbers.value(word[0]), nil
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
	d.numbers.wordsOf(s.words, s.raw, lineWords)
	if d.numbers.float {
		for v, w := range s.words {
			dst[v] = float64(math.Float32frombits(w))
		}
	} else {
		for v, w := range s.words {
			dst[v] = float64(int32(w))
			if int32(w) == lineWords.none {
				dst[v] = math.Inf(1)
			}
		}
	}
	dst[u] = 0
	return nil
}
