package read

import (
	"bytes"
	"fmt"

	"ooc/engine/graph"
	"ooc/engine/graph/read/internal/columns"
)

// counts is a first line of one or two numbers that may be no arc, but say how large the graph is.
type counts struct {
	vertices, edges int64 // edges is -1 if there is one number: of vertices, or else of edges
	text            []byte
	line            int64
	sure            bool // it cannot be an arc: it has fewer columns
}

func (c *counts) String() string { return fmt.Sprintf("line %d, %q,", c.line, c.text) }

// isCounts reports whether the first line, in fields, may say how large the graph is, and then keeps it.
func (r *edgeReader) isCounts(line []byte) bool {
	words := appendWords(nil, line)
	if len(r.fields) > 1 {
		words = words[:0]
		for _, f := range r.fields {
			words = append(words, f.text)
		}
	}
	x, ok := counted(words)
	for _, w := range words {
		_, isID := parseID(w)
		ok = ok && isID
	}
	if r.counts != nil || len(words) > 2 || !ok || bytes.IndexByte(line, '"') >= 0 {
		return false
	}
	c := &counts{vertices: x[0], edges: -1, text: bytes.Clone(bytes.TrimSpace(line)), line: r.in.Line}
	switch {
	case len(words) == 1:
		c.sure = true
	case r.named && r.Least > 2:
		c.sure, c.edges = true, x[1]
	case r.named || r.picks != columns.Picks{} || len(r.sample) < 2:
		return false
	default:
		after, _ := r.split(r.sample[1], nil)
		if c.edges, c.sure = x[1], len(after) != 2 || len(r.fields) == 1; !c.sure && c.edges < 2 {
			return false
		}
	}
	r.counts = c
	return true
}

// lines returns how many lines were read as arcs.
func (r *edgeReader) lines() int64 {
	return (r.Arcs + r.SelfLoops + r.NoArcs) / int64(1+btoi(r.back >= 0))
}

// settleCounts decides, once all other lines are read, what the first line means. Where it may be an arc and fits as
// counts too, it says which it takes it for, or refuses: no edge is lost, and none made up, without a word.
func (r *edgeReader) settleCounts() error {
	c := r.counts
	if c == nil {
		return nil
	}
	lines := r.lines()
	low, high, numeric := r.vertices.span()
	fits := numeric && high <= c.vertices && (low > 0 || high < c.vertices)
	if r.vertices.forced {
		fits = high < r.vertices.base+c.vertices
	}
	named := !numeric && r.vertices.known() <= c.vertices
	matches := lines == c.edges || lines == 2*c.edges
	ring := c.edges == c.vertices && r.vertices.known() == c.vertices // as an arc, a self-loop that counts for nothing
	switch {
	case lines == 0:
		return r.failAt(c.line, "the line has %d columns, not %d; an arc needs at least the two columns from "+
			"and to", len(bytes.Fields(c.text)), max(r.Least, 2))
	case c.edges < 0 && lines == c.vertices && (!fits || r.vertices.known() < c.vertices):
		r.remark("%s is read as the number of edges", c)
		return nil
	case c.edges < 0 && (fits || named):
		return r.declareCounts(c, fits, "is read as the number of vertices")
	case c.edges < 0:
		return r.failAt(c.line, "%d is the number neither of vertices (%s) nor of lines that follow (%d); if it "+
			"means something else, remove the line", c.vertices, r.span(), lines)
	case c.sure && matches && (fits || named), !c.sure && matches && fits && (c.edges > c.vertices+1 || ring):
		return r.declareCounts(c, fits, "is read as the numbers of vertices and edges")
	case c.sure:
		wrong := fmt.Sprintf("there are more: %s", r.span())
		if !matches {
			wrong = fmt.Sprintf("%d lines follow, not %d", lines, c.edges)
		}
		return r.failAt(c.line, "%q has fewer columns than the lines below it; if it is the numbers of vertices "+
			"and edges, %s", c.text, wrong)
	case lines == c.edges && (fits || named && int64(len(r.vertices.texts)) == r.vertices.known()):
		return r.failAt(c.line, "%q may be an arc, or the numbers of vertices and edges: both fit. If it is an "+
			"arc, say --columns from=1,to=2; if not, remove the line", c.text)
	case fits && c.edges > c.vertices+1:
		r.remark("%s is read as an arc, though no other line has vertex %d; if it is the numbers of vertices "+
			"and edges, remove it: %d lines follow", c, c.edges, lines)
	case r.held != nil && r.names != nil:
		return r.failAt(r.held.at, "%q may be a header, or an arc as the line above it: if it is a header, remove line "+
			"%d; if both are arcs, say --columns from=1,to=2", r.held.line, c.line)
	}
	return r.lateArc(c.text, c.line)
}

// declareCounts makes the vertices as many as the first line says, if they have numbers.
func (r *edgeReader) declareCounts(c *counts, numeric bool, what string) error {
	low, high, _ := r.vertices.span()
	switch {
	case c.vertices > graph.MaxVertices:
		return r.failAt(c.line, "%d vertices; the most is %d", c.vertices, graph.MaxVertices)
	case !numeric:
	case r.vertices.forced:
		r.vertices.top = r.vertices.base + c.vertices - 1
	case low == 0:
		r.vertices.declared, r.vertices.base = c.vertices, 0
	case high == c.vertices:
		r.vertices.declared, r.vertices.base = c.vertices, 1
	default:
		return r.failAt(c.line, "if this is the number of vertices, %d, some have no arc, as ids are %d…%d: say "+
			"--base 0 if they are 0…%d, --base 1 if they are 1…%d", c.vertices, low, high, c.vertices-1, c.vertices)
	}
	if !c.sure {
		what += "; --columns from=1,to=2 reads it as an arc"
	}
	r.remark("%s %s", c, what)
	return nil
}

// span says which ids there are.
func (r *edgeReader) span() string {
	if low, high, numeric := r.vertices.span(); numeric {
		return fmt.Sprintf("ids %d…%d", low, high)
	}
	return fmt.Sprintf("%d names", r.vertices.known())
}
