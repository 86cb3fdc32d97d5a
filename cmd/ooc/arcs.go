package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/vertices"
	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/graph/dense"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// arcsFlags are the flags of commands that visit the arcs of a graph and keep no store.
type arcsFlags struct {
	graphFlags
	device       string
	deviceMemory int64
	json         bool
}

func (f *arcsFlags) add(cmd *cobra.Command) {
	f.graphFlags.addWith(cmd, []entry.Kind{entry.KindI32, entry.KindF32})
	addDevice(cmd, &f.device, &f.deviceMemory)
	cmd.Flags().BoolVar(&f.json, "json", false, "one JSON object a line on standard output")
}

// arcs is a graph whose arcs are visited: in memory, or a matrix in a file.
type arcs struct {
	graph *graph.Graph  // nil for a matrix
	dense *dense.Matrix // nil for a graph
	store *engine.Problem
}

// openArcs reads a graph, looks at a matrix, or opens the graph of a store.
func (f *graphFlags) openArcs(cmd *cobra.Command, input string) (*arcs, error) {
	if isStore(input) {
		if err := noGraphFlags(cmd); err != nil {
			return nil, err
		}
		p, err := engine.OpenReadOnly(input)
		if err != nil {
			return nil, err
		}
		g, err := p.Graph()
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%w; give the matrix that it was made from", err), p.Close())
		}
		return &arcs{graph: g.Wide(), store: p}, nil
	}
	in, err := f.read(cmd, input, os.TempDir())
	if err != nil {
		return nil, err
	}
	in.remark()
	a := &arcs{}
	a.graph, _ = in.weights.(*graph.Graph)
	a.dense, _ = in.weights.(*dense.Matrix)
	return a, nil
}

func (a *arcs) close() error {
	switch {
	case a.dense != nil:
		return a.dense.Close()
	case a.store != nil:
		return a.store.Close()
	}
	return nil
}

// verticesOf finds the vertices of an input.
func verticesOf(f graph.Facts) vertices.Of { return vertices.Of{IDs: f.IDs, N: f.N, Name: "the input"} }

// verticesIn finds the vertices of a store.
func verticesIn(p *engine.Problem, ids graph.IDs) vertices.Of {
	return vertices.Of{IDs: ids, N: p.Geometry().N, Name: p.Dir()}
}

// openDevice opens the device of the flags.
func (f *arcsFlags) openDevice() (kernels.Device, error) {
	if err := oneDevice(f.device); err != nil {
		return nil, err
	}
	d, _, err := openDevice(f.device, f.deviceMemory)
	return d, err
}
