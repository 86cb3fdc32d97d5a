package read

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ooc/engine/graph/read/internal/columns"
)

// networkx's write_edgelist puts the data of an edge behind its ends, as a dictionary of Python: "u v {'weight': 3}".

// cutBraces returns the ends of an edge and its dictionary, nil if the line has none.
func cutBraces(line []byte) (ends, data []byte) {
	line = bytes.TrimRight(line, " \t")
	for i := 1; i < len(line) && line[len(line)-1] == '}'; i++ {
		if before := line[i-1]; line[i] == '{' && (isBlank(before) || before == ',' || before == ';') {
			return bytes.TrimRight(line[:i], " \t,;"), line[i:]
		}
	}
	return line, nil
}

// dictionary passes the entries of a dictionary to item. It returns false if text is none.
func dictionary(text []byte, item func(key string, value []byte)) bool {
	if len(text) < 2 || text[0] != '{' || text[len(text)-1] != '}' {
		return false
	}
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

// literalEnd returns where the literal of Python at the start of text is followed by stop, or ends. It returns -1 if quotes
// or brackets are not closed.
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

// hasBraces reports whether the first line, which has data, ends with a dictionary, and then settles what all lines are like.
func (r *edgeReader) hasBraces(line []byte) (bool, error) {
	ends, data := cutBraces(line)
	var keys []string
	if data == nil || !dictionary(data, func(key string, _ []byte) { keys = append(keys, key) }) {
		return false, nil
	}
	if !r.told {
		r.sep = findSeparator(ends)
	}
	if r.split(ends) != nil || len(r.fields) != 2 {
		return false, nil
	}
	from, to, weighted := 0, 1, true
	switch {
	case r.picks != columns.Picks{}:
		r.key = r.picks[2]
		from, to = number1(r.picks[0])-1, number1(r.picks[1])-1
	case r.named:
		from, to, weighted = r.From, r.To, r.Weight >= 0
	}
	if min(from, to) < 0 || from+to != 1 {
		return true, r.out.fail("lines end with data in braces: --columns from=1,to=2,weight=KEY names what is the weight there")
	}
	if weighted && r.key == "" {
		if err := r.findKey(keys); err != nil {
			return true, err
		}
	}
	r.Columns = columns.Columns{From: from, To: to, Weight: -1, Least: 2}
	if r.braces, r.ignore = true, !weighted; r.key != "" {
		r.Weight, r.Least = 2, 3
	}
	r.width, r.named, r.in.careful = r.Least, false, true
	return true, nil
}

// number1 reads the number of a column, 0 if it is none.
func number1(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// findKey finds the weight among the keys of the first line. Without any keys every weight is 1, as in networkx.
func (r *edgeReader) findKey(keys []string) error {
	names := columns.Names[2]
	found := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return !slices.Contains(names, strings.ToLower(key)) })
	switch {
	case len(keys) == 0:
	case slices.Contains(keys, names[0]):
		r.key = names[0]
	case len(found) == 1:
		r.key = found[0]
		r.out.remark("%q is taken for the weight; --columns from=1,to=2,weight=KEY picks another", r.key)
	default:
		return r.out.fail("it is not clear what the weight is: --columns from=1,to=2,weight=KEY with KEY of %s, or --columns from=1,to=2 if every arc has weight 1", columns.Quoted(keys))
	}
	return nil
}

// numPy is how NumPy 2 shows a number of its own.
var numPy = regexp.MustCompile(`^np\.(?:u?int|float)[0-9]+\((.*)\)$`)

// splitBraces cuts a line into r.fields: the ends, and the weight if there is one.
func (r *edgeReader) splitBraces(line []byte) error {
	ends, data := cutBraces(line)
	if data == nil {
		return r.out.fail("no data in braces ends the line, as it does the first")
	}
	if err := r.splitPlain(ends); err != nil {
		return err
	}
	if len(r.fields) != 2 {
		return r.out.fail("%d columns stand before the braces, not 2", len(r.fields))
	}
	var weight []byte
	other := ""
	ok := dictionary(data, func(key string, value []byte) {
		switch {
		case key == r.key:
			weight = value
		case slices.Contains(columns.Names[2], key):
			other = key
		}
	})
	switch {
	case !ok:
		return r.out.fail("what is in braces is no dictionary of Python")
	case r.key == "" && other != "" && !r.ignore:
		return r.out.fail("the line has %q, but the first line has no weight", other)
	case r.key == "":
		return nil
	}
	if m := numPy.FindSubmatch(weight); m != nil {
		weight = m[1]
	}
	r.fields = append(r.fields, field{text: weight})
	return nil
}
