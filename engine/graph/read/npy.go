package read

import (
	"bytes"

	array "ooc/engine/graph/internal/npy"
)

// npy is NumPy's format for one array: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
var npy = inputFormat{
	Name:       "npy",
	Title:      "NumPy array (.npy), the matrix of the weights",
	Extensions: []string{".npy"},
	Directed:   true,
	NoArc:      true,
	matrix:     true,
	Detect:     func(head []byte) bool { return bytes.HasPrefix(head, []byte(array.Magic)) },
}
