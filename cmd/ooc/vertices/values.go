package vertices

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"ooc/engine/graph"
	"ooc/engine/graph/packed"
	"ooc/engine/graph/read"
	"ooc/engine/text"
)

// Values reads what FILE or FILE:COLUMN of --values names: a number of each vertex. A table has ids in a column that is
// named as in a list, or is the first; COLUMN is the name or the number of another one, which need not be given where
// there is one only. A .npy file has numbers in the order of the vertices. Vertices that a table has not are 0, and
// counted.
func (v Of) Values(name string) (values []float64, missing int, err error) {
	file, column := name, ""
	if _, err := os.Stat(file); err != nil {
		if at := strings.LastIndexByte(name, ':'); at > 0 && at+1 < len(name) {
			file, column = name[:at], name[at+1:]
		}
	}
	if strings.HasSuffix(packed.TrimExt(file), ".npy") {
		if column != "" {
			return nil, 0, text.ErrorOf(errUsage, "--values %s: an array has no columns", name)
		}
		if values, err = read.Vector(file, v.N); err != nil {
			return nil, 0, fmt.Errorf("--values: %w", err)
		}
		for row, x := range values {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return nil, 0, text.ErrorOf(graph.ErrBadInput, "--values: %s: number %d of it is %v", file, row+1, x)
			}
		}
		return values, 0, nil
	}
	t := valueTable{Of: v, column: column, values: make([]float64, v.N), given: make([]bool, v.N)}
	comments := !slices.ContainsFunc(v.IDs.Text, func(id string) bool { return strings.HasPrefix(id, "#") })
	err = readLines(file, func(line string) error {
		if comments && strings.HasPrefix(line, "#") {
			return nil
		}
		if t.separator == 0 {
			header, err := t.begin(line)
			if err != nil || header {
				return err
			}
		}
		return t.line(line)
	})
	if err == nil && t.separator == 0 {
		err = text.ErrorOf(graph.ErrBadInput, "%s: it has no line", file)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("--values: %w", err)
	}
	for _, given := range t.given {
		if !given {
			missing++
		}
	}
	return t.values, missing, nil
}

// valueTable reads lines of values.
type valueTable struct {
	Of
	column string
	values []float64
	given  []bool // of each vertex: it has a value

	separator byte // 0: not known yet
	width     int
	id, value int // columns
}

// begin finds the columns by the first line, and reports whether that is a header.
func (t *valueTable) begin(line string) (header bool, err error) {
	for _, sep := range text.Separators(line) {
		cells, failed := text.Split(line, sep)
		if failed != nil {
			continue
		}
		names := make([]string, len(cells))
		for i, c := range cells {
			names[i] = c.Text
		}
		id := slices.IndexFunc(names, func(name string) bool {
			return slices.ContainsFunc([]string{"id", "vertex", "node", "name"},
				func(one string) bool { return strings.EqualFold(name, one) })
		})
		_, number := strconv.Atoi(t.column)
		header = id >= 0 || number != nil && slices.Contains(names, t.column)
		id = max(id, 0)
		_, unknown := t.Find(names[id])
		if header = header && unknown != nil; header || unknown == nil && len(cells) > 1 {
			value, failed := t.find(names, id, header)
			if failed != nil {
				err = failed
				continue
			}
			t.separator, t.width, t.id, t.value = sep, len(cells), id, value
			return header, nil
		}
		if err == nil {
			err = fmt.Errorf("%w; if this is a header, say which column has the values, as in FILE:COLUMN", unknown)
		}
	}
	return false, text.ErrorOf(graph.ErrBadInput, "%w", err)
}

// find finds the column of values.
func (t *valueTable) find(names []string, id int, header bool) (int, error) {
	if t.column == "" {
		var others []int
		for i, name := range names {
			if i != id && (!header || name != "") { // pandas numbers lines in a column without a name
				others = append(others, i)
			}
		}
		if len(others) != 1 {
			return 0, errors.New("say which column has the values, as in FILE:COLUMN")
		}
		return others[0], nil
	}
	if at := slices.Index(names, t.column); header && at >= 0 {
		return at, nil
	}
	if at, err := strconv.Atoi(t.column); err == nil && at >= 1 && at <= len(names) {
		return at - 1, nil
	}
	return 0, fmt.Errorf("there is no column %q", t.column)
}

// line reads a line of values.
func (t *valueTable) line(line string) error {
	bad := func(format string, args ...any) error { return text.ErrorOf(graph.ErrBadInput, format, args...) }
	cells, err := text.Split(line, t.separator)
	if err != nil {
		return bad("%w", err)
	}
	if len(cells) != t.width {
		return bad("want %d columns, as the first line has, found %d", t.width, len(cells))
	}
	row, err := t.Find(cells[t.id].Text)
	if err != nil {
		return err
	}
	x, err := strconv.ParseFloat(cells[t.value].Text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return bad("%q is no number that can be added up", cells[t.value].Text)
	}
	if t.given[row] {
		return bad("vertex %q has a value already", cells[t.id].Text)
	}
	t.values[row], t.given[row] = x, true
	return nil
}
