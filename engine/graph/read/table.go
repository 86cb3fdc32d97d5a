package read

import (
	"bytes"
	"slices"

	"ooc/engine/graph/read/internal/python"
)

// table is how a table of text is written, as many of its lines show.
type table struct {
	sep   byte   // a comma, a semicolon or a tab; a blank stands for any run of blanks and tabs
	end   byte   // ends every line, and means nothing; 0 for none
	arrow string // the second word of every line, which is no cell; "" for none
}

// field is one cell of a line.
type field struct {
	text   []byte
	quoted bool
}

// separators are what may stand between cells. Where several fit, the first counts.
const separators = "\t;, "

// isSkipped reports whether a line of a table is blank or a comment.
func isSkipped(line []byte) bool {
	word := trimBlank(line)
	return len(word) == 0 || word[0] == '#' || word[0] == '%' || bytes.HasPrefix(word, []byte("//"))
}

// dataLines returns the lines of text that are no comments, without their ends.
func dataLines(text []byte) (data [][]byte) {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimRight(line, "\r\n"); !isSkipped(line) {
			data = append(data, line)
		}
	}
	return data
}

// arrows may stand between two vertices, a longer one before its parts. Those that point back or nowhere are not read.
var arrows = []string{"<->", "-->", "->", "=>", "→", "--"}

// tableOf finds out how lines are written. A separator is one that most lines have, and then one that cuts most lines
// into as many cells; or the one that is told, if not 0.
func tableOf(lines [][]byte, told byte) (t table) {
	if len(lines) == 0 {
		return table{sep: ' '}
	}
	if endsAlike(lines, ';') && told != ';' {
		t.end = ';'
	}
	t.sep = ' '
	most, mostAlike := 0, 0
	for _, sep := range []byte(separators) {
		try := t
		try.sep = sep
		cut, alike, wrong := try.fit(lines)
		if wrong < len(lines) && (cut > most || cut == most && alike > mostAlike) {
			t.sep, most, mostAlike = sep, cut, alike
		}
	}
	if told != 0 {
		t.sep = told
	}
	if t.end == 0 && t.sep != ' ' && len(lines) > 1 && endsAlike(lines, t.sep) {
		t.end = t.sep
	}
	for _, arrow := range arrows {
		if all(lines, func(line []byte) bool {
			c, _ := t.split(line, nil)
			return len(c) > 2 && string(c[1].text) == arrow
		}) {
			t.arrow = arrow
		}
	}
	return t
}

// fit returns how many lines have several cells, how many of these have as many as each other, and how many have cells
// that are parts of others.
func (t table) fit(lines [][]byte) (cut, alike, wrong int) {
	var cells []field
	widths := map[int]int{}
	for _, line := range lines {
		cells, _ = t.split(line, cells[:0])
		if len(cells) > 1 {
			widths[len(cells)]++
			alike = max(alike, widths[len(cells)])
			cut++
		}
		wrong += btoi(t.sep != ' ' && cutWrong(cells))
	}
	return cut, alike, wrong
}

// endsAlike reports whether every line ends with c.
func endsAlike(lines [][]byte, c byte) bool {
	return all(lines, func(line []byte) bool { return bytes.HasSuffix(bytes.TrimRight(line, " "), []byte{c}) })
}

func all(lines [][]byte, is func(line []byte) bool) bool {
	return len(lines) > 0 && !slices.ContainsFunc(lines, func(line []byte) bool { return !is(line) })
}

// cutWrong reports whether a cell holds numbers between blanks, or a quote after one: then its line was cut at the
// wrong places.
func cutWrong(cells []field) bool {
	return slices.ContainsFunc(cells, func(c field) bool {
		first, rest := next(c.text)
		second, _ := next(rest)
		return !c.quoted && (isDecimal(first) && isDecimal(second) || bytes.Contains(c.text, []byte(` "`)))
	})
}

// split appends the cells of a line to cells. Blanks around a cell do not belong to it. A cell may stand in double
// quotes, inside which a quote is written twice. It returns false if a quote is not closed, or more text follows it.
func (t table) split(line []byte, cells []field) ([]field, bool) {
	if t.end != 0 {
		if line = bytes.TrimRight(line, " "); len(line) > 0 && line[len(line)-1] == t.end {
			line = line[:len(line)-1]
		}
	}
	cells, ok := t.cut(line, cells)
	if t.arrow != "" && len(cells) > 2 && string(cells[1].text) == t.arrow {
		cells = append(cells[:1], cells[2:]...)
	}
	return cells, ok
}

func (t table) cut(line []byte, cells []field) ([]field, bool) {
	for {
		for len(line) > 0 && isBlank(line[0]) && line[0] != t.sep || t.sep == ' ' && len(line) > 0 && line[0] == ' ' {
			line = line[1:]
		}
		switch {
		case len(line) == 0 && t.sep == ' ':
			return cells, true
		case len(line) > 0 && line[0] == '"':
			f, rest, ok := t.quoted(line)
			cells = append(cells, f)
			if line = rest; !ok || len(line) == 0 {
				return cells, ok
			}
			line = line[btoi(t.sep != ' '):]
			continue
		case t.sep == ' ':
			var f field
			f.text, line = next(line)
			cells = append(cells, f)
			continue
		}
		end := bytes.IndexByte(line, t.sep)
		if end < 0 {
			return append(cells, field{text: trimBlank(line)}), true
		}
		cells = append(cells, field{text: trimBlank(line[:end])})
		line = line[end+1:]
	}
}

// quoted cuts off a cell in quotes. What follows it begins with the separator.
func (t table) quoted(line []byte) (f field, rest []byte, ok bool) {
	end := 1
	for ; end < len(line) && (line[end] != '"' || end+1 < len(line) && line[end+1] == '"'); end++ {
		if line[end] == '"' {
			end++
		}
	}
	if end >= len(line) {
		return f, nil, false
	}
	f = field{line[1:end:end], true}
	if bytes.IndexByte(f.text, '"') >= 0 {
		f.text = bytes.ReplaceAll(f.text, []byte(`""`), []byte(`"`))
	}
	for rest = line[end+1:]; t.sep != ' ' && len(rest) > 0 && isBlank(rest[0]) && rest[0] != t.sep; {
		rest = rest[1:]
	}
	return f, rest, len(rest) == 0 || rest[0] == t.sep || t.sep == ' ' && isBlank(rest[0])
}

// isDecimalComma reports whether tok is a number with a comma for a point.
func isDecimalComma(tok []byte) bool {
	return bytes.Count(tok, []byte(",")) == 1 && isDecimal(bytes.Replace(tok, []byte(","), []byte("."), 1))
}

// endsOf returns a line without the dictionary of Python that may end it.
func endsOf(line []byte) []byte {
	ends, _ := python.Cut(line)
	return ends
}
