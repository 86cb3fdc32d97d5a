package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/path"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// predecessorWriter returns a function that writes the predecessors of rows as a 2-D array of int32; none stands
// where there is no predecessor. Each row is a tree of shortest paths from its vertex, even with arcs of weight 0.
func predecessorWriter(none int32) func(ctx context.Context, x *extract, w io.Writer) error {
	return func(ctx context.Context, x *extract, w io.Writer) error {
		g, err := x.p.Graph()
		if errors.Is(err, tiles.ErrNoCSR) {
			return fmt.Errorf("%w: predecessors need the arcs, which only stores of sparse graphs keep; solve the matrix again with --predecessors", err)
		} else if err != nil {
			return err
		}
		if _, err := w.Write(npyHeader2D("<i4", x.rows.n, x.cols.n)); err != nil {
			return err
		}
		back := g.Reverse()
		idle := sync.Pool{New: func() any { return newTreeMaker(g, back, none) }}
		l := lines{}
		if x.size != entry.WordBytes {
			l.bytes = entry.WordBytes
		}
		l.encode = func(b *block) []byte {
			t := idle.Get().(*treeMaker)
			defer idle.Put(t)
			rows := b.entries // predecessors take the places of distances where they have as many bytes
			if rows == nil {
				b.out = b.out[:cap(b.out)]
				rows = entry.View[uint32](b.out)
			}
			for i := b.lo; i < b.hi; i++ {
				at := (i - b.lo) * g.N
				row := rows[at:][:g.N]
				source := x.p.Meta().Sources.Vertex(x.rows.number(i))
				if b.doubles != nil {
					copy(t.dist, b.doubles[at:])
				}
				if v := t.replace(row, source); v >= 0 {
					b.err = fmt.Errorf("%s: from %s to %s: %w: no arcs make the stored distance; look with: ooc verify",
						x.p.Dir(), x.ids.Name(source), x.ids.Name(v), engine.ErrWrong)
					return nil
				}
			}
			return entry.Bytes(rows[:(b.hi-b.lo)*g.N])
		}
		return x.stream(ctx, w, l)
	}
}

// storedPredecessorWriter returns a function that writes the predecessors which the store keeps.
func storedPredecessorWriter(none int32) func(ctx context.Context, x *extract, w io.Writer) error {
	return func(ctx context.Context, x *extract, w io.Writer) error {
		if _, err := w.Write(npyHeader2D("<i4", x.rows.n, x.cols.n)); err != nil {
			return err
		}
		return x.stream(ctx, w, lines{encode: func(b *block) []byte {
			used := (b.hi - b.lo) * x.cols.n
			for i, p := range b.entries[:used] {
				if int32(p) == entry.NoVertex {
					b.entries[i] = uint32(none)
				}
			}
			return b.stored[:4*used]
		}})
	}
}

// treeMaker finds trees of shortest paths in rows of distances. It is for one goroutine.
type treeMaker struct {
	g, back *graph.Graph
	none    int32
	pred    []int32
	queue   []int32
	dist    []float64    // of floating kinds alone
	search  *path.Search // likewise
}

func newTreeMaker(g, back *graph.Graph, none int32) *treeMaker {
	t := &treeMaker{g: g, back: back, none: none, pred: make([]int32, g.N), queue: make([]int32, 0, g.N)}
	if g.Kind.Float() {
		t.dist, t.search = make([]float64, g.N), path.NewSearch(g)
	}
	return t
}

// replace overwrites a row of stored distances from source with predecessors on shortest paths. The distances of f64,
// which are too long for the row, are in dist. If the arcs do not add up to some vertex's distance it returns that
// vertex, else -1.
func (t *treeMaker) replace(row []uint32, source int) int {
	wrong := -1
	switch {
	case t.g.Kind == entry.KindF32:
		entry.KindF32.Values(t.dist, entry.Bytes(row))
		wrong = t.rounded(source)
	case t.g.Kind == entry.KindF64:
		wrong = t.rounded(source)
	case t.g.MinWeight > 0:
		wrong = t.falling(row, source)
	default:
		wrong = t.exact(row, int32(source))
	}
	for v, x := range t.pred {
		if x < 0 {
			x = t.none
		}
		row[v] = uint32(x)
	}
	return wrong
}

// falling takes any tight arc. All weights are positive here, so distances fall from arc to arc towards the source, and
// there is no cycle. The choice compiles to a conditional move: a branch would often be mispredicted.
func (t *treeMaker) falling(row []uint32, source int) int {
	wrong := -1
	if row[source] != 0 {
		wrong = source
	}
	offsets := t.back.Offsets
	for v, d := range row {
		targets := t.back.Targets[offsets[v]:offsets[v+1]]
		weights := t.back.I32[offsets[v]:offsets[v+1]][:len(targets)]
		before := int32(-1)
		for k, x := range targets {
			if row[x]+uint32(weights[k]) == d {
				before = x
			}
		}
		if v == source || int32(d) == entry.Inf32 {
			before = -1
		} else if before < 0 {
			wrong = v
		}
		t.pred[v] = before
	}
	return wrong
}

// exact searches from the source over tight arcs, breadth first. They lead to every reachable vertex, and the search
// visits each once, so cycles of length 0 do no harm.
func (t *treeMaker) exact(row []uint32, source int32) int {
	for v := range t.pred {
		t.pred[v] = -1
	}
	offsets, targets, weights := t.g.Offsets, t.g.Targets, t.g.I32
	t.pred[source] = source
	t.queue = append(t.queue[:0], source)
	for at := 0; at < len(t.queue); at++ {
		u := t.queue[at]
		du := int32(row[u])
		for k := offsets[u]; k < offsets[u+1]; k++ {
			if v := targets[k]; du+weights[k] == int32(row[v]) && t.pred[v] < 0 {
				t.pred[v] = u
				t.queue = append(t.queue, v)
			}
		}
	}
	t.pred[source] = -1
	if int32(row[source]) != 0 {
		return int(source)
	}
	for v, d := range row {
		if t.pred[v] < 0 && int32(d) != entry.Inf32 && v != int(source) {
			return v
		}
	}
	return -1
}

// rounded takes into each vertex the arc that is nearest to tight. If these arcs make no tree, or one whose paths
// differ from the stored distances by more than rounding allows, it searches the graph instead.
func (t *treeMaker) rounded(source int) int {
	for v := range t.pred {
		t.pred[v] = -1
		if v == source || math.IsInf(t.dist[v], 1) {
			continue
		}
		least := math.Inf(1)
		for k := t.back.Offsets[v]; k < t.back.Offsets[v+1]; k++ {
			x := t.back.Targets[k]
			if d := t.dist[x] + t.back.Weight(k); d < least {
				t.pred[v], least = x, d
			}
		}
	}
	if t.search.Measure(source, t.pred); t.misses(source) < 0 {
		return -1
	}
	t.search.From(source)
	copy(t.pred, t.search.Pred())
	return t.misses(source)
}

// misses returns a vertex whose path in pred, as search measured it, differs from its stored distance; or -1.
func (t *treeMaker) misses(source int) int {
	for v, d := range t.dist {
		arcs, magnitude := t.search.Path(v)
		switch {
		case math.IsInf(d, 1) && t.pred[v] < 0 && v != source:
		case arcs < 0, math.Abs(t.search.Length(v)-d) > t.g.Kind.AllowedRounding(arcs, magnitude), d != d:
			return v
		}
	}
	return -1
}
