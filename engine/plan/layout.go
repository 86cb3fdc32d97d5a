package plan

import (
	"ooc/engine/text"
	"ooc/kernels"
	"ooc/tiles"
	"ooc/tiles/class"
)

// ErrLayout is wrapped by errors about a layout that a problem cannot have.
var ErrLayout = class.New(class.Usage, "wrong layout")

// layout picks the layout of the store that the candidates are to solve on a device: what the request asks for, or
// else the one with the fewest tiles. It fails with ErrLayout where that which is asked for cannot be.
func (q *Basis) layout(candidates []Algorithm, d kernels.Device) (tiles.Layout, error) {
	why := ""
	_, transposes := kernels.As[kernels.TileOps](d)
	switch {
	case len(q.Sources) > 0:
		why = "chosen sources have rows and no columns"
	case q.Predecessors:
		why = "predecessors from u to v are not those from v to u"
	case !q.Stored && !q.Facts.Symmetric:
		why = "the graph is not symmetric: some arc has no reverse of the same weight"
	case !transposes:
		why = d.Info().Name + " cannot transpose tiles; use another --device"
	}
	for _, a := range candidates {
		if !a.Traits().Upper {
			why = a.Name() + " solves every tile; leave the algorithm to the plan, or make a new store with " +
				"--layout square"
		}
	}
	switch {
	case why == "" && q.Layout != tiles.Square:
		return tiles.Upper, nil
	case q.Layout == tiles.Upper:
		return "", text.ErrorOf(ErrLayout, "layout %s holds one half of a symmetric matrix, and cannot be taken: %s",
			tiles.Upper, why)
	case len(q.Sources) > 0:
		return tiles.Rows, nil
	}
	return tiles.Square, nil
}

// Upper reports whether the store has layout upper.
func (q *Basis) Upper() bool { return q.Layout == tiles.Upper }

// Half says that one half of the matrix is stored; "": all of it.
func (q *Basis) Half() string {
	if q.Upper() {
		return ", the upper half of them: the graph is symmetric"
	}
	return ""
}
