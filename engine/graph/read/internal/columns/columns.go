// Package columns finds out which columns of a table are the ends and the weight of an arc, from their names.
package columns

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ooc/engine/graph/internal/number"
)

// Columns says where in a line its parts stand.
type Columns struct {
	From, To int
	Weight   int // -1: every weight is 1
	Least    int // how many columns a line must have for these
}

// Names are the names that mean a column, the proper one first.
var Names = [3][]string{
	strings.Fields("from source src tail u start from_node fromnodeid node1 start_node orig origin follower citing " +
		"sender init_node row von quelle départ origen"),
	strings.Fields("to target dst destination head v end to_node tonodeid node2 end_node dest followee cited " +
		"receiver term_node col column nach ziel arrivée destino"),
	strings.Fields("weight w length len cost distance dist"),
}

// Named finds the columns by their names. It returns false where from or to is not among them,
// and an error where two names compete.
func Named(names []string) (Columns, bool, error) {
	var at [3]int
	for part, synonyms := range Names {
		mean := func(words []string) []int {
			return where(names, func(name string) bool {
				return slices.Contains(words, strings.ToLower(strings.TrimSpace(name)))
			})
		}
		found := mean(synonyms[:1])
		if found == nil {
			found = mean(synonyms)
		}
		if len(found) > 1 {
			return Columns{}, false, fmt.Errorf("two columns name the %s: %q and %q", synonyms[0], names[found[0]],
				names[found[1]])
		}
		at[part] = append(found, -1)[0]
	}
	if at[0] < 0 && at[1] < 0 {
		at[0], at[1] = pair(names)
	}
	if at[0] < 0 && at[1] < 0 {
		at[0], at[1] = withWord(names, Names[0]), withWord(names, Names[1])
	}
	c := Columns{From: at[0], To: at[1], Weight: at[2], Least: len(names)}
	return c, c.From >= 0 && c.To >= 0, nil
}

// pair finds the two columns whose names differ only in a 1 and a 2, or an a and a b, at their ends: gene1 and gene2.
func pair(names []string) (first, second int) {
	first, second = -1, -1
	short := slices.Clone(names)
	for i, name := range names {
		short[i] = letters(name)
	}
	for i, a := range short {
		for k, b := range short {
			if end := len(a) - 1; end < 2 || len(b) != len(a) || a[:end] != b[:end] || a[end:]+b[end:] != "12" &&
				a[end:]+b[end:] != "ab" {
				continue
			}
			if first >= 0 {
				return -1, -1
			}
			first, second = i, k
		}
	}
	return first, second
}

var placeOrTime = regexp.MustCompile("^(time|date|lat|lon|lng|x|y)$")

// withWord returns the only column whose name has one of some words of two letters or more in it, as from_station has;
// -1 if there is none, or several. Names of times and places have more than one.
func withWord(names, words []string) int {
	return only(names, func(name string) bool {
		in := splitWords(name)
		return slices.ContainsFunc(in, func(w string) bool { return len(w) > 1 && slices.Contains(words, w) }) &&
			!slices.ContainsFunc(in, placeOrTime.MatchString)
	})
}

// where returns the columns whose names are so.
func where(names []string, is func(name string) bool) (at []int) {
	for i, name := range names {
		if is(name) {
			at = append(at, i)
		}
	}
	return at
}

// only returns the column whose name is so; -1 if there is none, or several.
func only(names []string, is func(name string) bool) int {
	if at := where(names, is); len(at) == 1 {
		return at[0]
	}
	return -1
}

var word = regexp.MustCompile(`\p{Lu}+[\p{Ll}\p{Lt}\p{Lm}\p{Lo}]*|[\p{Ll}\p{Lt}\p{Lm}\p{Lo}]+`)

// splitWords returns the words in a name, in lower case, and what is between them: what is not a letter, and capitals,
// begin new ones.
func splitWords(name string) []string {
	return strings.Fields(strings.ToLower(word.ReplaceAllString(name, " $0 ")))
}

// headerWords are words that name columns, and seldom vertices; beside those in Names.
var headerWords = strings.Fields("node nodes vertex vertices id ids name label gene genes protein proteins user " +
	"users followed friend parent child author paper person actor buyer seller station stop city airport country " +
	"subject object interactor employee manager customer product item page article")

// Word reports whether a name has a word in it that names columns: case, digits and what separates words do not count.
func Word(name string) bool {
	return slices.ContainsFunc(splitWords(name), func(w string) bool {
		return slices.Contains(headerWords, w) || len(w) > 1 && (slices.Contains(Names[0], w) ||
			slices.Contains(Names[1], w))
	})
}

