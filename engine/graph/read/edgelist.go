package read

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/number"
	"ooc/engine/graph/packed"
	"ooc/engine/graph/read/internal/columns"
	"ooc/engine/text"
)

// edgeList is one arc a line: two vertex ids and maybe a weight, between blanks, tabs, commas or semicolons.
var edgeList = inputFormat{
	Name:       "edgelist",
	Title:      "edge list: from, to and maybe a weight on each line (SNAP, CSV, .cedge)",
	Extensions: []string{".csv", ".tsv", ".txt", ".el", ".wel", ".edges", ".edgelist", ".cedge"},
	Directed:   true,
	Columns:    true,
	read:       readEdgeList,
}

// mayBeEdgeList reports whether nothing speaks against an edge list; two numbers on a line may mean many things. What
// holds control characters, as binary files do, is none, nor what another program would read as Matrix Market.
func mayBeEdgeList(head []byte) bool {
	control := func(c rune) bool { return c < ' ' && c != '\n' && c != '\r' && c != '\t' }
	return !bytes.HasPrefix(head, []byte(mtxBanner)) && !bytes.ContainsFunc(head, control)
}

// edgeReader holds what the first lines with data have settled.
type edgeReader struct {
	*sink
	table

	columns.Columns
	back   int           // the column with the cost of the way back; -1 for none
	picks  columns.Picks // names that a header must have; all "" if there are none
	either bool          // nobody has said whether the graph is directed
	named  bool          // by Options.Columns; then lines may have further columns
	order  bool          // named in their order, and not by numbers
	hasIDs bool          // four columns are id, from, to, weight
	konect string        // how a network of KONECT says that it is weighted

	sample [][]byte // lines that follow, the one in hand first; until width is set
	whole  bool     // they are all
	looked int64    // the last line that look has seen
	names  []string // of columns, if the first line with data is a header
	held   *held    // a first line that may be a header

	counts       *counts // a first line that may hold no arc; nil if there is none
	braces       bool    // a dictionary of Python ends each line, and its entry key is the weight
	key          string  // "": there is none
	ignore       bool    // --columns says so, though lines may have one
	width        int     // columns of a line; 0 before the first
	begun        bool    // a line was read as an arc
	plainColumns bool    // they are from, to and maybe weight, in this order and alone
	texts        [2]bool // some id of from, and of to, is a text

	hashes int64  // see comment
	hash   string // the first of them

	fields []field
}

func readEdgeList(out *sink) error {
	r, err := newEdgeReader(out)
	if err != nil {
		return err
	}
	return r.read()
}

func newEdgeReader(out *sink) (*edgeReader, error) {
	o := out.options
	r := &edgeReader{sink: out, back: -1, either: o.Directed == nil}
	r.hasIDs = strings.EqualFold(filepath.Ext(packed.TrimExt(out.File)), ".cedge")
	if o.Columns != "" {
		c, picks, err := columns.Option(o.Columns)
		if err != nil {
			return nil, err
		}
		if r.picks = picks; c != nil {
			r.Columns, r.named, r.order = *c, true, !strings.Contains(o.Columns, "=")
		}
		if c != nil && c.Weight < 0 && c.Least > 2 {
			out.remark("no column of %q is named weight, or %s: every arc has weight 1", o.Columns,
				strings.Join(columns.Names[2][1:], ", "))
		}
	}
	if o.Base != nil {
		r.vertices.forced, r.vertices.base, r.vertices.top = true, out.first, out.first-1
	}
	out.Signed = !r.vertices.forced
	return r, nil
}

// read reads all lines.
func (r *edgeReader) read() error {
	for {
		if r.width == 0 && len(r.sample) == 0 && r.in.Line >= r.looked {
			if err := r.look(); err != nil {
				return err
			}
		}
		r.in.Plain(r.plainLine, nil)
		line, err := r.in.Next()
		switch {
		case err == io.EOF:
			return r.settle()
		case err != nil:
			return err
		case len(line) == 0 || line[0] <= '/' && isSkipped(line):
			r.comment(line)
			continue
		}
		begun := r.width > 0
		if !begun {
			if begun, err = r.first(line); len(r.sample) > 0 {
				r.sample = r.sample[1:]
			}
		}
		if begun && err == nil {
			err = r.line(line)
			if !r.plainColumns && !r.braces && r.arrow == "" && r.back < 0 && r.From == 0 && r.To == 1 &&
				r.width == 3-btoi(r.Weight < 0) {
				r.plainColumns = true
				r.in.Expect("", r.sep, r.width)
			}
		}
		if err != nil {
			return err
		}
	}
}

