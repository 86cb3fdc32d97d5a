package read

import (
	"bytes"
	"cmp"
	"slices"

	"ooc/engine/graph/internal/input"
	"ooc/engine/graph/internal/number"
)

// detectMETIS is sure of lists that no edge list could be, after a header that all of them fit: of different lengths,
// or of a length that no arcs below a line of counts have. It is also sure of a small file that fits to the last
// edge. Else the extension decides.
func detectMETIS(head []byte) match {
	whole := len(head) < input.HeadSize-len("\xef\xbb\xbf")
	d := metisDetector{}
	for len(head) > 0 {
		line, rest, ended := bytes.Cut(head, []byte("\n"))
		if !ended && !whole {
			break
		}
		if head = rest; !d.line(line) {
			return no
		}
	}
	arcs := d.width == 0 || d.width == d.columns || d.width == 3 && d.columns == 2 // "N M", and then arcs with weights
	if d.ragged || !arcs || d.lines > 0 && whole && d.fits() {
		return yes
	}
	return no
}

// metisDetector reads the first lines of what may be METIS.
type metisDetector struct {
	metisHeader
	columns int   // of the header
	lines   int64 // after it
	width   int   // columns of the first that is not blank; 0 before it
	ragged  bool  // others have more or fewer
	edges   [][2]int64
}

// line reports whether a line fits those before it.
func (d *metisDetector) line(line []byte) bool {
	fields := bytes.Fields(line)
	switch {
	case len(fields) > 0 && fields[0][0] == '%':
		return true
	case d.columns == 0 && len(fields) == 0:
		return true
	case d.columns == 0:
		var reason string
		d.metisHeader, reason = parseMETISHeader(line)
		d.columns = len(fields)
		return reason == ""
	case d.lines == d.n:
		return len(fields) == 0
	}
	d.lines++
	if len(fields) > 0 {
		d.width = cmp.Or(d.width, len(fields))
		d.ragged = d.ragged || len(fields) != d.width
	}
	step := 1 + btoi(d.weighted)
	if len(fields) > 0 && (len(fields) < d.skip || (len(fields)-d.skip)%step != 0) {
		return false
	}
	for i, f := range fields {
		x, end := digits(f, 0)
		isID := i >= d.skip && (i-d.skip)%step == 0
		if isID && (end != len(f) || x < 0 || x > d.n) {
			return false
		}
		if _, ok := number.Scan(f); !ok {
			return false
		}
		if isID {
			d.edges = append(d.edges, [2]int64{d.lines, x})
		}
	}
	return true
}

// fits reports whether all lists are there, and each edge in those of both its ends.
func (d *metisDetector) fits() bool {
	if d.lines != d.n || int64(len(d.edges)) != 2*d.m {
		return false
	}
	reversed := make([][2]int64, len(d.edges))
	for i, e := range d.edges {
		reversed[i] = [2]int64{e[1], e[0]}
		if e[0] == e[1] {
			return false
		}
	}
	order := func(a, b [2]int64) int { return slices.Compare(a[:], b[:]) }
	slices.SortFunc(d.edges, order)
	slices.SortFunc(reversed, order)
	return slices.Equal(d.edges, reversed)
}
