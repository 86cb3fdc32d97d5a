package read

import (
	"bytes"

	array "ooc/engine/graph/internal/npy"
)

// npy is NumPy's format for one array: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
var npy = Format{
	Name:       "npy",
	Title:      "NumPy array (.npy), the matrix of the weights",
	Extensions: []string{".npy"},
	Directed:   true,
	NoArc:      true,
	matrix:     true,
	Detect: func(head []byte) match {
		if bytes.HasPrefix(head, []byte(array.Magic)) {
			return yes
		}
		return no
	},
}
