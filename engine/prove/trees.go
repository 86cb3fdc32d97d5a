package prove

import (
	"context"
	"errors"
	"fmt"
	"math"

	"ooc/engine"
	"ooc/engine/internal/parallel"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// verifyTrees checks the stored predecessors of some rows: they must lead back to the row's vertex along arcs of the
// input, and the arcs must add up to the stored distances, in f32 within rounding. It fails with engine.ErrWrong,
// naming an entry, and with ErrInput if the arcs are missing.
func verifyTrees(ctx context.Context, p *engine.Problem, rows []int) error {
	weight, err := arcWeights(p)
	if err != nil {
		return err
	}
	return parallel.Do(ctx, len(rows), func() func(int) error {
		c := newTreeCheck(p, weight)
		return func(i int) error { return c.row(rows[i]) }
	}, func() {})
}

// arcWeights returns a function that looks up the weight of an arc of the input, by rows, in stored units; +Inf if
// there is no arc.
func arcWeights(p *engine.Problem) (func(u, v int) (float64, error), error) {
	if p.Meta().Dense {
		d, err := p.Matrix()
		if err != nil {
			return nil, err
		}
		return d.Weight, nil
	}
	g, err := p.Graph()
	if err != nil {
		return nil, err
	}
	return func(u, v int) (float64, error) {
		if k := g.Find(u, v); k >= 0 {
			return g.Weight(k), nil
		}
		return math.Inf(1), nil
	}, nil
}

// treeCheck checks rows of predecessors. It is for one goroutine.
type treeCheck struct {
	p           *engine.Problem
	weight      func(u, v int) (float64, error)
	raw, stored []byte
	dist        []float64 // raw as numbers
	arcs        []int32   // on the path from the source; 0: not known yet
	magnitude   []float64 // of the weights on it, added up
	path        []int32
}

func newTreeCheck(p *engine.Problem, weight func(u, v int) (float64, error)) *treeCheck {
	n := p.Geometry().N
	return &treeCheck{p: p, weight: weight, raw: p.Meta().Kind.Make(n), stored: entry.Make(n), dist: make([]float64, n),
		arcs: make([]int32, n), magnitude: make([]float64, n)}
}

func (c *treeCheck) row(u int) error {
	if err := errors.Join(c.p.Store().Unchecked().ReadRow(c.raw, u),
		c.p.Store().Unchecked().ReadRowPredecessors(c.stored, u)); err != nil {
		return err
	}
	c.p.Meta().Kind.Values(c.dist, c.raw)
	pred := entry.View[int32](c.stored)
	clear(c.arcs)
	for v, x := range pred {
		if (v == u || math.IsInf(c.dist[v], 1)) != (x == entry.NoVertex) {
			if x == entry.NoVertex {
				return c.wrong(u, v, "its predecessor is missing")
			}
			return c.wrong(u, v, "it has a predecessor, though it is the source or has no path")
		}
		c.path = c.path[:0]
		for y := int32(v); x != entry.NoVertex && int(y) != u && c.arcs[y] == 0; y = pred[y] {
			if len(c.path) == len(pred) || uint(pred[y]) >= uint(len(pred)) {
				return c.wrong(u, v, "predecessors do not lead back")
			}
			c.path = append(c.path, y)
		}
		for i := len(c.path) - 1; i >= 0; i-- {
			if err := c.arc(u, int(pred[c.path[i]]), int(c.path[i])); err != nil {
				return err
			}
		}
	}
	return nil
}

// arc checks the arc from x to y in the tree of u. The path to x was checked before.
func (c *treeCheck) arc(u, x, y int) error {
	w, err := c.weight(x, y)
	if err != nil {
		return err
	}
	c.arcs[y], c.magnitude[y] = c.arcs[x]+1, c.magnitude[x]+math.Abs(w)
	if x == u {
		c.arcs[y], c.magnitude[y] = 1, math.Abs(w)
	}
	allowed := c.p.Meta().Kind.AllowedRounding(int(c.arcs[y]), c.magnitude[y])
	from, to := c.dist[x], c.dist[y]
	if miss := math.Abs(from + w - to); !(miss <= allowed) || math.IsInf(w, 1) {
		return c.wrongArc(u, x, y, from, w, to)
	}
	return nil
}

// wrongArc says that the distance to x and the weight of an arc from there do not make the distance to y, in stored
// units.
func (c *treeCheck) wrongArc(u, x, y int, from, weight, to float64) error {
	ids, err := c.p.IDs()
	if err != nil {
		return err
	}
	if math.IsInf(weight, 1) {
		return c.wrong(u, y, "its predecessor is %s, from which there is no arc", ids.Name(x))
	}
	show := func(d float64) string { return c.p.Numbers().Text(d / float64(c.p.Meta().Scale)) }
	return c.wrong(u, y, "its predecessor is %s, at distance %s, from which an arc of %s makes no %s", ids.Name(x),
		show(from), show(weight), show(to))
}

// wrong says what is wrong with the predecessor of v on the path from u.
func (c *treeCheck) wrong(u, v int, format string, args ...any) error {
	ids, err := c.p.IDs()
	if err != nil {
		return err
	}
	t := c.p.Geometry().T
	return fmt.Errorf("%s/%s: tile (%d,%d), from %s to %s: %w: %s; solve again with --restart",
		c.p.Dir(), tiles.MatrixName, u/t, v/t, ids.Name(u), ids.Name(v), engine.ErrWrong, fmt.Sprintf(format, args...))
}
