package read

import (
	"bytes"
	"fmt"
	"slices"

	"ooc/engine/graph/internal/input"
	"ooc/engine/graph/internal/number"
	"ooc/engine/graph/read/internal/columns"
	"ooc/engine/graph/read/internal/lines"
)

// textMatrix is a square of numbers, with or without the names of its rows and columns: the entry in row u and column v
// is the weight of the arc from u to v.
var textMatrix = Format{
	Name:     "matrix",
	Title:    "matrix of the weights as text: a square of numbers, maybe with labels",
	Directed: true,
	NoArc:    true,
	Detect:   detectMatrix,
	read:     readMatrix,
}

// square is what the first lines of a matrix show.
type square struct {
	table
	n        int
	labels   []string // of columns and rows; nil if there are none
	top      bool     // the first line is labels
	left     bool     // the first cell of a line is its label
	vertices []int32  // of rows and columns
	forced   bool     // somebody has said that it is a matrix
	doubt    string   // what speaks against a matrix; "" if nothing does
}

func detectMatrix(head []byte) match {
	whole := len(head) < input.HeadSize
	if !whole {
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	if s := squareOf(bytes.ReplaceAll(head, []byte("\r"), []byte("\n")), whole, false); s != nil {
		return yes
	}
	return no
}

// squareOf returns what lines of text are as a matrix, or nil if they are none, or far more likely arcs. whole says
// that these are all lines, and forced that they are a matrix.
func squareOf(text []byte, whole, forced bool) *square {
	s := &square{forced: forced}
	data := dataLines(text)
	if len(data) < 2 && whole && !forced || len(data) == 0 {
		return nil
	}
	if s.table = tableOf(data, 0); s.sep == ' ' && bytes.IndexByte(data[0], ',') >= 0 {
		return nil
	}
	var rows [][]field
	for _, line := range data {
		cells, ok := s.split(line, nil)
		if !ok {
			return nil
		}
		rows = append(rows, cells)
	}
	switch first := rows[0]; {
	case s.labelled(rows, first[min(1, len(first)):]), s.labelled(rows, first):
		s.left = true
		for i, cells := range rows[1:] {
			if x, ok := number.Parse(cells[i+1].text); ok && x != 0 && !forced {
				s.doubt = "its diagonal is not 0, as if it said how alike vertices are: if its entries are lengths, " +
					"say --format matrix"
			}
		}
		if doubt := doubtLabels(s.sep, first); doubt != "" && s.n < len(first) && !forced {
			s.doubt = doubt
		}
	case forced && !slices.ContainsFunc(rows, func(cells []field) bool {
		return len(cells) != len(rows)+1 || isNumber(cells[0].text)
	}): // labels of rows, and none of columns
		s.left, s.n = true, len(rows)
		for _, cells := range rows {
			s.labels = append(s.labels, string(cells[0].text))
		}
	case !slices.ContainsFunc(first, func(c field) bool { return isNumber(c.text) }) && len(rows) > 1:
		rows = rows[1:]
		s.top, s.labels = true, textsOf(first)
		if _, known, err := columns.Named(textsOf(first)); known || err != nil {
			return nil
		}
		fallthrough
	default:
		if s.n = len(rows[0]); s.top && len(s.labels) != s.n || !s.plain(rows) {
			return nil
		}
	}
	for _, cells := range rows[btoi(s.left && s.top):] {
		if len(cells) != s.n+btoi(s.left) || !numeric(cells[btoi(s.left):], s.left) {
			return nil
		}
	}
	if lines := len(rows) - btoi(s.left && s.top); lines > s.n || whole && lines < s.n {
		return nil
	}
	return s
}

// labelled reports whether the lines below the first one begin with labels, which the first line has too.
func (s *square) labelled(rows [][]field, labels []field) bool {
	if len(labels) < 2 || len(rows) < 2 || numeric(rows[0], false) && len(rows[0]) == len(rows[1]) {
		return false
	}
	for i, cells := range rows[1:] {
		if i >= len(labels) || len(cells) != len(labels)+1 || !bytes.Equal(cells[0].text, labels[i].text) {
			return false
		}
	}
	s.top, s.labels, s.n = true, textsOf(labels), len(labels)
	return true
}

// plain reports whether lines without labels are a matrix rather than arcs, and where that is not sure, notes the
// doubt. Distances have zeros, or no number, on the diagonal.
func (s *square) plain(rows [][]field) bool {
	zeros, symmetric, whole := true, true, true
	for i, cells := range rows {
		if len(cells) != s.n || i >= s.n {
			return false
		}
		x, ok := number.Parse(cells[i].text)
		zeros = zeros && (x == 0 || !ok)
		for k, c := range cells {
			symmetric = symmetric && (k >= len(rows) || i >= len(rows[k]) || bytes.Equal(c.text, rows[k][i].text))
			_, id := parseID(c.text)
			_, float := floatID(c.text)
			whole = whole && (id || float || k > 1)
		}
	}
	switch {
	case s.forced:
	case s.n < 2, s.n < 4 && !zeros, s.n == 2 && whole && !doubtPair(rows):
		return false
	case !zeros || s.n == 2 && whole || s.n == 3 && !symmetric && whole:
		s.doubt = fmt.Sprintf("%d lines of %[1]d numbers may be a matrix, or arcs: say --format matrix, or --format "+
			"edgelist", s.n)
		if s.n > 3 {
			s.doubt += fmt.Sprintf(" --columns from=A,to=B,weight=C with A, B and C from 1 to %d", s.n)
		}
	}
	return true
}

// numeric reports whether all cells are numbers. Below labels, some may be empty.
func numeric(cells []field, empty bool) bool {
	return len(cells) > 0 && !slices.ContainsFunc(cells, func(c field) bool {
		return !isNumber(c.text) && !isDecimalComma(c.text) && !(empty && len(c.text) == 0)
	})
}

// textsOf returns the cells of a line as strings.
func textsOf(cells []field) (texts []string) {
	for _, c := range cells {
		texts = append(texts, string(c.text))
	}
	return texts
}

func readMatrix(in *lines.Reader, o Options, out *sink) error {
	text, whole := in.Peek()
	s := squareOf(text, whole, o.Format != "")
	switch {
	case s == nil:
		return out.failAll("its lines are no square of numbers, with or without labels")
	case s.doubt != "":
		return out.failAll("%s", s.doubt)
	}
	out.matrix.full = true
	out.bothWays, out.Expected = true, int64(s.n)*int64(s.n)/2
	out.mustBeSymmetric()
	if err := s.name(o, out); err != nil {
		return err
	}
	row, top := 0, s.top
	var cells []field
	err := in.Each(func(line []byte) (err error) {
		switch {
		case isSkipped(line):
			return nil
		case top:
			top = false
			return nil
		}
		cells, err = s.row(out, line, row, cells[:0])
		row++
		return err
	})
	switch {
	case err != nil:
		return err
	case row < s.n:
		return out.failAll("a matrix of %d columns has %[1]d rows, but the file ends after %d", s.n, row)
	}
	return out.checkStored(o)
}

// row reads a row from its line, which it cuts into cells.
func (s *square) row(out *sink, line []byte, row int, cells []field) ([]field, error) {
	cells, ok := s.split(line, cells)
	entries := cells[min(len(cells), btoi(s.left)):]
	switch {
	case !ok:
		return nil, out.fail("a quote is not closed, or more text follows it")
	case s.left && row < s.n && (len(cells) == 0 || string(cells[0].text) != s.labels[row]):
		return nil, out.fail("row %d of the matrix is not called %s, as its column is", row+1,
			number.Quoted([]byte(s.labels[row])))
	case row == s.n || len(entries) != s.n:
		return nil, out.fail("a matrix of %d columns has %[1]d rows, and this line has %d entries in row %d", s.n,
			len(entries), row+1)
	}
	for v, c := range entries {
		switch {
		case isDecimalComma(c.text):
			return nil, out.fail("%s has a comma, but decimals are written with a point", number.Quoted(c.text))
		case len(c.text) == 0: // as NaN
			c.text = []byte("nan")
		}
		if err := out.entry(s.vertices[row], s.vertices[v], c.text); err != nil {
			return nil, err
		}
	}
	return cells, nil
}

// name gives the vertices their labels.
func (s *square) name(o Options, out *sink) error {
	if s.labels == nil {
		for row := range s.n {
			s.vertices = append(s.vertices, int32(row))
		}
		return out.declare(int64(s.n))
	}
	if o.Base != nil {
		return out.failAll("the matrix has labels of its own, without --base")
	}
	r := &edgeReader{out: out, vertices: &out.table}
	out.Signed = true
	for i, label := range s.labels {
		v, err := r.vertex(field{text: []byte(label), quoted: true}, 0)
		if err != nil {
			return err
		}
		if s.vertices = append(s.vertices, v); out.table.known() != int64(i+1) {
			return out.fail("two columns are called %s", number.Quoted([]byte(label)))
		}
	}
	return nil
}
