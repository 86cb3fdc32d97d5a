// Package mst finds a spanning tree of least weight of an undirected graph, or a forest of one tree for each of its
// components, on any device that can. Edges are ordered by weight and then by the indices of their ends, so that
// the same edges come out of every run of a method, whatever the device and the number of threads. Of edges that
// are equally heavy two methods may take different ones; the weights, in order, are the same for all trees there are.
package mst

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"ooc/engine/feed"
	"ooc/engine/graph"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles/class"
)

// errDirected is wrapped by the error of a directed graph.
var errDirected = class.New(class.Input, "the graph is directed")

// method is an algorithm for spanning trees.
type method = feed.Method[run]

type run = func(ctx context.Context, p *problem) error

// Methods lists them; the first is what "" means.
var Methods = feed.Methods[run]{
	boruvka,
	prim,
}

// Options say how to find it.
type Options struct {
	Device   kernels.Device
	Method   string // one of Methods
	Progress func(Progress)
}

// Progress is how far a run is.
type Progress struct {
	Vertices, Edges int // of the graph, and found
	Elapsed         time.Duration
}

// treeEdge is an edge of the tree, U < V in the order of the rows. Its weight is in the input's units.
type treeEdge struct {
	U, V   int32
	Weight float64
}

// Result is a tree, or a forest.
type Result struct {
	Facts   graph.Facts
	Edges   []treeEdge // by U, then V
	Summary summary
}

// summary says how it went.
type summary struct {
	Vertices   int     `json:"vertices"`
	Arcs       int64   `json:"arcs"`
	Kind       string  `json:"kind"`
	Edges      int     `json:"edges"`
	Components int     `json:"components"`
	Total      float64 `json:"total"`
	Method     string  `json:"method"`
	Device     string  `json:"device"`
	Passes     int     `json:"passes"`  // over all arcs; 1 in a method that looks at each arc once
	Seconds    float64 `json:"seconds"` // without reading the graph
}

// problem is the state of one call of Run.
type problem struct {
	Options
	arcs   feed.Matrix
	facts  graph.Facts
	began  time.Time
	edges  []edge
	passes int
}

// edge is an edge with the key of its weight.
type edge struct {
	u, v int32
	key  int32 // that of entry.Kind.Key
}

// Run finds a spanning tree of least weight, or a forest, of an undirected graph: a *graph.Graph or a *dense.Matrix. It
// fails for a directed one.
func Run(ctx context.Context, arcs feed.Matrix, o Options) (*Result, error) {
	method, err := Methods.Named(o.Method)
	if err != nil {
		return nil, err
	}
	p := &problem{Options: o, arcs: arcs, facts: arcs.Facts(), began: time.Now()}
	if err := feed.CheckKind(&p.facts); err != nil {
		return nil, err
	}
	switch {
	case p.facts.Directed:
		return nil, fmt.Errorf("%w, and spanning trees are of undirected graphs; if each arc stands for an edge, read "+
			"the graph with --undirected", errDirected)
	case p.facts.Kind == entry.KindI32 && p.facts.MaxWeight >= float64(entry.Inf32):
		return nil, fmt.Errorf("%w: a weight of %.0f, and in i32 weights must stay below %d: use --kind f32",
			graph.ErrBadInput, p.facts.MaxWeight, entry.Inf32)
	}
	if err := method.Run(ctx, p); err != nil {
		return nil, err
	}
	return p.result(method.Name), nil
}

// result sorts the edges and adds them up, the lightest first: the sum is then the same for all least trees.
func (p *problem) result(method string) *Result {
	r := &Result{Facts: p.facts, Summary: summary{
		Vertices: p.facts.N, Arcs: p.facts.Arcs, Kind: string(p.facts.Kind), Edges: len(p.edges),
		Components: p.facts.N - len(p.edges),
		Method:     method, Device: p.Device.Info().Model, Passes: p.passes,
	}}
	slices.SortFunc(p.edges, func(a, b edge) int { return cmp.Compare(a.key, b.key) })
	for _, e := range p.edges {
		w := p.weight(e.key)
		r.Summary.Total += w
		r.Edges = append(r.Edges, treeEdge{min(e.u, e.v), max(e.u, e.v), w / float64(p.facts.Scale)})
	}
	r.Summary.Total /= float64(p.facts.Scale)
	slices.SortFunc(r.Edges, func(a, b treeEdge) int { return cmp.Or(cmp.Compare(a.U, b.U), cmp.Compare(a.V, b.V)) })
	r.Summary.Seconds = time.Since(p.began).Seconds()
	return r
}

// weight returns the weight of a key, in stored units.
func (p *problem) weight(key int32) float64 {
	return p.facts.Kind.Value(p.facts.Kind.OfKey(int64(key)))
}

func (p *problem) report(edges int) {
	if p.Progress != nil {
		p.Progress(Progress{Vertices: p.facts.N, Edges: edges, Elapsed: time.Since(p.began)})
	}
}
