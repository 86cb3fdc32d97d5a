package read

import (
	"slices"
	"strings"

	"ooc/engine/graph/read/internal/columns"
	"ooc/engine/graph/read/internal/python"
)

// networkx's write_edgelist puts the data of an edge behind its ends, as a dictionary of Python: "u v {'weight': 3}".

// hasData reports whether a dictionary ends a line.
func hasData(line []byte) bool {
	_, data := python.Cut(line)
	return data != nil && python.Dict(data, func(string, []byte) {})
}

// hasBraces reports whether the first line, which has data, ends with a dictionary, and then settles what all lines
// are like.
func (r *edgeReader) hasBraces(line []byte) (bool, error) {
	ends, data := python.Cut(line)
	var keys []string
	if data == nil || !python.Dict(data, func(key string, _ []byte) { keys = append(keys, key) }) ||
		r.plainCells(ends) != nil || len(r.fields) != 2 {
		return false, nil
	}
	from, to, weighted := 0, 1, true
	switch {
	case r.picks != columns.Picks{}:
		r.key = r.picks[2]
		numbers := []string{"1", "2"}
		from, to = slices.Index(numbers, r.picks[0]), slices.Index(numbers, r.picks[1])
	case r.named:
		from, to, weighted = r.From, r.To, r.Weight >= 0
	}
	if min(from, to) < 0 || from+to != 1 {
		return true, r.fail("lines end with data in braces: --columns from=1,to=2,weight=KEY names what is the " +
			"weight there")
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
	r.width, r.named = r.Least, false
	return true, nil
}

// findKey finds the weight among the keys of the first line. Without any keys every weight is 1, as in networkx.
func (r *edgeReader) findKey(keys []string) error {
	names := columns.Names[2]
	found := slices.DeleteFunc(slices.Clone(keys),
		func(key string) bool { return !slices.Contains(names, strings.ToLower(key)) })
	switch {
	case len(keys) == 0:
	case slices.Contains(keys, names[0]):
		r.key = names[0]
	case len(found) == 1:
		r.key = found[0]
		r.remark("%q is taken for the weight; --columns from=1,to=2,weight=KEY picks another", r.key)
	default:
		return r.fail("it is not clear what the weight is: --columns from=1,to=2,weight=KEY with KEY of %s, or "+
			"--columns from=1,to=2 if every arc has weight 1", columns.Quoted(keys))
	}
	return nil
}

// splitBraces cuts a line into r.fields: the ends, and the weight if there is one.
func (r *edgeReader) splitBraces(line []byte) error {
	ends, data := python.Cut(line)
	if data == nil {
		return r.fail("no data in braces ends the line, as it does the first")
	}
	if err := r.plainCells(ends); err != nil {
		return err
	}
	if len(r.fields) != 2 {
		return r.fail("%d columns stand before the braces, not 2", len(r.fields))
	}
	var weight []byte
	other := ""
	ok := python.Dict(data, func(key string, value []byte) {
		switch {
		case key == r.key:
			weight = value
		case slices.Contains(columns.Names[2], key):
			other = key
		}
	})
	switch {
	case !ok:
		return r.fail("what is in braces is no dictionary of Python")
	case r.key == "" && other != "" && !r.ignore:
		return r.fail("the line has %q, but the first line has no weight", other)
	case r.key == "":
		return nil
	}
	r.fields = append(r.fields, field{text: python.Number(weight)})
	return nil
}
