package read

import (
	"bytes"
	"fmt"
	"io"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/arcs"
	"ooc/engine/graph/internal/number"
	"ooc/engine/graph/read/internal/lines"
)

// metis is the format of METIS and of the graph partitioners that took it over: after a header, line i lists
// the neighbours of vertex i (G. Karypis, METIS 5.1.0 manual, section 4.1.1).
var metis = Format{
	Name:       "metis",
	Title:      "METIS adjacency lists (.graph)",
	Extensions: []string{".graph", ".metis"},
	Directed:   false,
	Detect:     detectMETIS,
	read:       readMETIS,
}

// metisHeader is what the first line says: "N M [FMT [NCON]]".
type metisHeader struct {
	n, m     int64
	skip     int  // columns before the neighbours: the vertex's size and weights
	weighted bool // a weight follows each neighbour
}

// parseMETISHeader returns what is wrong with a header, or "".
func parseMETISHeader(line []byte) (h metisHeader, reason string) {
	fields := bytes.Fields(line)
	if len(fields) < 2 || len(fields) > 4 {
		return h, "the first line is not \"VERTICES EDGES [FMT [NCON]]\""
	}
	numbers := make([]int64, 4)
	for i, f := range fields {
		x, end := digits(f, 0)
		if end != len(f) {
			return h, fmt.Sprintf("%s in the first line is not a number that it can hold", number.Quoted(f))
		}
		numbers[i] = x
	}
	h.n, h.m = numbers[0], numbers[1]
	flags := []byte("000")
	if len(fields) > 2 {
		if len(fields[2]) > 3 || len(bytes.Trim(fields[2], "01")) > 0 {
			return h, fmt.Sprintf("FMT %s is not up to three digits of 0 and 1", number.Quoted(fields[2]))
		}
		copy(flags[3-len(fields[2]):], fields[2])
	}
	h.weighted = flags[2] == '1'
	ncon := max(numbers[3], 1)
	switch {
	case numbers[3] > 1<<16:
		return h, fmt.Sprintf("%d weights a vertex: the number seems damaged", numbers[3])
	case numbers[3] > 0 && flags[1] == '0':
		return h, fmt.Sprintf("%d weights a vertex are announced, but by FMT vertices have none", numbers[3])
	case flags[1] == '1':
		h.skip = int(ncon)
	}
	if flags[0] == '1' {
		h.skip++
	}
	return h, ""
}

// metisReader holds what the lines so far have said.
type metisReader struct {
	metisHeader
	in       *lines.Reader
	out      *sink
	base     int64
	directed bool   // each entry of a list is an arc, which need not have a reverse
	unit     uint32 // the word of every arc, if not weighted

	header     int64 // its line
	row        int64 // the vertex of the next list
	arcs, self int64 // entries of the lists
	comments   []metisComment
}

// metisComment is comment lines between lists.
type metisComment struct{ row, lines int64 }

func readMETIS(in *lines.Reader, o Options, out *sink) error {
	r := &metisReader{in: in, out: out, base: o.base(1), directed: o.Directed != nil && *o.Directed}
	if err := r.readHeader(); err != nil {
		return err
	}
	out.Undirected = false // the lists hold both directions of every edge
	if !r.weighted {
		word, ok, err := out.word([]byte("1"))
		if !ok {
			return err
		}
		r.unit = word
	}
	out.publish()
	if err := (&lines.Bulk[listBatch]{Lines: in, Parse: r.parse, Commit: r.commit, Slow: r.line}).Run(); err != nil {
		return err
	}
	if r.row < r.n {
		return r.out.failAt(r.header, "%d vertices are announced, but the file ends after %d lists", r.n, r.row)
	}
	if !r.directed {
		out.check = r.pairUp
	}
	return r.checkEdges()
}

func (r *metisReader) readHeader() error {
	for {
		line, err := r.in.Next()
		if err == io.EOF {
			return r.out.failAll("no line \"VERTICES EDGES [FMT [NCON]]\"")
		}
		if err != nil {
			return err
		}
		if i := skipBlank(line, 0); i == len(line) || line[i] == '%' {
			continue
		}
		var reason string
		if r.metisHeader, reason = parseMETISHeader(line); reason != "" {
			return r.out.fail("%s", reason)
		}
		r.header = r.in.Line
		r.out.Expected = 2 * r.m
		return r.out.declare(r.n, r.base)
	}
}

// checkEdges compares the lists with the header, which counts every edge once. Whether a vertex in its own
// list is counted, and how, differs between programs.
func (r *metisReader) checkEdges() error {
	for _, entries := range []int64{r.arcs, r.arcs + r.self, r.arcs + 2*r.self} {
		if entries == 2*r.m || r.directed && entries == r.m {
			return nil
		}
	}
	return r.out.failAt(r.header, "%d edges are announced, each counted once, but the lists have %d entries and not %d", r.m, r.arcs+r.self, 2*r.m)
}

// listBatch is the lists of a block of lines. The tails are counted from the first of them.
type listBatch struct {
	recs  []arcs.Arc
	lists int64
	float bool         // the words are float32
	plain number.Plain // that they were read with
}

func (r *metisReader) parse(text []byte, b *listBatch) int {
	b.plain = *r.out.plain.Load()
	w := &b.plain
	b.float, b.lists, b.recs = w.Float, 0, b.recs[:0]
	i := 0
	for i < len(text) {
		whole := len(b.recs)
		next := r.list(text, i, w, b)
		if next < 0 {
			b.recs = b.recs[:whole]
			return i
		}
		b.lists++
		i = next
	}
	return i
}

