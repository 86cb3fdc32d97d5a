package main

import (
	"context"
	"errors"
	"os"

	"ooc/cmd/ooc/exit"
	"ooc/engine"
)

// checkKeep refuses flags that say how a matrix is made, where none is.
func (o *solveOptions) checkKeep(many bool) error {
	if o.keep != string(engine.KeepFactors) {
		return nil
	}
	if many {
		return exit.UsageError(errors.New("--keep factors is for one graph, and not for a batch or --dry-run"))
	}
	return o.without("--%s does not go with --keep factors, which makes no matrix",
		"sources", "predecessors", "layout", "tile", "round", "streams", "algorithm", "timeline")
}

// keepsRowsNow reports whether a store of factors is to keep rows in their place.
func (o *solveOptions) keepsRowsNow(p *engine.Problem) bool {
	return o.keep == string(engine.KeepRows) && p.Keeps() == engine.KeepFactors
}

// keepRows makes the store of the same graph anew, with a matrix in the place of the factors.
func (j *job) keepRows(ctx context.Context, p *engine.Problem) (*engine.Problem, error) {
	var o engine.CreateOptions
	g, err := p.Graph()
	if err == nil {
		want, failed := j.requestFor(g.Facts())
		if err = failed; err == nil {
			o, err = j.planRows(ctx, g, p.Dir(), p.Dir(), want)
		}
	}
	if err == nil {
		err = p.Store().CheckOwn()
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	o.Input, o.Command = p.Meta().Input, os.Args
	j.show.Note("%s keeps rows of distances from now on, in the place of its factors", p.Dir())
	return p.Replace(ctx, g, o)
}
