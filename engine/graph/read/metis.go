package read

import (
	"bytes"
	"cmp"
	"strconv"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/input"
	"ooc/engine/graph/internal/number"
	"ooc/engine/graph/read/internal/lines"
)

// metis is the format of METIS and of the graph partitioners that took it over: after a header, line i lists
// the neighbours of vertex i (G. Karypis, METIS 5.1.0 manual, section 4.1.1).
var metis = inputFormat{
	Name:       "metis",
	Title:      "METIS adjacency lists (.graph)",
	Extensions: []string{".graph", ".metis"},
	Directed:   false,
	first:      1,
	Detect:     detectMETIS,
	read:       readMETIS,
}

// metisReader holds what the lines so far have said.
type metisReader struct {
	*sink
	directed bool // each entry of a list is an arc, which need not have a reverse

	m        int64 // edges, by the line "N M [FMT [NCON]]"
	skip     int   // columns before the neighbours: the vertex's size and weights
	weighted bool  // a weight follows each neighbour
	columns  int   // of the header itself

	arcs, self int64   // entries of the lists
	comments   []int64 // their lines, below the header
}

// head reads the header.
func (r *metisReader) head(line []byte) error {
	words := appendWords(nil, line)
	if len(words) < 2 || len(words) > 4 {
		return r.fail("the first line is not \"VERTICES EDGES [FMT [NCON]]\"")
	}
	r.columns = len(words)
	words = append(words, []byte("0"), []byte("0")) // FMT and NCON, where they are not there
	numbers, ok := counted(words)
	if !ok {
		return r.fail("%s in the first line is not a number that it can hold", number.Quoted(words[len(numbers)]))
	}
	flags, err := strconv.ParseUint(string(words[2]), 2, 3)
	switch ncon := numbers[3]; {
	case err != nil || len(words[2]) > 3:
		return r.fail("FMT %s is not up to three digits of 0 and 1", number.Quoted(words[2]))
	case ncon > 1<<16:
		return r.fail("%d weights a vertex: the number seems damaged", ncon)
	case ncon > 0 && flags&2 == 0:
		return r.fail("%d weights a vertex are announced, but by FMT vertices have none", ncon)
	case flags&2 != 0:
		r.skip = int(max(ncon, 1))
	}
	r.skip += int(flags >> 2)
	r.weighted, r.m, r.Expected = flags&1 != 0, numbers[1], 2*numbers[1]
	r.announce(numbers[0], "vertices")
	return r.declare(numbers[0])
}

func readMETIS(out *sink) error {
	r := &metisReader{sink: out, directed: !out.Undirected}
	r.Undirected = false // the lists hold both directions of every edge
	if !r.directed {
		r.check = r.pairUp
	}
	return cmp.Or(r.in.Each(r.line), r.complete(`line "VERTICES EDGES [FMT [NCON]]"`), r.checkEdges())
}

// checkEdges compares the lists with the header, which counts every edge once. Whether a vertex in its own
// list is counted, and how, differs between programs.
func (r *metisReader) checkEdges() error {
	for _, entries := range []int64{r.arcs, r.arcs + r.self, r.arcs + 2*r.self} {
		if entries == 2*r.m || r.directed && entries == r.m {
			r.doubtLists()
			return nil
		}
	}
	return r.failAt(r.announced.line, "%d edges are announced, each counted once, but the lists have %d "+
		"entries and not %d", r.m, r.arcs+r.self, 2*r.m)
}

// line reads a line of any kind.
func (r *metisReader) line(line []byte) error {
	word, _ := next(line)
	comment := len(word) > 0 && word[0] == '%'
	switch {
	case r.columns == 0 && (comment || len(word) == 0):
		return nil
	case r.columns == 0:
		return r.head(line)
	case comment:
		r.comments = append(r.comments, r.in.Line)
		return nil
	case len(word) == 0 && r.complete("") == nil:
		return nil
	}
	if err := r.another(); err != nil {
		return err
	}
	rest, row := line, r.announced.found-1
	for k := 0; k < r.skip && len(word) > 0; k++ {
		var w []byte
		if w, rest = next(rest); len(w) == 0 {
			return r.fail("%d sizes and weights of vertex %d are due, but the line has %d columns", r.skip,
				row+r.first, k)
		}
		if !isDecimal(w) {
			return r.fail("%s, a size or weight of vertex %d, is not a number", number.Quoted(w), row+r.first)
		}
	}
	return r.list(int32(row), rest)
}

// list reads the neighbours in a list.
func (r *metisReader) list(row int32, rest []byte) error {
	id, rest := next(rest)
	for ; len(id) > 0; id, rest = next(rest) {
		v, err := r.vertex(id)
		if err != nil {
			return err
		}
		weight := []byte("1")
		if r.weighted {
			if weight, rest = next(rest); len(weight) == 0 {
				return r.fail("the weight after neighbour %s is missing", number.Quoted(id))
			}
		}
		if v == row {
			r.self++
		} else {
			r.arcs++
		}
		if err := r.arc(row, v, weight); err != nil {
			return err
		}
	}
	return nil
}

// lineOf returns the line of a vertex's list.
func (r *metisReader) lineOf(row int) int64 {
	line := r.announced.line + 1 + int64(row)
	for _, c := range r.comments {
		line += int64(btoi(c <= line))
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
		return r.failAt(r.lineOf(u), "vertex %s lists %s, which in line %d does not list it", g.Name(u), g.Name(v),
			r.lineOf(v))
	}
	return r.failAt(r.lineOf(u), "the edge from vertex %s to %s has weight %s, and in line %d weight %s", g.Name(u),
		g.Name(v), g.InputWeight(g.Find(u, v)), r.lineOf(v), g.InputWeight(back))
}

// detectMETIS is sure of lists that no edge list could be, after a header that all of them fit: of different lengths,
// or of a length that no arcs below a line of counts have. It is also sure of a small file that fits to the last
// edge, without vertices in their own lists. Else the extension decides.
func detectMETIS(head []byte) bool {
	whole := len(head) < input.HeadSize
	r := &metisReader{sink: &sink{first: 1, Intake: graph.Intake{Weigh: number.Weighing{Scale: 1}, Free: believed},
		in: &lines.Reader{}}}
	width, ragged := 0, false // columns of the first list that is not empty
	for line := range bytes.Lines(head) {
		if !whole && !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		line = bytes.TrimRight(line, "\r\n")
		if word, _ := next(line); r.columns > 0 && len(word) > 0 && word[0] != '%' {
			n := len(appendWords(nil, line))
			width = cmp.Or(width, n)
			ragged = ragged || n != width
		}
		r.in.Line++
		if r.line(line) != nil {
			return false
		}
	}
	arcs := width == 0 || width == r.columns || width == 3 && r.columns == 2 // "N M", and then arcs with weights
	if r.columns > 0 && (ragged || !arcs) {
		return true
	}
	if !whole || r.complete("") != nil || r.self > 0 || r.arcs != 2*r.m {
		return false
	}
	r.check = r.pairUp
	_, err := r.finish()
	return err == nil
}
