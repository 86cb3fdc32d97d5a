package graph

import (
	"context"
	"time"

	"ooc/engine/text"
	"ooc/kernels/entry"
)

// Facts describe a problem for its plan, whatever form its graph has.
type Facts struct {
	N                    int
	Arcs                 int64 // an undirected edge counts as two
	Kind                 entry.Kind
	Directed             bool
	Symmetric            bool // every arc has its reverse, with the same weight; so in every undirected graph
	Scale                int64
	Negative             bool
	MinWeight, MaxWeight float64 // in stored units; 0, 0 without arcs
	IDs                  IDs

	SelfLoops, Parallel, NoArcs int64 // dropped or merged; see Graph
}

// Facts returns the graph's.
func (g *Graph) Facts() Facts {
	return Facts{
		N: g.N, Arcs: g.Arcs(), Kind: g.Kind, Directed: g.Directed, Symmetric: g.Symmetric, Scale: g.Scale,
		Negative:  g.Negative,
		MinWeight: g.MinWeight, MaxWeight: g.MaxWeight, IDs: g.IDs,
		SelfLoops: g.SelfLoops, Parallel: g.Parallel, NoArcs: g.NoArcs,
	}
}

// Memory is about the bytes of host memory that the program takes which has read such a graph.
func (f Facts) Memory() int64 { return programBytes + readArcBytes*f.Arcs + readVertexBytes*int64(f.N) }

// Measured (docs/benchmarks.md).
const (
	programBytes    = 30 << 20
	readArcBytes    = 30
	readVertexBytes = 100
)

// Numbers is how weights and distances are written.
func (f Facts) Numbers() text.Numbers { return text.NumbersOf(f.Kind, f.Scale) }

// Source says what a graph was read from.
type Source struct {
	Name    string // the path as it was given
	Format  string
	Size    int64 // bytes, as stored
	ModTime time.Time
	SHA256  string   // of the bytes as stored, in hexadecimal; "" where nobody asked for it
	Remarks []string // on what was a guess, and what changes it
}

// Extent is the size of a graph, as far as it is known without building the graph.
type Extent struct {
	N int
	// Arcs: at most, and rarely under a fourth of that; an undirected edge counts as two. 0 for a matrix in a file.
	Arcs  int64
	Dense bool // a matrix in a file
	// Symmetric says of a matrix that it is symmetric, or will be refused; false where that is not known yet.
	Symmetric bool
	Spool     int64 // bytes of the copy that is made of such a matrix to read it; 0: it is read where it is
	IDs       IDs
}

// Weights is the matrix that a solve begins with: a *graph.Graph, or a *dense.Matrix, whose entries stay in their
// file. Its methods may be called by several goroutines.
type Weights interface {
	// Facts describe the matrix for making and planning a store.
	Facts() Facts
	// Check proves that no cycle is negative and that a matrix of the kind can hold every distance. It fails with the
	// cause of ctx if that ends first.
	Check(ctx context.Context) error
	// FillTile writes tile (i, j) of edge t, row by row, into dst, t·t entries of the kind.
	FillTile(dst []byte, t, i, j int) error
}
