package write

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

// Format is one that graphs are written in: a head, and a line for each arc.
type Format struct {
	Name       string   // of the format that package read reads it as
	Extensions []string // with the dot, in lower case

	base  int64  // the id of vertex 0
	start string // of the line of an arc
	sep   byte   // between its parts
	head  func(h Heading) string
	// edges says that the format knows undirected graphs, of which it has each edge once, from the larger
	// vertex. In others an edge becomes an arc in each direction, so that every reader finds the same graph.
	edges bool
}

// Formats lists the formats.
var Formats = []Format{
	// An edge is an arc in each direction, as in the road networks of the DIMACS Challenge.
	{
		Name: "dimacs", Extensions: []string{".gr"}, base: 1, start: "a ", sep: ' ',
		head: func(h Heading) string { return fmt.Sprintf("c %s\np sp %d %d\n", h.Title, h.N, h.M) },
	},
	// An entry in row FROM, column TO for each arc. Of a symmetric matrix, an undirected graph, only the lower triangle
	// is stored, as the format wants it: https://math.Nist.gov/MatrixMarket/formats.html
	{
		Name: "mtx", Extensions: []string{".mtx"}, base: 1, sep: ' ', edges: true,
		head: func(h Heading) string {
			symmetry := "general"
			if h.Undirected {
				symmetry = "symmetric"
			}
			return fmt.Sprintf("%%%%MatrixMarket matrix coordinate integer %s\n%% %s\n%d %d %d\n", symmetry, h.Title,
				h.N, h.N, h.M)
		},
	},
	{
		Name: "edgelist", Extensions: []string{".csv"}, sep: ',',
		head: func(Heading) string { return "from,to,weight\n" },
	},
	{
		Name: "edgelist", Extensions: []string{".txt", ".tsv", ".el", ".wel", ".edges", ".edgelist"}, sep: '\t',
		head: func(h Heading) string { return fmt.Sprintf("# %s: %d vertices, %d arcs\n", h.Title, h.N, h.M) },
	},
}

// Heading is what a format may say before the arcs.
type Heading struct {
	Title      string
	N, M       int64 // vertices, and the arcs or edges that follow
	Undirected bool
}

// formatOf returns the format that a file's name is written in. Errors match graph.ErrOptions.
func formatOf(name string) (*Format, error) {
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

// stream writes a graph to a stream, arc after arc.
type stream struct {
	*Format
	ctx        context.Context
	w          io.WriteCloser
	undirected bool
	pending    []byte
}

const (
	// pieceSize is how much text is written at once.
	pieceSize = 1 << 19
	// longestArc bounds the text of an arc in every format.
	longestArc = 128
)

// New begins a graph in the format that the extension of name stands for, compressed if .gz or .zst follows
// that. Once ctx has ended, writing fails with its cause.
func New(ctx context.Context, w io.Writer, name string, h Heading) (*stream, error) {
	f, err := formatOf(name)
	if err != nil {
		return nil, err
	}
	out, err := packed.NewWriter(w, name)
	if err != nil {
		return nil, err
	}
	if h.Undirected && !f.edges {
		h.M *= 2
	}
	s := &stream{Format: f, ctx: ctx, w: out, undirected: h.Undirected, pending: make([]byte, 0, pieceSize)}
	s.pending = append(s.pending, f.head(h)...)
	return s, nil
}

// Arc writes an arc, or an edge. Vertices are counted from 0.
func (s *stream) Arc(from, to, weight int64) error {
	switch {
	case s.undirected && !s.edges:
		s.line(to, from, weight)
	case s.undirected && from < to:
		from, to = to, from
	}
	s.line(from, to, weight)
	if len(s.pending) > pieceSize-2*longestArc {
		return s.flush()
	}
	return nil
}

func (s *stream) line(from, to, weight int64) {
	text := append(s.pending, s.start...)
	text = append(strconv.AppendInt(text, from+s.base, 10), s.sep)
	text = append(strconv.AppendInt(text, to+s.base, 10), s.sep)
	s.pending = append(strconv.AppendInt(text, weight, 10), '\n')
}

func (s *stream) flush() error {
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	_, err := s.w.Write(s.pending)
	s.pending = s.pending[:0]
	return err
}

// Close ends the graph, and leaves the stream that it went to open.
func (s *stream) Close() error {
	if err := s.flush(); err != nil {
		return err
	}
	return s.w.Close()
}
