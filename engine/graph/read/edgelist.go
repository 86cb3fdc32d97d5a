package read

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/arcs"
	"ooc/engine/graph/internal/number"
	"ooc/engine/graph/packed"
	"ooc/engine/graph/read/internal/columns"
	"ooc/engine/graph/read/internal/ids"
	"ooc/engine/graph/read/internal/lines"
	"ooc/engine/text"
)

// edgeList is one arc a line: two vertex ids and maybe a weight, between blanks, commas or semicolons.
var edgeList = Format{
	Name:       "edgelist",
	Title:      "edge list: from, to and maybe a weight on each line (SNAP, CSV, .cedge)",
	Extensions: []string{".csv", ".tsv", ".txt", ".el", ".wel", ".edges", ".edgelist", ".cedge"},
	Directed:   true,
	Columns:    true,
	Detect:     detectEdgeList,
	read:       readEdgeList,
}

// detectEdgeList never is sure: two numbers on a line may mean many things. It refuses what holds
// control characters, as binary files do, and what another program would read as Matrix Market.
func detectEdgeList(head []byte) match {
	if bytes.HasPrefix(head, []byte("%%MatrixMarket")) {
		return no
	}
	for _, c := range head {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' {
			return no
		}
	}
	return perhaps
}

// isSkipped reports whether line is blank or a comment.
func isSkipped(line []byte) bool {
	i := skipBlank(line, 0)
	return i == len(line) || line[i] == '#' || line[i] == '%' || bytes.HasPrefix(line[i:], []byte("//"))
}

// edgeReader holds what the first line with data has settled.
type edgeReader struct {
	in    *lines.Reader
	out   *sink
	table *vertexTable

	columns.Columns
	picks  columns.Picks // names that a header must have; all "" if there are none
	either bool          // nobody has said whether the graph is directed
	named  bool          // by Options.Columns; then lines may have further columns
	order  bool          // named in their order, and not by numbers
	hasIDs bool          // four columns are id, from, to, weight
	sep    byte          // ',' or ';'; 0 for runs of blanks
	told   bool          // sep, by a first line "sep=;" as spreadsheets write it
	header bool          // the first line with data was one

	counts *counts // a first line that may hold no arc; nil if there is none
	braces bool    // a dictionary of Python ends each line, and its entry key is the weight
	key    string  // "": there is none
	ignore bool    // --columns says so, though lines may have one
	width  int     // columns of a line; 0 before the first
	held   []byte  // a first line of two words that may be a header
	heldAt int64
	begun  bool // a line was read as an arc

	hashes int64  // see comment
	hash   string // the first of them

	fields []field
	plain  plainEdges
	keys   [lookAhead][2]ids.Key
	wanted [2 * lookAhead]*ids.Key

	fetched uint64 // of no meaning, but so that looking ahead is not optimised away
	recs    []arcs.Arc
}

// field is one column of a line.
type field struct {
	text   []byte
	quoted bool
}

func readEdgeList(in *lines.Reader, o Options, out *sink) error {
	r := &edgeReader{in: in, out: out, table: &out.table}
	r.either = o.Directed == nil
	r.hasIDs = strings.EqualFold(filepath.Ext(packed.TrimExt(out.File)), ".cedge")
	if o.Columns != "" {
		c, p, err := columns.Option(o.Columns)
		switch {
		case err != nil:
			return err
		case c == nil:
			r.picks = p
		default:
			r.Columns, r.named, r.order = *c, true, !strings.Contains(o.Columns, "=")
		}
		if c != nil && c.Weight < 0 && c.Least > 2 {
			out.remark("no column of %q is named weight, or %s: every arc has weight 1", o.Columns, strings.Join(columns.Names[2][1:], ", "))
		}
	}
	if o.Base != nil {
		r.table.forced, r.table.base = true, int64(*o.Base)
		r.table.top = r.table.base - 1
	}
	out.Signed = !r.table.forced
	for r.width == 0 || r.held != nil || !r.begun {
		line, err := in.Next()
		if err == io.EOF {
			return r.end()
		}
		if err == nil {
			err = r.early(line)
		}
		if err != nil {
			return err
		}
	}
	if err := r.readPlainEdges(); err != nil {
		return err
	}
	return r.finish()
}

