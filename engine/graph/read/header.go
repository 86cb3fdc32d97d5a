package read

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ooc/engine/graph/internal/number"
	"ooc/engine/graph/read/internal/columns"
)

// What the header of an edge list says, and whether it is one.

// held is a first line of words that may be a header. All other lines tell whether it is one.
type held struct {
	line  []byte
	at    int64
	known bool // its words name from and to, and are seldom vertices
	named bool // its words name from and to
	order bool // and not in this order
}

// header settles the columns if the line in hand, in fields, is a header or may be one, or if picks want one.
func (r *edgeReader) header(line []byte) (bool, error) {
	names := textsOf(r.fields)
	if r.picks != (columns.Picks{}) {
		c, err := r.picks.Among(names)
		if err != nil {
			return true, r.fail("%s", err)
		}
		if r.Columns, r.names = c, names; c.Weight < 0 {
			r.remark("no column is picked for the weight: every arc has weight 1")
		}
		return true, r.oneWay()
	}
	if !r.isWords() {
		return false, nil
	}
	_, named, err := columns.Named(names)
	// "u v" and "node1 node2" may well be two vertices.
	known := (named || err != nil) && !(len(names) == 2 && (len(names[0]+names[1]) == 2 ||
		strings.ContainsAny(names[0], "0123456789")))
	unweighted := r.named && r.Weight < 0 || !r.named && len(names) == 2
	if unweighted && (r.whole && len(r.sample) == 1 || r.recurs() && !known) {
		return false, nil
	}
	if !unweighted && !known && r.doubtHeader() {
		return false, nil
	}
	if r.names = names; !r.named {
		if !unweighted || known || named {
			err = r.findColumns()
		} else {
			r.Columns, err = columns.Default(r.width, r.hasIDs, names)
		}
	}
	switch {
	case err != nil && !r.named:
		return true, r.fail("%s", err)
	case r.order && r.contradicts():
		return true, r.fail("the header has from and to elsewhere than --columns has them: leave --columns "+
			"away, or pick by number, --columns from=A,to=B,weight=C with A, B and C from 1 to %d", r.width)
	case unweighted:
		r.held = &held{bytes.Clone(line), r.in.Line, known, named, !r.named && r.From > r.To}
		return true, nil
	}
	return true, r.oneWay()
}

// isWords reports whether the first line, in fields, holds names: a line with a number in it is never a header.
func (r *edgeReader) isWords() bool {
	for i, f := range r.fields {
		// pandas and R leave the name of their row numbers empty, and what no name in Options.Columns means may be.
		empty := i == 0 && len(r.fields) > 2 || r.named && i != r.From && i != r.To && i != r.Weight
		if isNumber(f.text) || isDecimalComma(f.text) || len(f.text) == 0 && !empty {
			return false
		}
	}
	return !r.named || len(r.fields) > max(r.From, r.To) || r.Weight >= 0
}

// recurs reports whether a word of the line in hand, in fields, is a vertex of a line that follows, as far as these are
// known.
func (r *edgeReader) recurs() bool {
	from, to := 0, 1
	if r.named {
		from, to = r.From, r.To
	}
	for _, line := range r.sample[1:] {
		cells, _ := r.split(endsOf(line), nil)
		for _, end := range []int{from, to} {
			if end < len(cells) && max(from, to) < len(r.fields) &&
				(bytes.Equal(cells[end].text, r.fields[from].text) || bytes.Equal(cells[end].text, r.fields[to].text)) {
				return true
			}
		}
	}
	return false
}

// settleHeader decides, once all other lines are read, whether the first was a header. It is one if its words are no
// vertices elsewhere, and either ids below one of them are numbers or one is a word that names columns.
func (r *edgeReader) settleHeader() error {
	h := r.held
	// What has too few columns for an arc is a header.
	if h == nil || r.width < max(r.Least, r.From+1, r.To+1) {
		return nil
	}
	names, lines := [2]string{r.names[r.From], r.names[r.To]}, r.lines()
	_, recurs := r.vertices.find([]byte(names[0]))
	_, also := r.vertices.find([]byte(names[1]))
	recurs = recurs || also
	word, texts := h.known || columns.Word(names[0]) || columns.Word(names[1]), r.texts[0] && r.texts[1]
	said := r.named && texts && (!word || !r.order && !h.known && r.Weight < 0) // by --columns, that it is an arc
	doubt := " or an arc"
	switch {
	case lines == 0, recurs && !h.known && !h.order, recurs && r.named && !r.order, !recurs && said:
		r.names = nil
		return r.lateArc(h.line, h.at)
	case recurs:
		doubt = ", but also an arc, as its words are vertices below"
	case word || !texts:
		if !h.known && !r.named && texts {
			r.remark("line %d, %q, is taken for a header, as a word of it names columns; --columns from=%d,to=%d "+
				"reads it as an arc", h.at, h.line, r.From+1, r.To+1)
		}
		r.in.Line = h.at
		if !h.named && !r.named {
			if err := r.findColumns(); err != nil {
				return r.fail("%s", err)
			}
		}
		return r.oneWay()
	}
	return r.failAt(h.at, "%q may be a header%s: --columns from=%s,to=%s if it is a header, --columns from=%d,to=%d "+
		"if it is an arc", h.line, doubt, names[0], names[1], r.From+1, r.To+1)
}