// look finds out from the lines that follow how they are written.
func (r *edgeReader) look() error {
	text, whole := r.in.Peek()
	r.sample, r.whole = dataLines(bytes.Clone(text)), whole
	r.looked = r.in.Line + int64(bytes.Count(text, []byte("\n")))
	if r.in.Line == 0 {
		first, _, _ := bytes.Cut(text, []byte("\n"))
		if err := r.statement(first); err != nil {
			return err
		}
	}
	if len(r.sample) == 0 {
		return nil
	}
	r.readComment(text)
	lines, told := r.sample, byte(0)
	if first := lines[0]; len(first) == len("sep=;") && bytes.EqualFold(first[:4], []byte("sep=")) {
		told, lines = first[4], lines[1:]
	}
	if hasData(r.sample[0]) {
		lines = slices.Clone(lines)
		for i, line := range lines {
			lines[i] = endsOf(line)
		}
	}
	r.table = tableOf(lines, told)
	return nil
}

// first reads a line before the columns are settled, and settles them. It returns false if the line is no arc.
func (r *edgeReader) first(line []byte) (arc bool, err error) {
	if len(line) == len("sep=;") && r.counts == nil && bytes.EqualFold(line[:4], []byte("sep=")) {
		if sep := line[4]; strings.IndexByte(separators, sep) < 0 {
			return false, r.fail("columns between %s are not read: write them with commas, semicolons or tabs",
				number.Quoted([]byte{sep}))
		}
		return false, nil
	}
	if found, err := r.hasBraces(line); err != nil || found {
		return found, err
	}
	if err := cmp.Or(r.twoPairs(line), r.cells(line)); err != nil {
		return false, err
	}
	if r.numbersColumns() && r.sep == ',' && r.picks == (columns.Picks{}) {
		r.remark("line %d, %q, is read as an arc; if it only numbers the columns, as pandas does where they "+
			"have no names, remove it", r.in.Line, bytes.TrimSpace(line))
	}
	if r.isCounts(line) {
		return false, nil
	}
	if err := r.twoSeparators(line); err != nil {
		return false, err
	}
	switch r.width = len(r.fields); {
	case r.width == 1:
		return false, r.without(line)
	case r.width > 2 && string(r.fields[1].text) == "<-" && !r.fields[1].quoted:
		return false, r.pointsBack()
	}
	if r.arrow == "--" || r.arrow == "<->" {
		r.undirected("as %s stands between vertices", r.arrow)
	}
	header, err := r.header(line)
	if err != nil || header {
		return false, err
	}
	if !r.named {
		err = r.without(line)
	}
	return true, err
}

// without settles the columns of lines below no header.
func (r *edgeReader) without(line []byte) (err error) {
	switch {
	case r.konect != "" && (r.width == 3 || r.width == 4):
		r.Columns = columns.Columns{From: 0, To: 1, Weight: 2, Least: 3}
		switch {
		case r.konect == "unweighted":
			r.Weight, r.Least = -1, 2
		case konectNoLength[r.konect] != "":
			return r.fail("line 1 says that column 3 %s, and is no length: --columns from=1,to=2 gives every arc "+
				"weight 1, --columns from=1,to=2,weight=3 takes it for one", konectNoLength[r.konect])
		}
		if r.width == 4 {
			r.remark("columns not used: 4, the time of each arc")
		}
		return nil
	case r.width == 3 && r.whole && withoutBanner(r.sample) != "":
		counts, _ := counted([][]byte{r.fields[0].text, r.fields[1].text, r.fields[2].text})
		next, _ := r.split(r.sample[min(1, len(r.sample)-1)], nil)
		if len(counts) == 3 && counts[0] == counts[1] && (int64(len(r.sample)) == counts[2]+1 || len(next) == 2) {
			return r.fail("%q may be the size of a matrix of Matrix Market, or an arc; %s; if it is an arc, say "+
				"--columns from=1,to=2,weight=3", bytes.TrimSpace(line), withoutBanner(r.sample))
		}
	}
	r.Columns, err = columns.Default(r.width, r.hasIDs, nil)
	if err != nil {
		return r.fail("%s%s", err, r.otherReading(line))
	}
	return nil
}

// otherReading says what to do about what may stand between columns, and is not read, and about wide lines.
func (r *edgeReader) otherReading(line []byte) string {
	if r.width > 99 || r.whole && r.width > 3 && squareOf(r.sample, true, true) != nil {
		return "; if it is a matrix, say --format matrix"
	}
	for _, c := range []struct{ sep, by string }{ // a longer one stands before its parts
		{"<->", " & "}, {"<=>", " <-> "}, {"<-", ""}, {"-->", " & "}, {"==>", " => "}, {"=>", " & "}, {"→", " & "},
		{"->", " & "}, {"—", " -- "}, {"--", " & "}, {"|", ";"}, {":", " "},
	} {
		switch {
		case r.width > 1 || !bytes.Contains(line, []byte(c.sep)):
		case c.sep == "<-":
			return `; if <- separates them: sed -E 's/([^[:space:]]+)<-+([^[:space:]]+)/\2 -> \1/' FILE > NEW`
		default:
			return fmt.Sprintf("; if %s separates them: sed 's/%[1]s/%s/g' FILE > NEW", c.sep, c.by)
		}
	}
	return ""
}

