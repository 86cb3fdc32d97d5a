package engine

import (
	"context"
	"errors"
	"fmt"
	"math"

	"ooc/tiles"
)

// verifyTrees looks at the stored predecessors of some rows: that they lead back to the row's vertex along arcs of the
// input, each of which makes the stored distances, in f32 within rounding. It fails with ErrWrong, naming an entry, and
// with ErrInput where the arcs are not there.
func (p *Problem) verifyTrees(ctx context.Context, rows []int) error {
	weight, err := p.arcWeights()
	if err != nil {
		return err
	}
	return parallel(ctx, len(rows), func() func(int) error {
		c := newTreeCheck(p, weight)
		return func(i int) error { return c.row(rows[i]) }
	}, func() {})
}

// arcWeights returns what looks arcs of the input up, by rows, in stored units; +Inf where there is none.
func (p *Problem) arcWeights() (func(u, v int) (float64, error), error) {
	if p.meta.Dense {
		d, err := p.dense("")
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
	p           *Problem
	weight      func(u, v int) (float64, error)
	raw, stored []byte
	arcs        []int32   // on the way from the source; 0: not known yet
	magnitude   []float64 // of the weights on it, added up
	way         []int32
}

func newTreeCheck(p *Problem, weight func(u, v int) (float64, error)) *treeCheck {
	n := p.geom.N
	return &treeCheck{p: p, weight: weight, raw: entries(n), stored: entries(n), arcs: make([]int32, n), magnitude: make([]float64, n)}
}

func (c *treeCheck) row(u int) error {
	if err := errors.Join(c.p.store.ReadRow(c.raw, u), c.p.store.ReadRowPredecessors(c.stored, u)); err != nil {
		return err
	}
	distances, noPath := words32(c.raw), c.p.noPath()
	pred := words[int32](c.stored)
	clear(c.arcs)
	for v, x := range pred {
		if (v == u || distances[v] == noPath) != (x == tiles.NoPredecessor) {
			return c.wrong(u, v, "predecessor %d", x)
		}
		c.way = c.way[:0]
		for y := int32(v); x != tiles.NoPredecessor && int(y) != u && c.arcs[y] == 0; y = pred[y] {
			if len(c.way) == len(pred) || uint(pred[y]) >= uint(len(pred)) {
				return c.wrong(u, v, "predecessors do not lead back")
			}
			c.way = append(c.way, y)
		}
		for i := len(c.way) - 1; i >= 0; i-- {
			if err := c.arc(u, int(pred[c.way[i]]), int(c.way[i])); err != nil {
				return err
			}
		}
	}
	return nil
}

// arc checks the arc from x to y in the tree of u, in which the way to x was checked.
func (c *treeCheck) arc(u, x, y int) error {
	w, err := c.weight(x, y)
	if err != nil {
		return err
	}
	kind, distances := c.p.meta.Kind, words32(c.raw)
	c.arcs[y], c.magnitude[y] = c.arcs[x]+1, c.magnitude[x]+math.Abs(w)
	if x == u {
		c.arcs[y], c.magnitude[y] = 1, math.Abs(w)
	}
	allowed := 0.0
	if kind == tiles.F32 {
		allowed = allowedRounding(int(c.arcs[y]), c.magnitude[y])
	}
	from, to := storedValue(kind, distances[x]), storedValue(kind, distances[y])
	if miss := math.Abs(from + w - to); !(miss <= allowed) || math.IsInf(w, 1) {
		return c.wrong(u, y, "predecessor %d, from which an arc of %v makes no %v of %v", x, w, to, from)
	}
	return nil
}

// wrong says what is wrong with a predecessor; numbers are those of rows, in stored units.
func (c *treeCheck) wrong(u, v int, format string, args ...any) error {
	ids, err := c.p.IDs()
	if err != nil {
		return err
	}
	t := c.p.geom.T
	return fmt.Errorf("%s/dist.npy: tile (%d,%d), from %s to %s: %w: %s; solve again with --restart",
		c.p.Dir(), u/t, v/t, ids.Name(u), ids.Name(v), ErrWrong, fmt.Sprintf(format, args...))
}
