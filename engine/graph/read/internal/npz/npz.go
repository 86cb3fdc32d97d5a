// Package npz reads sparse matrices as scipy.sparse.save_npz writes them: a zip file with a .npy array for each part
// of the matrix. Entries are passed on as the arrays are read, so that memory holds none of these.
package npz

import (
	"archive/zip"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/number"
	"ooc/engine/graph/read/internal/columns"
)

// matrix is a sparse matrix in an archive. Its errors are about the content, and do not name the file.
type matrix struct {
	Layout  string // csr, csc or coo
	N       int64  // rows, and columns
	Entries int64  // stored; as the archive says it
	members map[string]*zip.File
	err     error // the first
}

// most is how many members are looked for: save_npz writes six.
const most = 16

// toCSR is the Python that turns any layout into one that is read, without the zeros that fill blocks.
const toCSR = `in Python: import scipy.sparse as s; A = s.load_npz("FILE").tocsr(); A.eliminate_zeros(); s.save_npz("NEW.npz", A)`

// Open reads what an archive says of its matrix.
func Open(file *io.SectionReader) (*matrix, error) {
	archive, err := zip.NewReader(file, file.Size())
	if err != nil {
		return nil, fmt.Errorf("the archive cannot be read: %w", err)
	}
	m := &matrix{members: map[string]*zip.File{}}
	if len(archive.File) > most {
		return nil, fmt.Errorf("an archive of %d members is no sparse matrix of SciPy", len(archive.File))
	}
	for _, f := range archive.File {
		name := strings.TrimSuffix(f.Name, ".npy")
		if m.members[name] != nil {
			return nil, fmt.Errorf("%s is in the archive twice", number.Quoted([]byte(f.Name)))
		}
		m.members[name] = f
	}
	if m.members["format"] == nil {
		return nil, fmt.Errorf(`the archive holds no sparse matrix, but %s; where one is a matrix, in Python: import numpy; numpy.save("NEW.npy", numpy.load("FILE")["NAME"])`, m.names())
	}
	m.layout()
	m.shape()
	m.Entries = m.list("data").length
	return m, m.err
}

func (m *matrix) fail(format string, args ...any) {
	if m.err == nil {
		m.err = fmt.Errorf(format, args...)
	}
}

// names lists the members.
func (m *matrix) names() string { return columns.Quoted(slices.Sorted(maps.Keys(m.members))) }

// layout reads which layout it is: a text of three letters in an array of no dimensions, in bytes or, from Python 2,
// UTF-32.
func (m *matrix) layout() {
	a := m.open("format")
	raw, err := io.ReadAll(io.LimitReader(a.data, 256))
	if err != nil {
		m.fail("format cannot be read: %w", err)
	}
	m.Layout = strings.ReplaceAll(string(raw), "\x00", "")
	switch m.Layout {
	case "csr", "csc", "coo":
		a.end()
	case "bsr", "dia", "lil", "dok":
		m.fail("it is a sparse matrix of SciPy in %s format, which is not read; %s", strings.ToUpper(m.Layout), toCSR)
	default:
		m.fail("its format %s is none of csr, csc and coo", number.Quoted([]byte(m.Layout)))
	}
}

// shape reads how large the matrix is.
func (m *matrix) shape() {
	a := m.indices("shape")
	if a.length != 2 {
		m.fail("a sparse array of %d dimension(s) is no matrix of weights, which has two", a.length)
	}
	rows, cols := a.next(), a.next()
	switch {
	case rows != cols:
		m.fail("a matrix of %d rows and %d columns is not square, as that of a graph is", rows, cols)
	case rows < 1:
		m.fail("no vertices")
	case rows > graph.MaxVertices:
		m.fail("%d vertices; the most is %d", rows, graph.MaxVertices)
	}
	m.N = rows
	a.end()
}

// Each passes the entries to add, counting rows and columns from 0, until it fails. It fails itself if the arrays are
// not those of such a matrix, to the last byte.
func (m *matrix) Each(add func(row, col int32, x Value) error) error {
	names := [2]string{"indptr", "indices"}
	if m.Layout == "coo" {
		names = [2]string{"row", "col"}
	}
	first, second, values := m.indices(names[0]), m.indices(names[1]), m.list("data")
	n := values.length
	line := func(int64) int64 { return m.index(first) }
	switch {
	case m.Layout != "coo":
		line = m.lines(first, second, n)
	case first.length != n || second.length != n:
		m.fail("there are %d rows and %d columns for %d values", first.length, second.length, n)
	}
	for k := range n {
		row, col, x := line(k), m.index(second), values.nextValue()
		if m.err != nil {
			return m.err
		}
		if m.Layout == "csc" {
			row, col = col, row
		}
		if err := add(int32(row), int32(col), x); err != nil {
			return err
		}
	}
	if m.Layout != "coo" {
		line(n)
	}
	for _, a := range []*array{first, second, values} {
		a.end()
	}
	return m.err
}

// lines returns what says which row, or column in CSC, entry k of n is in, and makes sure of those without entries if
// k is n. The entries of line i are from indptr[i] to indptr[i+1]-1.
func (m *matrix) lines(indptr, indices *array, n int64) func(k int64) int64 {
	if indptr.length != m.N+1 {
		m.fail("indptr has %d numbers, not %d, for %d vertices", indptr.length, m.N+1, m.N)
	}
	if indices.length != n {
		m.fail("there are %d indices for %d values", indices.length, n)
	}
	line, end := int64(-1), indptr.next()
	if end != 0 {
		m.fail("indptr begins with %d, not 0", end)
	}
	return func(k int64) int64 {
		for ; k >= end && line < m.N-1; line++ {
			next := indptr.next()
			if next < end || next > n {
				m.fail("indptr goes from %d to %d at line %d of %d entries", end, next, line+1, n)
			}
			if m.err != nil {
				return 0
			}
			end = next
		}
		if k >= end && k < n {
			m.fail("indptr ends with %d, but there are %d entries", end, n)
		}
		return line
	}
}

// index reads the number of a row or column.
func (m *matrix) index(a *array) int64 {
	k := a.next()
	if k < 0 || k >= m.N {
		m.fail("%s %d is outside 0…%d", a.name, k, m.N-1)
	}
	return k
}
