package mst

import (
	"context"
	"errors"
	"fmt"

	"ooc/engine/feed"
	"ooc/engine/graph"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// boruvka joins every component with the one that its lightest edge leads to (O. Borůvka, O jistém problému
// minimálním, 1926). Each pass over all arcs at least halves the number of components, so there are at most log₂ n
// passes, and one more that finds nothing if the graph is disconnected. Arcs that do not fit the device are streamed.
var boruvka = method{
	Name: "boruvka", Title: "log n passes over all edges, streamed where they do not fit the device",
	Run: func(ctx context.Context, p *problem) error {
		linker, ok := kernels.As[kernels.VectorOps](p.Device)
		if !ok {
			return fmt.Errorf("%w boruvka: %s lacks the operations for it; use another --device", feed.ErrMethod,
				p.Device.Info().Name)
		}
		g, _ := p.arcs.(*graph.Graph) // undirected, so its own reverse
		o := feed.Options{Device: p.Device, Memory: 3 * feed.Stride(p.facts.N), Transposed: true}
		f, err := feed.Open(g, p.arcs, o)
		if err != nil {
			return err
		}
		x := &forest{problem: p, linker: linker, feed: f, words: make([][]uint32, 3)}
		return errors.Join(x.run(ctx), f.Close())
	},
}

// forest is a run of Borůvka's algorithm. Its vectors, on the device and the host, are the component of each
// vertex, the weight of the lightest edge to another, and where that leads.
type forest struct {
	*problem
	linker kernels.VectorOps
	feed   *feed.Feed
	words  [][]uint32
	parent []int32 // of a union of components, by vertex; itself for a root
}

const (
	components = iota
	lights
	ends
)

func (x *forest) vector(which int) kernels.Tile {
	return kernels.Tile{Buf: x.feed.Memory, Off: int64(which) * feed.Stride(x.facts.N)}
}

func (x *forest) run(ctx context.Context) error {
	for i := range x.words {
		x.words[i] = make([]uint32, x.facts.N)
	}
	x.parent = make([]int32, x.facts.N)
	for v := range x.parent {
		x.parent[v], x.words[components][v] = int32(v), uint32(v)
	}
	for joined := true; joined; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := x.pass(); err != nil {
			return err
		}
		joined = x.join() && len(x.edges) < x.facts.N-1 // otherwise one component is left
		x.report(len(x.edges))
	}
	return nil
}

// pass finds each vertex's lightest edge to another component.
func (x *forest) pass() error {
	x.passes++
	if err := errors.Join(x.feed.Stream.CopyIn(x.vector(components), entry.Bytes(x.words[components])),
		x.feed.Stream.Sync()); err != nil {
		return err
	}
	l := kernels.Link{Component: x.vector(components), Light: x.vector(lights), Ends: x.vector(ends)}
	err := x.feed.Pass(func(s kernels.Stream, b kernels.Block, first bool) error {
		l := l
		l.Block, l.First = b, first
		return x.linker.Link(s, x.facts.Kind.Variant(false), l)
	})
	if err != nil {
		return err
	}
	return errors.Join(x.feed.Stream.CopyOut(entry.Bytes(x.words[lights]), x.vector(lights)),
		x.feed.Stream.CopyOut(entry.Bytes(x.words[ends]), x.vector(ends)), x.feed.Stream.Sync())
}

// join takes the least edge of each component, by weight and then by the indices of its ends. No two edges are equal
// in this order, so the edges taken make no cycle. It reports whether it took any.
func (x *forest) join() (joined bool) {
	least := make([]edge, x.facts.N) // by root; u == v for none
	for v := range x.facts.N {
		end := int32(x.words[ends][v])
		if end == entry.NoVertex {
			continue
		}
		e := edge{min(int32(v), end), max(int32(v), end), int32(x.facts.Kind.Key(uint64(x.words[lights][v])))}
		if c := x.words[components][v]; least[c].u == least[c].v || e.less(least[c]) {
			least[c] = e
		}
	}
	for _, e := range least {
		if e.u == e.v {
			continue
		}
		joined = true
		if a, b := x.root(e.u), x.root(e.v); a != b { // otherwise the other component took the same edge
			x.parent[max(a, b)] = min(a, b)
			x.edges = append(x.edges, e)
		}
	}
	for v := range x.words[components] {
		x.words[components][v] = uint32(x.root(int32(v)))
	}
	return joined
}

func (e edge) less(f edge) bool {
	if e.key != f.key {
		return e.key < f.key
	}
	return e.u < f.u || e.u == f.u && e.v < f.v
}

// root returns the root of v's union, and halves the path to it.
func (x *forest) root(v int32) int32 {
	for x.parent[v] != v {
		x.parent[v] = x.parent[x.parent[v]]
		v = x.parent[v]
	}
	return v
}
