// Package npy writes the header of NumPy's array files.
package npy

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// Header is NumPy's format 1.0 header of an array in C order, padded so that the data is 64-byte aligned; descr and
// shape are as Python writes them: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
func Header(descr, shape string) []byte {
	dict := fmt.Sprintf("{'descr': %s, 'fortran_order': False, 'shape': %s, }", descr, shape)
	pad := (64 - (10+len(dict)+1)%64) % 64
	dict += strings.Repeat(" ", pad) + "\n"
	head := append([]byte("\x93NUMPY\x01\x00"), 0, 0)
	binary.LittleEndian.PutUint16(head[8:], uint16(len(dict)))
	return append(head, dict...)
}