// WayBack returns the column that has the weight of the way back beside the column of the weight, as pgRouting's
// reverse_cost beside cost; -1 if there is none.
func WayBack(header []string, weight int) int {
	name := regexp.QuoteMeta(letters(header[weight]))
	back := regexp.MustCompile("^((reverse|rev|r|backward)" + name + "|" + name + "reverse)$")
	return slices.IndexFunc(header, func(other string) bool { return back.MatchString(letters(other)) })
}

// noLength is the letters of names of columns that tell more of an arc the nearer its ends are, or nothing of how far.
var noLength = regexp.MustCompile("score|similarity|correlation|confidence|probability|affinity|likelihood|jaccard|" +
	"cosine|strength|capacity|speed|bandwidth|lanes|rating|frequency|multiplicity|timestamp|datetime|label|" +
	"^(sim|corr|cap|date|year|type|name|sign|count|trust)$")

// NoLength reports whether the values of a column are no lengths, by its name.
func NoLength(name string) bool {
	return OneWay([]string{name}) != "" || NumbersRows(name) || noLength.MatchString(letters(name))
}

// Picks says where the parts of a line stand, in the order of Names: the name of a column in the header, or its
// number from 1; "" for none.
type Picks [3]string

// Option reads Options.Columns: the names of all columns in their order, or picks such as from=a,to=b. It returns
// the columns where these need no header, or else Picks.
func Option(list string) (*Columns, Picks, error) {
	bad := func(format string, args ...any) error {
		return number.BadOption("columns %q: %s", list, fmt.Sprintf(format, args...))
	}
	var p Picks
	names := strings.Split(list, ",")
	if !strings.Contains(list, "=") {
		c, ok, err := Named(names)
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
		k := slices.IndexFunc(Names[:], func(synonyms []string) bool { return strings.EqualFold(synonyms[0], part) })
		switch {
		case !found || k < 0 || column == "":
			return nil, p, bad("%q is none of from=COLUMN, to=COLUMN and weight=COLUMN", name)
		case p[k] != "":
			return nil, p, bad("%s is there twice", Names[k][0])
		}
		p[k] = column
	}
	if p[0] == "" || p[1] == "" {
		return nil, p, bad("from and to must be among them")
	}
	if slices.ContainsFunc(p[:], func(column string) bool { return strings.Trim(column, "0123456789") != "" }) {
		return nil, p, nil // there are names
	}
	c, err := p.Among(nil)
	if err != nil {
		return nil, p, bad("%v", err)
	}
	return &c, Picks{}, nil
}

// maxColumn is the most that the number of a column may be.
const maxColumn = 1 << 16

// Among finds the columns that are picked in a header, or if it is nil, by their numbers.
func (p Picks) Among(header []string) (Columns, error) {
	at := [3]int{-1, -1, -1}
	for k, column := range p {
		found := where(header, func(name string) bool { return strings.EqualFold(strings.TrimSpace(name), column) })
		n, err := strconv.Atoi(column)
		switch {
		case column == "":
		case len(found) > 1:
			return Columns{}, fmt.Errorf("two columns have the name %q: pick one by its number, %d or %d", column,
				found[0]+1, found[1]+1)
		case len(found) == 1:
			at[k] = found[0]
		case err == nil && n >= 1 && n <= cmp.Or(len(header), maxColumn):
			at[k] = n - 1
		case header == nil && !errors.Is(err, strconv.ErrSyntax):
			return Columns{}, fmt.Errorf("columns are counted from 1, to %d at most", maxColumn)
		default:
			return Columns{}, fmt.Errorf("no column is named %q in the first line: %s", column, Quoted(header))
		}
	}
	c := Columns{From: at[0], To: at[1], Weight: at[2], Least: max(1+max(at[0], at[1], at[2]), len(header))}
	if c.From == c.To || c.Weight == c.From || c.Weight == c.To {
		return c, fmt.Errorf("one column is picked twice")
	}
	return c, nil
}

// Default returns the columns of an edge list of some width that nothing names. The error says how to name those
// of a line, or of a header, if it is not nil.
func Default(width int, hasIDs bool, header []string) (Columns, error) {
	switch {
	case width == 2:
		return Columns{From: 0, To: 1, Weight: -1, Least: 2}, nil
	case width == 3:
		return Columns{From: 0, To: 1, Weight: 2, Least: 3}, nil
	case width == 4 && hasIDs:
		return Columns{From: 1, To: 2, Weight: 3, Least: 4}, nil
	case width < 2:
		return Columns{}, fmt.Errorf("an arc needs at least the two columns from and to")
	}
	return Columns{}, fmt.Errorf("the line has %d columns: %s", width, HowToPick(width, header))
}

