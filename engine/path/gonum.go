package path

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"sync"

	gonum "gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/simple"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/text"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// FromGonum returns a gonum graph as Create takes it. Rows ascend by node ID, which is the vertex's id; a graph that
// is a gonum.Undirected has edges. As kind and scale are options, errors are those of graph.Builder.
func FromGonum(g gonum.Weighted, options ...graph.BuildOption) (*graph.Graph, error) {
	nodes := gonum.NodesOf(g.Nodes())
	slices.SortFunc(nodes, func(a, b gonum.Node) int { return cmp.Compare(a.ID(), b.ID()) })
	ids, rows := make([]int64, len(nodes)), make(map[int64]int, len(nodes))
	for row, node := range nodes {
		ids[row], rows[node.ID()] = node.ID(), row
	}
	_, undirected := g.(gonum.Undirected)
	options = append(slices.Clone(options), graph.Named(graph.IDs{Numeric: ids}))
	if undirected {
		options = append(options, graph.Undirected)
	}
	b := graph.New(len(nodes), options...)
	for u, id := range ids {
		for to := g.From(id); to.Next(); {
			v := rows[to.Node().ID()]
			if w, ok := g.Weight(id, to.Node().ID()); ok && (u < v || !undirected) {
				b.Add(u, v, w)
			}
		}
	}
	return b.Build()
}

// Gonum answers for a solved store what gonum's path.AllShortest answers for a graph in memory. A node is a vertex's
// numeric id. Its methods may be called concurrently.
type Gonum struct {
	p   *engine.Problem
	ids graph.IDs

	mu   sync.Mutex
	walk *walker // guarded by mu
	err  error   // the first; guarded by mu
}

// NewGonum returns the store's answers in gonum's shapes. Errors are those of New, and graph.ErrNoVertex where ids
// are no numbers.
func NewGonum(p *engine.Problem) (*Gonum, error) {
	w, err := New(p)
	if err != nil {
		return nil, err
	}
	if w.ids.Text != nil {
		return nil, text.ErrorOf(graph.ErrNoVertex, "the ids of %s are texts, and gonum's are numbers", p.Dir())
	}
	if w.back == nil { // predecessors give one path; only arcs tell whether there are others
		g, err := p.Graph()
		if err == nil {
			w.back = g.Reverse()
		} else if !errors.Is(err, tiles.ErrNoCSR) {
			return nil, err
		}
	}
	return &Gonum{p: p, ids: w.ids, walk: w}, nil
}

// Err returns the first error that a method without an error result met: the store cannot be read, or is wrong.
func (s *Gonum) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Weight returns the length of a shortest path between nodes; +Inf where there is none, or no such node.
func (s *Gonum) Weight(uid, vid int64) float64 {
	u, uOK := s.row(uid)
	v, vOK := s.row(vid)
	if !uOK || !vOK {
		return math.Inf(1)
	}
	d, err := s.p.Distance(u, v)
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.fail(err)
	}
	return d
}

// Between returns a shortest path between nodes, its length, and whether it is the only one: in f32, the only one
// within rounding, or, where the input was a matrix, of exactly its length. Without a path, path is nil and weight
// +Inf.
func (s *Gonum) Between(uid, vid int64) (path []gonum.Node, weight float64, unique bool) {
	u, uOK := s.row(uid)
	v, vOK := s.row(vid)
	if !uOK || !vOK {
		return nil, math.Inf(1), false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	found, err := s.walk.Between(u, v)
	if err != nil {
		return nil, s.fail(err), false
	}
	for _, x := range found.Vertices {
		path = append(path, simple.Node(s.id(x)))
	}
	unique = found.Reachable()
	if unique && u != v {
		if unique, err = s.walk.unique(found); err != nil {
			return nil, s.fail(err), false
		}
	}
	return path, found.Length, unique
}

// fail keeps the first error; mu is held.
func (s *Gonum) fail(err error) float64 {
	if s.err == nil {
		s.err = err
	}
	return math.Inf(1)
}

func (s *Gonum) row(id int64) (int, bool) {
	if s.ids.Numeric != nil {
		return slices.BinarySearch(s.ids.Numeric, id)
	}
	row := id - s.ids.Base
	return int(row), row >= 0 && row < int64(s.p.Geometry().N)
}

func (s *Gonum) id(row int32) int64 {
	if s.ids.Numeric != nil {
		return s.ids.Numeric[row]
	}
	return s.ids.Base + int64(row)
}

// unique reports whether a path is the only shortest one: exactly one tight arc enters each of its later vertices,
// and none enters the source.
func (w *walker) unique(p Route) (bool, error) {
	if err := w.load(p.From); err != nil { // to find the path, not all distances were needed
		return false, err
	}
	unique := false
	err := w.within(func() (err error) {
		unique, err = w.oneWay(p)
		return err
	})
	return unique, err
}

// oneWay is unique where distances can be asked for.
func (w *walker) oneWay(p Route) (bool, error) {
	slack := w.p.Meta().Kind.RoundingSlack()
	for i, y := range p.Vertices {
		arcs := 0
		err := w.into(y, func(x int32, weight float64) {
			dx := w.distance(x)
			if !math.IsInf(dx, 1) && math.Abs(dx+weight-w.distance(y)) <= slack*(math.Abs(dx)+math.Abs(weight)) {
				arcs++
			}
		})
		if err != nil || arcs > min(i, 1) {
			return false, err
		}
	}
	return true, nil
}

// into calls do for each arc into y. Where the store has no graph, an arc is an entry whose predecessor is its own row:
// every arc on a shortest path is itself a shortest path, so none of those is missed.
func (w *walker) into(y int32, do func(x int32, weight float64)) error {
	if w.back != nil {
		for k := w.back.Offsets[y]; k < w.back.Offsets[y+1]; k++ {
			do(w.back.Targets[k], w.back.Weight(k))
		}
		return nil
	}
	n := len(w.dist)
	kind := w.p.Meta().Kind.Wide()
	distances, before := kind.Make(n), entry.Make(n)
	if err := errors.Join(w.p.Store().ReadCol(distances, int(y)),
		w.p.Store().ReadColPredecessors(before, int(y))); err != nil {
		return err
	}
	for x, b := range entry.View[int32](before) {
		if int(b) == x {
			do(b, kind.Value(kind.At(distances, x)))
		}
	}
	return nil
}
