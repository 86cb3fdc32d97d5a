package write

import "fmt"

// matrixMarket has an entry in row FROM, column TO for each arc. Of a symmetric matrix, an undirected
// graph, only the lower triangle is stored, as the format wants it:
// https://math.Nist.gov/MatrixMarket/formats.html
var matrixMarket = Format{
	Name:       "mtx",
	Extensions: []string{".mtx"},
	base:       1,
	sep:        ' ',
	edges:      true,
	head: func(h Heading) string {
		symmetry := "general"
		if h.Undirected {
			symmetry = "symmetric"
		}
		return fmt.Sprintf("%%%%MatrixMarket matrix coordinate integer %s\n%% %s\n%d %d %d\n", symmetry, h.Title, h.N, h.N, h.M)
	},
}
