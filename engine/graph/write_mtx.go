package graph

import "fmt"

// matrixMarketWriter has an entry in row FROM, column TO for each arc. Of a symmetric matrix, an undirected
// graph, only the lower triangle is stored, as the format wants it:
// https://math.nist.gov/MatrixMarket/formats.html
var matrixMarketWriter = Writer{
	Name:       "mtx",
	Extensions: []string{".mtx"},
	base:       1,
	sep:        ' ',
	edges:      true,
	head: func(h heading) string {
		symmetry := "general"
		if h.undirected {
			symmetry = "symmetric"
		}
		return fmt.Sprintf("%%%%MatrixMarket matrix coordinate integer %s\n%% %s\n%d %d %d\n", symmetry, h.title, h.n, h.n, h.m)
	},
}
