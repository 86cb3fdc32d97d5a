package read

import (
	"errors"

	"ooc/engine/graph"
	"ooc/engine/graph/dense"
)

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
		return dense.Measure(in.Input, in.options.dense())
	}
	out, err := in.newSink()
	if err != nil {
		return graph.Extent{}, err
	}
	out.measure = true
	if err := in.scan(out); err != nil && out.N == 0 {
		return graph.Extent{}, err
	}
	e := graph.Extent{N: out.N, Arcs: 2 * out.Expected, IDs: out.ids}
	if out.N == 0 {
		e.N, e.IDs, _ = out.table.freeze()
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
