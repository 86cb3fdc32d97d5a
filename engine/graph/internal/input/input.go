// Package input gives the bytes of a file or a stream, counted, summed and decompressed.
package input

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"

	"ooc/engine/graph"
	"ooc/engine/graph/packed"
	"ooc/tiles/class"
)

// HeadSize is how much of the data can be looked at before it is read.
const HeadSize = 1 << 16

// Input is an input while it is read: its bytes as stored, maybe compressed, counted and summed.
type Input struct {
	Name string
	Sum  hash.Hash   // of what is read; nil for none
	File *os.File    // nil where the input can be read once only, in order
	Was  fs.FileInfo // what Open opened, then; else nil

	size    int64 // read so far
	stored  io.Reader
	opened  *os.File
	data    *bufio.Reader // what Decompress returned last, until it is released
	release func()
}

// Open opens a file, or standard input if path is "-".
func Open(path string) (*Input, error) {
	if path == "-" {
		return New(os.Stdin, "standard input"), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	in := New(f, path)
	in.opened, in.Was = f, info
	if info.Mode().IsRegular() {
		in.File = f
	}
	return in, nil
}

// New returns what r holds, which can be read once only.
func New(r io.Reader, name string) *Input {
	return &Input{Name: name, stored: r}
}

// Close releases the data and closes a file that Open opened. It may be called again.
func (in *Input) Close() error {
	in.done()
	f := in.opened
	if in.opened = nil; f == nil {
		return nil
	}
	return f.Close()
}

// Source says what was read so far.
func (in *Input) Source() *graph.Source {
	s := &graph.Source{Name: in.Name, Size: in.size}
	if in.Was != nil {
		s.ModTime = in.Was.ModTime()
	}
	if in.Sum != nil {
		s.SHA256 = hex.EncodeToString(in.Sum.Sum(nil))
	}
	return s
}

// Read reads what is stored, keeping count and sum.
func (in *Input) Read(p []byte) (int, error) {
	n, err := in.stored.Read(p)
	in.size += int64(n)
	if in.Sum != nil {
		in.Sum.Write(p[:n])
	}
	return n, err
}

// Decompress returns the data, and what releases it. Until it is released, the same is returned again: whoever only
// peeked has taken nothing of it. What follows compressed data is not read.
func (in *Input) Decompress() (*bufio.Reader, func(), error) {
	if in.data == nil {
		data, release, err := packed.NewReader(in)
		if err != nil {
			return nil, nil, in.Wrap(0, err)
		}
		in.data, in.release = data, release
	}
	return in.data, in.done, nil
}

func (in *Input) done() {
	if in.data != nil {
		in.release()
		in.data, in.release = nil, nil
	}
}

// Drain reads what is left, which belongs to the sum.
func (in *Input) Drain() error {
	_, err := io.Copy(io.Discard, in)
	return err
}

// Unchanged returns ErrChanged if a file is not what it was when it was opened.
func (in *Input) Unchanged() error {
	if in.File == nil {
		return nil
	}
	now, err := in.File.Stat()
	if err != nil {
		return err
	}
	if now.Size() != in.Was.Size() || !now.ModTime().Equal(in.Was.ModTime()) {
		return fmt.Errorf("%s: %w", in.Name, graph.ErrChanged)
	}
	return nil
}

// Wrap adds name and line to an error that has none: one of reading or of decompressing.
func (in *Input) Wrap(line int64, err error) error {
	var path *os.PathError
	if class.Of(err) != class.Failed || errors.As(err, &path) {
		return err
	}
	return &graph.InputError{File: in.Name, Line: line, Reason: "cannot be read: " + err.Error()}
}

// Fail returns an *InputError about the whole input.
func (in *Input) Fail(format string, args ...any) error {
	return &graph.InputError{File: in.Name, Reason: fmt.Sprintf(format, args...)}
}
