package read

import (
	"bytes"
	"fmt"
	"slices"

	"ooc/engine/graph"
	"ooc/engine/graph/read/internal/columns"
)

// counts is a first line of one or two numbers that may be no arc, but say how large the graph is.
type counts struct {
	vertices, edges int64 // edges is -1 if there is one number: of vertices, or else of edges
	text            []byte
	line            int64
	sure            bool // it cannot be an arc: it has fewer columns
	waits           bool // the next line tells whether it has
}

func (c *counts) String() string { return fmt.Sprintf("line %d, %q,", c.line, bytes.TrimSpace(c.text)) }

// isCounts reports whether the first line, in fields, may say how large the graph is, and then keeps it.
func (r *edgeReader) isCounts(line []byte) bool {
	if r.counts != nil || len(r.fields) > 2 || r.width > 0 {
		return false
	}
	x := [2]int64{-1, -1}
	for i, f := range r.fields {
		id, ok := parseID(f.text)
		if !ok || f.quoted || id < 0 {
			return false
		}
		x[i] = id
	}
	c := &counts{vertices: x[0], edges: x[1], text: bytes.Clone(line), line: r.in.Line}
	switch {
	case len(r.fields) == 1, r.named && r.Least > 2:
		c.sure = true
	case r.named || r.picks != columns.Picks{}:
		return false
	default:
		c.waits = true
	}
	r.counts = c
	return true
}

// second reads the line after counts of two numbers.
func (r *edgeReader) second(line []byte) error {
	c := r.counts
	c.waits = false
	if err := r.split(line); err != nil {
		return err
	}
	if len(r.fields) != 2 {
		c.sure = true
		return r.first(line)
	}
	r.width = 2
	if err := r.findColumns(false); err != nil {
		return r.out.fail("%s", err)
	}
	if c.edges > 1 {
		return r.arc(line)
	}
	r.counts = nil
	if err := r.countsAsArc(c); err != nil {
		return err
	}
	return r.arc(line)
}

// countsAsArc reads what is not counts after all.
func (r *edgeReader) countsAsArc(c *counts) error {
	at := r.in.Line
	r.in.Line = c.line
	if err := r.arc(c.text); err != nil {
		return err
	}
	r.in.Line = at
	u, errU := r.vertex(r.fields[r.From], "from")
	v, errV := r.vertex(r.fields[r.To], "to")
	if errU == nil && errV == nil {
		r.table.toFront(u, v)
	}
	return nil
}

// settleCounts decides, once all other lines are read, what the first line means. Where it may be an arc and fits as
// counts too, it says which it takes it for, or refuses: no edge is lost, and none made up, without a word.
func (r *edgeReader) settleCounts() error {
	c := r.counts
	if c == nil {
		return nil
	}
	lines := r.out.Arcs + r.out.SelfLoops + r.out.NoArcs
	low, high, numeric := r.table.span()
	fits := numeric && high <= c.vertices && (low > 0 || high < c.vertices)
	if r.table.forced {
		fits = high < r.table.base+c.vertices
	}
	named := !numeric && r.table.known() <= c.vertices
	matches := lines == c.edges || lines == 2*c.edges
	ring := c.edges == c.vertices && r.table.known() == c.vertices // as an arc, a self-loop that counts for nothing
	switch {
	case lines == 0:
		return r.out.failAt(c.line, "the line has %d columns, not %d; an arc needs at least the two columns from and to", len(bytes.Fields(c.text)), max(r.Least, 2))
	case c.edges < 0:
		return r.settleCount(c, lines, fits, named)
	case c.sure && matches && (fits || named), !c.sure && matches && fits && (c.edges > c.vertices+1 || ring):
		return r.declareCounts(c, fits, "is read as the numbers of vertices and edges")
	case c.sure && !matches:
		return r.out.failAt(c.line, "%q has fewer columns than the lines below it; if it is the numbers of vertices and edges, %d lines follow, not %d", bytes.TrimSpace(c.text), lines, c.edges)
	case c.sure:
		return r.out.failAt(c.line, "%q has fewer columns than the lines below it; if it is the numbers of vertices and edges, there are more: %s", bytes.TrimSpace(c.text), r.span())
	case lines == c.edges && fits:
		return r.out.failAt(c.line, "%q may be an arc, or the numbers of vertices and edges: both fit. If it is an arc, say --columns from=1,to=2; if not, remove the line", bytes.TrimSpace(c.text))
	case fits && c.edges > c.vertices+1:
		r.out.remark("%s is read as an arc, though no other line has vertex %d; if it is the numbers of vertices and edges, remove it: %d lines follow", c, c.edges, lines)
	}
	return r.countsAsArc(c)
}

// settleCount decides what a single number means. It is no arc, whatever it is.
func (r *edgeReader) settleCount(c *counts, lines int64, fits, named bool) error {
	switch {
	case lines == c.vertices && (!fits || r.table.known() < c.vertices):
		r.out.remark("%s is read as the number of edges", c)
		return nil
	case fits || named:
		return r.declareCounts(c, fits, "is read as the number of vertices")
	}
	return r.out.failAt(c.line, "%d is the number neither of vertices (%s) nor of lines that follow (%d); if it means something else, remove the line", c.vertices, r.span(), lines)
}

// declareCounts makes the vertices as many as the first line says, if they have numbers.
func (r *edgeReader) declareCounts(c *counts, numeric bool, what string) error {
	low, high, _ := r.table.span()
	switch {
	case c.vertices > graph.MaxVertices:
		return r.out.failAt(c.line, "%d vertices; the most is %d", c.vertices, graph.MaxVertices)
	case !numeric:
	case r.table.forced:
		r.table.top = r.table.base + c.vertices - 1
	case low == 0:
		r.table.declared, r.table.base = c.vertices, 0
	case high == c.vertices:
		r.table.declared, r.table.base = c.vertices, 1
	default:
		return r.out.failAt(c.line, "if this is the number of vertices, %d, some have no arc, as ids are %d…%d: say --base 0 if they are 0…%d, --base 1 if they are 1…%d", c.vertices, low, high, c.vertices-1, c.vertices)
	}
	if c.sure {
		r.out.remark("%s %s", c, what)
	} else {
		r.out.remark("%s %s; --columns from=1,to=2 reads it as an arc", c, what)
	}
	return nil
}

// span says which ids there are.
func (r *edgeReader) span() string {
	if low, high, numeric := r.table.span(); numeric {
		return fmt.Sprintf("ids %d…%d", low, high)
	}
	return fmt.Sprintf("%d names", r.table.known())
}

// span returns the least and the largest id, or false if some are texts.
func (t *vertexTable) span() (low, high int64, numeric bool) {
	if t.forced || t.texts.Len() > 0 {
		return t.base, t.top, t.forced
	}
	for i, p := range t.order {
		id := int64(p)
		if p < 0 {
			id = t.others[^p].number
		}
		if i == 0 {
			low, high = id, id
		}
		low, high = min(low, id), max(high, id)
	}
	return low, high, true
}

// known returns how many vertices there are so far.
func (t *vertexTable) known() int64 {
	if t.forced {
		return t.top + 1 - t.base
	}
	return int64(len(t.order))
}

// toFront makes vertices the first that have appeared.
func (t *vertexTable) toFront(first ...int32) {
	rest := slices.DeleteFunc(t.order, func(p int32) bool { return slices.Contains(first, p) })
	t.order = append(slices.Compact(first), rest...)
}
