package read

import (
	"bytes"
	"fmt"
	"slices"

	"ooc/engine/graph/internal/input"
	"ooc/engine/graph/internal/number"
	"ooc/engine/graph/read/internal/columns"
)

// textMatrix is a square of numbers, with or without the names of its rows and columns: the entry in row u and column v
// is the weight of the arc from u to v.
var textMatrix = inputFormat{
	Name:     "matrix",
	Title:    "matrix of the weights as text: a square of numbers, maybe with labels",
	Directed: true,
	NoArc:    true,
	Detect:   detectMatrix,
	read:     readMatrix,
}

// square is what the first lines of a matrix show.
type square struct {
	*sink
	table
	n      int
	labels []string // of columns and rows; nil if there are none
	top    bool     // the first line is labels
	left   bool     // the first cell of a line is its label
	rows   []int32  // of rows and columns, their vertices
	doubt  string   // what speaks against a matrix; "" if nothing does
}

func detectMatrix(head []byte) bool {
	whole := len(head) < input.HeadSize
	if !whole {
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	return squareOf(dataLines(bytes.ReplaceAll(head, []byte("\r"), []byte("\n"))), whole, false) != nil
}

// squareOf returns what lines without comments are as a matrix, or nil if they are none, or far more likely arcs. whole
// says that these are all lines, and forced that they are a matrix.
func squareOf(data [][]byte, whole, forced bool) *square {
	s := &square{table: tableOf(data, 0)}
	if len(data) == 0 || len(data) == 1 && whole && !forced || s.sep == ' ' && bytes.IndexByte(data[0], ',') >= 0 {
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
	first := rows[0]
	switch {
	case s.labelled(rows, first[min(1, len(first)):]), s.labelled(rows, first):
		s.top, s.left = true, true
	case forced && !slices.ContainsFunc(rows, func(cells []field) bool {
		return len(cells) != len(rows)+1 || isNumber(cells[0].text)
	}): // labels of rows, and none of columns
		s.left = true
		for _, cells := range rows {
			s.labels = append(s.labels, string(cells[0].text))
		}
	case !slices.ContainsFunc(first, func(c field) bool { return isNumber(c.text) }) && len(rows) > 1:
		s.top, s.labels = true, textsOf(first)
		if _, known, err := columns.Named(s.labels); known || err != nil {
			return nil
		}
	}
	left := btoi(s.left)
	rows = rows[btoi(s.top):]
	s.n = len(rows[0]) - left
	if s.labels != nil && len(s.labels) != s.n || len(rows) > s.n || whole && len(rows) < s.n {
		return nil
	}
	for i, cells := range rows {
		if len(cells) != s.n+left || !numeric(cells[left:], s.left) {
			return nil
		}
		rows[i] = cells[left:]
	}
	if !forced && !s.likely(rows, first) {
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
	s.labels = textsOf(labels)
	return true
}

// likely reports whether rows below a first line are a matrix rather than arcs, and where that is not sure, notes the
// doubt. Distances have zeros, or no number, on the diagonal.
func (s *square) likely(rows [][]field, first []field) bool {
	zeros, symmetric, whole := true, true, true
	for i, cells := range rows {
		x, ok := number.Parse(cells[i].text)
		zeros = zeros && (x == 0 || !ok)
		for k, c := range cells {
			symmetric = symmetric && (k >= len(rows) || bytes.Equal(c.text, rows[k][i].text))
			_, id := parseID(c.text)
			_, float := floatID(c.text)
			whole = whole && (id || float || k > 1)
		}
	}
	switch {
	case s.left && s.n < len(first) && doubtLabels(s.sep, first) != "":
		s.doubt = doubtLabels(s.sep, first)
	case s.left && !zeros:
		s.doubt = "its diagonal is not 0, as if it said how alike vertices are: if its entries are lengths, say " +
			"--format matrix"
	case s.left:
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

func readMatrix(out *sink) error {
	text, whole := out.in.Peek()
	s := squareOf(dataLines(text), whole, out.options.Format != "")
	switch {
	case s == nil:
		return out.failAll("its lines are no square of numbers, with or without labels")
	case s.doubt != "":
		return out.failAll("%s", s.doubt)
	}
	s.sink = out
	s.matrix.full, s.matrix.odd = true, map[string]int64{}
	s.bothWays, s.Expected = true, int64(s.n)*int64(s.n)/2
	s.mustBeSymmetric()
	if err := s.name(); err != nil {
		return err
	}
	row := -btoi(s.top) // the line of labels stands before row 0
	var cells []field
	err := s.in.Each(func(line []byte) (err error) {
		if isSkipped(line) {
			return nil
		}
		if row >= 0 {
			cells, err = s.row(line, row, cells[:0])
		}
		row++
		return err
	})
	switch {
	case err != nil:
		return err
	case row < s.n:
		return s.failAll("a matrix of %d columns has %[1]d rows, but the file ends after %d", s.n, row)
	}
	return s.checkStored()
}

// row reads a row from its line, which it cuts into cells.
func (s *square) row(line []byte, row int, cells []field) ([]field, error) {
	cells, ok := s.split(line, cells)
	entries := cells[min(len(cells), btoi(s.left)):]
	switch {
	case !ok:
		return nil, s.fail("a quote is not closed, or more text follows it")
	case s.left && row < s.n && (len(cells) == 0 || string(cells[0].text) != s.labels[row]):
		return nil, s.fail("row %d of the matrix is not called %s, as its column is", row+1,
			number.Quoted([]byte(s.labels[row])))
	case row == s.n || len(entries) != s.n:
		return nil, s.fail("a matrix of %d columns has %[1]d rows, and this line has %d entries in row %d", s.n,
			len(entries), row+1)
	}
	for v, c := range entries {
		switch {
		case isDecimalComma(c.text):
			return nil, s.fail("%s has a comma, but decimals are written with a point", number.Quoted(c.text))
		case len(c.text) == 0: // as NaN
			c.text = []byte("nan")
		}
		if err := s.arc(s.rows[row], s.rows[v], c.text); err != nil {
			return nil, err
		}
	}
	return cells, nil
}

// name gives the vertices their labels.
func (s *square) name() error {
	if s.labels == nil {
		for row := range s.n {
			s.rows = append(s.rows, int32(row))
		}
		return s.declare(int64(s.n))
	}
	if s.options.Base != nil {
		return s.failAll("the matrix has labels of its own, without --base")
	}
	r := &edgeReader{sink: s.sink}
	s.Signed = true
	for i, label := range s.labels {
		v, err := r.end(field{text: []byte(label), quoted: true}, 0)
		if err != nil {
			return err
		}
		if s.rows = append(s.rows, v); s.vertices.known() != int64(i+1) {
			return s.fail("two columns are called %s", number.Quoted([]byte(label)))
		}
	}
	return nil
}
