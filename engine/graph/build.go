package graph

import (
	"fmt"
	"math"
	"strconv"

	"ooc/engine/graph/internal/arcs"
	"ooc/engine/graph/internal/number"
	"ooc/kernels/entry"
)

// Arc is an arc, or an undirected edge, given in memory. From and To are rows.
type Arc struct {
	From, To int32
	Weight   float64
}

// Builder collects the arcs of a graph in memory. Its methods return the builder, so that calls chain;
// what is wrong with the arcs is told by Build.
type Builder struct {
	in   Intake
	ids  IDs
	adds int64
	err  error
}

// BuildOption is a property of a graph built in memory.
type BuildOption func(*Builder)

// Directed makes each Add one arc. It is the default.
func Directed(b *Builder) { b.in.Undirected = false }

// Undirected makes each Add an edge, which is an arc in both directions.
func Undirected(b *Builder) { b.in.Undirected = true }

// AsKind fixes the kind; without it, it is KindI32 if every weight is an integer, else KindF32.
func AsKind(kind entry.Kind) BuildOption {
	return func(b *Builder) { b.in.Weigh.Want = kind }
}

// Scaled multiplies every weight by scale, which must make it an integer. A weight is taken as the
// shortest decimal number that it is the nearest float64 to: 0.1 times 10 is 1.
func Scaled(scale int64) BuildOption {
	return func(b *Builder) { b.in.Weigh.Scale = scale }
}

// Named gives the vertices outside ids.
func Named(ids IDs) BuildOption { return func(b *Builder) { b.ids = ids } }

// New starts a graph of n vertices, 0…n-1:
//
//	g, err := graph.New(3, graph.Directed).Add(0, 1, 2.5).Add(1, 2, 1).Build()
func New(n int, options ...BuildOption) *Builder {
	b := &Builder{}
	for _, option := range options {
		option(b)
	}
	b.in.N = n
	b.in.Weigh, b.err = number.NewWeighing(b.in.Weigh.Want, b.in.Weigh.Scale)
	switch names := max(len(b.ids.Numeric), len(b.ids.Text)); {
	case n < 1 || n > MaxVertices:
		b.err = &InputError{Reason: fmt.Sprintf("a graph needs 1 to %d vertices, not %d", MaxVertices, n)}
	case !b.ids.Consecutive() && names != n:
		b.err = number.BadOption("%d ids for %d vertices", names, n)
	case b.ids.Check() != nil:
		b.err = number.BadOption("%v", b.ids.Check())
	}
	return b
}

// Add adds the arc from row u to row v. A weight of +Inf adds none; NaN and −Inf are errors.
func (b *Builder) Add(u, v int, weight float64) *Builder {
	b.adds++
	if b.err != nil {
		return b
	}
	if u < 0 || u >= b.in.N || v < 0 || v >= b.in.N {
		b.err = &InputError{Reason: fmt.Sprintf("arc %d, from %d to %d: the vertices are 0…%d", b.adds, u, v, b.in.N-1)}
		return b
	}
	from, to := int32(u), int32(v)
	if x := int32(weight); float64(x) == weight && x > math.MinInt32 && b.in.Weigh.Scale == 1 {
		b.add(from, to, b.in.Weigh.IntWord(x))
		return b
	}
	var buf [32]byte
	tok := strconv.AppendFloat(buf[:0], weight, 'g', -1, 64)
	if b.in.IdleLoop(from, to, tok) {
		return b
	}
	word, ok, err := b.in.Word(tok, 0)
	switch {
	case err != nil:
		b.err = fmt.Errorf("arc %d, from %d to %d: %w", b.adds, u, v, err)
	case ok:
		b.add(from, to, word)
	}
	return b
}

func (b *Builder) add(from, to int32, word uint32) {
	if from == to {
		b.in.SelfLoop(from, word, 0)
		return
	}
	one := [1]arcs.Arc{{From: from, To: to, Word: word}}
	b.in.Arcs++
	collect(b.in.collector(&b.in.packers[0]), one[:], b.in.Undirected)
}

// Build returns the graph. Errors match ErrBadInput, ErrNegativeCycle (a negative self-loop) or
// ErrOptions. The builder is spent.
func (b *Builder) Build() (*Graph, error) {
	if b.err != nil {
		return nil, b.err
	}
	b.err = number.BadOption("the builder was used before")
	return b.in.Graph(b.ids)
}
