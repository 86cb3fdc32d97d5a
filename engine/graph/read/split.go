package read

import (
	"bytes"

	"ooc/engine/graph/internal/number"
	"ooc/engine/text"
)

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

// commaAmongBlanks returns a number with a decimal comma on a line whose columns stand between blanks, where there
// are no other commas, so that these do not pass for separators; else nil.
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

// split cuts line into r.fields.
func (r *edgeReader) split(line []byte) error {
	if r.braces {
		return r.splitBraces(line)
	}
	return r.splitPlain(line)
}

// splitPlain is split for a line without braces. Blanks around a column do not belong to it. A column may stand in
// double quotes, inside which a quote is written twice.
func (r *edgeReader) splitPlain(line []byte) error {
	r.fields = r.fields[:0]
	for i := skipBlank(line, 0); ; {
		f, next, ok := r.cut(line, i)
		if !ok {
			return r.out.fail("a quote is not closed, or more text follows it")
		}
		r.fields = append(r.fields, f)
		end := skipBlank(line, next)
		switch {
		case end == len(line):
			return nil
		case r.sep != 0:
			end = skipBlank(line, end+1) // cut stopped at the separator
		}
		i = end
	}
}

// cut returns the column that starts at i and the index of the blank or separator behind it.
func (r *edgeReader) cut(line []byte, i int) (f field, next int, ok bool) {
	if i < len(line) && line[i] == '"' {
		return r.cutQuoted(line, i)
	}
	next = i
	if r.sep == 0 {
		for next < len(line) && !isBlank(line[next]) {
			next++
		}
		return field{text: line[i:next]}, next, true
	}
	for next < len(line) && line[next] != r.sep {
		next++
	}
	end := next
	for end > i && isBlank(line[end-1]) {
		end--
	}
	return field{text: line[i:end]}, next, true
}

func (r *edgeReader) cutQuoted(line []byte, i int) (f field, next int, ok bool) {
	var text []byte
	for i++; ; {
		n := bytes.IndexByte(line[i:], '"')
		if n < 0 {
			return f, 0, false
		}
		text = append(text, line[i:i+n]...)
		i += n + 1
		if i == len(line) || line[i] != '"' {
			break
		}
		text = append(text, '"')
		i++
	}
	end := skipBlank(line, i)
	closed := end == len(line) || r.sep == 0 && end > i || r.sep != 0 && line[end] == r.sep
	return field{text: text, quoted: true}, end, closed
}

// loose reports whether blanks and tabs separate columns, and lines have columns that are not read: such a one may be
// empty or hold a blank, where a program has written tabs.
func (r *edgeReader) loose() bool {
	return r.sep == 0 && (r.named || r.width > 2+btoi(r.Weight >= 0))
}

// onlyTabs reports whether a line has the same columns between tabs as between any blanks.
func onlyTabs(line []byte) bool {
	line = bytes.TrimRight(line, "\r\n")
	return len(line) > 0 && line[0] != '\t' && line[len(line)-1] != '\t' &&
		bytes.IndexByte(line, ' ') < 0 && !bytes.Contains(line, []byte("\t\t"))
}

// twoWays refuses a line, in r.fields, that is another arc if only tabs separate columns.
func (r *edgeReader) twoWays(line []byte) error {
	if !r.loose() || bytes.IndexByte(line, '\t') < 0 || onlyTabs(line) {
		return nil
	}
	cells, err := text.Split(string(line), '\t')
	if err != nil || len(cells) < r.Least || !r.named && len(cells) != r.width {
		return nil
	}
	other := false
	for k, i := range []int{r.From, r.To, r.Weight} {
		if i < 0 {
			continue
		}
		c := cells[i].Text
		if _, ok := number.Scan([]byte(c)); c == "" || k == 2 && !ok {
			return nil // no arc
		}
		other = other || c != string(r.fields[i].text)
	}
	if other {
		return r.out.fail("the line is one arc if tabs separate columns, and another if blanks do too; for tabs, tr '\\t' ';' < FILE > NEW")
	}
	return nil
}

// twoPairs refuses a first line such as "0,0 0,1", which is two places, or from, to and weight.
func (r *edgeReader) twoPairs(line []byte) error {
	ends := bytes.Fields(line)
	if r.sep == 0 || r.told || len(ends) != 2 {
		return nil
	}
	places := [2]int{}
	for i, end := range ends {
		for _, x := range bytes.Split(end, []byte{r.sep}) {
			if _, ok := number.Scan(x); !ok {
				return nil
			}
			places[i]++
		}
	}
	if places[0] < 2 || places[0] != places[1] {
		return nil
	}
	return r.out.fail("%s may be two ids, or columns between %q: write ids with commas or blanks in double quotes", number.Quoted(bytes.TrimSpace(line)), r.sep)
}
