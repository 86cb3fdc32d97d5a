package graph

import (
	"errors"
	"os"
)

// Extent is how large a graph is, as far as that shows without building it.
type Extent struct {
	N     int
	Arcs  int64 // at most, and rarely under a fourth of that; an undirected edge counts as two. 0 for a matrix in a file
	Dense bool  // a matrix in a file
	IDs   IDs
}

// Measure says how large the graph in a file is. Formats with a header are read no further than that, and what
// follows it may be wrong; an edge list is read to its end. Errors are those of ReadFile.
func Measure(path string, o Options) (Extent, error) {
	in, f, err := openInput(path, o)
	if err != nil {
		return Extent{}, err
	}
	in.sum = nil
	e, err := in.measure(f)
	return e, errors.Join(err, f.Close())
}

func (in *input) measure(f *os.File) (Extent, error) {
	head, err := in.head(f)
	if err != nil {
		return Extent{}, in.wrap(0, err)
	}
	array := detectNPY(plainHead(head)) == Yes
	if in.options.Format == npy.Name || in.options.Format == "" && array {
		return in.measureMatrix()
	}
	out, err := in.newSink()
	if err != nil {
		return Extent{}, err
	}
	out.measure = true
	if err := in.scan(out); err != nil && out.fixed == 0 {
		return Extent{}, err
	}
	e := Extent{N: out.fixed, Arcs: 2 * out.expected, IDs: out.ids}
	if out.fixed == 0 {
		e.N, e.IDs = out.table.freeze()
		if e.Arcs = out.arcs; out.undirected {
			e.Arcs *= 2
		}
	}
	if e.N == 0 {
		return Extent{}, out.failAll("no vertices")
	}
	return e, nil
}

func (in *input) measureMatrix() (Extent, error) {
	in.format = &npy
	if err := in.fits(); err != nil {
		return Extent{}, err
	}
	plain, done, err := in.decompress()
	if err != nil {
		return Extent{}, in.wrap(0, err)
	}
	defer done()
	d, err := in.newDense(plain)
	if err != nil {
		return Extent{}, err
	}
	return Extent{N: d.n, Dense: true, IDs: d.facts.IDs}, nil
}

// errMeasured ends the reading of an input of which only the size is wanted.
var errMeasured = errors.New("the size is known")
