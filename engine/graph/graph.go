package graph

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"ooc/engine/graph/internal/number"
	"ooc/engine/internal/parallel"
	"ooc/engine/text"
	"ooc/kernels/entry"
)

// KindAuto, in options only, picks entry.KindI32 if every weight is an integer, else entry.KindF32.
const KindAuto = number.Auto

// MaxVertices is the largest number of vertices of a graph: rows are int32.
const MaxVertices = math.MaxInt32

// Graph is a weighted graph in compressed sparse rows. The arcs of row i are Targets[Offsets[i]:
// Offsets[i+1]] with the weights at the same places of I32, F32 or F64. A Graph is not changed once built,
// so any number of goroutines may use it.
type Graph struct {
	N        int
	Kind     entry.Kind // of distances; weights are of Kind.Wide
	Directed bool
	Scale    int64     // stored weights are the input's times Scale; 1 if it was not scaled
	Offsets  []int64   // N+1, ascending from 0 to len(Targets)
	Targets  []int32   // strictly ascending within a row; no self-loops
	I32      []int32   // weights of integer kinds, never nil there; else nil
	F32      []float32 // weights of kind f32, never nil there; else nil
	F64      []float64 // weights of kind f64, never nil there; else nil

	IDs IDs // the vertices' ids outside the program; the zero value is 0…N-1

	Symmetric            bool    // every arc has its reverse, with the same weight
	Negative             bool    // some weight is below 0
	MinWeight, MaxWeight float64 // over all arcs, in stored units; 0, 0 without arcs

	// What the input held beside the arcs: non-negative self-loops, arcs (undirected: edges) merged
	// with a parallel one of smaller or equal weight, and arcs of weight +Inf. All are dropped.
	SelfLoops, Parallel, NoArcs int64

	File string // the input's name, for errors
}

// weight is the type of weights.
type weight interface{ int32 | float32 | float64 }

// Arcs returns the number of arcs; an undirected edge counts as two.
func (g *Graph) Arcs() int64 { return int64(len(g.Targets)) }

// Weight returns the weight of arc k, an index into Targets, in stored units.
func (g *Graph) Weight(k int64) float64 {
	switch {
	case g.I32 != nil:
		return float64(g.I32[k])
	case g.F32 != nil:
		return float64(g.F32[k])
	}
	return g.F64[k]
}

// Find returns the index of the arc from row u to row v, or -1.
func (g *Graph) Find(u, v int) int64 {
	lo, hi := g.Offsets[u], g.Offsets[u+1]
	if k, ok := slices.BinarySearch(g.Targets[lo:hi], int32(v)); ok {
		return lo + int64(k)
	}
	return -1
}

// Name returns the outside id of a row.
func (g *Graph) Name(row int) string { return g.IDs.Name(row) }

// Row returns the row of an outside id.
func (g *Graph) Row(name string) (int, bool) { return g.IDs.Row(name, g.N) }

// Reverse returns the graph with every arc reversed. The counts of dropped arcs are kept.
func (g *Graph) Reverse() *Graph {
	r := *g
	if !g.Directed {
		return &r
	}
	r.Offsets = make([]int64, g.N+1)
	r.Targets = make([]int32, len(g.Targets))
	for _, v := range g.Targets {
		r.Offsets[v+1]++
	}
	for i := range g.N {
		r.Offsets[i+1] += r.Offsets[i]
	}
	weights := g.Kind.Wide().Make(len(g.Targets))
	if g.F64 != nil {
		transpose(g, &r, entry.View[float64](weights), g.F64)
	} else {
		transpose(g, &r, entry.View[uint32](weights), entry.View[uint32](g.WeightBytes()))
	}
	r.SetWeights(weights)
	return &r
}

// transpose places every arc of g in its target's row of r, and its weight in to. Rows of g are taken in order, so
// that the rows of r ascend without a sort.
func transpose[W entry.Word](g, r *Graph, to, from []W) {
	next := append([]int64(nil), r.Offsets[:r.N]...)
	for u := range g.N {
		for k := g.Offsets[u]; k < g.Offsets[u+1]; k++ {
			v := g.Targets[k]
			r.Targets[next[v]], to[next[v]] = int32(u), from[k]
			next[v]++
		}
	}
}