// pointsBack refuses an arrow that does.
func (r *edgeReader) pointsBack() error {
	if r.sep != ' ' {
		return r.fail("the arrow <- points back: exchange the two vertices of each such line, and remove it")
	}
	return r.fail("the arrow <- points back; turn it round: " +
		`sed -E 's/("[^"]*"|[^[:space:]"]+) +<- +("[^"]*"|[^[:space:]"]+)/\2 -> \1/' FILE > NEW`)
}

// cells cuts a line into r.fields.
func (r *edgeReader) cells(line []byte) error {
	if r.braces {
		return r.splitBraces(line)
	}
	return r.plainCells(line)
}

func (r *edgeReader) plainCells(line []byte) (err error) {
	var ok bool
	if r.fields, ok = r.split(line, r.fields[:0]); !ok {
		return r.fail("a quote is not closed, or more text follows it")
	}
	return nil
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

// twoPairs refuses a first line such as "0,0 0,1", which is two places, or from, to and weight.
func (r *edgeReader) twoPairs(line []byte) error {
	ends := bytes.Fields(line)
	if len(ends) != 2 || bytes.IndexByte(line, '\t') >= 0 {
		return nil
	}
	for _, sep := range []byte(",;") {
		by := []byte{sep}
		places := bytes.Count(ends[0], by)
		if places > 0 && places == bytes.Count(ends[1], by) && all(bytes.Split(bytes.Join(ends, by), by), isDecimal) {
			return r.fail("%s may be two ids, or columns between %q: write ids with commas or blanks in double "+
				"quotes", number.Quoted(bytes.TrimSpace(line)), sep)
		}
	}
	return nil
}

// twoSeparators refuses lines such as "a b<tab>5", which are an arc of two ids, or of two and a weight.
func (r *edgeReader) twoSeparators(line []byte) error {
	if r.sep != '\t' || len(r.fields) != 2 || len(appendWords(nil, r.fields[0].text)) != 2 ||
		len(r.fields[1].text) == 0 {
		return nil
	}
	if !all(r.sample, func(line []byte) bool {
		words := appendWords(nil, line)
		return len(words) == 3 && isNumber(words[2])
	}) {
		return nil
	}
	return r.fail("the line is one arc if only the tab separates columns, and another if the blank does too: " +
		"for the first, tr '\\t' ';' < FILE > NEW; for the second, tr '\\t' ' ' < FILE > NEW")
}

// settle ends the reading of lines.
func (r *edgeReader) settle() error {
	r.flush()
	if are := " is a comment"; r.hashes > 0 {
		if r.hashes > 1 {
			are = fmt.Sprintf(" and %d more like it, are comments", r.hashes-1)
		}
		r.remark("%s%s; an id that begins with %c stands in double quotes", r.hash, are,
			r.hash[strings.IndexByte(r.hash, '"')+1])
	}
	if err := r.settleHeader(); err != nil {
		return err
	}
	return r.settleCounts()
}

// lateArc reads a line that came before all others as an arc after all.
func (r *edgeReader) lateArc(line []byte, at int64) error {
	now := r.in.Line
	r.in.Line = at
	if err := r.line(line); err != nil {
		return err
	}
	r.in.Line = now
	if u, ok := r.vertices.find(r.fields[r.From].text); ok && !r.vertices.forced {
		v, _ := r.vertices.find(r.fields[r.To].text)
		r.vertices.toFront(u, v)
	}
	return nil
}

// plainLine reads a line of small numbers, such as most lists have.
func (r *edgeReader) plainLine(x *[3]uint32) bool {
	if !r.Weigh.IsSmall(uint64(x[2])) || x[0] == x[1] {
		return false
	}
	u, ok := r.vertices.number(int64(x[0]))
	v, also := r.vertices.number(int64(x[1]))
	if ok && also {
		r.add(u, v, r.Weigh.IntWord(int32(x[2])))
	}
	return ok && also
}

// line reads a line as an arc.
func (r *edgeReader) line(line []byte) error {
	if err := r.cells(line); err != nil {
		return err
	}
	if n := len(r.fields); n < r.Least || !r.named && n != r.width {
		return r.badWidth(n)
	}
	if !r.begun {
		r.begun = true
		if err := cmp.Or(r.directions(), r.doubts(line)); err != nil {
			return err
		}
	}
	u, err := r.end(r.fields[r.From], 0)
	if err != nil {
		return err
	}
	v, err := r.end(r.fields[r.To], 1)
	switch {
	case err != nil:
		return err
	case r.Weight < 0:
		return r.arc(u, v, []byte("1"))
	}
	err = r.weigh(u, v, r.fields[r.Weight].text)
	if err == nil && r.back >= 0 {
		err = r.weigh(v, u, r.fields[r.back].text)
	}
	return err
}

// weigh adds an arc. Beside the cost of a way back, one below 0 says that the way is closed.
func (r *edgeReader) weigh(u, v int32, tok []byte) error {
	switch {
	case len(tok) == 0:
		return r.fail("the weight is missing")
	case isDecimalComma(tok):
		return r.decimalComma(tok)
	case r.back >= 0 && tok[0] == '-' && !number.NotNegative(tok) && isNumber(tok):
		r.NoArcs++
		return nil
	}
	return r.arc(u, v, tok)
}

// badWidth refuses a line of n columns.
func (r *edgeReader) badWidth(n int) error {
	if n == r.Weight && n > max(r.From, r.To) {
		return r.fail("the weight is missing: the line has %d columns, not %d", n, max(r.width, r.Least))
	}
	hint := ""
	if r.names != nil && n == r.width+1 && r.Weight >= 0 {
		hint = fmt.Sprintf(" as the first; if its first column only numbers the lines, say --columns "+
			"from=%d,to=%d,weight=%d", r.From+2, r.To+2, r.Weight+2)
	}
	return r.fail("the line has %d columns, not %d%s", n, max(r.width, r.Least), hint)
}

func (r *edgeReader) decimalComma(tok []byte) error {
	how := ""
	if _, behind, _ := bytes.Cut(tok, []byte(",")); len(behind) == 3 {
		return r.fail("%s has a comma: if it separates thousands, remove it; if it is a decimal comma, write a "+
			"point", number.Quoted(tok))
	}
	if r.sep != ',' {
		how = "; where no comma stands for anything else, tr , . < FILE > NEW does it"
	}
	return r.fail("%s has a comma, but decimals are written with a point%s", number.Quoted(tok), how)
}

// end returns the vertex that the column from or to names.
func (r *edgeReader) end(f field, end int) (int32, error) {
	id, ok := parseID(f.text)
	if !ok && !f.quoted {
		id, ok = floatID(f.text)
	}
	var v int32
	if ok {
		v, ok = r.vertices.number(id)
	} else {
		if _, known := r.vertices.texts[string(f.text)]; !known {
			if err := r.checkText(f, columns.Names[end][0]); err != nil {
				return 0, err
			}
		}
		r.texts[end] = true
		v, ok = r.vertices.text(f.text)
	}
	switch {
	case !ok && r.vertices.forced && id < r.vertices.base:
		return 0, r.fail("vertex %d is below the base %d", id, r.vertices.base)
	case !ok:
		return 0, r.fail("more than %d vertices", graph.MaxVertices)
	}
	return v, nil
}

// floatID reads an integer that a program has written as a floating-point number: 1.0.
func floatID(tok []byte) (int64, bool) {
	whole, zeros, found := bytes.Cut(tok, []byte("."))
	id, ok := parseID(whole)
	return id, ok && found && len(zeros) > 0 && len(bytes.Trim(zeros, "0")) == 0
}

// checkText refuses texts that are no ids.
func (r *edgeReader) checkText(f field, column string) error {
	switch {
	case len(f.text) == 0:
		return r.fail("the %s vertex is missing", column)
	case r.vertices.forced:
		return r.fail("vertex %s is not an integer, as --base says it is", number.Quoted(f.text))
	case isDecimal(f.text) && !f.quoted && bytes.ContainsAny(f.text, ".eE"):
		return r.fail("vertex %s is not an integer; if another column is the %s vertex, name the columns with "+
			"--columns", number.Quoted(f.text), column)
	case string(f.text) == "<-" && !f.quoted:
		return r.pointsBack()
	case slices.Contains(arrows, string(f.text)) && !f.quoted:
		return r.fail("vertex %s is an arrow; remove it: sed 's/ %s / /' FILE > NEW", number.Quoted(f.text), f.text)
	case !utf8.Valid(f.text):
		return r.fail("vertex %s is not UTF-8 text; if it is Latin-1, convert it: iconv -f LATIN1 -t UTF-8 FILE "+
			"> NEW", number.Quoted(f.text))
	case !text.Printable(f.text):
		return r.fail("vertex %s has a character that cannot be shown, a control character or one that turns "+
			"the direction of writing: remove it", number.Quoted(f.text))
	}
	return r.doubtID(f, column)
}
