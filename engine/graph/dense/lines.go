package dense

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"ooc/engine/graph"
)

// Lines is a square array of numbers of any meaning in a .npy file that is not compressed. Unlike a Matrix, it is
// no graph, and nothing of it is looked at before it is read. Any number of goroutines may read it.
type Lines struct {
	name string
	head npyHeader
	n    int
	file *os.File
}

// OpenLines opens an array. It fails with ErrBadInput where the file does not hold a square one of a size that
// fits the file.
func OpenLines(path string) (*Lines, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	m := &Lines{name: path, file: f}
	if err := m.open(); err != nil {
		if bad := (*graph.InputError)(nil); errors.As(err, &bad) {
			bad.File = path
		}
		return nil, errors.Join(err, f.Close())
	}
	return m, nil
}

func (m *Lines) open() (err error) {
	if m.head, err = readNPYHeader(m.file); err != nil {
		return err
	}
	if m.n, err = m.head.side(); err != nil {
		return badHeader("%v", err)
	}
	if m.head.Code == "f2" || m.head.Code == "b1" {
		return badHeader("distances of NumPy type %s cannot be read; use int32, int64, float32 or float64", m.head.Code)
	}
	info, err := m.file.Stat()
	if err != nil {
		return err
	}
	if want := m.head.Bytes + int64(m.n)*m.lineBytes(); info.Size() != want {
		return badHeader("it has %d bytes, but an array of %d×%d entries takes %d", info.Size(), m.n, m.n, want)
	}
	return nil
}

// Name returns the file's.
func (m *Lines) Name() string { return m.name }

// N returns the number of rows and of columns.
func (m *Lines) N() int { return m.n }

// ByColumn reports whether a line is a column, and not a row: Fortran order.
func (m *Lines) ByColumn() bool { return m.head.Fortran }

// Close releases the file.
func (m *Lines) Close() error { return m.file.Close() }

func (m *Lines) lineBytes() int64 { return int64(m.n) * int64(m.head.Size()) }

// NewLineReader returns what reads line k into dst, of N elements, as float64; the maximum of an integer type
// becomes +Inf. It is for one goroutine.
func (m *Lines) NewLineReader() func(dst []float64, k int) error {
	raw := newBuffer(int(m.lineBytes()))
	of := entryTypes[m.head.Code]
	x := numbers{Type: m.head.Type, entryType: of, scale: 1, none: math.Inf(1), hasNone: true, noneInt: of.hi}
	return func(dst []float64, k int) error {
		if k < 0 || k >= m.n || len(dst) != m.n {
			return fmt.Errorf("%s: there is no line %d of %d in %d×%d", m.name, k, len(dst), m.n, m.n)
		}
		if _, err := m.file.ReadAt(raw, m.head.Bytes+int64(k)*m.lineBytes()); err == io.EOF || err == io.ErrUnexpectedEOF {
			return fmt.Errorf("%s: %w", m.name, graph.ErrChanged)
		} else if err != nil {
			return fmt.Errorf("%s: line %d cannot be read: %w", m.name, k, err)
		}
		x.weightsOf(dst, raw)
		return nil
	}
}