// Validate returns an error that wraps ErrBadInput if g breaks an invariant of the package: a graph
// that was read back from a store may be damaged. It also sets Symmetric, Negative, MinWeight and MaxWeight.
func (g *Graph) Validate() error {
	bad := func(format string, args ...any) error {
		return &InputError{File: g.File, Reason: fmt.Sprintf(format, args...)}
	}
	arcs := len(g.Targets)
	switch {
	case g.N < 1 || g.N > MaxVertices:
		return bad("%d vertices", g.N)
	case len(g.Offsets) != g.N+1 || g.Offsets[0] != 0 || g.Offsets[g.N] != int64(arcs):
		return bad("offsets do not span %d vertices and %d arcs", g.N, arcs)
	case !g.Kind.Valid():
		return bad("kind %q", g.Kind)
	case (g.I32 != nil) == g.Kind.Float(), (g.F32 != nil) != (g.Kind == entry.KindF32),
		(g.F64 != nil) != (g.Kind == entry.KindF64),
		len(g.I32)+len(g.F32)+len(g.F64) != arcs:
		return bad("weights do not match %d arcs of kind %s", arcs, g.Kind)
	case g.Scale < 1:
		return bad("scale %d", g.Scale)
	}
	for u := range g.N {
		if err := g.validRow(u); err != "" {
			return bad("row %d: %s", u, err)
		}
	}
	for k := 0; g.Kind.Float() && k < arcs; k++ {
		if w := g.Weight(int64(k)); w != w || math.IsInf(w, 0) || (w == 0 && math.Signbit(w)) {
			return bad("arc %d has weight %v", k, w)
		}
	}
	if !g.Directed && !g.symmetric() {
		return bad("an undirected graph has an arc without its reverse")
	}
	g.summarize()
	return nil
}

func (g *Graph) validRow(u int) string {
	lo, hi := g.Offsets[u], g.Offsets[u+1]
	if lo > hi || hi > int64(len(g.Targets)) {
		return "offsets descend"
	}
	last := int32(-1)
	for _, v := range g.Targets[lo:hi] {
		switch {
		case v <= last:
			return "targets do not ascend"
		case int64(v) >= int64(g.N):
			return "target out of range"
		case int(v) == u:
			return "self-loop"
		}
		last = v
	}
	return ""
}

// OneWay returns the ends of the first arc that has no reverse of the same weight, and whether there is one.
func (g *Graph) OneWay() (u, v int, found bool) {
	if g.symmetric() {
		return 0, 0, false
	}
	g.eachReverse(func(from int, k, back int64) bool {
		u, v, found = from, int(g.Targets[k]), back < 0 || g.Weight(back) != g.Weight(k)
		return !found
	})
	return u, v, found
}

// symmetric reports whether each arc's reverse is there with the same weight.
func (g *Graph) symmetric() bool {
	for u := range min(g.N, 1000) { // shows most that are not, before memory is taken
		for k := g.Offsets[u]; k < min(g.Offsets[u+1], g.Offsets[u]+100); k++ {
			if back := g.Find(int(g.Targets[k]), u); back < 0 || g.Weight(back) != g.Weight(k) {
				return false
			}
		}
	}
	// Where all arcs to later rows have their reverse, and are half of all arcs, those are all reverses.
	const block = 1 << 10
	var later atomic.Int64
	err := parallel.Do(context.Background(), (g.N-1)/block+1, func() func(int) error {
		return func(i int) error {
			for u := i * block; u < min(g.N, (i+1)*block); u++ {
				first, _ := slices.BinarySearch(g.Targets[g.Offsets[u]:g.Offsets[u+1]], int32(u))
				for k := g.Offsets[u] + int64(first); k < g.Offsets[u+1]; k++ {
					if back := g.Find(int(g.Targets[k]), u); back < 0 || g.Weight(back) != g.Weight(k) {
						return errOneWay
					}
				}
				later.Add(g.Offsets[u+1] - g.Offsets[u] - int64(first))
			}
			return nil
		}
	}, func() {})
	return err == nil && 2*later.Load() == g.Arcs()
}

var errOneWay = errors.New("an arc has no reverse of the same weight")

