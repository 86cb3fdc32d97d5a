package read

import (
	"bytes"
	"io"

	"ooc/engine/graph/internal/number"
	"ooc/engine/graph/read/internal/foreign"
	"ooc/engine/graph/read/internal/lines"
)

// dimacs is the format of the 9th DIMACS Implementation Challenge's shortest-path problems, which
// GTgraph writes too: http://www.diag.uniroma1.it/challenge9/format.shtml
var dimacs = Format{
	Name:       "dimacs",
	Title:      "DIMACS shortest paths (.gr), also of GTgraph",
	Extensions: []string{".gr"},
	Directed:   true,
	Detect:     detectDIMACS,
	read:       readDIMACS,
}

// detectDIMACS looks for the problem line, before which only comments may stand.
func detectDIMACS(head []byte) match {
	for len(head) > 0 {
		line, rest, whole := bytes.Cut(head, []byte("\n"))
		head = rest
		if isDIMACSComment(line) {
			continue
		}
		name, _ := foreign.Recognise(line)
		if whole && name == "" && len(line) > 2 && line[0] == 'p' && (line[1] == ' ' || line[1] == '\t') {
			return yes
		}
		return no
	}
	return no
}

// isDIMACSComment reports whether line is blank or a comment: a "c" alone or before a blank.
func isDIMACSComment(line []byte) bool {
	i := skipBlank(line, 0)
	if i == len(line) || line[i] == '\r' {
		return true
	}
	return line[i] == 'c' && (i+1 == len(line) || line[i+1] == ' ' || line[i+1] == '\t' || line[i+1] == '\r')
}

// dimacsReader holds what the lines so far have said.
type dimacsReader struct {
	arcLines
	in     *lines.Reader
	base   int64
	n      int64
	header int64 // the line of the problem line; 0 before it
}

func readDIMACS(in *lines.Reader, o Options, out *sink) error {
	r := &dimacsReader{in: in, base: o.base(1)}
	r.out, r.tooMany, r.slow = out, r.oneMore, r.line
	for r.header == 0 {
		line, err := in.Next()
		if err == io.EOF {
			return out.failAll("no problem line \"p sp VERTICES ARCS\"")
		}
		if err == nil {
			err = r.line(line)
		}
		if err != nil {
			return err
		}
	}
	r.plain = plainArcs{prefix: 'a', base: uint64(r.base), n: uint64(r.n), weighted: true}
	if err := r.run(); err != nil {
		return err
	}
	if r.found < r.most {
		return out.failAt(r.header, "the problem line announces %d arcs, but the file ends after %d", r.most, r.found)
	}
	return nil
}

func (r *dimacsReader) oneMore() error {
	return r.out.fail("the problem line announces %d arcs, and this is one more", r.most)
}

// line reads any line.
func (r *dimacsReader) line(line []byte) error {
	if isDIMACSComment(line) {
		return nil
	}
	fields := bytes.Fields(line)
	switch {
	case len(fields) == 0:
		return nil
	case string(fields[0]) == "a" && r.header == 0:
		return r.out.fail("an arc before the problem line \"p sp VERTICES ARCS\"")
	case string(fields[0]) == "a":
		return r.arc(fields[1:])
	case string(fields[0]) != "p":
		return r.out.fail("a line starts with c, p or a, not with %s", number.Quoted(fields[0]))
	case r.header != 0:
		return r.out.fail("a second problem line; the first is line %d", r.header)
	}
	return r.problem(fields)
}

// problem reads "p sp N M".
func (r *dimacsReader) problem(fields [][]byte) error {
	switch {
	case len(fields) != 4:
		return r.out.fail("the problem line is not \"p sp VERTICES ARCS\"")
	case string(fields[1]) != "sp":
		return r.out.fail("a problem of type %s, not of type sp (shortest paths)", number.Quoted(fields[1]))
	}
	n, i := digits(fields[2], 0)
	m, j := digits(fields[3], 0)
	if i != len(fields[2]) || j != len(fields[3]) {
		return r.out.fail("the counts %s and %s are not numbers that a graph can have", number.Quoted(fields[2]), number.Quoted(fields[3]))
	}
	r.n, r.most, r.header = n, m, r.in.Line
	r.out.Expected = m
	return r.out.declare(n, r.base)
}

// arc reads what follows an "a": any weight, and anything that may be wrong.
func (r *dimacsReader) arc(fields [][]byte) error {
	if r.found++; r.found > r.most {
		return r.oneMore()
	}
	switch len(fields) {
	case 3:
	case 2:
		return r.out.fail("the weight is missing")
	default:
		return r.out.fail("an arc is written \"a FROM TO WEIGHT\", but %d fields follow the a", len(fields))
	}
	from, err := r.out.vertex(fields[0])
	if err != nil {
		return err
	}
	to, err := r.out.vertex(fields[1])
	if err != nil {
		return err
	}
	return r.arcLines.arc(from, to, fields[2])
}
