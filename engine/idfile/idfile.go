// Package idfile writes which vertex each row and each column of a matrix is, to a file of its own.
package idfile

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"ooc/engine/graph"
	"ooc/engine/graph/packed"
	"ooc/engine/internal/npy"
	"ooc/engine/newfile"
	"ooc/engine/text"
)

// Axis is the rows of a matrix, or its columns.
type Axis struct {
	N      int
	IDs    graph.IDs
	Vertex func(i int) int // which vertex, by its row in the graph; nil: that of the same row
}

func (a Axis) vertex(i int) int {
	if a.Vertex == nil {
		return i
	}
	return a.Vertex(i)
}

func (a Axis) name(i int) string { return a.IDs.Name(a.vertex(i)) }

// File is a file of ids that is to be made.
type File struct {
	rows, cols Axis
	file       newfile.File
	write      func(f *File, w io.Writer) error
}

// New makes sure that the ids of rows and columns can be written to a file: to .csv as a table with the columns
// index, row and column, of which the shorter is empty at its end; to .npy, where rows and columns are the same
// vertices, as an array of int64 or, where ids are texts, of str. Either may be compressed, as packed.NewWriter does.
// It fails with newfile.ErrNoFormat, and with newfile's errors for a file that must not be made. What it returns with
// fs.ErrExist is for Same.
func New(file newfile.File, rows, cols Axis) (*File, error) {
	f := &File{rows: rows, cols: cols, file: file}
	switch ext := strings.ToLower(filepath.Ext(packed.TrimExt(file.Path))); {
	case ext == ".csv":
		f.write = (*File).table
	case ext != ".npy":
		return nil, fmt.Errorf("%w of ids is called %q; there are .csv and .npy", newfile.ErrNoFormat, ext)
	case !f.square():
		return nil, fmt.Errorf("%w .npy of ids where rows and columns are not the same vertices; .csv has both",
			newfile.ErrNoFormat)
	case rows.IDs.Text != nil && 4*int64(f.longest())*int64(rows.N) > most:
		return nil, fmt.Errorf("%w .npy of ids where one has %d characters, for which all would take room; .csv "+
			"does not", newfile.ErrNoFormat, f.longest())
	default:
		f.write = (*File).array
	}
	return f, file.Check()
}

// Same reports whether the file is there and is what Write would write, as far as its checksum can say.
func (f *File) Same() bool {
	there, err := os.Open(f.file.Path)
	if err != nil {
		return false
	}
	defer there.Close()
	want, got := sha256.New(), sha256.New()
	if _, err := io.Copy(got, there); err != nil || f.fill(want) != nil {
		return false
	}
	return bytes.Equal(want.Sum(nil), got.Sum(nil))
}

// Write writes the file, which appears once it is whole.
func (f *File) Write() error {
	if err := f.file.Write(f.fill); err != nil {
		return fmt.Errorf("ids: %w", err)
	}
	return nil
}

// fill writes the content.
func (f *File) fill(w io.Writer) error {
	out, err := packed.NewWriter(w, f.file.Path)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(out, 1<<16)
	if err := f.write(f, b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	return out.Close()
}

// square reports whether rows and columns are the same vertices, in the same order.
func (f *File) square() bool {
	if f.rows.N != f.cols.N {
		return false
	}
	for i := range f.rows.N {
		if f.rows.vertex(i) != f.cols.vertex(i) {
			return false
		}
	}
	return true
}

// table writes a line for each row and column.
func (f *File) table(w io.Writer) error {
	if _, err := io.WriteString(w, "index,row,column\n"); err != nil {
		return err
	}
	var line []byte
	for i := range max(f.rows.N, f.cols.N) {
		line = append(strconv.AppendInt(line[:0], int64(i), 10), ',')
		if i < f.rows.N {
			line = text.AppendCell(line, f.rows.name(i))
		}
		line = append(line, ',')
		if i < f.cols.N {
			line = text.AppendCell(line, f.cols.name(i))
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// most is the most that an array of texts may take, in bytes.
const most = 1 << 30

// longest is the length of the longest id of a row, in characters.
func (f *File) longest() (longest int) {
	for i := range f.rows.N {
		longest = max(longest, utf8.RuneCountInString(f.rows.name(i)))
	}
	return longest
}

// array writes an array: of integers, or of str, whose elements have room for the longest, in UTF-32.
func (f *File) array(w io.Writer) error {
	descr, size, texts := "'<i8'", 8, f.rows.IDs.Text != nil
	if texts {
		descr, size = fmt.Sprintf("'<U%d'", f.longest()), 4*f.longest()
	}
	if _, err := w.Write(npy.Header(descr, fmt.Sprintf("(%d,)", f.rows.N))); err != nil {
		return err
	}
	for i := range f.rows.N {
		element := make([]byte, 0, size)
		if name := f.rows.name(i); texts {
			for _, r := range name {
				element = binary.LittleEndian.AppendUint32(element, uint32(r))
			}
		} else if id, err := strconv.ParseInt(name, 10, 64); err != nil {
			return err
		} else {
			element = binary.LittleEndian.AppendUint64(element, uint64(id))
		}
		if _, err := w.Write(element[:size]); err != nil {
			return err
		}
	}
	return nil
}
