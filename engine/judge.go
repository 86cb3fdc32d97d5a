package engine

import (
	"math"

	"ooc/engine/graph"
)

// judge searches the distances that a row is compared with. It is for one goroutine.
type judge interface {
	// from returns the distances from a row to all, in stored units; of a matrix by column, those to it.
	from(u int) ([]float64, error)
	// path returns, of the last search, the arcs on the path to a row that can be reached, and the sum of the
	// magnitudes of their weights.
	path(v int) (arcs int, magnitude float64)
}

// judges returns what makes a judge for each goroutine.
func (p *Problem) judges(v *Verification) (func() judge, error) {
	v.Method = "Dijkstra"
	if p.meta.Dense {
		return p.denseJudges(v)
	}
	if p.meta.Negative {
		v.Method = "Bellman–Ford"
	}
	g, err := p.Graph()
	if err != nil {
		return nil, err
	}
	return func() judge { return newSparseJudge(g) }, nil
}

func (p *Problem) denseJudges(v *Verification) (func() judge, error) {
	d, err := p.dense("")
	if err != nil {
		return nil, err
	}
	var potential []float64
	if p.meta.Negative {
		v.Method = "Johnson"
		if potential, err = d.Potentials(); err != nil {
			return nil, err
		}
	}
	return func() judge { return denseJudge{d.NewSearch(potential)} }, nil
}

// byColumn reports whether judges search towards a vertex: in a matrix whose columns, and not rows, can be
// read at a time.
func (p *Problem) byColumn() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.matrix != nil && p.matrix.ByColumn()
}

type denseJudge struct{ s *graph.DenseSearch }

func (j denseJudge) from(u int) ([]float64, error)    { return j.s.From(u) }
func (j denseJudge) path(v int) (arcs int, m float64) { return j.s.Path(v) }

// sparseJudge searches a graph.
type sparseJudge struct {
	g      *graph.Graph
	search *graph.Search
	way    []int32
	hops   []int32   // arcs on the path; -1: none known
	length []float64 // of it
	sum    []float64 // of the magnitudes of its weights
}

func newSparseJudge(g *graph.Graph) *sparseJudge {
	return &sparseJudge{g: g, search: graph.NewSearch(g), hops: make([]int32, g.N), length: make([]float64, g.N), sum: make([]float64, g.N)}
}

func (j *sparseJudge) from(u int) ([]float64, error) {
	dist := j.search.From(u)
	j.found(u, dist)
	return dist, nil
}

// found measures what a search from u has found, where there is rounding to allow for.
func (j *sparseJudge) found(u int, dist []float64) {
	switch {
	case j.g.Kind != graph.KindF32:
	case j.g.Negative:
		j.measure(u, j.search.Pred())
	default: // magnitudes are the lengths
		j.walk(u, j.search.Pred(), func(y, p int32) { j.length[y], j.sum[y] = dist[y], dist[y] })
		j.length[u], j.sum[u] = 0, 0
	}
}

func (j *sparseJudge) path(v int) (arcs int, magnitude float64) { return int(j.hops[v]), j.sum[v] }

// measure sets hops, length and sum for the paths from u that pred, by vertex, leads back on. hops is left -1 for
// vertices that it does not lead back to u from.
func (j *sparseJudge) measure(u int, pred []int32) {
	j.length[u], j.sum[u] = 0, 0
	j.walk(u, pred, func(y, p int32) {
		w := j.g.Weight(j.g.Find(int(p), int(y)))
		j.length[y], j.sum[y] = j.length[p]+w, j.sum[p]+math.Abs(w)
	})
}

// walk sets hops, and calls each with every vertex that pred leads back to u from and the one before it, which it
// has been called with before, if that is not u.
func (j *sparseJudge) walk(u int, pred []int32, each func(y, p int32)) {
	for v := range j.hops {
		j.hops[v] = -1
	}
	j.hops[u] = 0
	for v := range pred {
		j.way = j.way[:0]
		x := int32(v)
		for j.hops[x] < 0 && pred[x] >= 0 && len(j.way) <= len(pred) {
			j.way = append(j.way, x)
			x = pred[x]
		}
		if len(j.way) > len(pred) { // a cycle: what pred says is no tree
			return
		}
		if j.hops[x] < 0 {
			continue // unreachable
		}
		for i := len(j.way) - 1; i >= 0; i-- {
			y := j.way[i]
			j.hops[y] = j.hops[pred[y]] + 1
			each(y, pred[y])
		}
	}
}

// nearJudge is a sparseJudge that is told what the distances should be near to.
type nearJudge struct {
	*sparseJudge
	near []float64
}

func (j nearJudge) from(u int) ([]float64, error) {
	if j.g.Negative {
		return j.sparseJudge.from(u)
	}
	dist := j.search.Near(u, j.near)
	j.found(u, dist)
	return dist, nil
}
