package dense

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"io"
	"math"
	"os"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/input"
	"ooc/engine/graph/internal/npy"
	"ooc/engine/graph/internal/number"
	"ooc/kernels/entry"
)

// Options say how an input is to be read. The zero value leaves everything to the input.
type Options struct {
	Format   string // a name in read.Formats; "" finds it from the content
	Columns  string // names of an edge list's columns, such as "id,from,to,weight"
	Base     *int   // the smallest vertex id where ids are consecutive; nil: the format's, in a matrix 0
	Directed *bool  // nil: the format's default; a matrix is
	Kind     entry.Kind
	Scale    int64  // multiply weights by it, which must make them integers; 0: do not
	NoArc    string // in a matrix, the number that is no arc, beside +Inf; "" for none
	// Unweighted has every arc weigh 1, of Kind or else i32, whatever the input says, and Scale be 0.
	Unweighted bool
	// Spool makes the file that holds the entries of a matrix, size bytes of them, while it is open: where it
	// is compressed or can be read once only. nil: one in the system's folder for such files.
	Spool func(size int64) (*os.File, error)
}

// FirstID returns the smallest id where ids are consecutive: what the format has, if nobody says another. An error
// matches graph.ErrOptions.
func (o Options) FirstID(usual int64) (int64, error) {
	if o.Base == nil {
		return usual, nil
	}
	if *o.Base < 0 || *o.Base > math.MaxInt32 {
		return 0, number.BadOption("ids from %d; they begin with a number from 0 to %d", *o.Base, math.MaxInt32)
	}
	return int64(*o.Base), nil
}

// NewSpool calls Spool.
func (o Options) NewSpool(size int64) (*os.File, error) {
	if o.Spool == nil {
		return os.CreateTemp("", "ooc-spool-*")
	}
	return o.Spool(size)
}

// Open opens a matrix that was surveyed before, without looking at its entries again. o.Kind is what was
// found then.
func Open(path string, o Options) (*Matrix, error) {
	in, err := input.Open(path)
	if err != nil {
		return nil, err
	}
	in.Sum = sha256.New()
	d, err := newMatrix(in, o)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	d.numbers.settle(o.Kind)
	return d, nil
}

// OpenDistances opens a matrix of distances, whose entries are not looked at before NewLineReader reads them: in an
// array that is not compressed, where the maximum of an integer type stands for +Inf.
func OpenDistances(path string) (*Matrix, error) {
	in, err := input.Open(path)
	if err != nil {
		return nil, err
	}
	d, err := inPlace(in, Options{})
	if err == nil && (d.numbers.Code == "f2" || d.numbers.Code == "b1") {
		err = in.Fail("distances of NumPy type %s cannot be read; use int32, int64, float32 or float64", d.numbers.Code)
	}
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	d.numbers.hasNone, d.numbers.noneInt = true, d.numbers.hi
	return d, nil
}

// NewLineReader returns what reads line k into dst, of as many elements as there are vertices. It is for one
// goroutine.
func (d *Matrix) NewLineReader() func(dst []float64, k int) error {
	scratch := d.newScratch()
	return func(dst []float64, k int) error { return d.entries(dst, cell{k, 0}, scratch) }
}

