// Package sssp finds shortest paths from chosen sources by sweeps of Bellman–Ford over all arcs (R. Bellman, On a
// routing problem, 1958), on any device with the operations. A sweep gives each vertex the least distance that an arc
// into it offers. The first sweep that changes nothing is the last: there is one more than the longest of the
// shortest paths has arcs.
//
// Sweeps read one vector of distances and write another. So distances and predecessors do not depend on the method,
// the device, the group or the number of threads. A distance is the least, over all paths, of the weights added up in
// order from the source. The predecessor is the vertex before the last on such a path with the fewest arcs; of
// several, the one with the lowest number.
package sssp

import (
	"context"
	"fmt"
	"time"

	"ooc/engine/device"
	"ooc/engine/feed"
	"ooc/engine/graph"
	"ooc/engine/graph/dense"
	"ooc/engine/text"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles/class"
)

// errRounding is wrapped by the error for weights whose rounding to float32 makes a cycle look negative.
var errRounding = class.New(class.Input, "rounding makes a cycle look negative")

// method is a method of sweeping.
type method = feed.Method[run]

type run = func(ctx context.Context, p *problem) (*Result, error)

// Methods lists them; the first is what "" means.
var Methods = feed.Methods[run]{
	auto,
	naive,
	reduce,
	coarse,
	product,
}

// Arcs is a graph: a *graph.Graph, whose arcs are fed to the device in compressed rows, or a *dense.Matrix, fed as
// pieces of a matrix.
type Arcs interface {
	feed.Matrix
	CheckRange(ctx context.Context) error
	NegativeCycle(cycle []int32) error
}

var (
	_ Arcs = (*graph.Graph)(nil)
	_ Arcs = (*dense.Matrix)(nil)
)

// Options say what to find and how.
type Options struct {
	Device   kernels.Device
	Sources  []int  // rows, one at least
	Method   string // one of Methods
	Group    int    // threads that reduce a vertex together, a power of two; 0: the one that is fastest here
	Matrix   bool   // feed a graph as a matrix too
	Progress func(Progress)
}

// Progress is how far a run is; called after each sweep.
type Progress struct {
	Sources, Done int // of the sources, how many are settled
	Sweeps        int // over all arcs, so far
	Elapsed       time.Duration
}

// Result is what was found. Distances are bits of entries in stored units, unreachable as in the kernels.
type Result struct {
	Facts   graph.Facts
	Sources []int
	Dist    [][]uint32 // by source, of each vertex
	Pred    [][]int32  // likewise: entry.NoVertex for the source and what cannot be reached
	Summary summary
}

// summary says how it went.
type summary struct {
	Vertices    int     `json:"vertices"`
	Arcs        int64   `json:"arcs"`
	Kind        string  `json:"kind"`
	Sources     int     `json:"sources"`
	Method      string  `json:"method"`
	Layout      string  `json:"layout"`          // "compressed rows" or "matrix"
	Group       int     `json:"group,omitempty"` // of the last sweep
	Device      string  `json:"device"`
	Resident    bool    `json:"resident"` // all arcs stayed on the device
	Sweeps      int     `json:"sweeps"`   // over all arcs
	Seconds     float64 `json:"seconds"`  // without reading the graph
	SweepBest   float64 `json:"best_sweep_seconds"`
	Relaxations float64 `json:"relaxations"` // an arc, or a pair of a matrix, a source and a sweep each
}

// problem is one call of Run.
type problem struct {
	Options
	arcs    Arcs
	facts   graph.Facts
	variant entry.Variant
	into    *graph.Graph  // with every arc reversed; nil for a matrix
	twice   *kernels.Arcs // of into, for products by lanes; nil before the first
	began   time.Time
	most    float64 // the largest magnitude of a weight
}

// Run finds the distances and predecessors from the sources. A cycle of negative length that a source reaches is a
// *graph.NegativeCycleError.
func Run(ctx context.Context, arcs Arcs, o Options) (*Result, error) {
	method, err := Methods.Named(o.Method)
	if err != nil {
		return nil, err
	}
	p := &problem{Options: o, arcs: arcs, facts: arcs.Facts(), began: time.Now()}
	if err := feed.CheckKind(&p.facts); err != nil {
		return nil, err
	}
	for _, s := range o.Sources {
		if s < 0 || s >= p.facts.N {
			return nil, text.ErrorOf(graph.ErrNoVertex, "there is no row %d; there are %d, from 0", s, p.facts.N)
		}
	}
	if len(o.Sources) == 0 {
		return nil, text.ErrorOf(graph.ErrNoVertex, "no source is given")
	}
	if err := p.fits(); err != nil {
		return nil, err
	}
	if err := arcs.CheckRange(ctx); err != nil {
		return nil, err
	}
	p.most = max(p.facts.MaxWeight, -p.facts.MinWeight)
	p.variant = p.facts.Kind.Variant(p.facts.Negative)
	if g, ok := arcs.(*graph.Graph); ok && !o.Matrix {
		p.into = g.Reverse()
	}
	r, err := method.Run(ctx, p)
	if err != nil {
		return nil, err
	}
	r.Facts, r.Sources = p.facts, o.Sources
	p.describe(&r.Summary)
	return r, nil
}

// fits fails if the results would take more than half of the memory that is free.
func (p *problem) fits() error {
	need := float64(len(p.Sources)) * float64(p.facts.N) * 2 * entry.WordBytes
	if free := device.FreeMemory(); free > 0 && need > float64(free)/2 {
		return fmt.Errorf("%w: the distances and predecessors of %d sources need %.0f bytes, and %d are free; ooc "+
			"solve --sources keeps distances on disk",
			device.ErrMemory, len(p.Sources), need, free)
	}
	return nil
}

// describe fills in what is the same for all methods.
func (p *problem) describe(s *summary) {
	s.Vertices, s.Arcs, s.Kind, s.Sources = p.facts.N, p.facts.Arcs, string(p.facts.Kind), len(p.Sources)
	s.Device, s.Seconds = p.Device.Info().Model, time.Since(p.began).Seconds()
	s.Layout = "compressed rows"
	if p.into == nil {
		s.Layout = "matrix"
	}
}

// pairs is how many relaxations a sweep makes for one source.
func (p *problem) pairs() float64 {
	if p.into == nil {
		return float64(p.facts.N) * float64(p.facts.N)
	}
	return float64(p.facts.Arcs)
}

// report calls Progress.
func (p *problem) report(done, sweeps int) {
	if p.Progress != nil {
		p.Progress(Progress{Sources: len(p.Sources), Done: done, Sweeps: sweeps, Elapsed: time.Since(p.began)})
	}
}
