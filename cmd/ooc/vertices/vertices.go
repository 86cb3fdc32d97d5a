// Package vertices finds the rows of vertices that users name: by an id, by a range of ids, in a list or in a file of
// lists or pairs.
package vertices

import (
	"ooc/engine/graph"
	"ooc/engine/text"
	"ooc/tiles/class"
)

// errUsage is wrapped by the error of a list on the command line that names no vertices, whatever the ids are.
var errUsage = class.New(class.Usage, "a list that names no vertices")

// Of are the vertices of a store or of an input.
type Of struct {
	IDs  graph.IDs
	N    int
	Name string // what has them, for errors
}

// Find returns the row of a vertex. It fails with graph.ErrNoVertex.
func (v Of) Find(id string) (int, error) {
	row, ok := v.IDs.Row(id, v.N)
	if !ok {
		return 0, text.ErrorOf(graph.ErrNoVertex, "%s has no vertex %q", v.Name, id)
	}
	return row, nil
}
