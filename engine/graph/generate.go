package graph

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"ooc/engine/internal/newfile"
)

// GenerateOptions say what graph to generate.
type GenerateOptions struct {
	N          int64  // vertices
	M          int64  // arcs (undirected: edges), for the kinds whose Generator.Arcs is nil; else 0
	Seed       uint64 // the same seed gives the same text on every platform
	Undirected bool   // links go both ways, with one weight
	Overwrite  bool   // replace a file that is there
}

// Generator makes graphs of one kind. It holds nothing that grows with arcs, and computes in integers
// only, since what floating point gives in the last bit depends on the platform.
type Generator struct {
	Name  string
	Title string

	// Arcs counts the arcs of a graph of n vertices, of an undirected one its edges. It is nil for kinds
	// that have as many as they are asked for.
	Arcs func(n int64, undirected bool) int64

	// arcs hands exactly o.M arcs to emit, and stops at its first error.
	arcs func(o GenerateOptions, emit emit) error
}

// emit takes an arc or an edge. Vertices are counted from 0.
type emit func(from, to, weight int64) error

// Generators lists the kinds of graph that Generate makes.
var Generators = []Generator{
	randomGraph,
	rmatGraph,
	gridGraph,
	roadGraph,
	ringGraph,
	starGraph,
	treeGraph,
	completeGraph,
}

// Generate writes a graph of a kind in Generators to a file, in the format that its extension names (see
// Writers), compressed if .gz or .zst follows that. The file appears only when it is complete. Errors in
// the arguments match ErrOptions; a file that is there fails with fs.ErrExist.
func Generate(ctx context.Context, kind string, o GenerateOptions, path string) error {
	if _, err := generatorFor(kind, &o); err != nil {
		return err
	}
	if _, err := writerFor(path); err != nil {
		return err
	}
	return newfile.Write(path, o.Overwrite, func(w io.Writer) error { return GenerateTo(ctx, kind, o, path, w) })
}

// GenerateTo is Generate to a stream; name stands for the extensions only.
func GenerateTo(ctx context.Context, kind string, o GenerateOptions, name string, w io.Writer) error {
	generator, err := generatorFor(kind, &o)
	if err != nil {
		return err
	}
	format, err := writerFor(name)
	if err != nil {
		return err
	}
	packed, err := Compress(w, name)
	if err != nil {
		return err
	}
	out := format.begin(ctx, packed, generator.Name, o)
	if err := generator.arcs(o, out.emit); err != nil {
		return err
	}
	if err := out.flush(); err != nil {
		return err
	}
	return packed.Close()
}

// generatorFor finds a kind, checks the options and sets M where the kind does.
func generatorFor(kind string, o *GenerateOptions) (*Generator, error) {
	var names []string
	for i := range Generators {
		if g := &Generators[i]; g.Name == kind {
			return g, g.complete(o)
		}
		names = append(names, Generators[i].Name)
	}
	return nil, fmt.Errorf("kind %q is not one of %s: %w", kind, strings.Join(names, ", "), ErrOptions)
}

func (g *Generator) complete(o *GenerateOptions) error {
	if o.N < 1 || o.N > MaxVertices || o.M < 0 || o.M > math.MaxInt64/2 { // M may have to be doubled
		return fmt.Errorf("a graph of %d vertices and %d arcs: %w", o.N, o.M, ErrOptions)
	}
	if g.Arcs == nil {
		if o.N == 1 && o.M > 0 {
			return fmt.Errorf("one vertex has no arcs to others: %w", ErrOptions)
		}
		return nil
	}
	m := g.Arcs(o.N, o.Undirected)
	if o.M != 0 && o.M != m {
		return fmt.Errorf("%d vertices make a %s of %d arcs, not %d: %w", o.N, g.Name, m, o.M, ErrOptions)
	}
	o.M = m
	return nil
}

// both emits what joins two vertices: an edge, or an arc each way with a weight of its own.
func (o GenerateOptions) both(d dice, emit emit, u, v int64) error {
	if err := emit(u, v, d.weight()); err != nil || o.Undirected {
		return err
	}
	return emit(v, u, d.weight())
}

// ways is how many arcs or edges join two vertices.
func ways(undirected bool) int64 {
	if undirected {
		return 1
	}
	return 2
}
