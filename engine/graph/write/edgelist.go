package write

import "fmt"

// edgeList has tabs between columns, and a comment first.
var edgeList = Format{
	Name:       "edgelist",
	Extensions: []string{".txt", ".tsv", ".el", ".wel", ".edges", ".edgelist"},
	sep:        '\t',
	head: func(h Heading) string {
		return fmt.Sprintf("# %s: %d vertices, %d arcs\n", h.Title, h.N, h.M)
	},
}
