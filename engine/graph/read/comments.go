package read

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"ooc/engine/graph/read/internal/columns"
)

// What comments of edge lists say of the lines below them.

// readComment takes the last comment before the first line with data for a header if it names from and to, and not in
// this order: np.savetxt writes headers so.
func (r *edgeReader) readComment(text []byte) {
	before, _, _ := bytes.Cut(text, r.sample[0])
	lines := bytes.Split(bytes.TrimRight(before, "\r\n"), []byte("\n"))
	names := strings.FieldsFunc(strings.Trim(string(lines[len(lines)-1]), "#%/ \t\r"),
		func(c rune) bool { return strings.ContainsRune(separators, c) })
	c, ok, err := columns.Named(names)
	first, _ := tableOf(r.sample, 0).split(r.sample[0], nil)
	if !ok || err != nil || r.named || r.picks != (columns.Picks{}) || len(first) != len(names) ||
		c.From == 0 && c.To == 1 {
		return
	}
	if c.Weight < 0 && len(names) == 3 {
		c.Weight = 3 - c.From - c.To
	}
	r.Columns, r.named = c, true
	r.remark("columns are %s, as the comment before them says", columns.Quoted(names))
}

// The first line of a network of KONECT, and of an undirected one of SNAP.
var (
	konect = regexp.MustCompile(`^%\s*(sym|asym|bip)(?:\s+(unweighted|positive|posweighted|signed|multisigned|weighted|multiweighted|multiposweighted|dynamic))?\s*$`)
	snap   = regexp.MustCompile(`(?i)^#\s*undirected graph\b`)
)

// statement reads what the first line, a comment, says about all lines.
func (r *edgeReader) statement(line []byte) error {
	undirected := snap.Match(line)
	if m := konect.FindSubmatch(line); m != nil {
		if string(m[1]) == "bip" {
			weight := ",weight=3"
			if kind := string(m[2]); kind == "" || kind == "unweighted" || kind == "positive" {
				weight = ""
			}
			return r.failAt(1, "the network is bipartite: a number on the left and the same on the right are "+
				"two vertices; give them two names, as in "+
				`awk 'NF && !/^%%/ {$1 = "L" $1; $2 = "R" $2; print}' FILE > NEW.txt, and read NEW.txt with `+
				"--undirected --columns from=1,to=2%s", weight)
		}
		r.konect, undirected = string(m[2]), string(m[1]) == "sym"
		r.bothWays = true
	}
	if undirected {
		r.undirected("as line 1 says: %q", bytes.TrimSpace(line))
	}
	return nil
}

// undirected makes every line an edge both ways, unless somebody has said what lines are.
func (r *edgeReader) undirected(why string, what any) {
	if r.either {
		r.Undirected, r.either = true, false
		r.remark("undirected, "+why+"; --directed makes every line one arc", what)
	}
}

// comment counts lines that are comments for their # or %, but look like arcs.
func (r *edgeReader) comment(line []byte) {
	line = trimBlank(line)
	if len(line) < 2 || line[0] == '/' || isBlank(line[1]) || r.braces || r.plainCells(line) != nil {
		return
	}
	n := len(r.fields)
	if r.width > 0 && (n < r.Least || !r.named && n != r.width) || r.width == 0 && !r.hidesArc(n) {
		return
	}
	if r.hashes++; r.hashes == 1 {
		r.hash = fmt.Sprintf("line %d, %q,", r.in.Line, line)
	}
}

// hidesArc reports whether a comment above all arcs, in fields, looks like one: its two ids begin as it does.
func (r *edgeReader) hidesArc(n int) bool {
	if len(r.sample) == 0 || n < 2 || len(r.fields[1].text) < 2 || r.fields[1].text[0] != r.fields[0].text[0] {
		return false
	}
	cells, _ := r.split(r.sample[0], nil)
	return n == len(cells)
}
