package graph

import (
	"bytes"
	"fmt"
	"io"
	"math"
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
func detectDIMACS(head []byte) Match {
	for len(head) > 0 {
		line, rest, whole := bytes.Cut(head, []byte("\n"))
		head = rest
		if isDIMACSComment(line) {
			continue
		}
		if whole && len(line) > 2 && line[0] == 'p' && (line[1] == ' ' || line[1] == '\t') {
			return Yes
		}
		return No
	}
	return No
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
	in          *lineReader
	out         *sink
	base        int64
	n, m, found int64
	header      int64 // the line of the problem line; 0 before it
}

func readDIMACS(in *lineReader, o Options, out *sink) error {
	r := dimacsReader{in: in, out: out, base: 1}
	if o.Base != nil {
		r.base = int64(*o.Base)
	}
	for {
		line, err := in.next()
		if err == io.EOF {
			return r.end()
		}
		if err != nil {
			return err
		}
		if r.header != 0 && len(line) > 2 && line[0] == 'a' && (line[1] == ' ' || line[1] == '\t') {
			err = r.arc(line)
		} else if !isDIMACSComment(line) {
			err = r.problem(line)
		}
		if err != nil {
			return err
		}
	}
}

// arc reads "a FROM TO WEIGHT". Plain integers take the first branch; it must stay fast.
func (r *dimacsReader) arc(line []byte) error {
	r.found++
	if r.found > r.m {
		return r.out.fail("the problem line announces %d arcs, and this is one more", r.m)
	}
	from, i := digits(line, skipBlank(line, 2))
	to, j := digits(line, skipBlank(line, i))
	w, k := digits(line, skipBlank(line, j))
	from, to = from-r.base, to-r.base
	if k > j && j > i && isDigit(line[i-1]) && isBlank(line[i]) && isDigit(line[j-1]) && isBlank(line[j]) && isDigit(line[k-1]) &&
		uint64(from) < uint64(r.n) && uint64(to) < uint64(r.n) && w <= math.MaxInt32 &&
		r.out.weigh.scale == 1 && skipBlank(line, k) == len(line) {
		return r.out.intArc(int32(from), int32(to), int32(w))
	}
	return r.anyArc(line[1:])
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func isDigit(c byte) bool { return c-'0' < 10 }

// anyArc reads what follows an "a": any weight, and anything that may be wrong.
func (r *dimacsReader) anyArc(line []byte) error {
	fields := bytes.Fields(line)
	switch len(fields) {
	case 3:
	case 2:
		return r.out.fail("the weight is missing")
	default:
		return r.out.fail("an arc is written \"a FROM TO WEIGHT\", but %d fields follow the a", len(fields))
	}
	from, err := r.vertex(fields[0])
	if err != nil {
		return err
	}
	to, err := r.vertex(fields[1])
	if err != nil {
		return err
	}
	return r.out.arc(from, to, fields[2])
}

func (r *dimacsReader) vertex(tok []byte) (int32, error) {
	d, ok := scanDecimal(tok)
	if !ok {
		return 0, r.out.fail("vertex %s is not a number", quoted(tok))
	}
	id, state := d.times(1, tok)
	if state == isFraction {
		return 0, r.out.fail("vertex %s is not an integer", quoted(tok))
	}
	if state != isInteger || id < r.base || id-r.base >= r.n {
		return 0, r.out.fail("vertex %s is outside %d…%d", quoted(tok), r.base, r.base+r.n-1)
	}
	return int32(id - r.base), nil
}

// problem reads "p sp N M", and refuses every other line that is neither comment nor arc.
func (r *dimacsReader) problem(line []byte) error {
	fields := bytes.Fields(line)
	switch {
	case len(fields) == 0:
		return nil
	case string(fields[0]) == "a" && r.header == 0:
		return r.out.fail("an arc before the problem line \"p sp VERTICES ARCS\"")
	case string(fields[0]) == "a":
		return r.arc(append([]byte("a "), bytes.Join(fields[1:], []byte(" "))...))
	case string(fields[0]) != "p":
		return r.out.fail("a line starts with c, p or a, not with %s", quoted(fields[0]))
	case r.header != 0:
		return r.out.fail("a second problem line; the first is line %d", r.header)
	case len(fields) != 4:
		return r.out.fail("the problem line is not \"p sp VERTICES ARCS\"")
	case string(fields[1]) != "sp":
		return r.out.fail("a problem of type %s, not of type sp (shortest paths)", quoted(fields[1]))
	}
	n, i := digits(fields[2], 0)
	m, j := digits(fields[3], 0)
	if i != len(fields[2]) || j != len(fields[3]) {
		return r.out.fail("the counts %s and %s are not numbers that a graph can have", quoted(fields[2]), quoted(fields[3]))
	}
	r.n, r.m, r.header = n, m, r.in.line
	return r.out.declare(n, r.base)
}

func (r *dimacsReader) end() error {
	if r.header == 0 {
		return r.out.failAll("no problem line \"p sp VERTICES ARCS\"")
	}
	if r.found < r.m {
		return &InputError{File: r.out.file, Line: r.header,
			Reason: fmt.Sprintf("the problem line announces %d arcs, but the file ends after %d", r.m, r.found)}
	}
	return nil
}
