package tiles

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"ooc/kernels/entry"
	"ooc/tiles/disk"
)

// descr is the type of an entry as NumPy writes it: the kind's, or a structure
// of a distance, a predecessor and what is left of the entry.
func descr(k entry.Kind, g Geometry) string {
	if g.EntryBytes == k.Bytes() {
		return "'" + k.NumPy() + "'"
	}
	rest := ""
	if n := g.EntryBytes - k.Bytes() - PredecessorBytes; n > 0 {
		rest = fmt.Sprintf(", ('', '|V%d')", n)
	}
	return fmt.Sprintf("[('distance', '%s'), ('predecessor', '<i4')%s]", k.NumPy(), rest)
}

// npyHeader is the head of dist.npy: NumPy format 1.0, a dictionary, spaces up
// to a page and a newline.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
func (s *Store) npyHeader() []byte {
	shape := s.geo.Dimensions()
	if s.places != nil {
		shape = []int{s.held, s.geo.T, s.geo.T}
	}
	h := make([]byte, 0, npyHeaderLen)
	h = append(h, "\x93NUMPY\x01\x00"...)
	const rest = npyHeaderLen - 10
	h = append(h, byte(rest&0xff), byte(rest>>8))
	h = fmt.Appendf(h, "{'descr': %s, 'fortran_order': False, 'shape': (", descr(s.meta.Kind, s.geo))
	for i, n := range shape {
		if i > 0 {
			h = append(h, ", "...)
		}
		h = fmt.Append(h, n)
	}
	h = append(h, "), }"...)
	h = append(h, bytes.Repeat([]byte{' '}, npyHeaderLen-1-len(h))...)
	return append(h, '\n')
}

// checkNPY says whether dist.npy is the matrix that store.json describes. Only the
// exact header counts: anything else was not written by this package.
func (s *Store) checkNPY() error {
	f := s.dist
	if err := checkLen(f, s.distBytes()); err != nil {
		return err
	}
	got := make([]byte, npyHeaderLen)
	if _, err := io.ReadFull(io.NewSectionReader(f, 0, npyHeaderLen), got); err != nil {
		return disk.ReadError(f.Name(), err)
	}
	if !bytes.Equal(got, s.npyHeader()) {
		return disk.Corrupt(f.Name(), "its header does not describe the matrix of store.json; restore the file, or solve the graph again with --restart")
	}
	return nil
}

// checkLen says whether the file has the size the format gives it.
func checkLen(f *os.File, want int64) error {
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	if fi.Size() != want {
		return disk.Corrupt(f.Name(), "it has %d bytes, not %d; restore the file, or solve the graph again with --restart", fi.Size(), want)
	}
	return nil
}