// FromInput opens a matrix and looks at all of its entries. It takes the input over, unless it fails.
func FromInput(in *input.Input, o Options) (*Matrix, error) {
	d, err := newMatrix(in, o)
	if err != nil {
		return nil, err
	}
	if err := d.survey(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Measure says how large a matrix is.
func Measure(in *input.Input, o Options) (graph.Extent, error) {
	data, done, err := in.Decompress()
	if err != nil {
		return graph.Extent{}, err
	}
	defer done()
	d, err := readHead(in, o, data)
	if err != nil {
		return graph.Extent{}, err
	}
	e := graph.Extent{N: d.n, Dense: true, Symmetric: o.Directed != nil && !*o.Directed, IDs: d.facts.IDs}
	if there, err := isInPlace(in); err != nil {
		return e, err
	} else if !there {
		e.Spool = d.entryBytes()
	}
	return e, nil
}

// newMatrix opens a matrix in its file where that can be, else in a copy.
func newMatrix(in *input.Input, o Options) (*Matrix, error) {
	there, err := isInPlace(in)
	switch {
	case err != nil:
		return nil, err
	case there:
		return inPlace(in, o)
	}
	return spool(in, o)
}

// isInPlace reports whether the input is a file that holds an array as it is.
func isInPlace(in *input.Input) (bool, error) {
	if in.File == nil {
		return false, nil
	}
	head := make([]byte, len(npy.Magic))
	if _, err := in.File.ReadAt(head, 0); err != nil && err != io.EOF {
		return false, in.Wrap(0, err)
	}
	return string(head) == npy.Magic, nil
}

// inPlace opens an array in a file as it is.
func inPlace(in *input.Input, o Options) (*Matrix, error) {
	info, err := in.File.Stat()
	if err != nil {
		return nil, err
	}
	d, err := readHead(in, o, io.NewSectionReader(in.File, 0, info.Size()))
	if err != nil {
		return nil, err
	}
	d.file, d.in, d.size, d.modified, d.offset = in.File, in, info.Size(), info.ModTime(), d.head.Bytes
	d.src.Size, d.src.ModTime, d.src.SHA256 = d.size, d.modified, ""
	want := d.offset + d.entryBytes()
	if d.size < want {
		return nil, in.Fail("it was cut: it has %d of the %d bytes of an array of %d×%d entries", d.size, want, d.n,
			d.n)
	}
	if d.size > want {
		return nil, in.Fail("%d bytes follow the array of %d×%d entries", d.size-want, d.n, d.n)
	}
	return d, nil
}

// spool copies the entries of an array that is compressed, or can be read once only, into a file of its own.
func spool(in *input.Input, o Options) (*Matrix, error) {
	data, done, err := in.Decompress()
	if err != nil {
		return nil, err
	}
	defer done()
	d, err := readHead(in, o, data)
	if err != nil {
		return nil, err
	}
	if d.file, err = o.NewSpool(d.entryBytes()); err != nil {
		return nil, err
	}
	d.spooled = true
	if err := unpack(in, d, data); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	d.setSource(in)
	return d, in.Close() // it was read to its end
}

func (d *Matrix) setSource(in *input.Input) {
	d.src = *in.Source()
	d.src.Format = "npy"
}

// unpack copies the entries, which must be all that follows.
func unpack(in *input.Input, d *Matrix, data *bufio.Reader) error {
	want := d.entryBytes()
	got, err := io.CopyBuffer(struct{ io.Writer }{d.file}, io.LimitReader(data, want), newBuffer(spoolBlock))
	if err != nil {
		return in.Wrap(0, err)
	}
	if got < want {
		return in.Fail("it was cut: it has %d of the %d bytes of %d×%d entries", got, want, d.n, d.n)
	}
	if _, err := data.ReadByte(); err == nil {
		return in.Fail("something follows the array")
	} else if err != io.EOF {
		return in.Wrap(0, err)
	}
	return in.Drain()
}

const spoolBlock = 1 << 20

// readHead reads the header of an array.
func readHead(in *input.Input, o Options, r io.Reader) (*Matrix, error) {
	head, err := npy.Read(r)
	var entries npy.Type
	if err == nil {
		entries, err = npy.ParseType(head.Descr)
	}
	if bad := (*graph.InputError)(nil); errors.As(err, &bad) {
		bad.File = in.Name
	}
	if err != nil {
		return nil, in.Wrap(0, err)
	}
	n, err := side(head)
	if err != nil {
		return nil, in.Fail("%v", err)
	}
	numbers, err := newNumbers(entries, o)
	if err != nil {
		return nil, err
	}
	d := &Matrix{name: in.Name, head: head, n: n, numbers: numbers}
	d.setSource(in)
	d.facts = graph.Facts{N: n, Directed: o.Directed == nil || *o.Directed, Scale: numbers.scale}
	d.facts.IDs.Base, err = o.FirstID(0)
	return d, err
}
