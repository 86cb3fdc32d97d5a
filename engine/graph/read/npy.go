package read

import (
	"bytes"

	array "ooc/engine/graph/internal/npy"
	"ooc/engine/graph/read/internal/lines"
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
	// What comes here is no array: package dense would have opened that.
	read: func(_ *lines.Reader, _ Options, out *sink) error { return out.failAll(array.NotAnArray) },
}
