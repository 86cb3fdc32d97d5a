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
	depth, quote, start, key := 0, byte(0), 1, []byte(nil)
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case depth == 0 && key == nil && c == ':':
			key, start = text[start:i], i+1
		case depth == 0 && (c == ',' || i == len(text)-1):
			if value := bytes.TrimSpace(text[start:i]); key != nil {
				item(strings.Trim(string(bytes.TrimSpace(key)), `'"`), value)
			} else if c == ',' || len(value) > 0 {
				return false
			}
			key, start = nil, i+1
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return start == len(text) // the last brace closes the first
}

var numPy = regexp.MustCompile(`^np\.(?:u?int|float)[0-9]+\((.*)\)$`)

// Number returns the digits of a number, which NumPy 2 shows as np.float64(0.5).
func Number(text []byte) []byte {
	if m := numPy.FindSubmatch(text); m != nil {
		return m[1]
	}
	return text
}
