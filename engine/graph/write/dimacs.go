package write

import "fmt"

// dimacs writes an edge as an arc in each direction, like the road networks of the DIMACS Challenge.
var dimacs = Format{
	Name:       "dimacs",
	Extensions: []string{".gr"},
	base:       1,
	start:      "a ",
	sep:        ' ',
	head: func(h Heading) string {
		return fmt.Sprintf("c %s\np sp %d %d\n", h.Title, h.N, h.M)
	},
}
