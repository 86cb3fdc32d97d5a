package tiles

import "fmt"

// ReadPart copies a rectangle of tile (i,j) into dst: rows entries high and
// cols wide, from row r and column c of the tile on, row after row without
// gaps, rows·cols·EntryBytes bytes. Padding may be part of it. It fails with a
// *FaultError where the file cannot be read.
func (s *Store) ReadPart(dst []byte, i, j, r, c, rows, cols int) error {
	t, e := s.geo.T, s.geo.EntryBytes
	if r < 0 || c < 0 || rows < 0 || cols < 0 || rows > t-r || cols > t-c {
		return fmt.Errorf("read %s, tile (%d,%d): there are no %d×%d entries from (%d,%d) on", s.dir, i, j, rows, cols, r, c)
	}
	if err := s.tileError("read", i, j, len(dst), int64(rows)*int64(cols)*int64(e)); err != nil {
		return err
	}
	return s.touch("read", i, j, func(tile []byte) {
		if cols == t {
			copy(dst, tile[r*t*e:])
			return
		}
		for at := (r*t + c) * e; len(dst) > 0; at += t * e {
			dst = dst[copy(dst[:cols*e], tile[at:]):]
		}
	})
}
