package read

import (
	"fmt"
	"strings"

	"ooc/engine/graph"
)

// columns says where in a line of an edge list its parts stand.
type columns struct {
	from, to int
	weight   int // -1: every weight is 1
	least    int // how many columns a line must have for these
}

// columnNames are the names that mean a column, the proper one first.
var columnNames = [3][]string{
	{"from", "source", "src", "tail", "u", "start", "from_node", "fromnodeid", "node1", "start_node"},
	{"to", "target", "dst", "destination", "head", "v", "end", "to_node", "tonodeid", "node2", "end_node"},
	{"weight", "w", "length", "len", "cost", "distance", "dist"},
}

// namedColumns finds the columns by their names. It returns false where from or to is not among them,
// and an error where two names compete.
func namedColumns(names []string) (columns, bool, error) {
	var at [3]int
	for part, synonyms := range columnNames {
		at[part] = -1
		proper := false
		for i, name := range names {
			name = strings.ToLower(strings.TrimSpace(name))
			for k, s := range synonyms {
				switch {
				case name != s:
				case at[part] >= 0 && (k == 0) == proper:
					return columns{}, false, fmt.Errorf("two columns name the %s: %q and %q", synonyms[0], names[at[part]], names[i])
				case at[part] < 0 || k == 0:
					at[part], proper = i, k == 0
				}
			}
		}
	}
	c := columns{from: at[0], to: at[1], weight: at[2], least: len(names)}
	return c, c.from >= 0 && c.to >= 0, nil
}

// columnOption reads Options.Columns.
func columnOption(list string) (columns, error) {
	c, ok, err := namedColumns(strings.Split(list, ","))
	switch {
	case err != nil:
		return c, fmt.Errorf("columns %q: %w: %w", list, err, graph.ErrOptions)
	case !ok:
		return c, fmt.Errorf("columns %q: from and to must be among them, as in id,from,to,weight: %w", list, graph.ErrOptions)
	}
	return c, nil
}

// defaultColumns returns the columns of an edge list of some width that nothing names.
func defaultColumns(width int, hasIDs bool) (columns, error) {
	switch {
	case width == 2:
		return columns{from: 0, to: 1, weight: -1, least: 2}, nil
	case width == 3:
		return columns{from: 0, to: 1, weight: 2, least: 3}, nil
	case width == 4 && hasIDs:
		return columns{from: 1, to: 2, weight: 3, least: 4}, nil
	case width < 2:
		return columns{}, fmt.Errorf("an arc needs at least the two columns from and to")
	}
	return columns{}, fmt.Errorf("the line has %d columns: name them, for example --columns %s", width, exampleColumns(width))
}

func exampleColumns(width int) string {
	if width == 4 {
		return "id,from,to,weight"
	}
	return "from,to,weight" + strings.Repeat(",skip", width-3)
}
