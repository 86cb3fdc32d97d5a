package tiles

import (
	"fmt"
	"sync"

	"ooc/tiles/disk"
)

// ReadEntries copies the distances of consecutive entries of tile (i,j), in entries of Kind.Wide, into
// dst, as many as it has room for, from entry first on; entry (r,c) of a tile
// is its r·T+c-th. It reads the file and not the mapping, so that a pass over
// the matrix leaves nothing in the process's memory; but for a tile that is not
// stored: it would have to read a page for each entry of a row. It fails with a
// *FaultError where the file cannot be read.
func (m matrix) ReadEntries(dst []byte, i, j, first int) error {
	return m.s.wide(dst, func(dst []byte) error { return m.readFields(dst, i, j, first, m.s.distances()) })
}

// ReadTileFile is ReadTile for a stored tile from the file and not the mapping, and without a look at checksums.
func (s *Store) ReadTileFile(dst []byte, i, j int) error {
	if err := s.storedError("read", i, j, len(dst), s.geo.TileBytes()); err != nil {
		return err
	}
	return s.readFile(dst, i, j, 0)
}

// fieldStep is how much is read at once where only a field of it is wanted.
const fieldStep = 64 << 10

var fieldBuffers = sync.Pool{New: func() any { return new([fieldStep]byte) }}

func (m matrix) readFields(dst []byte, i, j, first int, f field) error {
	s := m.s
	e, all := s.geo.EntryBytes, s.geo.T*s.geo.T
	count := len(dst) / f.size
	if err := s.tileError("read", i, j, len(dst), int64(count)*int64(f.size)); err != nil {
		return err
	}
	if first < 0 || first > all || count > all-first {
		return fmt.Errorf("read %s, tile (%d,%d): there are no %d entries from %d on", s.dir, i, j, count, first)
	}
	if count == 0 {
		return nil
	}
	if !s.geo.Holds(i, j) {
		return m.readTransposed(dst, j, i, first)
	}
	if err := m.check(i, j, first/s.geo.T, (first+count-1)/s.geo.T); err != nil {
		return err
	}
	if f.size == e {
		return s.readFile(dst, i, j, first)
	}
	buffer := fieldBuffers.Get().(*[fieldStep]byte)
	defer fieldBuffers.Put(buffer)
	for len(dst) > 0 {
		n := min(len(dst)/f.size, fieldStep/e)
		if err := s.readFile(buffer[:n*e], i, j, first); err != nil {
			return err
		}
		f.copy(dst[:n*f.size], buffer[:], e)
		dst, first = dst[n*f.size:], first+n
	}
	return nil
}

// readTransposed reads consecutive entries of the transpose of tile (i,j), which is stored.
func (m matrix) readTransposed(dst []byte, i, j, first int) error {
	t, count := m.s.geo.T, len(dst)/m.s.geo.EntryBytes
	top, bottom := 0, t-1
	if first/t == (first+count-1)/t { // in one row of the transpose, one column of the tile
		top, bottom = first%t, (first+count-1)%t
	}
	if err := m.check(i, j, top, bottom); err != nil {
		return err
	}
	return m.s.touch("read", i, j, 0, m.s.geo.TileBytes(), func(tile []byte) { m.s.geo.Transpose(dst, tile, first) })
}

// readFile reads whole entries.
func (s *Store) readFile(dst []byte, i, j, first int) error {
	return s.access("read", i, j, func(s *Store) error {
		return s.readAt(dst, i, j, s.offset(i, j)+int64(first)*int64(s.geo.EntryBytes))
	})
}

// DropCache asks the system to forget what it has cached of the matrix and the
// disk has, so that what is read next comes from the disk. It is advice, as
// Prefetch is.
func (s *Store) DropCache() {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.mem != nil && s.dist != nil {
		disk.DropCache(s.dist)
	}
	for _, p := range s.joined {
		p.DropCache()
	}
}
