package dense

import (
	"fmt"
	"math"
)

// FillTile is Graph.FillTile for a matrix that was surveyed. It fails with ErrChanged where the file is not
// what it was when the matrix was opened.
func (d *Matrix) FillTile(dst []byte, t, i, j int) error {
	kind := d.numbers.want
	if len(dst) != kind.Bytes()*t*t {
		panic(fmt.Sprintf("graph: FillTile of edge %d given %d bytes", t, len(dst)))
	}
	rows, cols := max(0, min(t, d.n-i*t)), max(0, min(t, d.n-j*t))
	if rows < t || cols < t {
		kind.Fill(dst, kind.Unreachable())
	}
	if err := d.fill(dst, t, i*t, j*t, rows, cols); err != nil {
		return err
	}
	for k := 0; i == j && k < t*t; k += t + 1 {
		kind.Put(dst, k, 0)
	}
	return d.unchanged()
}

// fill writes the part of a tile that is in the matrix. Of columns it reads some at a time, so that what is written to
// the tile's rows fills cache lines. An integer of unreachable or more passes Check only where no shortest path uses
// the arc, and becomes unreachable.
func (d *Matrix) fill(dst []byte, t, top, left, rows, cols int) error {
	kind, lines, length, strip := d.numbers.want, rows, cols, 1
	if d.head.Fortran {
		lines, length, strip, top, left = cols, rows, 16, left, top
	}
	raw, weights, across := newBuffer(length*d.numbers.Size()), make([]float64, strip*length), make([]float64, strip)
	for k := 0; k < lines; k += strip {
		wide := min(strip, lines-k)
		for c := range wide {
			if err := d.entries(weights[c*length:][:length], cell{top + k + c, left}, raw); err != nil {
				return err
			}
		}
		if !d.head.Fortran {
			kind.Append(dst[:k*t*kind.Bytes()], weights)
			continue
		}
		for r := range length {
			for c := range wide {
				across[c] = weights[c*length+r]
			}
			kind.Append(dst[:(r*t+k)*kind.Bytes()], across[:wide])
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
	var weight [1]float64
	err := d.entries(weight[:], cell{u, v}, newBuffer(d.numbers.Size()))
	return weight[0], err
}

// entries fills dst with the weights of a line from an entry on. scratch has room for what the file has of them.
func (d *Matrix) entries(dst []float64, e cell, scratch []byte) error {
	raw := scratch[:len(dst)*d.numbers.Size()]
	if err := d.readAt(raw, e.line, e.at); err != nil {
		return err
	}
	d.numbers.weigh(dst, raw)
	for i, w := range dst {
		if d.numbers.ones && w-w == 0 { // finite
			dst[i] = 1
		}
	}
	return nil
}

// newScratch returns scratch for a line.
func (d *Matrix) newScratch() []byte { return newBuffer(int(d.lineBytes())) }

// line fills dst, of n elements, with the weights of a line, and 0 on the diagonal.
func (d *Matrix) line(dst []float64, u int, scratch []byte) error {
	err := d.entries(dst, cell{u, 0}, scratch)
	dst[u] = 0
	return err
}
