package vertices

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"ooc/engine/graph"
	"ooc/engine/graph/read"
	"ooc/engine/text"
)

// readLines calls do with every line of a file, or of standard input for "-", that is not blank, trimmed and
// without a byte-order mark. Errors name the file and the line.
func readLines(file string, do func(line string) error) error {
	in := os.Stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	err := text.EachLine(in, file, func(line string) error {
		if line = strings.TrimSpace(line); line == "" {
			return nil
		}
		return do(line)
	})
	if errors.Is(err, text.ErrLongLine) {
		return text.ErrorOf(graph.ErrBadInput, "%w", err)
	}
	return err
}

// lines reads files whose lines name vertices: lists and pairs.
type lines struct {
	Of
	names func(header []string) []int // the columns that hold ids, by their names; nil if they do not
	// whole: a line that is an id, or a range of them, is that, whatever separates cells in it.
	whole bool

	begun   bool
	columns []int // that a header has named; nil: there was none
	width   int   // of the header
}

// each calls do with the rows that each line names. rows is how cells are read where no header says which column is
// what.
//
// Where no id begins with #, lines that do are comments. A first line that names no vertex, but columns, is a header.
func (l *lines) each(file string, rows func(cells []text.Cell) ([]int, error), do func(rows []int) error) error {
	comments := !slices.ContainsFunc(l.IDs.Text, func(id string) bool { return strings.HasPrefix(id, "#") })
	return readLines(file, func(line string) error {
		if comments && strings.HasPrefix(line, "#") {
			return nil
		}
		at, err := l.line(line, rows)
		if err != nil && !l.begun && l.header(line) {
			l.begun = true
			return nil
		}
		l.begun = true
		if err != nil {
			if strings.HasPrefix(line, "#") {
				err = fmt.Errorf("%w; it is no comment, since there are ids that begin with #", err)
			}
			return text.ErrorOf(graph.ErrBadInput, "%w", err)
		}
		return do(at)
	})
}

// line returns the rows that a line names. It is read in every way in which it may be separated; if two make sense
// and are not the same, it is refused.
func (l *lines) line(line string, rows func(cells []text.Cell) ([]int, error)) (found []int, err error) {
	if l.whole && l.columns == nil {
		if at, err := rows([]text.Cell{{Text: line}}); err == nil {
			return at, nil
		}
	}
	understood := false
	for _, sep := range text.Separators(line) {
		cells, failed := text.Split(line, sep)
		var at []int
		if failed == nil {
			at, failed = l.cells(cells, rows)
		}
		switch {
		case failed == nil && understood && !slices.Equal(at, found):
			return nil, errors.New("it may mean different vertices: write ids in double quotes")
		case failed == nil:
			found, understood = at, true
		case err == nil:
			err = failed
		}
	}
	if understood {
		return found, nil
	}
	return nil, err
}

func (l *lines) cells(cells []text.Cell, rows func(cells []text.Cell) ([]int, error)) ([]int, error) {
	if l.columns == nil {
		return rows(cells)
	}
	if len(cells) != l.width {
		return nil, fmt.Errorf("want %d columns, as the header has, found %d", l.width, len(cells))
	}
	var ids []string
	for _, i := range l.columns {
		if cells[i] != (text.Cell{}) || len(l.columns) > 1 { // else a list that is shorter than the one beside it
			ids = append(ids, cells[i].Text)
		}
	}
	return l.Rows(ids...)
}

// header takes a line for a header if it names the columns and no vertex.
func (l *lines) header(line string) bool {
	for _, sep := range text.Separators(line) {
		cells, err := text.Split(line, sep)
		if err != nil {
			continue
		}
		names := make([]string, len(cells))
		for i, c := range cells {
			names[i] = c.Text
		}
		columns := l.names(names)
		if columns == nil || slices.ContainsFunc(columns,
			func(i int) bool { _, err := l.Find(names[i]); return err == nil }) {
			continue
		}
		l.columns, l.width = columns, len(cells)
		return true
	}
	return false
}

// Pairs calls do with the rows and columns of the vertices that each line of a file names: two ids, and maybe their
// distance, as query prints it, which is told.
func (v Of) Pairs(file string, do func(u, v int, told string) error) error {
	l := lines{Of: v, names: func(header []string) []int {
		if from, to, ok := read.Ends(header); ok {
			return []int{from, to}
		}
		return nil
	}}
	told := ""
	pair := func(cells []text.Cell) (rows []int, err error) {
		if rows, err = v.pair(cells); err == nil && len(cells) == 3 {
			told = cells[2].Text
		}
		return rows, err
	}
	return l.each(file, pair, func(rows []int) error {
		distance := told
		told = ""
		return do(rows[0], rows[1], distance)
	})
}

func (v Of) pair(cells []text.Cell) ([]int, error) {
	if len(cells) != 2 && !(len(cells) == 3 && isDistance(cells[2].Text)) {
		return nil, fmt.Errorf("want two vertices, found %d words; ids with blanks stand in double quotes", len(cells))
	}
	return v.Rows(cells[0].Text, cells[1].Text)
}

func isDistance(word string) bool {
	_, err := strconv.ParseFloat(word, 64)
	return err == nil || word == "unreachable"
}

// list returns the rows that the lines of a file name: ids, ranges of them, or a table with a column of ids, which
// has the name, or one that it may have in any list.
func (v Of) list(file, name string) (at []int, err error) {
	l := lines{Of: v, whole: true, names: func(header []string) []int {
		for _, name := range []string{name, "id", "vertex", "node", "name"} {
			for i, column := range header {
				if strings.EqualFold(column, name) {
					return []int{i}
				}
			}
		}
		return nil
	}}
	rows := func(cells []text.Cell) (rows []int, err error) {
		for _, c := range cells {
			if rows, err = v.item(rows, c); err != nil {
				return nil, err
			}
		}
		return rows, nil
	}
	err = l.each(file, rows, func(rows []int) error {
		at = append(at, rows...)
		return nil
	})
	return at, err
}
