package read

import (
	"fmt"
	"strings"

	"ooc/engine/graph/internal/number"
	"ooc/engine/graph/read/internal/columns"
)

// What the header of an edge list says, and whether it is one.

// looksLikeHeader reports whether the first line, in fields, holds names: of columns if it is sure, else
// of columns or of vertices. A line with a number in it is never a header.
func (r *edgeReader) looksLikeHeader() (header, sure bool) {
	names := make([]string, len(r.fields))
	for i, f := range r.fields {
		// pandas and R leave the name of their row numbers empty, and what no name in Options.Columns means may be.
		empty := i == 0 && len(r.fields) > 2 || r.named && i != r.From && i != r.To && i != r.Weight
		if _, ok := number.Scan(f.text); ok || len(f.text) == 0 && !empty {
			return false, false
		}
		if _, ok := number.Special(f.text); ok || isDecimalComma(f.text) {
			return false, false
		}
		names[i] = string(f.text)
	}
	if _, ok, err := columns.Named(names); (ok || err != nil) && !(len(names) == 2 && len(names[0]+names[1]) == 2) {
		return true, true // but "u v" may well be two vertices
	}
	unweighted := r.named && r.Weight < 0 || !r.named && len(r.fields) == 2
	return true, !unweighted
}

// settle decides, from the second line, whether the first one was a header: from and to are words above integers. Other
// columns, which are there only where the columns are named, say nothing.
func (r *edgeReader) settle(line []byte) error {
	if err := r.split(line); err != nil {
		return err
	}
	if len(r.fields) < r.Least {
		return r.release()
	}
	for _, i := range []int{r.From, r.To} {
		if _, ok := parseID(r.fields[i].text); !ok {
			return r.release()
		}
	}
	header, at := r.held, r.in.Line
	r.held, r.in.Line = nil, r.heldAt // for errors
	if err := r.split(header); err != nil {
		return err
	}
	if !r.named {
		if err := r.findColumns(true); err != nil {
			return r.out.fail("%s", err)
		}
	}
	if err := r.oneWay(); err != nil {
		return err
	}
	r.in.Line = at
	return nil
}

// release adds a first line that was taken for a header.
func (r *edgeReader) release() error {
	if r.held == nil {
		return nil
	}
	line, at := r.held, r.in.Line
	r.held, r.in.Line = nil, r.heldAt
	if err := r.arc(line); err != nil {
		return err
	}
	r.in.Line = at
	return nil
}

// names returns the columns of a header, in fields.
func (r *edgeReader) names() []string {
	names := make([]string, len(r.fields))
	for i, f := range r.fields {
		names[i] = string(f.text)
	}
	return names
}

// findColumns settles the columns where no option names them, by a header's names or by their number.
func (r *edgeReader) findColumns(header bool) error {
	if !header {
		var err error
		r.Columns, err = columns.Default(r.width, r.hasIDs, nil)
		return err
	}
	names := r.names()
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
		if c, _, _ = columns.Named(words); other(c, byWidth) || other(columns.Likely(words), byWidth) || names[0] == "" {
			return fmt.Errorf("it is not clear what the columns are: %s", columns.HowToPick(r.width, names))
		}
		if r.width == 2 {
			r.out.remark("columns %s are taken for from and to; --columns from=A,to=B picks them by name", columns.Quoted(names))
		} else {
			r.out.remark("columns %s are taken for from, to and weight; --columns from=A,to=B,weight=C picks others by name", columns.Quoted(names[:3]))
		}
		return nil
	case !ok:
		return widthErr
	case c.Weight >= 0 || r.width == 2:
		r.Columns = c
		return nil
	case byWidth.From == c.From && byWidth.To == c.To:
		if widthErr == nil && byWidth.Weight >= 0 {
			r.out.remark("column %q is taken for the weight", strings.TrimSpace(names[byWidth.Weight]))
		}
		return widthErr
	}
	return fmt.Errorf("the header names no weight: %s", columns.HowToPick(r.width, names))
}

// other reports whether what is known of columns speaks against another opinion.
func other(known, opinion columns.Columns) bool {
	return known.From >= 0 && known.From != opinion.From || known.To >= 0 && known.To != opinion.To ||
		known.Weight >= 0 && known.Weight != opinion.Weight
}

// contradicts reports whether a header, in fields, has from and to in other places than the columns that are named in
// their order. Whoever names columns so may think that this picks them by name.
func (r *edgeReader) contradicts() bool {
	words := columns.Long(r.names())
	named, _, _ := columns.Named(words)
	for _, c := range []columns.Columns{named, columns.Likely(words)} {
		if c.From != c.To && min(c.From, c.To) >= 0 && (c.From != r.From || c.To != r.To) {
			return true
		}
	}
	return false
}

// oneWay refuses a header, in fields, with a column that is needed to tell arcs from edges, unless the user has said
// which they are.
func (r *edgeReader) oneWay() error {
	r.header = true
	if name := columns.OneWay(r.names()); name != "" && r.either {
		return r.perLine(number.Quoted([]byte(name)))
	}
	return nil
}

// directions refuses a first line, in fields, of which a column that is not read says how the arc goes, as Gephi
// writes it, unless the user has said so.
func (r *edgeReader) directions() error {
	for i, f := range r.fields {
		if i != r.From && i != r.To && i != r.Weight && r.either && columns.Direction(string(f.text)) {
			return r.perLine(fmt.Sprintf("%d, %s,", i+1, number.Quoted(f.text)))
		}
	}
	return nil
}

func (r *edgeReader) perLine(column string) error {
	return r.out.fail("column %s seems to say which lines are one way, and is not read: add each line that is not one way a second time, from and to swapped, "+
		"and say --directed; if all lines are alike, only say --directed or --undirected", column)
}

// Ends returns which columns of a header name the ends of an arc, by the names that edge lists may have for them;
// false if it does not name both.
func Ends(header []string) (from, to int, ok bool) {
	c, ok, err := columns.Named(header)
	return c.From, c.To, ok && err == nil
}
