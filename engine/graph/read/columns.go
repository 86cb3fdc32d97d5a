package read

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"ooc/engine/graph/internal/number"
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

// picks says where the parts of a line stand, in the order of columnNames: the name of a column in the header, or its
// number from 1; "" for none.
type picks [3]string

// columnOption reads Options.Columns: the names of all columns in their order, or picks such as from=a,to=b. It returns
// the columns where these need no header, and else picks.
func columnOption(list string) (*columns, picks, error) {
	bad := func(format string, args ...any) error {
		return number.BadOption("columns %q: %s", list, fmt.Sprintf(format, args...))
	}
	var p picks
	names := strings.Split(list, ",")
	if !strings.Contains(list, "=") {
		c, ok, err := namedColumns(names)
		switch {
		case err != nil:
			return nil, p, bad("%v", err)
		case !ok:
			return nil, p, bad("from and to must be among them, as in id,from,to,weight or from=2,to=3,weight=4")
		}
		return &c, p, nil
	}
	for _, name := range names {
		part, column, found := strings.Cut(name, "=")
		part, column = strings.TrimSpace(part), strings.TrimSpace(column)
		k := slices.IndexFunc(columnNames[:], func(synonyms []string) bool { return strings.EqualFold(synonyms[0], part) })
		switch {
		case !found || k < 0 || column == "":
			return nil, p, bad("%q is none of from=COLUMN, to=COLUMN and weight=COLUMN", name)
		case p[k] != "":
			return nil, p, bad("%s is there twice", columnNames[k][0])
		}
		p[k] = column
	}
	if p[0] == "" || p[1] == "" {
		return nil, p, bad("from and to must be among them")
	}
	var at [3]int
	for k, column := range p {
		n, err := strconv.Atoi(column)
		switch {
		case column == "":
			n = 0
		case err != nil:
			return nil, p, nil // a name
		case n < 1 || n > maxColumn:
			return nil, p, bad("columns are counted from 1, to %d at most", maxColumn)
		}
		at[k] = n - 1
	}
	c, err := p.columns(at)
	if err != nil {
		return nil, p, bad("%v", err)
	}
	return &c, p, nil
}

// unweighted reports whether Options.Columns names columns, and none for the weight.
func (o Options) unweighted() bool {
	if o.Columns == "" {
		return false
	}
	c, p, err := columnOption(o.Columns)
	return err == nil && (c == nil && p[2] == "" || c != nil && c.weight < 0)
}

// maxColumn is the most that the number of a column may be.
const maxColumn = 1 << 16

// columns returns what is picked, once it is known where that stands.
func (p picks) columns(at [3]int) (columns, error) {
	c := columns{from: at[0], to: at[1], weight: at[2], least: 1 + max(at[0], at[1], at[2])}
	if c.from == c.to || c.weight == c.from || c.weight == c.to {
		return c, fmt.Errorf("one column is picked twice")
	}
	return c, nil
}

// among finds the columns that are picked in a header.
func (p picks) among(header []string) (columns, error) {
	var at [3]int
	for k, column := range p {
		at[k] = -1
		if column == "" {
			continue
		}
		for i, name := range header {
			switch {
			case !strings.EqualFold(strings.TrimSpace(name), column):
			case at[k] >= 0:
				return columns{}, fmt.Errorf("two columns have the name %q: pick one by its number, %d or %d", column, at[k]+1, i+1)
			default:
				at[k] = i
			}
		}
		if n, err := strconv.Atoi(column); at[k] < 0 && err == nil && n >= 1 && n <= len(header) {
			at[k] = n - 1
		}
		if at[k] < 0 {
			return columns{}, fmt.Errorf("no column is named %q in the first line: %s", column, quotedList(header))
		}
	}
	c, err := p.columns(at)
	c.least = len(header)
	return c, err
}

// defaultColumns returns the columns of an edge list of some width that nothing names. The error says how to name those
// of a line, or of a header, if it is not nil.
func defaultColumns(width int, hasIDs bool, header []string) (columns, error) {
	switch {
	case width == 2:
		return columns{from: 0, to: 1, weight: -1, least: 2}, nil
	case width == 3:
		return columns{from: 0, to: 1, weight: 2, least: 3}, nil
	case width == 4 && hasIDs:
		return columns{from: 1, to: 2, weight: 3, least: 4}, nil
	case width < 2:
		return columns{}, fmt.Errorf("an arc needs at least the two columns from and to; if this is the number of vertices, remove the line")
	}
	return columns{}, fmt.Errorf("the line has %d columns: %s", width, howToPick(width, header))
}

// howToPick says how to name columns. It makes no guess that may be wrong: whoever follows it must know the input.
func howToPick(width int, header []string) string {
	if header == nil {
		return fmt.Sprintf("pick them by number, --columns from=A,to=B,weight=C with A, B and C from 1 to %d", width)
	}
	if c := likely(header); c.from >= 0 && c.to >= 0 && c.weight >= 0 {
		text := fmt.Sprintf("from=%s,to=%s,weight=%s", header[c.from], header[c.to], header[c.weight])
		if len(letters(text))+len("===,,")+strings.Count(text, "_") == len(text) { // as it is in any shell
			return "pick them by name, maybe --columns " + text
		}
	}
	return fmt.Sprintf("pick them by name, --columns from=A,to=B,weight=C with A, B and C of %s", quotedList(header))
}

func quotedList(names []string) string {
	const most = 30
	var b strings.Builder
	for i, name := range names[:min(len(names), most)] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(number.Quoted([]byte(strings.TrimSpace(name))))
	}
	if len(names) > most {
		fmt.Fprintf(&b, " and %d more", len(names)-most)
	}
	return b.String()
}

// endings are what programs put behind the names in columnNames: of from and to, and of weights, which are units.
var endings = [3][]string{
	{"", "id", "node", "nodeid", "vertex", "vertexid"},
	{"", "id", "node", "nodeid", "vertex", "vertexid"},
	{"", "m", "km", "meter", "meters", "metre", "metres", "mi", "miles", "ft", "s", "sec", "seconds", "min", "minutes", "h", "hours"},
}

// likely finds columns whose names only resemble those in columnNames: for advice, not for reading. -1 stands for none,
// or for more than one.
func likely(header []string) columns {
	at := [3]int{-1, -1, -1}
	for part, synonyms := range columnNames {
		found := 0
		for i, name := range header {
			if name = letters(name); slices.ContainsFunc(synonyms, func(s string) bool {
				rest, ok := strings.CutPrefix(name, letters(s))
				return ok && slices.Contains(endings[part], rest)
			}) {
				at[part] = i
				found++
			}
		}
		if found > 1 {
			at[part] = -1
		}
	}
	return columns{from: at[0], to: at[1], weight: at[2]}
}

// longNames leaves out the names of one letter: alone, a u, v or w may be any end of an arc, and says nothing.
func longNames(header []string) []string {
	long := slices.Clone(header)
	for i, name := range long {
		if len(strings.TrimSpace(name)) == 1 {
			long[i] = ""
		}
	}
	return long
}

// letters returns the letters and digits of a name, in lower case.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// oneWay returns the name of a column that says which lines are arcs and which are edges, or "". Where OSMnx has written
// the file, each direction has a line of its own, and the column says nothing more.
func oneWay(header []string) string {
	found := ""
	for _, name := range header {
		switch l := letters(name); {
		case strings.Contains(l, "oneway"):
			found = strings.TrimSpace(name)
		case l == "key" || l == "reversed":
			return ""
		}
	}
	return found
}
