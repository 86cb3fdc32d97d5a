package export

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"ooc/engine"
	"ooc/engine/graph/packed"
	"ooc/engine/internal/npy"
	"ooc/engine/newfile"
	"ooc/engine/text"
)

// IDs are the ids of the rows and columns of what Options pick, to be written to a file.
type IDs struct {
	x     *extract
	file  newfile.File
	write func(x *extract, w io.Writer) error
}

// NewIDs makes sure that the ids of rows and columns can be written to a file: to .csv as a table with the columns index, row and
// column, of which the shorter is empty at its end; to .npy, where rows and columns are the same vertices, as an array of int64
// or, where ids are texts, of str. Either may be compressed, as in File. It fails with graph.ErrNoVertex for rows and columns
// that the store has not, with ErrNoFormat, and with newfile's errors for a file that must not be made.
func NewIDs(p *engine.Problem, file newfile.File, o Options) (*IDs, error) {
	x := &extract{p: p}
	var err error
	if x.rows, err = pickRows(p, o.Rows); err != nil {
		return nil, err
	}
	if x.cols, err = pickColumns(p, o.Cols); err != nil {
		return nil, err
	}
	if x.ids, err = p.IDs(); err != nil {
		return nil, err
	}
	ids := &IDs{x: x, file: file}
	switch ext := strings.ToLower(filepath.Ext(packed.TrimExt(file.Path))); {
	case ext == ".csv":
		ids.write = (*extract).idTable
	case ext != ".npy":
		return nil, fmt.Errorf("%w of ids is called %q; there are .csv and .npy", ErrNoFormat, ext)
	case !x.square():
		return nil, fmt.Errorf("%w .npy of ids where rows and columns are not the same vertices; .csv has both", ErrNoFormat)
	case x.ids.Text != nil && 4*int64(x.longestID())*int64(x.rows.n) > mostIDs:
		return nil, fmt.Errorf("%w .npy of ids where one has %d characters, for which all would take room; .csv does not", ErrNoFormat, x.longestID())
	case x.ids.Text != nil:
		ids.write = (*extract).idTexts
	default:
		ids.write = (*extract).idNumbers
	}
	return ids, file.Check()
}

// Write writes the file, which appears once it is whole.
func (ids *IDs) Write() error {
	err := ids.file.Write(func(w io.Writer) error {
		out, err := packed.NewWriter(w, ids.file.Path)
		if err != nil {
			return err
		}
		b := bufio.NewWriterSize(out, 1<<16)
		if err := ids.write(ids.x, b); err != nil {
			return err
		}
		if err := b.Flush(); err != nil {
			return err
		}
		return out.Close()
	})
	if err != nil {
		return fmt.Errorf("ids: %w", err)
	}
	return nil
}

// square reports whether rows and columns are the same vertices, in the same order.
func (x *extract) square() bool {
	if x.rows.n != x.cols.n {
		return false
	}
	for i := range x.rows.n {
		if x.p.Meta().Sources.Vertex(x.rows.number(i)) != x.cols.number(i) {
			return false
		}
	}
	return true
}

// idTable writes a line for each row and column.
func (x *extract) idTable(w io.Writer) error {
	if _, err := io.WriteString(w, "index,row,column\n"); err != nil {
		return err
	}
	var line []byte
	for i := range max(x.rows.n, x.cols.n) {
		line = append(strconv.AppendInt(line[:0], int64(i), 10), ',')
		if i < x.rows.n {
			line = text.AppendCell(line, x.rowName(i))
		}
		line = append(line, ',')
		if i < x.cols.n {
			line = text.AppendCell(line, x.colName(i))
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// idNumbers writes an array of integers.
func (x *extract) idNumbers(w io.Writer) error {
	if _, err := w.Write(npy.Header("'<i8'", fmt.Sprintf("(%d,)", x.rows.n))); err != nil {
		return err
	}
	for i := range x.rows.n {
		id, err := strconv.ParseInt(x.rowName(i), 10, 64)
		if err != nil {
			return err
		}
		if err := binary.Write(w, binary.LittleEndian, id); err != nil {
			return err
		}
	}
	return nil
}

// mostIDs is the most that an array of texts may take, in bytes.
const mostIDs = 1 << 30

// longestID is the length of the longest id of a row, in characters.
func (x *extract) longestID() (longest int) {
	for i := range x.rows.n {
		longest = max(longest, utf8.RuneCountInString(x.rowName(i)))
	}
	return longest
}

// idTexts writes an array of str, whose elements have room for the longest, in UTF-32.
func (x *extract) idTexts(w io.Writer) error {
	longest := x.longestID()
	if _, err := w.Write(npy.Header(fmt.Sprintf("'<U%d'", longest), fmt.Sprintf("(%d,)", x.rows.n))); err != nil {
		return err
	}
	for i := range x.rows.n {
		element := make([]byte, 0, 4*longest)
		for _, r := range x.rowName(i) {
			element = binary.LittleEndian.AppendUint32(element, uint32(r))
		}
		if _, err := w.Write(element[:4*longest]); err != nil {
			return err
		}
	}
	return nil
}