// findColumns settles the columns where no option names them, by the header's names or by their number.
func (r *edgeReader) findColumns() error {
	names := r.names
	byWidth, widthErr := columns.Default(r.width, r.hasIDs, names)
	r.Columns = byWidth
	c, ok, err := columns.Named(names)
	switch {
	case err != nil && columns.Ends(names):
		return nil
	case err != nil:
		return fmt.Errorf("%w: %s", err, columns.HowToPick(r.width, names))
	case !ok && widthErr == nil:
		words := columns.Long(names)
		if c, _, _ = columns.Named(words); other(c, byWidth) || other(columns.Likely(words), byWidth) ||
			columns.NumbersRows(names[0]) {
			return fmt.Errorf("it is not clear what the columns are: %s", columns.HowToPick(r.width, names))
		}
		if r.width == 2 {
			r.saidPair()
			return nil
		}
		r.remark("columns %s are taken for from, to and weight; --columns from=A,to=B,weight=C picks others by "+
			"name", columns.Quoted(names[:3]))
		return r.isLength(byWidth)
	case !ok:
		return widthErr
	case c.Weight >= 0 || r.width == 2:
		r.Columns = c
		r.saidPair()
		return nil
	case byWidth.From == c.From && byWidth.To == c.To:
		if widthErr == nil && byWidth.Weight >= 0 {
			r.saidPair()
			r.remark("column %q is taken for the weight", strings.TrimSpace(names[byWidth.Weight]))
			widthErr = r.isLength(byWidth)
		}
		return widthErr
	case r.width == 3 && columns.NumbersRows(names[0]):
		r.Columns = c
		return nil
	}
	return fmt.Errorf("the header names no weight: %s; without weight=C, every arc has weight 1",
		columns.HowToPick(r.width, names))
}

// saidPair says that from and to are guessed, where their names are known only as a pair, such as gene1 and gene2.
func (r *edgeReader) saidPair() {
	names := []string{r.names[r.From], r.names[r.To]}
	if !slices.Contains(columns.Names[0], strings.ToLower(strings.TrimSpace(names[0]))) {
		r.remark("columns %s are taken for from and to; --columns from=A,to=B picks them by name",
			columns.Quoted(names))
	}
}

// isLength refuses a weight, found by its place alone, whose name says that it is no length.
func (r *edgeReader) isLength(c columns.Columns) error {
	name, picks := r.names[c.Weight], fmt.Sprintf("--columns from=%s,to=%s", r.names[c.From], r.names[c.To])
	if columns.OneWay([]string{name}) != "" && r.either {
		return errors.New(perLine(number.Quoted([]byte(name))))
	}
	if columns.NoLength(name) {
		return fmt.Errorf("column %q seems to be no length: %s gives every arc weight 1, %[2]s,weight=%[1]s takes "+
			"it for one", name, picks)
	}
	return nil
}

// other reports whether what is known of columns speaks against another opinion.
func other(known, opinion columns.Columns) bool {
	return known.From >= 0 && known.From != opinion.From || known.To >= 0 && known.To != opinion.To ||
		known.Weight >= 0 && known.Weight != opinion.Weight
}

// contradicts reports whether a header has from and to in other places than the columns that are named in their order.
// Whoever names columns so may think that this picks them by name.
func (r *edgeReader) contradicts() bool {
	words := columns.Long(r.names)
	named, _, _ := columns.Named(words)
	for _, c := range []columns.Columns{named, columns.Likely(words)} {
		if c.From != c.To && min(c.From, c.To) >= 0 && (c.From != r.From || c.To != r.To) {
			return true
		}
	}
	return false
}

// oneWay reads the weights of ways back, if a header has them. It refuses a column that is needed to tell arcs from
// edges, unless the user has said which they are, and lists the columns that are not used.
func (r *edgeReader) oneWay() error {
	if r.Weight >= 0 && r.Weight < len(r.names) {
		r.back = columns.WayBack(r.names, r.Weight)
	}
	if name := columns.OneWay(r.names); name != "" && r.either && r.back < 0 {
		return r.fail("%s", perLine(number.Quoted([]byte(name))))
	}
	if r.back >= 0 {
		r.Least, r.bothWays = max(r.Least, r.back+1), true
		r.remark("column %q is the weight of the way back; where one is below 0, the way is closed", r.names[r.back])
	}
	var unused []string
	for i, name := range r.names {
		if !slices.Contains([]int{r.From, r.To, r.Weight, r.back}, i) && strings.TrimSpace(name) != "" {
			unused = append(unused, name)
		}
	}
	if len(unused) > 0 && !r.order {
		r.remark("columns not used: %s", columns.Quoted(unused))
	}
	return nil
}

// directions refuses a first line, in fields, of which a column that is not read says how the arc goes, as Gephi
// writes it, unless the user has said so.
func (r *edgeReader) directions() error {
	for i, f := range r.fields {
		if i != r.From && i != r.To && i != r.Weight && r.either && columns.Direction(string(f.text)) {
			return r.fail("%s", perLine(fmt.Sprintf("%d, %s,", i+1, number.Quoted(f.text))))
		}
	}
	return nil
}

// perLine is what to do about a column that says of each line what it is.
func perLine(column string) string {
	return "column " + column + " seems to say which lines are one way, and is not read: " +
		"add each line that is not one way a second time, from and to swapped, and say --directed; " +
		"if all lines are alike, only say --directed or --undirected"
}

// Ends returns which columns of a header name the ends of an arc, by the names that edge lists may have for them;
// false if it does not name both.
func Ends(header []string) (from, to int, ok bool) {
	c, ok, err := columns.Named(header)
	return c.From, c.To, ok && err == nil
}
