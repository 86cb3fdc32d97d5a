package read

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"io"
	"os"

	"ooc/engine/graph"
	"ooc/engine/graph/dense"
	"ooc/engine/graph/internal/input"
	"ooc/kernels/entry"
)

// Options say how an input is to be read. The zero value leaves everything to the input.
type Options = dense.Options

// inputFormat is a file format of graphs.
type inputFormat struct {
	Name       string
	Title      string
	Extensions []string // with the dot, in lower case
	Directed   bool     // unless asked otherwise
	Columns    bool     // its columns have names, which Options.Columns gives
	NoArc      bool     // it is a matrix, of which Options.NoArc says something
	matrix     bool     // it stays in its file, where package dense opens it
	first      int64    // the id of the first vertex, where ids are consecutive and nobody says another
	// Detect reports whether an input is the format's own, by its first bytes, decompressed; nil: these never tell.
	Detect func(head []byte) bool

	read    func(out *sink) error
	readAll func(in *input.Input, data io.Reader, out *sink) error // instead, where it has no lines
}

// Formats lists the formats: a file each, and a line here. The order settles whom an input belongs to that more than
// one is sure of.
var Formats = []inputFormat{dimacs, matrixMarket, npy, sciPy, metis, tntp, textMatrix, edgeList}

// Open opens a file, or standard input if path is "-", and reads the graph in it, but leaves a matrix in its
// file: one of the two results is not nil. The caller closes the matrix. Errors about the content match
// graph.ErrBadInput or graph.ErrNegativeCycle, errors in o match graph.ErrOptions, and graph.ErrChanged says
// that the file did.
func Open(path string, o Options) (*graph.Graph, *dense.Matrix, *graph.Source, error) {
	in, err := open(path, o)
	if err != nil {
		return nil, nil, nil, err
	}
	in.Sum = sha256.New()
	g, d, err := in.open()
	if err != nil {
		return nil, nil, nil, errors.Join(err, in.Close())
	}
	if d != nil {
		src := d.Source()
		return nil, d, &src, nil
	}
	src := in.Source()
	src.Remarks, src.Format = in.remarks, in.format.Name
	return g, nil, src, in.Close()
}

func open(path string, o Options) (*reading, error) {
	in, err := input.Open(path)
	if err != nil {
		return nil, err
	}
	return &reading{Input: in, options: o}, nil
}

// open reads the graph, or opens the matrix, which takes the input over.
func (in *reading) open() (*graph.Graph, *dense.Matrix, error) {
	if err := in.settle(); err != nil {
		return nil, nil, err
	}
	if in.format.matrix {
		d, err := dense.FromInput(in.Input, in.options)
		return nil, d, err
	}
	if !in.options.Sum {
		in.Sum = nil
	}
	kind := in.options.Kind
	if in.options.Unweighted {
		in.options.Kind = entry.KindF64 // which takes every number
	}
	g, err := in.collect()
	err = cmp.Or(err, in.Unchanged())
	if err == nil && in.options.Unweighted {
		g = g.Unweighted(kind)
	}
	return g, nil, err
}

// IsMatrix reports whether a file is a matrix, by its first bytes. It is false for what is no file on disk: bytes of a
// pipe are read once. Errors are those of Open.
func IsMatrix(path string, o Options) (bool, error) {
	if fi, err := os.Stat(path); err != nil || !fi.Mode().IsRegular() {
		return false, nil
	}
	in, err := open(path, o)
	if err != nil {
		return false, err
	}
	err = in.settle()
	return err == nil && in.format.matrix, errors.Join(err, in.Close())
}

// From is Open for what r holds, which is called name in errors; its extension may tell the format. It reads a matrix
// into memory.
func From(r io.Reader, name string, o Options) (*graph.Graph, error) {
	in := &reading{Input: input.New(r, name), options: o}
	g, d, err := in.open()
	if d != nil {
		g, err = d.Graph()
		err = errors.Join(err, d.Close())
	}
	return g, errors.Join(err, in.Close())
}

// Measure says how large the graph in a file is. Formats with a header are read no further than that, and what
// follows it may be wrong; an edge list is read to its end. Errors are those of Open.
func Measure(path string, o Options) (graph.Extent, error) {
	in, err := open(path, o)
	if err != nil {
		return graph.Extent{}, err
	}
	e, err := in.measure()
	return e, errors.Join(err, in.Close())
}

func (in *reading) measure() (graph.Extent, error) {
	if err := in.settle(); err != nil {
		return graph.Extent{}, err
	}
	if in.format.matrix {
		return dense.Measure(in.Input, in.options)
	}
	out, err := in.scan(true)
	if err != nil && out.N == 0 {
		return graph.Extent{}, err
	}
	e := graph.Extent{N: out.N, Arcs: 2 * out.Expected, IDs: out.ids}
	if out.N == 0 {
		e.N, e.IDs, _ = out.vertices.freeze()
		if e.Arcs = out.Arcs; out.Undirected {
			e.Arcs *= 2
		}
	}
	if e.N == 0 {
		return graph.Extent{}, out.failAll("no vertices")
	}
	return e, nil
}

// errMeasured ends the reading of an input of which only the size is wanted.
var errMeasured = errors.New("the size is known")
