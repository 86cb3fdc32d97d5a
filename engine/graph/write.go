package graph

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Writer is a format that graphs are written in: a head, and a line for each arc.
type Writer struct {
	Name       string   // of the format in Formats that reads it
	Extensions []string // with the dot, in lower case

	base  int64  // the id of vertex 0
	start string // of the line of an arc
	sep   byte   // between its parts
	head  func(h heading) string

	// edges says that the format knows undirected graphs, of which it has each edge once, from the larger
	// vertex. In others an edge becomes an arc each way, so that every reader finds the same graph.
	edges bool
}

// Writers lists the formats that Generate writes.
var Writers = []Writer{dimacsWriter, matrixMarketWriter, csvWriter, edgeListWriter}

// heading is what a format may say before the arcs.
type heading struct {
	title      string
	n, m       int64 // vertices, and the arcs or edges that follow
	undirected bool
}

func writerFor(name string) (*Writer, error) {
	ext := strings.ToLower(filepath.Ext(Uncompressed(name)))
	var known []string
	for i := range Writers {
		if slices.Contains(Writers[i].Extensions, ext) {
			return &Writers[i], nil
		}
		known = append(known, Writers[i].Extensions...)
	}
	return nil, fmt.Errorf("no format is written to a name like %q; there are %s: %w",
		filepath.Base(name), strings.Join(known, " "), ErrOptions)
}

// arcStream is a graph on its way into a stream.
type arcStream struct {
	*Writer
	ctx        context.Context
	w          io.Writer
	undirected bool
	pending    []byte
}

func (f *Writer) begin(ctx context.Context, w io.Writer, kind string, o GenerateOptions) *arcStream {
	h := heading{title: kind + " graph", n: o.N, m: o.M, undirected: o.Undirected}
	if o.Undirected {
		h.title = "undirected " + h.title
		if !f.edges {
			h.m *= 2
		}
	}
	h.title += fmt.Sprintf(", seed %d", o.Seed)
	s := &arcStream{Writer: f, ctx: ctx, w: w, undirected: o.Undirected, pending: make([]byte, 0, blockSize)}
	s.pending = append(s.pending, f.head(h)...)
	return s
}

// longestArc bounds the text of an arc in every format.
const longestArc = 128

func (s *arcStream) emit(from, to, weight int64) error {
	switch {
	case s.undirected && !s.edges:
		s.line(to, from, weight)
	case s.undirected && from < to:
		from, to = to, from
	}
	s.line(from, to, weight)
	if len(s.pending) > blockSize-2*longestArc {
		return s.flush()
	}
	return nil
}

func (s *arcStream) line(from, to, weight int64) {
	text := append(s.pending, s.start...)
	text = append(strconv.AppendInt(text, from+s.base, 10), s.sep)
	text = append(strconv.AppendInt(text, to+s.base, 10), s.sep)
	s.pending = append(strconv.AppendInt(text, weight, 10), '\n')
}

func (s *arcStream) flush() error {
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	_, err := s.w.Write(s.pending)
	s.pending = s.pending[:0]
	return err
}

// Compress returns a stream into w that compresses as the last extension of name says: .gz, .zst, or not
// at all. Closing it ends the compressed data and leaves w open.
func Compress(w io.Writer, name string) (io.WriteCloser, error) {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".gz":
		return gzip.NewWriter(w), nil
	case ".zst":
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	}
	return plainWriter{w}, nil
}

type plainWriter struct{ io.Writer }

func (plainWriter) Close() error { return nil }
