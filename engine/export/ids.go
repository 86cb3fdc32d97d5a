package export

import (
	"ooc/engine"
	"ooc/engine/idfile"
	"ooc/engine/newfile"
)

// NewIDs is idfile.New for the rows and columns of what Options pick. It fails with graph.ErrNoVertex too, for those
// that the store has not.
func NewIDs(p *engine.Problem, file newfile.File, o Options) (*idfile.File, error) {
	ids, err := p.IDs()
	if err != nil {
		return nil, err
	}
	rows, err := pickRows(p, o.Rows)
	if err != nil {
		return nil, err
	}
	cols, err := pickColumns(p, o.Cols)
	if err != nil {
		return nil, err
	}
	return idfile.New(file,
		idfile.Axis{N: rows.n, IDs: ids, Vertex: func(i int) int { return p.Meta().Sources.Vertex(rows.number(i)) }},
		idfile.Axis{N: cols.n, IDs: ids, Vertex: cols.number})
}
