package prove

import (
	"context"

	"ooc/engine"
	"ooc/engine/path"
)

// judge searches the distances that a row is compared with. It is for one goroutine.
type judge interface {
	// From returns the distances from a row to all, in stored units; of a matrix by column, those to it.
	From(u int) ([]float64, error)
	// Path returns, of the last search, the arcs on the path to a row that can be reached, and the sum of the
	// magnitudes of their weights.
	Path(v int) (arcs int, magnitude float64)
}

// judges returns what makes a judge for each goroutine.
func judges(ctx context.Context, p *engine.Problem, v *Sampled) (func() judge, error) {
	v.Method = "Dijkstra"
	if p.Meta().Dense {
		return denseJudges(ctx, p, v)
	}
	if p.Meta().Negative {
		v.Method = "Bellman–Ford"
	}
	g, err := p.Graph()
	if err != nil {
		return nil, err
	}
	return func() judge { return path.NewSearch(g) }, nil
}

func denseJudges(ctx context.Context, p *engine.Problem, v *Sampled) (func() judge, error) {
	d, err := p.Matrix()
	if err != nil {
		return nil, err
	}
	var potential []float64
	if p.Meta().Negative {
		v.Method = "Johnson"
		if potential, err = d.Potentials(ctx); err != nil {
			return nil, err
		}
	}
	return func() judge { return d.NewSearch(potential) }, nil
}

// nearJudge searches a graph, and is told what the distances should be near to.
type nearJudge struct {
	*path.Search
	near []float64
}

func (j nearJudge) From(u int) ([]float64, error) { return j.Near(u, j.near) }