// list reads the line at text[i:]. It returns where the next one begins, or -1 if it is not a plain one.
func (r *metisReader) list(text []byte, i int, w *number.Plain, b *listBatch) int {
	i = skipBlank(text, i)
	for skip := r.skip; skip > 0 && text[i] > ' '; skip-- {
		_, next := number.Natural(text, i)
		if next == i || text[next] > ' ' {
			return -1
		}
		if i = skipBlank(text, next); text[i] <= ' ' && skip > 1 {
			return -1
		}
	}
	base, n, word := uint64(r.base), uint64(r.n), r.unit
	for text[i] > ' ' {
		id, next := number.Natural(text, i)
		if uint(next-i-1) >= number.MaxDigits || id-base >= n {
			return -1
		}
		if r.weighted {
			if i = skipBlank(text, next); i == next {
				return -1
			}
			if word, next = w.Read(text, i); next == i {
				return -1
			}
		}
		if text[next] > ' ' {
			return -1
		}
		b.recs = append(b.recs, arcs.Arc{From: int32(b.lists), To: int32(id - base), Word: word})
		if i = next + 1; text[next] != ' ' || text[i] <= ' ' {
			i = plainGap(text, next)
		}
	}
	return plainEnd(text, i)
}

// commit adds the lists of a block.
func (r *metisReader) commit(text []byte, b *listBatch) error {
	if r.row+b.lists > r.n { // then all but some lists must be blank
		for len(text) > 0 {
			line, rest, _ := bytes.Cut(text, []byte("\n"))
			r.in.Line++
			if err := r.line(bytes.TrimSuffix(line, []byte("\r"))); err != nil {
				return err
			}
			text = rest
		}
		return nil
	}
	r.out.Weigh.Rounding.Take(&b.plain, text, r.in.Line+1)
	if r.out.Weigh.Float && !b.float {
		arcs.FloatWords(b.recs)
	}
	for i := range b.recs {
		b.recs[i].From += int32(r.row)
	}
	self, loop := r.out.SelfLoops, r.out.Loop
	r.out.addAll(b.recs, 0)
	if r.out.Loop != loop {
		r.out.Loop.Line = r.lineOf(int(r.out.Loop.Vertex))
	}
	self = r.out.SelfLoops - self
	r.self += self
	r.arcs += int64(len(b.recs)) - self
	r.row += b.lists
	r.in.Line += b.lists
	return nil
}

// line reads a line of any kind.
func (r *metisReader) line(line []byte) error {
	i := skipBlank(line, 0)
	switch {
	case i < len(line) && line[i] == '%':
		if last := len(r.comments) - 1; last >= 0 && r.comments[last].row == r.row {
			r.comments[last].lines++
		} else {
			r.comments = append(r.comments, metisComment{r.row, 1})
		}
		return nil
	case r.row == r.n && i == len(line):
		return nil
	case r.row == r.n:
		return r.out.fail("line %d announces %d vertices, and this is one list more", r.header, r.n)
	}
	fields := bytes.Fields(line)
	for k := range min(r.skip, len(fields)) {
		if _, ok := number.Scan(fields[k]); !ok {
			return r.out.fail("%s, a size or weight of vertex %d, is not a number", number.Quoted(fields[k]), r.row+r.base)
		}
	}
	if len(fields) > 0 && len(fields) < r.skip {
		return r.out.fail("%d sizes and weights of vertex %d are due, but the line has %d columns", r.skip, r.row+r.base, len(fields))
	}
	err := r.entries(fields[min(r.skip, len(fields)):])
	r.row++
	return err
}

// entries reads the neighbours in a list.
func (r *metisReader) entries(fields [][]byte) error {
	for len(fields) > 0 {
		v, err := r.out.vertex(fields[0])
		if err != nil {
			return err
		}
		tok, columns := []byte("1"), 1
		if r.weighted {
			if len(fields) == 1 {
				return r.out.fail("the weight after neighbour %s is missing", number.Quoted(fields[0]))
			}
			tok, columns = fields[1], 2
		}
		if int64(v) == r.row {
			r.self++
		} else {
			r.arcs++
		}
		if err := r.out.arc(int32(r.row), v, tok); err != nil {
			return err
		}
		fields = fields[columns:]
	}
	return nil
}

// lineOf returns the line of a vertex's list.
func (r *metisReader) lineOf(row int) int64 {
	line := r.header + 1 + int64(row)
	for _, c := range r.comments {
		if c.row > int64(row) {
			break
		}
		line += c.lines
	}
	return line
}

// pairUp makes the graph undirected. It refuses an edge that only one of its ends lists, or the two with
// different weights.
func (r *metisReader) pairUp(g *graph.Graph) error {
	u, v, found := g.OneWay()
	if !found {
		g.Directed = false
		g.Parallel /= 2
		g.NoArcs /= 2
		return nil
	}
	back := g.Find(v, u)
	if back < 0 {
		return r.out.failAt(r.lineOf(u), "vertex %s lists %s, which in line %d does not list it", g.Name(u), g.Name(v), r.lineOf(v))
	}
	return r.out.failAt(r.lineOf(u), "the edge from vertex %s to %s has weight %s, and in line %d weight %s", g.Name(u), g.Name(v),
		g.InputWeight(g.Find(u, v)), r.lineOf(v), g.InputWeight(back))
}
