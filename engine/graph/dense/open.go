package dense

import (
	"crypto/sha256"
	"errors"
	"fmt"
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
	Sum        bool // find Source.SHA256 of a graph, too, which takes one core 0.6 s for each GB
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
	d, err := open(path, o)
	if err != nil {
		return nil, err
	}
	d.numbers.settle(o.Kind)
	return d, nil
}

func open(path string, o Options) (*Matrix, error) {
	in, err := input.Open(path)
	if err != nil {
		return nil, err
	}
	in.Sum = sha256.New()
	d, err := newMatrix(in, o)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return d, nil
}

// OpenDistances opens a matrix of distances, whose entries are not looked at before NewLineReader reads them: in an
// array that is not compressed, where the maximum of an integer type stands for +Inf.
func OpenDistances(path string) (*Matrix, error) {
	refused := &graph.InputError{File: path, Reason: "distances are read from a .npy file that is not compressed"}
	d, err := open(path, Options{Spool: func(int64) (*os.File, error) { return nil, refused }})
	if err != nil {
		return nil, err
	}
	switch x := d.numbers; {
	case x.Code == "f2" || x.Code == "b1":
		refused.Reason = fmt.Sprintf("distances of NumPy type %s cannot be read; use int32, int64, float32 or float64",
			x.Code)
		return nil, errors.Join(refused, d.Close())
	case x.bits == 0:
		x.none = float64(x.hi)
	}
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
	if !isInPlace(in) {
		e.Spool = d.entryBytes()
	}
	return e, nil
}

// isInPlace reports whether the input is a file that holds an array as it is.
func isInPlace(in *input.Input) bool {
	head := make([]byte, len(npy.Magic))
	if in.File != nil {
		_, _ = in.File.ReadAt(head, 0) // whoever reads it in order has the same error
	}
	return string(head) == npy.Magic
}

// newMatrix opens an array in its file where that holds it as it is. One that is compressed, or can be read once only,
// is copied into a file of its own.
func newMatrix(in *input.Input, o Options) (*Matrix, error) {
	data, done, err := in.Decompress()
	if err != nil {
		return nil, err
	}
	defer done()
	d, err := readHead(in, o, data)
	if err != nil {
		return nil, err
	}
	if isInPlace(in) {
		d.file, d.in, d.offset, d.src = in.File, in, d.head.Bytes, *in.Source()
		d.src.Format, d.src.Size, d.src.SHA256 = "npy", in.Was.Size(), "" // the rest was not read yet
		return d, d.isAll(in, d.src.Size-d.offset)
	}
	if d.file, err = o.NewSpool(d.entryBytes()); err != nil {
		return nil, err
	}
	d.spooled = true
	got, err := io.CopyBuffer(struct{ io.Writer }{d.file}, io.LimitReader(data, d.entryBytes()+1),
		newBuffer(spoolBlock))
	if err != nil {
		err = in.Wrap(0, err)
	} else if err = d.isAll(in, got); err == nil {
		err = in.Drain()
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	d.src = *in.Source()
	d.src.Format = "npy"
	return d, in.Close() // it was read to its end
}

// isAll fails unless so many bytes behind the header are all entries and no more.
func (d *Matrix) isAll(in *input.Input, got int64) error {
	switch want := d.entryBytes(); {
	case got < want:
		return in.Fail("it was cut: it has %d of the %d bytes of %d×%d entries", got, want, d.n, d.n)
	case got > want:
		return in.Fail("something follows the array of %d×%d entries", d.n, d.n)
	}
	return nil
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
	switch shape := head.Shape; {
	case len(shape) != 2:
		return nil, in.Fail("an array of %d dimension(s) is no matrix of weights, which has two", len(shape))
	case shape[0] != shape[1]:
		return nil, in.Fail("a matrix of %d rows and %d columns is not square", shape[0], shape[1])
	case shape[0] == 0:
		return nil, in.Fail("no vertices")
	case shape[0] > graph.MaxVertices || shape[0] > math.MaxInt64/8/shape[0]:
		return nil, in.Fail("%d vertices; the most is %d", shape[0], graph.MaxVertices)
	}
	numbers, err := newNumbers(entries, o)
	if err != nil {
		return nil, err
	}
	d := &Matrix{name: in.Name, head: head, n: int(head.Shape[0]), numbers: numbers}
	d.facts = graph.Facts{N: d.n, Directed: o.Directed == nil || *o.Directed, Scale: numbers.scale}
	d.facts.IDs.Base, err = o.FirstID(0)
	return d, err
}
