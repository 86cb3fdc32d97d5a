package read

import (
	"ooc/engine/graph/dense"
	"ooc/engine/graph/read/internal/lines"
)

// npy is NumPy's format for one array: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
var npy = Format{
	Name:       dense.Format,
	Title:      "NumPy array (.npy), the matrix of the weights",
	Extensions: []string{".npy"},
	Directed:   true,
	NoArc:      true,
	matrix:     true,
	Detect: func(head []byte) match {
		if dense.IsArray(head) {
			return yes
		}
		return no
	},
	// What comes here is no array: package dense would have opened that.
	read: func(_ *lines.Reader, _ Options, out *sink) error { return out.failAll(dense.NotAnArray) },
}
