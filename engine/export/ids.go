package export

import (
	"ooc/engine"
	"ooc/engine/idfile"
	"ooc/engine/newfile"
)

// NewIDs is idfile.New for the rows and columns of what Options pick. It fails with graph.ErrNoVertex too, for those
// that the store has not.
func NewIDs(p *engine.Problem, file newfile.File, o Options) (*idfile.File, error) {
	x, err := pick(p, o)
	if err != nil {
		return nil, err
	}
	return idfile.New(file, idfile.Axis{N: x.rows.n, IDs: x.ids, Vertex: x.rowVertex},
		idfile.Axis{N: x.cols.n, IDs: x.ids, Vertex: x.cols.number})
}
