package dense

import (
	"fmt"
	"math"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/npy"
)

// side returns the number of vertices of the matrix that the header describes.
func side(h npy.Header) (int, error) {
	switch {
	case len(h.Shape) != 2:
		return 0, fmt.Errorf("an array of %d dimension(s) is no matrix of weights, which has two", len(h.Shape))
	case h.Shape[0] != h.Shape[1]:
		return 0, fmt.Errorf("a matrix of %d rows and %d columns is not square", h.Shape[0], h.Shape[1])
	case h.Shape[0] == 0:
		return 0, fmt.Errorf("no vertices")
	case h.Shape[0] > graph.MaxVertices || h.Shape[0] > math.MaxInt64/8/h.Shape[0]:
		return 0, fmt.Errorf("%d vertices; the most is %d", h.Shape[0], graph.MaxVertices)
	}
	return int(h.Shape[0]), nil
}
