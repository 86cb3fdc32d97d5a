package graph

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
)

// Open opens an input, or standard input if path is "-", as ReadFile does, but leaves a matrix in its file:
// one of the two results is not nil. The caller closes the matrix.
func Open(path string, o Options) (*Graph, *Dense, *Source, error) {
	in, f, err := openInput(path, o)
	if err != nil {
		return nil, nil, nil, err
	}
	d, err := in.matrix(f)
	if err != nil {
		return nil, nil, nil, errors.Join(err, f.Close())
	}
	if d == nil {
		g, src, err := in.graph(f)
		return g, nil, src, errors.Join(err, f.Close())
	}
	if d.spooled {
		f.Close() // it was read to its end
	}
	if err := d.survey(); err != nil {
		return nil, nil, nil, errors.Join(err, d.Close())
	}
	src := d.Source()
	return nil, d, &src, nil
}

// OpenDense opens a matrix that Open has accepted before, without looking at its entries again. o.Kind is
// what Open has found.
func OpenDense(path string, o Options) (*Dense, error) {
	o.Format = npy.Name
	in, f, err := openInput(path, o)
	if err != nil {
		return nil, err
	}
	d, err := in.matrix(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if d.spooled {
		f.Close()
	}
	d.numbers.settle(o.Kind)
	return d, nil
}

// openInput opens a file, or standard input. What cannot be read twice gets a buffer to look ahead in.
func openInput(path string, o Options) (*input, *os.File, error) {
	in := &input{name: path, options: o, sum: sha256.New()}
	f := os.Stdin
	if path == "-" {
		in.name = "standard input"
	} else {
		var err error
		if f, err = os.Open(path); err != nil {
			return nil, nil, err
		}
	}
	info, err := f.Stat()
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	in.stored = f
	if path != "-" {
		in.modified = info.ModTime()
	}
	if path == "-" || !info.Mode().IsRegular() {
		in.stored = bufio.NewReaderSize(f, headSize)
	}
	return in, f, nil
}

// isStream reports whether the input can be read only once.
func (in *input) isStream() bool {
	_, ok := in.stored.(*bufio.Reader)
	return ok
}

// matrix opens the input as a matrix, or returns nil if it is none. f is not nil where in reads from it.
func (in *input) matrix(f *os.File) (*Dense, error) {
	head, err := in.head(f)
	if err != nil {
		return nil, in.wrap(0, err)
	}
	plain := plainHead(head)
	array := detectNPY(plain) == Yes
	if in.options.Format != npy.Name && (in.options.Format != "" || !array) {
		return nil, nil
	}
	in.format = &npy
	if err := in.fits(); err != nil {
		return nil, err
	}
	if !in.isStream() && (!array || detectNPY(head) == Yes) {
		return in.inPlace(f)
	}
	return in.spool()
}

// head returns the first bytes of what is stored, without reading them.
func (in *input) head(f *os.File) ([]byte, error) {
	if b, ok := in.stored.(*bufio.Reader); ok {
		head, err := b.Peek(headSize)
		if err == io.EOF || err == bufio.ErrBufferFull {
			err = nil
		}
		return head, err
	}
	head := make([]byte, headSize)
	n, err := f.ReadAt(head, 0)
	if err == io.EOF {
		err = nil
	}
	return head[:n], err
}

// plainHead decompresses the first bytes of an input as far as a format shows in them.
func plainHead(head []byte) []byte {
	plain, done, err := (&input{stored: bytes.NewReader(head)}).decompress()
	if err != nil {
		return nil // the reader will say so
	}
	defer done()
	magic, _ := plain.Peek(len(npyMagic))
	return bytes.Clone(magic)
}

// inPlace opens an array in a file as it is.
func (in *input) inPlace(f *os.File) (*Dense, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	d, err := in.newDense(io.NewSectionReader(f, 0, info.Size()))
	if err != nil {
		return nil, err
	}
	d.file, d.size, d.modified, d.offset = f, info.Size(), info.ModTime(), d.head.bytes
	d.src.Size, d.src.ModTime, d.src.SHA256 = d.size, d.modified, ""
	want := d.offset + d.entryBytes()
	if d.size < want {
		return nil, in.failed("it was cut: it has %d of the %d bytes of an array of %d×%d entries", d.size, want, d.n, d.n)
	}
	if d.size > want {
		return nil, in.failed("%d bytes follow the array of %d×%d entries", d.size-want, d.n, d.n)
	}
	return d, nil
}

// spool copies the entries of an array that is compressed, or can be read once only, into a file of its own.
func (in *input) spool() (*Dense, error) {
	plain, done, err := in.decompress()
	if err != nil {
		return nil, in.wrap(0, err)
	}
	defer done()
	d, err := in.newDense(plain)
	if err != nil {
		return nil, err
	}
	create := in.options.Spool
	if create == nil {
		create = func(int64) (*os.File, error) { return os.CreateTemp("", "ooc-spool-*") }
	}
	if d.file, err = create(d.entryBytes()); err != nil {
		return nil, err
	}
	d.spooled = true
	if err := in.unpack(d, plain); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	d.src = *in.source()
	return d, nil
}

// unpack copies the entries, which must be all that follows.
func (in *input) unpack(d *Dense, plain *bufio.Reader) error {
	want := d.entryBytes()
	got, err := io.CopyBuffer(struct{ io.Writer }{d.file}, io.LimitReader(plain, want), newBuffer(spoolBlock))
	if err != nil {
		return in.wrap(0, err)
	}
	if got < want {
		return in.failed("it was cut: it has %d of the %d bytes of %d×%d entries", got, want, d.n, d.n)
	}
	if _, err := plain.ReadByte(); err == nil {
		return in.failed("something follows the array")
	} else if err != io.EOF {
		return in.wrap(0, err)
	}
	_, err = io.Copy(io.Discard, in) // what follows the compressed data belongs to the sum
	return err
}

const spoolBlock = 1 << 20

// newDense reads the header of an array.
func (in *input) newDense(r io.Reader) (*Dense, error) {
	head, err := readNPYHeader(r)
	if bad := (*InputError)(nil); errors.As(err, &bad) {
		bad.File = in.name
	}
	if err != nil {
		return nil, in.wrap(0, err)
	}
	n, err := head.side()
	if err != nil {
		return nil, in.failed("%v", err)
	}
	numbers, err := newNumbers(head.dtype, in.options)
	if err != nil {
		return nil, err
	}
	if _, err := in.newSink(); err != nil { // checks the options that every input has
		return nil, err
	}
	d := &Dense{name: in.name, head: head, n: n, numbers: numbers, src: *in.source()}
	d.facts = Facts{N: n, Directed: in.options.Directed == nil || *in.options.Directed, Scale: numbers.scale}
	if in.options.Base != nil {
		d.facts.IDs.Base = int64(*in.options.Base)
	}
	return d, nil
}

func (in *input) failed(format string, args ...any) error {
	return &InputError{File: in.name, Reason: fmt.Sprintf(format, args...)}
}
