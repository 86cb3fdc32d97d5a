// Package python reads the dictionaries that end the lines of networkx's edge lists.
package python

import (
	"bytes"
	"regexp"
	"strings"
)

// Cut returns the ends of an edge and its dictionary, nil if the line has none.
func Cut(line []byte) (ends, data []byte) {
	line = bytes.TrimRight(line, " \t")
	for i := 1; i < len(line) && line[len(line)-1] == '}'; i++ {
		if before := line[i-1]; line[i] == '{' && (before == ' ' || before == '\t' || before == ',' || before == ';') {
			return bytes.TrimRight(line[:i], " \t,;"), line[i:]
		}
	}
	return line, nil
}

// Dict passes the entries of a dictionary, in braces, to item. It returns false if text is none.
func Dict(text []byte, item func(key string, value []byte)) bool {
	for text = bytes.TrimSpace(text[1 : len(text)-1]); len(text) > 0; {
		end := literalEnd(text, ':')
		if end < 0 || end == len(text) {
			return false
		}
		key := strings.Trim(string(bytes.TrimSpace(text[:end])), `'"`)
		text = text[end+1:]
		if end = literalEnd(text, ','); end < 0 {
			return false
		}
		item(key, bytes.TrimSpace(text[:end]))
		text = bytes.TrimSpace(text[min(end+1, len(text)):])
	}
	return true
}

// literalEnd returns where the literal of Python at the start of text is followed by stop, or ends. It returns -1 if
// quotes or brackets are not closed.
func literalEnd(text []byte, stop byte) int {
	depth, quote := 0, byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == stop && depth == 0:
			return i
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			if depth--; depth < 0 {
				return -1
			}
		}
	}
	if depth != 0 || quote != 0 {
		return -1
	}
	return len(text)
}

var numPy = regexp.MustCompile(`^np\.(?:u?int|float)[0-9]+\((.*)\)$`)

// Number returns the digits of a number, which NumPy 2 shows as np.float64(0.5).
func Number(text []byte) []byte {
	if m := numPy.FindSubmatch(text); m != nil {
		return m[1]
	}
	return text
}