// HowToPick says how to name columns. It makes no guess that may be wrong: whoever follows it must know the input.
func HowToPick(width int, header []string) string {
	if header == nil {
		return fmt.Sprintf("pick them by number, --columns from=A,to=B,weight=C with A, B and C from 1 to %d", width)
	}
	if c := Likely(header); c.From >= 0 && c.To >= 0 && c.Weight >= 0 {
		text := fmt.Sprintf("from=%s,to=%s,weight=%s", header[c.From], header[c.To], header[c.Weight])
		if len(letters(text))+len("===,,")+strings.Count(text, "_") == len(text) { // as it is in any shell
			return "pick them by name, maybe --columns " + text
		}
	}
	return fmt.Sprintf("pick them by name, --columns from=A,to=B,weight=C with A, B and C of %s", Quoted(header))
}

// Quoted lists names for a message.
func Quoted(names []string) string {
	const most = 30
	var quoted []string
	for _, name := range names[:min(len(names), most)] {
		quoted = append(quoted, number.Quoted([]byte(strings.TrimSpace(name))))
	}
	text := strings.Join(quoted, ", ")
	if len(names) > most {
		text += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return text
}

// endings are what programs put behind the names in Names: of from and to, and of weights, which are units.
var endings = [2][]string{
	{"", "id", "node", "nodeid", "vertex", "vertexid"},
	{"", "m", "km", "meter", "meters", "metre", "metres", "mi", "miles", "ft", "s", "sec", "seconds", "min", "minutes",
		"h", "hours"},
}

// Likely finds columns whose names only resemble those in Names: for advice, not for reading. -1 stands for none,
// or for more than one.
func Likely(header []string) Columns {
	var at [3]int
	for part, synonyms := range Names {
		at[part] = only(header, func(name string) bool {
			return slices.ContainsFunc(synonyms, func(s string) bool {
				rest, ok := strings.CutPrefix(letters(name), letters(s))
				return ok && slices.Contains(endings[part/2], rest)
			})
		})
	}
	return Columns{From: at[0], To: at[1], Weight: at[2]}
}

// Long leaves out the names of one letter: alone, a u, v or w may be any end of an arc, and says nothing.
func Long(header []string) []string {
	long := slices.Clone(header)
	for i, name := range long {
		if len(strings.TrimSpace(name)) == 1 {
			long[i] = ""
		}
	}
	return long
}

// Ends reports whether a header is two letters and the name of a weight, as v,w,length: whatever else the letters may
// mean, they are from and to here.
func Ends(header []string) bool {
	if len(header) != 3 || strings.EqualFold(strings.TrimSpace(header[1]), "u") {
		return false
	}
	long := Long(header)
	return long[0] == "" && long[1] == "" && slices.Contains(Names[2], strings.ToLower(strings.TrimSpace(long[2])))
}

var noLetters = regexp.MustCompile(`[^\pL\p{Nd}]+`)

// letters returns the letters and digits of a name, in lower case.
func letters(name string) string { return strings.ToLower(noLetters.ReplaceAllString(name, "")) }

// NumbersRows reports whether a column, by its name, numbers the rows of a table, or names them.
func NumbersRows(name string) bool {
	return slices.Contains([]string{"", "id", "index", "row", "no", "nr"}, letters(name))
}

// oneWay is the letters of names of columns that say of each line whether it is one way.
var oneWay = regexp.MustCompile("oneway|bidir|twoway|bothway|" +
	"^((is|un)?directed|dir|direction|directionality|dirtravel|ow)$")

// OneWay returns the name of a column that says which lines are arcs and which are edges, or "". Where OSMnx has
// written the file, each direction has a line of its own, and the column says nothing more.
func OneWay(header []string) string {
	found := ""
	for _, name := range header {
		switch l := letters(name); {
		case oneWay.MatchString(l):
			found = strings.TrimSpace(name)
		case l == "key" || l == "reversed":
			return ""
		}
	}
	return found
}

// Direction reports whether a cell says whether its line is an arc or an edge.
func Direction(cell string) bool {
	return slices.Contains([]string{"directed", "undirected", "mixed"}, strings.ToLower(strings.TrimSpace(cell)))
}
