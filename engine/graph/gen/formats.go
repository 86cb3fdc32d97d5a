package gen

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ooc/engine/graph/internal/number"
	"ooc/engine/graph/packed"
)

// format is one that graphs are written in: a head, and a line for each arc.
type format struct {
	Name       string   // of the format that package read reads it as
	Extensions []string // with the dot, in lower case

	base  int64  // the id of vertex 0
	start string // of the line of an arc
	sep   byte   // between its parts
	head  func(title string, o Options) string
	// edges says that the format knows undirected graphs, of which it has each edge once, from the larger
	// vertex. In others an edge becomes an arc in each direction, so that every reader finds the same graph.
	edges bool
}

// Formats lists the formats.
var Formats = []format{
	// An edge is an arc in each direction, as in the road networks of the DIMACS Challenge.
	{
		Name: "dimacs", Extensions: []string{".gr"}, base: 1, start: "a ", sep: ' ',
		head: func(title string, o Options) string { return fmt.Sprintf("c %s\np sp %d %d\n", title, o.N, o.M) },
	},
	// An entry in row FROM, column TO for each arc. Of a symmetric matrix, an undirected graph, only the lower triangle
	// is stored, as the format wants it: https://math.Nist.gov/MatrixMarket/formats.html
	{
		Name: "mtx", Extensions: []string{".mtx"}, base: 1, sep: ' ', edges: true,
		head: func(title string, o Options) string {
			symmetry := "general"
			if o.Undirected {
				symmetry = "symmetric"
			}
			return fmt.Sprintf("%%%%MatrixMarket matrix coordinate integer %s\n%% %s\n%d %d %d\n", symmetry, title,
				o.N, o.N, o.M)
		},
	},
	{
		Name: "edgelist", Extensions: []string{".csv"}, sep: ',',
		head: func(string, Options) string { return "from,to,weight\n" },
	},
	{
		Name: "edgelist", Extensions: []string{".txt", ".tsv", ".el", ".wel", ".edges", ".edgelist"}, sep: '\t',
		head: func(title string, o Options) string {
			return fmt.Sprintf("# %s: %d vertices, %d arcs\n", title, o.N, o.M)
		},
	},
}

// formatOf returns the format that a file's name is written in. Errors match graph.ErrOptions.
func formatOf(name string) (*format, error) {
	ext := strings.ToLower(filepath.Ext(packed.TrimExt(name)))
	var known []string
	for i := range Formats {
		if slices.Contains(Formats[i].Extensions, ext) {
			return &Formats[i], nil
		}
		known = append(known, Formats[i].Extensions...)
	}
	return nil, number.BadOption("no format is written to a name like %q; there are %s",
		filepath.Base(name), strings.Join(known, " "))
}

// output is where arcs go: text, in a format.
type output struct {
	*format
	ctx        context.Context // once it has ended, its cause is an error
	to         io.WriteCloser
	undirected bool
	pending    []byte
	err        error // the first
}

const (
	// pieceSize is how much text is written at once.
	pieceSize = 1 << 19
	// longestArc bounds the text of an arc in every format.
	longestArc = 128
)

// arc writes an arc, or an edge, unless there was an error. Vertices are counted from 0.
func (out *output) arc(from, to, weight int64) {
	switch {
	case out.undirected && !out.edges:
		out.line(to, from, weight)
	case out.undirected && from < to:
		from, to = to, from
	}
	out.line(from, to, weight)
	if len(out.pending) > pieceSize-2*longestArc {
		out.flush()
	}
}

func (out *output) line(from, to, weight int64) {
	text := append(out.pending, out.start...)
	text = append(strconv.AppendInt(text, from+out.base, 10), out.sep)
	text = append(strconv.AppendInt(text, to+out.base, 10), out.sep)
	out.pending = append(strconv.AppendInt(text, weight, 10), '\n')
}

func (out *output) flush() {
	if out.err == nil {
		out.err = context.Cause(out.ctx)
	}
	if out.err == nil {
		_, out.err = out.to.Write(out.pending)
	}
	out.pending = out.pending[:0]
}

// close ends the graph, and leaves the stream that it went to open.
func (out *output) close() error {
	if out.flush(); out.err != nil {
		return out.err
	}
	return out.to.Close()
}
