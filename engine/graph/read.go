package graph

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// Options say how an input is to be read. The zero value leaves everything to the input.
type Options struct {
	Format   string // a name in Formats; "" finds it from the content
	Columns  string // names of an edge list's columns, such as "id,from,to,weight"
	Base     *int   // the smallest vertex id where ids are consecutive; nil: the format's
	Directed *bool  // nil: the format's default
	Kind     Kind
	Scale    int64  // multiply weights by it, which must make them integers; 0: do not
	NoArc    string // in a matrix that holds every entry, the number that is no arc, beside +Inf; "" for none
	// Spool makes the file that holds the entries of a matrix, size bytes of them, while it is open: where it
	// is compressed or can be read once only. nil: one in the system's folder for such files.
	Spool func(size int64) (*os.File, error)
}

// base returns the id of the first vertex, where a format has one that differs.
func (o Options) base(usual int64) int64 {
	if o.Base != nil {
		return int64(*o.Base)
	}
	return usual
}

// Source says what a graph was read from.
type Source struct {
	Name    string // the path as it was given
	Format  string
	Size    int64 // bytes, as stored
	ModTime time.Time
	SHA256  string // of the bytes as stored, in hexadecimal
	Remark  string // on what was taken for the weights, where that is a guess; "": nothing to say
}

// Match is how sure a format is that an input is its own.
type Match int

// The answers of Format.Detect.
const (
	No    Match = iota
	Maybe       // the content does not speak against it
	Yes
)

// Format is a way to write down a graph.
type Format struct {
	Name       string
	Title      string
	Extensions []string // with the dot, in lower case
	Directed   bool     // unless asked otherwise
	// Detect looks at the first bytes of an input, decompressed.
	Detect func(head []byte) Match

	read func(in *lineReader, o Options, out *sink) error
}

// Formats lists the formats that Read knows. The order settles whom an input belongs to that more than
// one is sure of.
var Formats = []Format{dimacs, matrixMarket, npy, metis, edgeList}

// headSize is how much of an input Detect sees.
const headSize = 1 << 16

// ReadFile reads the graph in a file, or on standard input if path is "-". Errors about its content match
// ErrBadInput or ErrNegativeCycle, errors in o match ErrOptions, and ErrChanged says that the file did.
func ReadFile(path string, o Options) (*Graph, *Source, error) {
	g, d, src, err := Open(path, o)
	if d != nil {
		g, err = d.Graph()
		err = errors.Join(err, d.Close())
	}
	if err != nil {
		return nil, nil, err
	}
	return g, src, nil
}

// graph reads a graph that is no matrix in a file of its own.
func (in *input) graph(f *os.File) (*Graph, *Source, error) {
	g, err := in.collect()
	if err != nil {
		return nil, nil, err
	}
	if in.isStream() {
		return g, in.source(), nil
	}
	after, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if after.Size() != in.size || !after.ModTime().Equal(in.modified) {
		return nil, nil, fmt.Errorf("%s: %w", in.name, ErrChanged)
	}
	return g, in.source(), nil
}

// Read reads the graph in r, which is called name in errors and whose extension may tell the format.
func Read(r io.Reader, name string, o Options) (*Graph, error) {
	in := &input{name: name, options: o, stored: bufio.NewReaderSize(r, headSize)}
	d, err := in.matrix(nil)
	if err != nil {
		return nil, err
	}
	if d == nil {
		return in.collect()
	}
	err = d.survey()
	var g *Graph
	if err == nil {
		g, err = d.Graph()
	}
	return g, errors.Join(err, d.Close())
}
