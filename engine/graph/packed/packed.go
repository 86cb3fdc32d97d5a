// Package packed compresses files as their names say and decompresses them as their first bytes say.
package packed

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// method is a compression method.
type method struct {
	name, extension string
	begins          func(head []byte) bool // whether data is compressed so, by its first bytes
	writer          func(w io.Writer) (io.WriteCloser, error)
	reader          func(r io.Reader) (io.ReadCloser, error)
}

var methods = []method{
	{
		name: "gzip", extension: ".gz",
		begins: func(head []byte) bool { return bytes.HasPrefix(head, []byte("\x1f\x8b")) },
		writer: func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil },
		reader: func(r io.Reader) (io.ReadCloser, error) {
			z, err := gzip.NewReader(r)
			return gunzip{z}, err
		},
	},
	{
		// It begins with a frame or, as pzstd writes it, with one to skip: RFC 8878.
		name: "zstd", extension: ".zst", begins: func(head []byte) bool {
			return bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")) || len(head) == 4 && head[0]>>4 == 5 &&
				string(head[1:]) == "\x2a\x4d\x18"
		},
		writer: func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)) },
		reader: func(r io.Reader) (io.ReadCloser, error) {
			z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
			return z.IOReadCloser(), err
		},
	},
}

// gunzip says what a wrong header means where it is not the first.
type gunzip struct{ z *gzip.Reader }

func (g gunzip) Close() error { return g.z.Close() }

func (g gunzip) Read(p []byte) (int, error) {
	n, err := g.z.Read(p)
	if err == gzip.ErrHeader {
		err = errors.New("something that is not gzip follows the compressed data; without it: gzip -dc FILE > NEW")
	}
	return n, err
}

// maxWindow is how far back zstd data may refer, and so the memory that it may ask for: what zstd -d takes
// without being asked to.
const maxWindow = 1 << 27

// readSize is how much of the data Peek of a reader can see.
const readSize = 1 << 16

// NewWriter returns a stream into w that compresses as the last extension of name says: .gz, .zst, or not at
// all. Closing it ends the compressed data and leaves w open.
func NewWriter(w io.Writer, name string) (io.WriteCloser, error) {
	for _, m := range methods {
		if strings.EqualFold(filepath.Ext(name), m.extension) {
			return m.writer(w)
		}
	}
	return plain{w}, nil
}

type plain struct{ io.Writer }

func (plain) Close() error { return nil }

// NewReader returns the data in r, decompressed where its first bytes say that it is compressed, and what
// releases the memory for that. Its buffer holds 64 KiB.
func NewReader(r io.Reader) (*bufio.Reader, func(), error) {
	raw := bufio.NewReaderSize(r, readSize)
	head, err := raw.Peek(4)
	if err != nil && err != io.EOF {
		return nil, nil, err
	}
	for _, m := range methods {
		if m.begins(head) {
			z, err := m.reader(raw)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", m.name, err)
			}
			return bufio.NewReaderSize(z, readSize), func() { z.Close() }, nil
		}
	}
	return raw, func() {}, nil
}

// TrimExt returns a file's name without an extension that says how it is compressed.
func TrimExt(name string) string {
	for _, m := range methods {
		if n := len(name) - len(m.extension); n > 0 && strings.EqualFold(name[n:], m.extension) {
			return name[:n]
		}
	}
	return name
}
