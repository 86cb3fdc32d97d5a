package stats

import (
	"fmt"
	"io"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"ooc/engine/graph"
)

// WriteText writes for people: a line for each number of the whole graph, and histograms. store is what the graph is
// called.
func (r *Result) WriteText(w io.Writer, store string, ids graph.IDs) error {
	t := &textWriter{w: w, ids: ids, number: r.numbers.Text}
	sums := r.Sums != nil // of values, and no more
	direction, connected := "directed", "strongly connected"
	if !r.Directed {
		direction, connected = "undirected", "connected"
	}
	if !r.Connected {
		connected = "not " + connected
	}
	if r.Sources == nil && sums {
		t.row("graph", "%s: %s, %s", store, count(int64(r.N), "vertex", "vertices"), direction)
	} else if r.Sources == nil {
		t.row("graph", "%s: %s, %s, %s", store, count(int64(r.N), "vertex", "vertices"), direction, connected)
	} else {
		t.row("graph", "%s: %s, %s", store, count(int64(r.N), "vertex", "vertices"), direction)
		t.row("sources", "%s, and all is of distances from these", count(int64(len(r.Sources)), "vertex", "vertices"))
	}
	if !sums {
		t.row("reachable", "%s of %s", humanize.Comma(r.ReachablePairs), count(r.pairs(), "pair", "pairs"))
	}
	for _, one := range tableOf(sums) {
		if one.text != nil {
			one.text(r, t)
		}
	}
	return t.err
}

// textWriter writes lines for people.
type textWriter struct {
	w      io.Writer
	ids    graph.IDs
	number func(float64) string // writes a distance
	err    error
}

// row writes a line, with its name in the margin.
func (t *textWriter) row(name, format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, "%-12s "+format+"\n", append([]any{name}, args...)...)
	}
}

func count(n int64, one, many string) string {
	return humanize.Comma(n) + " " + english.PluralWord(int(n), one, many)
}
