package dense

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"os"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/input"
	"ooc/engine/graph/internal/npy"
	"ooc/kernels/entry"
)

// Matrix is a graph given as the matrix of its weights, in a file that may be larger than memory: row u holds
// the weights of the arcs from vertex u. Pieces of it are in memory only while they are looked at. Its
// diagonal is ignored unless negative. Any number of goroutines may use a Matrix; Close releases its file.
//
// In the file, line k of n entries is row k of the matrix, or column k if it is in Fortran order. What is
// done to lines is then done to the graph with every arc reversed.
type Matrix struct {
	name    string
	head    npy.Header
	n       int
	numbers *numbers
	facts   graph.Facts
	src     graph.Source

	in      *input.Input // file, unless it is spooled
	file    *os.File     // not compressed
	offset  int64        // of the entries in it
	spooled bool         // file is a copy that nobody else knows

	sumOfLargest float64 // of the weights of largest magnitude of all lines
	negative     cell    // a negative weight, if there is any
}

// cell is a place in a Matrix: one of a line.
type cell struct{ line, at int }

// Facts returns what the matrix was found to hold.
func (d *Matrix) Facts() graph.Facts { return d.facts }

// Source says what the matrix was read from.
func (d *Matrix) Source() graph.Source { return d.src }

// ByColumn reports whether a line is a column of the matrix, and not a row.
func (d *Matrix) ByColumn() bool { return d.head.Fortran }

// Spooled returns the bytes of the copy that the matrix is read from, 0 if that is the file itself.
func (d *Matrix) Spooled() int64 {
	if !d.spooled {
		return 0
	}
	return d.entryBytes()
}

// Close releases the file. The matrix cannot be used any more.
func (d *Matrix) Close() error {
	if !d.spooled {
		return d.in.Close()
	}
	err := d.file.Close()
	os.Remove(d.file.Name()) // where that was not possible while it was open
	return err
}

func (d *Matrix) entryBytes() int64 { return d.lineBytes() * int64(d.n) }

func (d *Matrix) lineBytes() int64 { return int64(d.n) * int64(d.numbers.Size()) }

// where names an entry as NumPy would index it.
func (d *Matrix) where(e cell) string {
	if d.head.Fortran {
		e.line, e.at = e.at, e.line
	}
	return fmt.Sprintf("row %d, column %d (from 0)", e.line, e.at)
}

// text returns an entry as it is written in decimal.
func (d *Matrix) text(e cell) string {
	raw := newBuffer(d.numbers.Size())
	if err := d.readAt(raw, e.line, e.at); err != nil {
		return err.Error()
	}
	d.numbers.swap(raw)
	return d.numbers.text(raw)
}

// readAt fills raw with entries of a line, from a place on.
func (d *Matrix) readAt(raw []byte, line, at int) error {
	_, err := d.file.ReadAt(raw, d.offset+int64(line)*d.lineBytes()+int64(at)*int64(d.numbers.Size()))
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("%s: %w", d.name, graph.ErrChanged) // it had its size
	}
	if err != nil {
		return fmt.Errorf("%s: line %d cannot be read: %w", d.name, line, err)
	}
	return nil
}

// unchanged fails with ErrChanged if the file is not what it was when it was opened.
func (d *Matrix) unchanged() error {
	if d.spooled {
		return nil
	}
	return d.in.Unchanged()
}

// SHA256 returns the checksum of the input as stored, in hexadecimal, and reads it for that if nothing has
// done so yet.
func (d *Matrix) SHA256() (string, error) {
	if d.src.SHA256 == "" {
		h := sha256.New()
		if _, err := io.CopyBuffer(h, io.NewSectionReader(d.file, 0, d.src.Size), newBuffer(spoolBlock)); err != nil {
			return "", err
		}
		d.src.SHA256 = hex.EncodeToString(h.Sum(nil))
	}
	return d.src.SHA256, nil
}

// newBuffer returns memory aligned for entries.
func newBuffer(size int) []byte { return entry.KindU8.Make(size) }

// Graph reads the matrix into memory, 8 bytes an arc.
func (d *Matrix) Graph() (*graph.Graph, error) {
	f := d.facts
	g := &graph.Graph{N: f.N, Kind: f.Kind, Directed: f.Directed, Scale: f.Scale, IDs: f.IDs, File: d.name,
		Symmetric: f.Symmetric, Negative: f.Negative, MinWeight: f.MinWeight, MaxWeight: f.MaxWeight,
		Offsets: make([]int64, f.N+1), Targets: make([]int32, 0, f.Arcs)}
	wide := f.Kind.Wide()
	weights := wide.Make(int(f.Arcs))
	line, scratch := make([]float64, f.N), d.newScratch()
	for u := range f.N {
		if err := d.line(line, u, scratch); err != nil {
			return nil, err
		}
		for v, w := range line {
			if !math.IsInf(w, 1) && v != u {
				wide.Put(weights, len(g.Targets), wide.Bits(w))
				g.Targets = append(g.Targets, int32(v))
			}
		}
		g.Offsets[u+1] = int64(len(g.Targets))
	}
	if err := d.unchanged(); err != nil {
		return nil, err
	}
	g.SetWeights(weights[:len(g.Targets)*wide.Bytes()])
	if d.head.Fortran {
		g = g.Reverse()
	}
	return g, nil
}