// NoneBack reports whether no arc has its reverse, of whatever weight.
func (g *Graph) NoneBack() bool {
	none := true
	g.eachReverse(func(_ int, _, back int64) bool {
		none = back < 0
		return none
	})
	return none
}

// eachReverse calls do with each arc from a row u and its reverse, or -1, until it returns false. Rows are visited in
// order, so the reverses of the arcs into v are met in the order of v's row: one cursor a row is enough.
func (g *Graph) eachReverse(do func(u int, k, back int64) bool) {
	next := slices.Clone(g.Offsets[:g.N])
	for u := range g.N {
		for k := g.Offsets[u]; k < g.Offsets[u+1]; k++ {
			v := g.Targets[k]
			back, end := next[v], g.Offsets[v+1]
			for back < end && int(g.Targets[back]) < u {
				back++
			}
			if next[v] = back; back == end || int(g.Targets[back]) != u {
				back = -1
			}
			if !do(u, k, back) {
				return
			}
		}
	}
}

// summarize sets Symmetric, Negative, MinWeight and MaxWeight.
func (g *Graph) summarize() {
	g.Symmetric = !g.Directed || g.symmetric()
	switch {
	case g.I32 != nil:
		g.MinWeight, g.MaxWeight = extremes(g.I32)
	case g.F32 != nil:
		g.MinWeight, g.MaxWeight = extremes(g.F32)
	default:
		g.MinWeight, g.MaxWeight = extremes(g.F64)
	}
	g.Negative = g.MinWeight < 0
}

// extremes returns the least and the largest weight; 0, 0 where there is none.
func extremes[W weight](weights []W) (float64, float64) {
	const part = 1 << 18
	ends := make([]W, 2*entry.CeilDiv(len(weights), part))
	if len(ends) == 0 {
		return 0, 0
	}
	_ = parallel.Do(context.Background(), len(ends)/2, func() func(int) error { // there is no error
		return func(i int) error {
			some := weights[i*part : min((i+1)*part, len(weights))]
			ends[2*i], ends[2*i+1] = slices.Min(some), slices.Max(some)
			return nil
		}
	}, func() {})
	return float64(slices.Min(ends)), float64(slices.Max(ends))
}

// InputWeight writes the weight of an arc in the input's units.
func (g *Graph) InputWeight(arc int64) string {
	return text.NumbersOf(g.Kind, g.Scale).Text(g.Weight(arc) / float64(g.Scale))
}

// WeightBytes returns the weights as stored: of Kind.Wide, little-endian.
func (g *Graph) WeightBytes() []byte {
	switch {
	case g.I32 != nil:
		return entry.Bytes(g.I32)
	case g.F32 != nil:
		return entry.Bytes(g.F32)
	}
	return entry.Bytes(g.F64)
}

// Wide returns the graph in the kind that its weights are of.
func (g *Graph) Wide() *Graph {
	w := *g
	w.Kind = g.Kind.Wide()
	return &w
}

// Unweighted returns the graph with 1 in the place of every weight, in a kind; graph.KindAuto stands for i32.
func (g *Graph) Unweighted(kind entry.Kind) *Graph {
	w := *g
	w.Kind, w.Scale, w.I32, w.F32, w.F64 = cmp.Or(kind, entry.KindI32), 1, nil, nil, nil
	wide := w.Kind.Wide()
	weights := wide.Make(len(w.Targets))
	wide.Fill(weights, wide.Bits(1))
	w.SetWeights(weights)
	w.summarize()
	return &w
}

// SetWeights sets the weights, as WeightBytes returns them, of a graph whose kind is set.
func (g *Graph) SetWeights(stored []byte) {
	switch g.Kind {
	case entry.KindF32:
		g.F32 = entry.View[float32](stored)
	case entry.KindF64:
		g.F64 = entry.View[float64](stored)
	default:
		g.I32 = entry.View[int32](stored)
	}
}

// Digest is the same text for two graphs with the same vertices, by their rows, and the same arcs, kind and scale.
// Ids do not matter.
func (g *Graph) Digest() string {
	h := sha256.New()
	fmt.Fprintln(h, g.N, g.Arcs(), g.Kind, g.Scale)
	for _, b := range [][]byte{entry.Bytes(g.Offsets), entry.Bytes(g.Targets), g.WeightBytes()} {
		h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil))
}
