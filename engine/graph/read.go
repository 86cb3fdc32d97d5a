package graph

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Options say how an input is to be read. The zero value leaves everything to the input.
type Options struct {
	Format   string // a name in Formats; "" finds it from the content
	Columns  string // names of an edge list's columns, such as "id,from,to,weight"
	Base     *int   // the smallest vertex id where ids are consecutive; nil: the format's
	Directed *bool  // nil: the format's default
	Kind     Kind
	Scale    int64 // multiply weights by it, which must make them integers; 0: do not
}

// Source says what a graph was read from.
type Source struct {
	Name    string // the path as it was given
	Format  string
	Size    int64 // bytes, as stored
	ModTime time.Time
	SHA256  string // of the bytes as stored, in hexadecimal
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
var Formats = []Format{dimacs, edgeList}

// headSize is how much of an input Detect sees.
const headSize = 1 << 16

// ReadFile reads the graph in a file, or on standard input if path is "-". Errors about its content match
// ErrBadInput or ErrNegativeCycle, errors in o match ErrOptions.
func ReadFile(path string, o Options) (*Graph, *Source, error) {
	if path == "-" {
		r := &input{name: "standard input", options: o, stored: os.Stdin, sum: sha256.New()}
		g, err := r.collect()
		return g, r.source(), err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	r := &input{name: path, options: o, stored: f, sum: sha256.New(), modified: info.ModTime()}
	if !info.Mode().IsRegular() { // a pipe can be read once only
		g, err := r.collect()
		return g, r.source(), err
	}
	g, err := r.twice(f)
	if err != nil {
		return nil, nil, err
	}
	after, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if after.Size() != r.size || !after.ModTime().Equal(info.ModTime()) {
		return nil, nil, fmt.Errorf("%s: %w", path, errChanged)
	}
	return g, r.source(), nil
}

// Read reads the graph in r, which is called name in errors and whose extension may tell the format. It
// needs 12 bytes an arc more than ReadFile, which reads a file twice.
func Read(r io.Reader, name string, o Options) (*Graph, error) {
	return (&input{name: name, options: o, stored: r}).collect()
}

// input is an input while it is read.
type input struct {
	name     string
	options  Options
	stored   io.Reader // as stored: maybe compressed
	sum      hash.Hash // of what is read from stored; nil for none
	size     int64     // read from stored
	format   *Format   // nil before it is known
	modified time.Time
}

func (in *input) source() *Source {
	s := &Source{Name: in.name, Size: in.size, ModTime: in.modified}
	if in.format != nil {
		s.Format = in.format.Name
	}
	if in.sum != nil {
		s.SHA256 = hex.EncodeToString(in.sum.Sum(nil))
	}
	return s
}

// Read reads from stored, keeping count and sum.
func (in *input) Read(p []byte) (int, error) {
	n, err := in.stored.Read(p)
	in.size += int64(n)
	if in.sum != nil {
		in.sum.Write(p[:n])
	}
	return n, err
}

// collect reads the graph in one pass.
func (in *input) collect() (*Graph, error) {
	out, err := in.newSink()
	if err != nil {
		return nil, err
	}
	if err := in.scan(out); err != nil {
		return nil, err
	}
	return out.fromChunks()
}

// twice reads the graph in two passes, so that nothing is in memory beside its CSR.
func (in *input) twice(f io.ReadSeeker) (*Graph, error) {
	out, err := in.newSink()
	if err != nil {
		return nil, err
	}
	out.pass = counting
	if err := in.scan(out); err != nil {
		return nil, err
	}
	if out.pass == collecting {
		return out.fromChunks()
	}
	if _, err := out.fromDegrees(); err != nil {
		return nil, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	out.weigh.want = out.csr.Kind
	loops, noArcs := out.selfLoops, out.noArcs
	again := &input{name: in.name, options: in.options, stored: f, format: in.format}
	if err := again.scan(out); err != nil {
		return nil, err
	}
	out.selfLoops, out.noArcs = loops, noArcs
	return out.close()
}

func (in *input) newSink() (*sink, error) {
	weigh, err := newWeighing(in.options)
	if err != nil {
		return nil, err
	}
	if base := in.options.Base; base != nil && (*base < 0 || *base > math.MaxInt32) {
		return nil, fmt.Errorf("base %d: %w", *base, ErrOptions)
	}
	return &sink{file: in.name, weigh: weigh}, nil
}

// scan reads the input to its end.
func (in *input) scan(out *sink) error {
	plain, done, err := in.decompress()
	if err != nil {
		return in.wrap(0, err)
	}
	defer done()
	if err := in.detect(plain); err != nil {
		return err
	}
	out.undirected = !in.format.Directed
	if in.options.Directed != nil {
		out.undirected = !*in.options.Directed
	}
	lines := newLineReader(plain)
	out.lines = lines
	err = in.format.read(lines, in.options, out)
	if err == nil {
		err = out.flush()
	}
	if err != nil {
		return in.wrap(lines.line, err)
	}
	_, err = io.Copy(io.Discard, in) // what follows the compressed data belongs to the sum
	return err
}

// wrap adds file and line to an error that has none: one of reading or of decompressing.
func (in *input) wrap(line int64, err error) error {
	var path *os.PathError
	if errors.Is(err, ErrBadInput) || errors.Is(err, ErrNegativeCycle) || errors.Is(err, ErrOptions) ||
		errors.Is(err, errChanged) || errors.As(err, &path) {
		return err
	}
	return &InputError{File: in.name, Line: line, Reason: err.Error()}
}

// decompress looks at the first bytes of the input, not at its name, for compression.
func (in *input) decompress() (*bufio.Reader, func(), error) {
	raw := bufio.NewReaderSize(in, headSize)
	head, err := raw.Peek(4)
	if err != nil && err != io.EOF {
		return nil, nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(raw)
		if err != nil {
			return nil, nil, fmt.Errorf("gzip: %w", err)
		}
		return bufio.NewReaderSize(z, headSize), func() { z.Close() }, nil
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxLine))
		if err != nil {
			return nil, nil, fmt.Errorf("zstd: %w", err)
		}
		return bufio.NewReaderSize(z, headSize), z.Close, nil
	}
	return raw, func() {}, nil
}

// detect sets the format: the one asked for, one that is sure, the extension's, or one that may be.
func (in *input) detect(plain *bufio.Reader) error {
	if in.format != nil {
		return nil
	}
	if in.options.Format != "" {
		in.format = byName(in.options.Format)
		if in.format == nil {
			return fmt.Errorf("format %q is not one of %s: %w", in.options.Format, formatNames(), ErrOptions)
		}
		return nil
	}
	head, err := plain.Peek(headSize)
	if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
		return in.wrap(0, err)
	}
	if len(head) == 0 {
		return &InputError{File: in.name, Reason: "the input is empty"}
	}
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	maybe := -1
	for i := range Formats {
		switch Formats[i].Detect(head) {
		case Yes:
			in.format = &Formats[i]
			return nil
		case Maybe:
			if maybe < 0 {
				maybe = i
			}
		}
	}
	if in.format = byExtension(in.name); in.format == nil && maybe >= 0 {
		in.format = &Formats[maybe]
	}
	if in.format == nil {
		return &InputError{File: in.name, Reason: "the format is not recognised; --format names it: " + formatNames()}
	}
	return nil
}

func byName(name string) *Format {
	for i := range Formats {
		if Formats[i].Name == name {
			return &Formats[i]
		}
	}
	return nil
}

func byExtension(name string) *Format {
	ext := strings.ToLower(filepath.Ext(Uncompressed(name)))
	for i := range Formats {
		for _, e := range Formats[i].Extensions {
			if e == ext {
				return &Formats[i]
			}
		}
	}
	return nil
}

func formatNames() string {
	var names []string
	for _, f := range Formats {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// Uncompressed returns name without an extension that says how a file is compressed.
func Uncompressed(name string) string {
	for _, ext := range []string{".gz", ".zst"} {
		if len(name) > len(ext) && strings.EqualFold(name[len(name)-len(ext):], ext) {
			return name[:len(name)-len(ext)]
		}
	}
	return name
}
