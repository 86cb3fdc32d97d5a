package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/cmd/ooc/vertices"
	"ooc/engine"
	"ooc/engine/batch"
	"ooc/engine/graph"
	"ooc/engine/graph/dense"
	"ooc/engine/graph/read"
	"ooc/engine/parts"
	"ooc/engine/plan"
	"ooc/tiles"
)

// inputForm is what an input is.
type inputForm int

const (
	unknown inputForm = iota // a pipe, or what its reader will refuse
	standardInput
	aFile
	aStore   // that was imported to the end
	aFolder  // that is no store
	aPattern // for the names of files
)

// input is what a command is given to read. It is looked at once, by resolve.
type input struct {
	name string // as it was given
	form inputForm
}

func resolve(name string) input {
	in := input{name: name}
	info, err := os.Stat(name)
	switch {
	case name == "-":
		in.form = standardInput
	case tiles.IsStore(name):
		in.form = aStore
	case err == nil && info.IsDir():
		in.form = aFolder
	case err == nil && info.Mode().IsRegular():
		in.form = aFile
	case batch.IsPattern(name):
		in.form = aPattern
	}
	return in
}

// isMany reports whether it may stand for several graphs.
func (in input) isMany() bool { return in.form == aFolder || in.form == aPattern }

// path is where the engine finds it again; "" if nowhere, or where the store says.
func (in input) path() string {
	if in.form == standardInput || in.form == aStore {
		return ""
	}
	return in.name
}

// incoming is a graph that was read, a matrix that was looked at, or the graph of a store.
type incoming struct {
	weights graph.Weights
	src     *graph.Source
	took    time.Duration
	tips    []string // what another kind would save
	store   *engine.Problem
}

// read reads a graph or checks a matrix, which may be unpacked into the folder spool. A store needs the input's sum.
func (f *graphFlags) read(in input, spool string, sum bool) (*incoming, error) {
	began, o := time.Now(), f.options(spool)
	o.Sum = sum
	g, d, src, err := read.Open(in.name, o)
	if err != nil {
		return nil, err
	}
	n := &incoming{weights: g, src: src, took: time.Since(began)}
	if d != nil {
		n.weights = d
	}
	return n, nil
}

// readArcs reads the graph that a line names, looks at a matrix, or opens the graph of a store, for commands that
// make no store.
func (f *graphFlags) readArcs(l *line) (*incoming, error) {
	in := resolve(l.args[0])
	if in.form != aStore {
		n, err := f.read(in, os.TempDir(), false)
		if err == nil {
			n.remark()
		}
		return n, err
	}
	if err := l.noGraphFlags(); err != nil {
		return nil, err
	}
	p, err := engine.OpenReadOnly(in.name)
	if err != nil {
		return nil, err
	}
	g, err := p.Graph()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w; give the matrix that it was made from", err), p.Close())
	}
	return &incoming{weights: g.Wide(), store: p}, nil
}

// graph is the graph, nil if it is a matrix.
func (n *incoming) graph() *graph.Graph {
	g, _ := n.weights.(*graph.Graph)
	return g
}

// remark prints what the reader guessed.
func (n *incoming) remark() {
	for _, remark := range append(n.src.Remarks, n.tips...) {
		note("%s: %s", n.src.Name, remark)
	}
}

// close releases the matrix or the store.
func (n *incoming) close() error {
	if n.store != nil {
		return n.store.Close()
	}
	if d, ok := n.weights.(*dense.Matrix); ok {
		return d.Close()
	}
	return nil
}

// verticesOf finds the vertices of an input.
func verticesOf(f graph.Facts) vertices.Of { return vertices.Of{IDs: f.IDs, N: f.N, Name: "the input"} }

// verticesIn finds the vertices of a store.
func verticesIn(p *engine.Problem, ids graph.IDs) vertices.Of {
	return vertices.Of{IDs: ids, N: p.Geometry().N, Name: p.Dir()}
}

// sourcesOf returns the rows that --sources names, ascending; none for all. A part has whole rows of tiles of the
// given edge; 0: that of a store of all rows, which does not depend on the part. The edge that a new store has to
// have is returned, 0 if any will do.
func sourcesOf(f graph.Facts, list string, tile int) (tiles.RowSet, int, error) {
	i, k, part, err := flagvalue.Part(list)
	if err != nil {
		return nil, 0, exit.UsageError(err)
	}
	if !part {
		rows, err := verticesOf(f).Set("sources", list)
		return rows, tile, err
	}
	tile = plan.Request{Tile: tile}.RowTile(f.Kind, f.N, f.Symmetric)
	rows, err := parts.Rows(f.N, tile, i, k)
	if err != nil {
		err = exit.UsageError(fmt.Errorf("--sources %s: %w", list, err))
	}
	return rows, tile, err
}
