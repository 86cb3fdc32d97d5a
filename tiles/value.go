package tiles

import (
	"path/filepath"

	"ooc/kernels/entry"
)

// Variant returns the arithmetic that the matrix's entries need.
func (m *Meta) Variant() entry.Variant { return m.Kind.Variant(m.Negative) }

// Distance returns the bits of an entry of Kind.Wide as a distance in the input's units; unreachable is +Inf.
func (m *Meta) Distance(bits uint64) float64 { return m.Kind.Wide().Distance(bits, m.Scale) }

// MatrixName is the matrix's name in the store, for people.
const MatrixName = nameDist

// MatrixPath is where the matrix of the store in a folder is.
func MatrixPath(dir string) string { return filepath.Join(dir, nameDist) }

// CorePath is where the matrix of the smaller problem of the store in a folder is, see CoreDir.
func CorePath(dir string) string { return MatrixPath(filepath.Join(dir, nameCore)) }
