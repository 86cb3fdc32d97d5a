package gen

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/number"
	"ooc/engine/graph/packed"
	"ooc/engine/newfile"
)

// Options say what graph to generate.
type Options struct {
	N          int64  // vertices
	M          int64  // arcs (undirected: edges), for the kinds whose Kind.Arcs is nil; else 0
	Seed       uint64 // the same seed gives the same text on every platform
	Undirected bool   // links go both ways, with one weight
	Unweighted bool   // all weights are 1
	Overwrite  bool   // replace a file that is there
}

// generator makes graphs of one kind. It holds nothing that grows with arcs beyond vertices, and computes in integers
// only, since what floating point gives in the last bit depends on the platform.
type generator struct {
	Name  string
	Title string

	// Arcs counts the arcs of a graph of n vertices, of an undirected one its edges. It is nil for kinds
	// that have as many as they are asked for.
	Arcs func(n int64, undirected bool) int64

	// arc returns the ends of each of o.M arcs, in the order of its number. A weight is drawn after each.
	arc func(o Options, d dice, number int64) (from, to int64)
	// arcs is in its place where that does not do. It writes exactly o.M arcs, and stops soon after an error.
	arcs func(o Options, d dice, out *output)
}

// File writes a graph of a kind, by its name, to a file, in the format that its extension names (see Formats),
// compressed if .gz or .zst follows that. The file appears only when it is complete. Errors in
// the arguments match ErrOptions; a file that is there fails with fs.ErrExist.
func File(ctx context.Context, kind string, o Options, path string) error {
	return newfile.File{Path: path,
		Overwrite: o.Overwrite}.Write(func(w io.Writer) error { return To(ctx, kind, o, path, w) })
}

// To is File to a stream; name stands for the extensions only.
func To(ctx context.Context, kind string, o Options, name string, w io.Writer) error {
	generator, err := kindOf(kind, &o)
	if err != nil {
		return err
	}
	format, err := formatOf(name)
	if err != nil {
		return err
	}
	to, err := packed.NewWriter(w, name)
	if err != nil {
		return err
	}
	heading := o
	if o.Undirected && !format.edges {
		heading.M *= 2
	}
	out := &output{format: format, ctx: ctx, to: to, undirected: o.Undirected, pending: make([]byte, 0, pieceSize)}
	out.pending = append(out.pending, format.head(generator.title(o), heading)...)
	generator.run(o, out)
	return out.close()
}

func (g *generator) run(o Options, out *output) {
	d := newDice(o.Seed, 0)
	if g.arcs != nil {
		g.arcs(o, d, out)
	}
	for i := int64(0); g.arc != nil && i < o.M && out.err == nil; i++ {
		from, to := g.arc(o, d, i)
		out.arc(from, to, o.weight(d))
	}
}

func (g *generator) title(o Options) string {
	title := fmt.Sprintf("%s graph, seed %d", g.Name, o.Seed)
	if o.Unweighted {
		title = "unweighted " + title
	}
	if o.Undirected {
		title = "undirected " + title
	}
	return title
}

// kindOf finds a kind, checks the options and sets M where the kind does.
func kindOf(kind string, o *Options) (*generator, error) {
	var names []string
	for i := range Kinds {
		if g := &Kinds[i]; g.Name == kind {
			return g, g.complete(o)
		}
		names = append(names, Kinds[i].Name)
	}
	return nil, number.BadOption("kind %q is not one of %s", kind, strings.Join(names, ", "))
}

func (g *generator) complete(o *Options) error {
	if o.N < 1 || o.N > graph.MaxVertices || o.M < 0 || o.M > math.MaxInt64/2 { // M may have to be doubled
		return number.BadOption("a graph of %d vertices and %d arcs", o.N, o.M)
	}
	if g.Arcs == nil {
		if o.N == 1 && o.M > 0 {
			return number.BadOption("one vertex has no arcs to others; ask for no arcs, or for more vertices")
		}
		return nil
	}
	m := g.Arcs(o.N, o.Undirected)
	if o.M != 0 && o.M != m {
		return number.BadOption("%d vertices make a %s of %d arcs, not %d; leave the number of arcs away", o.N, g.Name,
			m, o.M)
	}
	o.M = m
	return nil
}

// both writes what joins two vertices: an edge, or an arc in each direction with its own weight.
func (o Options) both(d dice, out *output, u, v int64) {
	out.arc(u, v, o.weight(d))
	if !o.Undirected {
		out.arc(v, u, o.weight(d))
	}
}

// weight draws a weight as GTgraph's generators do: 1…1000.
func (o Options) weight(d dice) int64 { return o.length(1 + d.below(1000)) }

// length is the weight of an arc of that length.
func (o Options) length(length int64) int64 {
	if o.Unweighted {
		return 1
	}
	return length
}

// ways is how many arcs or edges join two vertices.
func ways(undirected bool) int64 {
	if undirected {
		return 1
	}
	return 2
}
