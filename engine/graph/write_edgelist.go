package graph

import "fmt"

// edgeListWriter has tabs between columns, and a comment first.
var edgeListWriter = Writer{
	Name:       "edgelist",
	Extensions: []string{".txt", ".tsv", ".el", ".wel", ".edges", ".edgelist"},
	sep:        '\t',
	head: func(h heading) string {
		return fmt.Sprintf("# %s: %d vertices, %d arcs\n", h.title, h.n, h.m)
	},
}
