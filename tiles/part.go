package tiles

import "fmt"

// ReadEntries copies consecutive entries of tile (i,j) into dst, as many as it
// has room for, from entry first on; entry (r,c) of a tile is its r·T+c-th.
// It reads the file and not the mapping, so that a pass over the matrix leaves
// nothing in the process's memory. It fails with a *FaultError where the file
// cannot be read.
func (s *Store) ReadEntries(dst []byte, i, j, first int) error {
	e := s.geo.EntryBytes
	all := s.geo.T * s.geo.T
	count := len(dst) / e
	if err := s.tileError("read", i, j, len(dst), int64(count)*int64(e)); err != nil {
		return err
	}
	if first < 0 || first > all || count > all-first {
		return fmt.Errorf("read %s, tile (%d,%d): there are no %d entries from %d on", s.dir, i, j, count, first)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.mem == nil {
		return fmt.Errorf("read %s: %w", s.dir, ErrClosed)
	}
	if err := s.askTile("read", i, j); err != nil {
		return err
	}
	off := s.geo.TileOffset(i, j) + int64(first)*int64(e)
	if n, err := s.dist.ReadAt(dst, off); n < len(dst) {
		return fmt.Errorf("%w (%w)", s.faultAt("read", i, j, off+int64(n)), err)
	}
	return nil
}

// DropCache asks the system to forget what it has cached of the matrix and the
// disk has, so that what is read next comes from the disk. It is advice, as
// Prefetch is.
func (s *Store) DropCache() {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.mem != nil {
		dropCache(s.dist)
	}
}
