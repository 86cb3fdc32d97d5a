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
func detectEdgeList(head []byte) Match {
	if bytes.HasPrefix(head, []byte("%%MatrixMarket")) {
		return No
	}
	for _, c := range head {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' {
			return No
		}
	}
	return Maybe
}

// isSkipped reports whether line is blank or a comment.
func isSkipped(line []byte) bool {
	i := skipBlank(line, 0)
	return i == len(line) || line[i] == '#' || line[i] == '%' || bytes.HasPrefix(line[i:], []byte("//"))
}

// edgeReader holds what the first line with data has settled.
type edgeReader struct {
	in    *lineReader
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

func readEdgeList(in *lineReader, o Options, out *sink) error {
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
	for r.width == 0 || r.held != nil {
		line, err := in.next()
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
	return r.settleCounts()
}

// release adds a first line that was taken for a header.
func (r *edgeReader) release() error {
	if r.held == nil {
		return nil
	}
	line, at := r.held, r.in.line
	r.held, r.in.line = nil, r.heldAt
	if err := r.arc(line); err != nil {
		return err
	}
	r.in.line = at
	return nil
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
	case isSkipped(line) && r.in.line == 1:
		return r.statement(line)
	case isSkipped(line):
		return nil
	case r.width == 0 && !r.told && len(line) == len("sep=;") && bytes.EqualFold(line[:4], []byte("sep=")):
		return r.tell(line[4])
	case r.counts != nil && r.counts.waits:
		return r.second(line)
	case r.width == 0:
		return r.first(line)
	}
	if err := r.settle(line); err != nil {
		return err
	}
	return r.arc(line)
}

// tell takes the separator that the first line names.
func (r *edgeReader) tell(sep byte) error {
	switch r.told = true; sep {
	case ',', ';':
		r.sep = sep
	case '\t', ' ':
		r.sep = 0
	default:
		return r.out.fail("columns between %s are not read: write them with commas, semicolons or tabs", number.Quoted([]byte{sep}))
	}
	return nil
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
		r.out.remark("line %d, %q, is read as an arc; if it only numbers the columns, as pandas does where they have no names, remove it", r.in.line, bytes.TrimSpace(line))
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
		r.held, r.heldAt = bytes.Clone(line), r.in.line
		return nil
	case header && r.order && r.contradicts():
		return r.out.fail("the header has from and to elsewhere than --columns has them: leave --columns away, or pick by number, --columns from=A,to=B,weight=C with A, B and C from 1 to %d", r.width)
	case header:
		return r.oneWay()
	}
	return r.arc(line)
}

