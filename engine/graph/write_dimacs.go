package graph

import "fmt"

// dimacsWriter has edges as arcs each way, like the road networks of the DIMACS Challenge.
var dimacsWriter = Writer{
	Name:       "dimacs",
	Extensions: []string{".gr"},
	base:       1,
	start:      "a ",
	sep:        ' ',
	head: func(h heading) string {
		return fmt.Sprintf("c %s\np sp %d %d\n", h.title, h.n, h.m)
	},
}
