package tiles

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strings"

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
	h := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), npyHeaderLen-10)
	dictionary := fmt.Sprintf("{'descr': %s, 'fortran_order': False, 'shape': (%s), }", descr(s.meta.Kind, s.geo),
		strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", ", "), "[]"))
	return fmt.Appendf(h, "%-*s\n", npyHeaderLen-1-len(h), dictionary)
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
		return disk.Corrupt(f.Name(),
			"its header does not describe the matrix of store.json; restore the file, or solve the graph again with "+
				"--restart")
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
		return disk.Corrupt(f.Name(),
			"it has %d bytes, not %d; restore the file, or solve the graph again with --restart", fi.Size(), want)
	}
	return nil
}
