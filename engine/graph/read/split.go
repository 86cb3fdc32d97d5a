package read

import "bytes"

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
