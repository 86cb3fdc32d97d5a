package text

import (
	"errors"
	"strings"
)

// AppendCell writes an id as a cell of a table between tabs or commas: in quotes where a reader might split or trim
// it, or take it for a comment or for no vertex.
func AppendCell(out []byte, id string) []byte {
	if !strings.ContainsAny(id, "\",; \t\r\n") && strings.TrimSpace(id) == id && id != "" && id != "-" &&
		id[0] != '#' && id[0] != '%' && !strings.HasPrefix(id, "//") {
		return append(out, id...)
	}
	out = append(out, '"')
	out = append(out, strings.ReplaceAll(id, `"`, `""`)...)
	return append(out, '"')
}

// CellOf is AppendCell alone.
func CellOf(id string) string { return string(AppendCell(nil, id)) }

// Cell is one of a line.
type Cell struct {
	Text   string
	Quoted bool
}

// blankBytes separate cells by any number of blanks and tabs.
const blankBytes = ' '

// Separators returns what may separate the cells of a line: tabs, commas and semicolons, where they are in it outside
// quotes, and last Blanks.
func Separators(line string) []byte {
	var outside strings.Builder
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 0 {
			outside.WriteString(part)
		}
	}
	var all []byte
	for _, sep := range []byte("\t,;") {
		if strings.IndexByte(outside.String(), sep) >= 0 {
			all = append(all, sep)
		}
	}
	return append(all, blankBytes)
}

// Split cuts a line into cells. Blanks around a cell do not belong to it. A cell may stand in double quotes, inside
// which a quote is written twice (RFC 4180).
func Split(line string, sep byte) ([]Cell, error) {
	blanks := " \t"
	if sep == '\t' {
		blanks = " "
	}
	var cells []Cell
	for rest, more := strings.Trim(line, blanks), true; more; {
		var c Cell
		var ok bool
		if c, rest, ok = cut(strings.TrimLeft(rest, blanks), sep); !ok {
			return nil, errors.New("a quote is not closed, or more text follows it")
		}
		cells = append(cells, c)
		if more = rest != ""; more && sep != blankBytes {
			rest = rest[1:]
		}
	}
	return cells, nil
}

// cut returns the first cell of a line, and what follows it, which begins with the separator.
func cut(line string, sep byte) (c Cell, rest string, ok bool) {
	ends := string(sep)
	if sep == blankBytes {
		ends = " \t"
	}
	if !strings.HasPrefix(line, `"`) {
		end := strings.IndexAny(line, ends)
		if end < 0 {
			end = len(line)
		}
		return Cell{Text: strings.TrimRight(line[:end], " \t")}, line[end:], true
	}
	c.Quoted = true
	for line = line[1:]; ; {
		before, after, closed := strings.Cut(line, `"`)
		c.Text += before
		if !closed {
			return c, "", false
		}
		if !strings.HasPrefix(after, `"`) {
			rest = after
			break
		}
		c.Text, line = c.Text+`"`, after[1:]
	}
	if sep != blankBytes {
		rest = strings.TrimLeft(rest, " ")
	}
	return c, rest, rest == "" || strings.ContainsAny(rest[:1], ends)
}
