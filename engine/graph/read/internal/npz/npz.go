// Package npz reads sparse matrices as scipy.sparse.save_npz writes them: a zip file with a .npy array for each part
// of the matrix. Entries are passed on as the arrays are read, so that memory holds none of these.
package npz

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/number"
)

// matrix is a sparse matrix in an archive. Its errors are about the content, and do not name the file.
type matrix struct {
	Layout  string // csr, csc or coo
	N       int64  // rows, and columns
	Entries int64  // stored; as the archive says it
	members map[string]*zip.File
}

// most is how many members are looked for: save_npz writes six.
const most = 16

// toCSR is the Python that turns any layout into one that is read, without the zeros that fill blocks.
const toCSR = `in Python: import scipy.sparse as s; A = s.load_npz("FILE").tocsr(); A.eliminate_zeros(); s.save_npz("NEW.npz", A)`

// Open reads what an archive of size bytes says of its matrix.
func Open(r io.ReaderAt, size int64) (*matrix, error) {
	archive, err := zip.NewReader(r, size)
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
	if err := m.layout(); err != nil {
		return nil, err
	}
	if err := m.shape(); err != nil {
		return nil, err
	}
	return m, m.count()
}

// names lists the members.
func (m *matrix) names() string {
	var all []string
	for name := range m.members {
		all = append(all, number.Quoted([]byte(name)))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// layout reads which layout it is: a text of three letters in an array of no dimensions, in bytes or, from Python 2,
// UTF-32.
func (m *matrix) layout() error {
	a, err := m.open("format")
	if err != nil {
		return err
	}
	defer a.close()
	var letters int
	text := strings.NewReplacer("|", "", "<", "", ">", "").Replace(a.Descr)
	if _, err := fmt.Sscanf(text, "S%d", &letters); err != nil {
		if _, err := fmt.Sscanf(text, "U%d", &letters); err != nil {
			return fmt.Errorf("its format is of type %q, and not a text", a.Descr)
		}
		letters *= 4
	}
	if letters < 1 || letters > 64 || len(a.Shape) != 0 {
		return fmt.Errorf("its format is not the name of one")
	}
	raw := make([]byte, letters)
	if err := a.read(raw); err != nil {
		return err
	}
	m.Layout = strings.ReplaceAll(string(raw), "\x00", "")
	switch m.Layout {
	case "csr", "csc", "coo":
		return a.end()
	case "bsr", "dia", "lil", "dok":
		return fmt.Errorf("it is a sparse matrix of SciPy in %s format, which is not read; %s", strings.ToUpper(m.Layout), toCSR)
	}
	return fmt.Errorf("its format %s is none of csr, csc and coo", number.Quoted([]byte(m.Layout)))
}

// shape reads how large the matrix is.
func (m *matrix) shape() error {
	a, err := m.indices("shape")
	if err != nil {
		return err
	}
	defer a.close()
	if a.length != 2 {
		return fmt.Errorf("a sparse array of %d dimension(s) is no matrix of weights, which has two", a.length)
	}
	var sides [2]int64
	for i := range sides {
		if sides[i], err = a.nextIndex(); err != nil {
			return err
		}
	}
	switch {
	case sides[0] != sides[1]:
		return fmt.Errorf("a matrix of %d rows and %d columns is not square, as that of a graph is", sides[0], sides[1])
	case sides[0] < 1:
		return fmt.Errorf("no vertices")
	case sides[0] > graph.MaxVertices:
		return fmt.Errorf("%d vertices; the most is %d", sides[0], graph.MaxVertices)
	}
	m.N = sides[0]
	return a.end()
}

// count reads from the header of the values how many there are.
func (m *matrix) count() error {
	a, err := m.list("data")
	if err != nil {
		return err
	}
	m.Entries = a.length
	return a.close()
}

// Each passes the entries to add, counting rows and columns from 0, until it fails. It fails itself if the arrays are
// not those of such a matrix, to the last byte.
func (m *matrix) Each(add func(row, col int32, x Value) error) (err error) {
	names, pass := [2]string{"indptr", "indices"}, m.lines
	if m.Layout == "coo" {
		names, pass = [2]string{"row", "col"}, m.triples
	}
	var arrays []*array
	defer func() {
		for _, a := range arrays {
			err = errors.Join(err, a.close())
		}
	}()
	for _, name := range names {
		a, err := m.indices(name)
		if err != nil {
			return err
		}
		arrays = append(arrays, a)
	}
	values, err := m.list("data")
	if err != nil {
		return err
	}
	arrays = append(arrays, values)
	if err := pass(arrays[0], arrays[1], values, add); err != nil {
		return err
	}
	for _, a := range arrays {
		if err := a.end(); err != nil {
			return err
		}
	}
	return nil
}

// lines passes on the entries of rows, or of columns in CSC: those of line k are from indptr[k] to indptr[k+1].
func (m *matrix) lines(indptr, indices, values *array, add func(row, col int32, x Value) error) error {
	if indptr.length != m.N+1 {
		return fmt.Errorf("indptr has %d numbers, not %d, for %d vertices", indptr.length, m.N+1, m.N)
	}
	if indices.length != values.length {
		return fmt.Errorf("there are %d indices for %d values", indices.length, values.length)
	}
	k, err := indptr.nextIndex()
	if err != nil {
		return err
	}
	if k != 0 {
		return fmt.Errorf("indptr begins with %d, not 0", k)
	}
	for line := range m.N {
		end, err := indptr.nextIndex()
		switch {
		case err != nil:
			return err
		case end < k || end > values.length:
			return fmt.Errorf("indptr goes from %d to %d at line %d of %d entries", k, end, line, values.length)
		}
		for ; k < end; k++ {
			row, col := line, int64(0)
			if col, err = m.index(indices); err != nil {
				return err
			}
			if m.Layout == "csc" {
				row, col = col, row
			}
			x, err := values.nextValue()
			if err != nil {
				return err
			}
			if err := add(int32(row), int32(col), x); err != nil {
				return err
			}
		}
	}
	if k != values.length {
		return fmt.Errorf("indptr ends with %d, but there are %d entries", k, values.length)
	}
	return nil
}

// triples passes on the entries of COO.
func (m *matrix) triples(rows, cols, values *array, add func(row, col int32, x Value) error) error {
	if rows.length != values.length || cols.length != values.length {
		return fmt.Errorf("there are %d rows and %d columns for %d values", rows.length, cols.length, values.length)
	}
	for range values.length {
		row, err := m.index(rows)
		if err != nil {
			return err
		}
		col, err := m.index(cols)
		if err != nil {
			return err
		}
		x, err := values.nextValue()
		if err != nil {
			return err
		}
		if err := add(int32(row), int32(col), x); err != nil {
			return err
		}
	}
	return nil
}

// index reads the number of a row or column.
func (m *matrix) index(a *array) (int64, error) {
	k, err := a.nextIndex()
	if err == nil && (k < 0 || k >= m.N) {
		return 0, fmt.Errorf("%s %d is outside 0…%d", a.name, k, m.N-1)
	}
	return k, err
}