// finish ends the reading of lines.
func (r *edgeReader) finish() error {
	switch {
	case r.hashes > 1:
		r.hash += fmt.Sprintf(" and %d more like it, are comments", r.hashes-1)
	case r.hashes == 1:
		r.hash += " is a comment"
	}
	if r.hashes > 0 {
		r.out.remark("%s; an id that begins with # stands in double quotes", r.hash)
	}
	return r.settleCounts()
}

// end settles what was kept as long as another line might follow.
func (r *edgeReader) end() error {
	if r.counts != nil && r.counts.waits {
		r.width = 2
		r.Columns, _ = columns.Default(2, false, nil)
		return r.countsAsArc(r.counts)
	}
	if err := r.release(); err != nil {
		return err
	}
	return r.finish()
}

// refused says why a numeric id got no vertex.
func (r *edgeReader) refused(id int64) error {
	switch {
	case r.table.forced && id < r.table.base:
		return r.out.fail("vertex %d is below the base %d", id, r.table.base)
	}
	return r.out.fail("more than %d vertices", graph.MaxVertices)
}

// early reads a line that comes before all is settled.
func (r *edgeReader) early(line []byte) error {
	switch {
	case isSkipped(line) && r.in.Line == 1:
		return r.statement(line)
	case isSkipped(line) && r.width > 0:
		r.comment(line)
		return nil
	case isSkipped(line):
		return nil
	case r.width == 0 && !r.told && len(line) == len("sep=;") && bytes.EqualFold(line[:4], []byte("sep=")):
		return r.tell(line[4])
	case r.counts != nil && r.counts.waits:
		return r.second(line)
	case r.width == 0:
		return r.first(line)
	case r.held == nil:
		return r.arc(line)
	}
	if err := r.settle(line); err != nil {
		return err
	}
	return r.arc(line)
}

// first settles from the first line with data what all lines are like.
func (r *edgeReader) first(line []byte) error {
	if found, err := r.hasBraces(line); err != nil {
		return err
	} else if found {
		return r.arc(line)
	}
	if !r.told {
		r.sep = findSeparator(line)
	}
	if tok := commaAmongBlanks(line); r.sep == ',' && tok != nil {
		return r.decimalComma(tok)
	}
	if err := r.twoPairs(line); err != nil {
		return err
	}
	if err := r.split(line); err != nil {
		return err
	}
	if r.sep == ',' && r.picks == (columns.Picks{}) && r.numbersColumns() {
		r.out.remark("line %d, %q, is read as an arc; if it only numbers the columns, as pandas does where they have no names, remove it", r.in.Line, bytes.TrimSpace(line))
	}
	if r.isCounts(line) {
		return nil
	}
	r.width = len(r.fields)
	if r.picks != (columns.Picks{}) {
		c, err := r.picks.Among(r.names())
		if err != nil {
			return r.out.fail("%s", err)
		}
		r.Columns = c
		if c.Weight < 0 {
			r.out.remark("no column is picked for the weight: every arc has weight 1")
		}
		return r.oneWay()
	}
	header, sure := r.looksLikeHeader()
	if !r.named {
		if err := r.findColumns(header && sure); err != nil {
			return r.out.fail("%s", err)
		}
	}
	switch {
	case header && !sure:
		r.held, r.heldAt = bytes.Clone(line), r.in.Line
		return nil
	case header && r.order && r.contradicts():
		return r.out.fail("the header has from and to elsewhere than --columns has them: leave --columns away, or pick by number, --columns from=A,to=B,weight=C with A, B and C from 1 to %d", r.width)
	case header:
		return r.oneWay()
	}
	return r.arc(line)
}