// contradicts reports whether a header, in fields, has from and to in other places than the columns that are named in their
// order. Whoever names columns so may think that this picks them by name.
func (r *edgeReader) contradicts() bool {
	words := columns.Long(r.names())
	named, _, _ := columns.Named(words)
	for _, c := range []columns.Columns{named, columns.Likely(words)} {
		if c.From != c.To && min(c.From, c.To) >= 0 && (c.From != r.From || c.To != r.To) {
			return true
		}
	}
	return false
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

// names returns the columns of a header, in fields.
func (r *edgeReader) names() []string {
	names := make([]string, len(r.fields))
	for i, f := range r.fields {
		names[i] = string(f.text)
	}
	return names
}

// oneWay refuses a header, in fields, with a column that is needed to tell arcs from edges, unless the user has said which
// they are.
func (r *edgeReader) oneWay() error {
	r.header = true
	if name := columns.OneWay(r.names()); name != "" && r.either {
		return r.out.fail("column %s seems to say which lines are one way, and is not read: add each line that is not one way a second time, from and to swapped, "+
			"and say --directed; if all lines are alike, only say --directed or --undirected", number.Quoted([]byte(name)))
	}
	return nil
}

// settle decides, from the second line, whether the first one was a header: from and to are words above integers. Other
// columns, which are there only where the columns are named, say nothing.
func (r *edgeReader) settle(line []byte) error {
	if err := r.split(line); err != nil {
		return err
	}
	if len(r.fields) < r.Least {
		return r.release()
	}
	for _, i := range []int{r.From, r.To} {
		if _, ok := parseID(r.fields[i].text); !ok {
			return r.release()
		}
	}
	header, at := r.held, r.in.line
	r.held, r.in.line = nil, r.heldAt // for errors
	if err := r.split(header); err != nil {
		return err
	}
	if !r.named {
		if err := r.findColumns(true); err != nil {
			return r.out.fail("%s", err)
		}
	}
	if err := r.oneWay(); err != nil {
		return err
	}
	r.in.line = at
	return nil
}

// findSeparator returns the first comma or semicolon outside quotes, or 0.
func findSeparator(line []byte) byte {
	inside := false
	for _, c := range line {
		switch {
		case c == '"':
			inside = !inside
		case !inside && (c == ',' || c == ';'):
			return c
		}
	}
	return 0
}

// isDecimalComma reports whether tok is a number with a comma for a point.
func isDecimalComma(tok []byte) bool {
	if bytes.Count(tok, []byte(",")) != 1 {
		return false
	}
	_, ok := number.Scan(bytes.Replace(tok, []byte(","), []byte("."), 1))
	return ok
}

// commaAmongBlanks returns a number with a decimal comma on a line whose columns stand between blanks, where there are no
// other commas, so that these do not pass for separators; else nil.
func commaAmongBlanks(line []byte) (found []byte) {
	for i, f := range bytes.Fields(line) {
		_, isID := parseID(f)
		switch {
		case i < 2 && !isID && bytes.IndexByte(line, '\t') < 0, i < 2 && bytes.IndexByte(f, ',') >= 0:
			return nil
		case i >= 2 && isDecimalComma(f):
			found = f
		case bytes.IndexByte(f, ',') >= 0:
			return nil
		}
	}
	return found
}

func (r *edgeReader) decimalComma(tok []byte) error {
	how := ""
	if _, behind, _ := bytes.Cut(tok, []byte(",")); len(behind) == 3 {
		return r.out.fail("%s has a comma: if it separates thousands, remove it; if it is a decimal comma, write a point", number.Quoted(tok))
	}
	if r.sep == ';' {
		how = "; where no comma stands for anything else, tr , . < FILE > NEW does it"
	}
	return r.out.fail("%s has a comma, but decimals are written with a point%s", number.Quoted(tok), how)
}

// looksLikeHeader reports whether the first line, in fields, holds names: of columns if it is sure, else
// of columns or of vertices. A line with a number in it is never a header.
func (r *edgeReader) looksLikeHeader() (header, sure bool) {
	names := make([]string, len(r.fields))
	for i, f := range r.fields {
		// pandas and R leave the name of their row numbers empty, and what no name in Options.Columns means may be.
		empty := i == 0 && len(r.fields) > 2 || r.named && i != r.From && i != r.To && i != r.Weight
		if _, ok := number.Scan(f.text); ok || len(f.text) == 0 && !empty {
			return false, false
		}
		if _, ok := number.Special(f.text); ok || isDecimalComma(f.text) {
			return false, false
		}
		names[i] = string(f.text)
	}
	if _, ok, err := columns.Named(names); (ok || err != nil) && !(len(names) == 2 && len(names[0]+names[1]) == 2) {
		return true, true // but "u v" may well be two vertices
	}
	unweighted := r.named && r.Weight < 0 || !r.named && len(r.fields) == 2
	return true, !unweighted
}

// findColumns settles the columns where no option names them, by a header's names or by their number.
func (r *edgeReader) findColumns(header bool) error {
	if !header {
		var err error
		r.Columns, err = columns.Default(r.width, r.hasIDs, nil)
		return err
	}
	names := r.names()
	byWidth, widthErr := columns.Default(r.width, r.hasIDs, names)
	r.Columns = byWidth
	c, ok, err := columns.Named(names)
	switch {
	case err != nil && columns.Ends(names):
		return nil
	case err != nil:
		return fmt.Errorf("%w: %s", err, columns.HowToPick(r.width, names))
	case !ok && widthErr == nil:
		words := columns.Long(names)
		if c, _, _ = columns.Named(words); other(c, byWidth) || other(columns.Likely(words), byWidth) || names[0] == "" {
			return fmt.Errorf("it is not clear what the columns are: %s", columns.HowToPick(r.width, names))
		}
		if r.width == 2 {
			r.out.remark("columns %s are taken for from and to; --columns from=A,to=B picks them by name", columns.Quoted(names))
		} else {
			r.out.remark("columns %s are taken for from, to and weight; --columns from=A,to=B,weight=C picks others by name", columns.Quoted(names[:3]))
		}
		return nil
	case !ok:
		return widthErr
	case c.Weight >= 0 || r.width == 2:
		r.Columns = c
		return nil
	case byWidth.From == c.From && byWidth.To == c.To:
		if widthErr == nil && byWidth.Weight >= 0 {
			r.out.remark("column %q is taken for the weight", strings.TrimSpace(names[byWidth.Weight]))
		}
		return widthErr
	}
	return fmt.Errorf("the header names no weight: %s", columns.HowToPick(r.width, names))
}

// other reports whether what is known of columns speaks against another opinion.
func other(known, opinion columns.Columns) bool {
	return known.From >= 0 && known.From != opinion.From || known.To >= 0 && known.To != opinion.To ||
		known.Weight >= 0 && known.Weight != opinion.Weight
}

// line reads a line of any kind, after the first.
func (r *edgeReader) line(line []byte) error {
	if isSkipped(line) {
		return nil
	}
	return r.arc(line)
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
