package prove

import (
	"context"

	"ooc/engine"
	"ooc/engine/tree"
)

// judge searches the right distances, with which a row is compared. It is for one goroutine.
type judge interface {
	// From returns the distances from a row to all, in stored units; for a matrix that is compared by column, those
	// to it.
	From(u int) ([]float64, error)
	// Path describes the path to a row that the last search reached: the number of its arcs, and the sum of the
	// magnitudes of their weights.
	Path(v int) (arcs int, magnitude float64)
}

// judges returns a function that makes a judge for each goroutine.
func judges(ctx context.Context, p *engine.Problem, v *sampling) (func() judge, error) {
	v.Method = "Dijkstra"
	if !p.Meta().Dense {
		if p.Meta().Negative {
			v.Method = "Bellman–Ford"
		}
		g, err := p.Graph()
		return func() judge { return tree.NewSearch(g) }, err
	}
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
	*tree.Search
	near []float64
}

func (j nearJudge) From(u int) ([]float64, error) { return j.Near(u, j.near) }