// numbersColumns reports whether the columns of a line, in fields, are 0, 1, 2…
func (r *edgeReader) numbersColumns() bool {
	for i, f := range r.fields {
		if x, ok := parseID(f.text); !ok || x != int64(i) {
			return false
		}
	}
	return len(r.fields) > 1
}

// line reads a line of any kind, after the first.
func (r *edgeReader) line(line []byte) error {
	if isSkipped(line) {
		r.comment(line)
		return nil
	}
	return r.arc(line)
}

// comment counts lines that are comments for their #, but look like arcs.
func (r *edgeReader) comment(line []byte) {
	i := skipBlank(line, 0)
	if len(line) < i+2 || line[i] != '#' || isBlank(line[i+1]) || r.braces || r.splitPlain(line) != nil {
		return
	}
	if n := len(r.fields); n < r.Least || !r.named && n != r.width {
		return
	}
	if r.hashes++; r.hashes == 1 {
		r.hash = fmt.Sprintf("line %d, %q,", r.in.Line, bytes.TrimSpace(line))
	}
}

// arc reads a line as an arc.
func (r *edgeReader) arc(line []byte) error {
	if err := r.split(line); err != nil {
		return err
	}
	if n := len(r.fields); n < r.Least || !r.named && n != r.width {
		if n == r.Weight && n > max(r.From, r.To) {
			return r.out.fail("the weight is missing: the line has %d columns, not %d", n, max(r.width, r.Least))
		}
		hint := ""
		if r.header && n == r.width+1 && r.Weight >= 0 {
			hint = fmt.Sprintf(" as the first; if its first column only numbers the lines, say --columns from=%d,to=%d,weight=%d", r.From+2, r.To+2, r.Weight+2)
		}
		return r.out.fail("the line has %d columns, not %d%s", n, max(r.width, r.Least), hint)
	}
	if err := r.twoWays(line); err != nil {
		return err
	}
	if !r.begun {
		r.begun = true
		if err := r.directions(); err != nil {
			return err
		}
	}
	u, err := r.vertex(r.fields[r.From], "from")
	if err != nil {
		return err
	}
	v, err := r.vertex(r.fields[r.To], "to")
	if err != nil {
		return err
	}
	if r.Weight < 0 {
		return r.out.arc(u, v, []byte("1"))
	}
	tok := r.fields[r.Weight].text
	if len(tok) == 0 {
		return r.out.fail("the weight is missing")
	}
	if isDecimalComma(tok) {
		return r.decimalComma(tok)
	}
	return r.out.arc(u, v, tok)
}

// vertex returns the vertex that a column names.
func (r *edgeReader) vertex(f field, column string) (int32, error) {
	if len(f.text) == 0 {
		return 0, r.out.fail("the %s vertex is missing", column)
	}
	if id, ok := parseID(f.text); ok {
		p, ok := r.table.number(id)
		if !ok {
			return 0, r.refused(id)
		}
		return p, nil
	}
	_, isNumber := number.Scan(f.text)
	switch {
	case r.table.forced:
		return 0, r.out.fail("vertex %s is not an integer, as --base says it is", number.Quoted(f.text))
	case isNumber && !f.quoted && bytes.ContainsAny(f.text, ".eE"):
		return 0, r.out.fail("vertex %s is not an integer; if another column is the %s vertex, name the columns with --columns", number.Quoted(f.text), column)
	case !utf8.Valid(f.text):
		return 0, r.out.fail("vertex %s is not UTF-8 text; if it is Latin-1, convert it: iconv -f LATIN1 -t UTF-8 FILE > NEW", number.Quoted(f.text))
	case !text.Printable(f.text):
		return 0, r.out.fail("vertex %s has a character that cannot be shown, a control character or one that turns the direction of writing: remove it", number.Quoted(f.text))
	}
	p, ok := r.table.text(f.text)
	if !ok {
		return 0, r.out.fail("more than %d vertices", graph.MaxVertices)
	}
	return p, nil
}
