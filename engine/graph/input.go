package graph

import (
	"bufio"
	"bytes"
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

// input is an input while it is read.
type input struct {
	name     string
	options  Options
	stored   io.Reader // as stored: maybe compressed
	sum      hash.Hash // of what is read from stored; nil for none
	size     int64     // read from stored
	format   *Format   // nil before it is known
	modified time.Time
	careful  bool // see lineReader
	remark   string
}

func (in *input) source() *Source {
	s := &Source{Name: in.name, Size: in.size, ModTime: in.modified, Remark: in.remark}
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

// collect reads the graph.
func (in *input) collect() (*Graph, error) {
	out, err := in.newSink()
	if err != nil {
		return nil, err
	}
	if err := in.scan(out); err != nil {
		return nil, err
	}
	in.remark = out.remark
	return out.finish()
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
	if err := in.fits(); err != nil {
		return err
	}
	out.undirected = !in.format.Directed
	if in.options.Directed != nil {
		out.undirected = !*in.options.Directed
	}
	lines := newLineReader(plain)
	lines.careful = in.careful
	out.lines = lines
	err = in.format.read(lines, in.options, out)
	lines.close()
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
		errors.Is(err, ErrChanged) || errors.As(err, &path) {
		return err
	}
	return &InputError{File: in.name, Line: line, Reason: "cannot be read: " + err.Error()}
}

// maxWindow is how far back zstd data may refer, and so the memory that it may ask for: what zstd -d takes
// without being asked to.
const maxWindow = 1 << 27

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
		z, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
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
	if in.options.Format == "" && in.options.Columns != "" {
		in.format = &edgeList // no other format has columns with names
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

// fits refuses options that say nothing in the format: whoever gives them takes the input for another.
func (in *input) fits() error {
	name := in.format.Name
	switch {
	case in.options.Columns != "" && name != edgeList.Name:
		return fmt.Errorf("%s is read as %s, and --columns is for edge lists: %w", in.name, name, ErrOptions)
	case in.options.NoArc != "" && name != npy.Name && name != matrixMarket.Name:
		return noArcHere(in.name, "read as "+name)
	}
	return nil
}

// noArcHere refuses Options.NoArc for what leaves out what is no arc.
func noArcHere(file, is string) error {
	return fmt.Errorf("%s is %s, and --no-arc is for matrices that hold every entry: %w", file, is, ErrOptions)
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

// KnownName reports whether a file's name has the extension of a format, compressed or not.
func KnownName(name string) bool { return byExtension(name) != nil }

// Extensions lists those of all formats, with the dot.
func Extensions() []string {
	var all []string
	for _, f := range Formats {
		all = append(all, f.Extensions...)
	}
	return all
}
