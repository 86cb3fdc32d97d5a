package tiles

import (
	"fmt"

	"ooc/tiles/disk"
)

// storedError is tileError for what is done to stored tiles alone.
func (s *Store) storedError(op string, i, j, got int, want int64) error {
	err := s.tileError(op, i, j, got, want)
	if err == nil && !s.geo.Holds(i, j) {
		err = fmt.Errorf("%s %s: tile (%d,%d) is not stored: it is the transpose of tile (%d,%d)", op, s.dir, i, j, j,
			i)
	}
	return err
}

// tileError checks a tile's indices and the length of the caller's buffer.
func (s *Store) tileError(op string, i, j, got int, want int64) error {
	down, side := s.geo.Down(), s.geo.Side()
	if i < 0 || i >= down || j < 0 || j >= side {
		return fmt.Errorf("%s %s: there is no tile (%d,%d) in %d×%d", op, s.dir, i, j, down, side)
	}
	if int64(got) != want {
		return fmt.Errorf("%s %s, tile (%d,%d): the buffer has %d bytes, not %d", op, s.dir, i, j, got, want)
	}
	return nil
}

// ReadTile copies tile (i,j) into dst, which has TileBytes bytes. It fails
// with a *FaultError where the file cannot be read.
func (m matrix) ReadTile(dst []byte, i, j int) error {
	s := m.s
	if err := s.tileError("read", i, j, len(dst), s.geo.TileBytes()); err != nil {
		return err
	}
	i, j, transposed := s.geo.Stored(i, j)
	if err := m.check(i, j, 0, s.geo.T-1); err != nil {
		return err
	}
	return s.touch("read", i, j, 0, s.geo.TileBytes(), func(tile []byte) {
		if transposed {
			s.geo.Transpose(dst, tile, 0)
		} else {
			copy(dst, tile)
		}
	})
}

// WriteTile copies src, TileBytes bytes, into tile (i,j), which is stored. It is not durable
// before the next Checkpoint. It fails with a *FaultError where the file
// cannot be written.
func (s *Store) WriteTile(i, j int, src []byte) error {
	if err := s.mayWrite(); err != nil {
		return err
	}
	if err := s.storedError("write", i, j, len(src), s.geo.TileBytes()); err != nil {
		return err
	}
	s.changed()
	if s.unmapped() {
		return s.WriteTiles(i, j, src)
	}
	// MADV_POPULATE_WRITE before the copy was measured (first write, rewrite,
	// write after a sync) and made no difference: what a page's first write
	// costs is the file system's work, not the trap.
	return s.touch("write", i, j, 0, s.geo.TileBytes(), func(tile []byte) {
		if s.geo.EntryBytes == len(pair{}) {
			copyPairs(tile, src)
		} else {
			copy(tile, src)
		}
	})
}

// pair is an entry of 16 bytes: a distance and a predecessor.
type pair [16]byte

// copyPairs copies whole pairs, each by one load and one store. copy may move words of 8 bytes (REP MOVSQ), and a
// process that is killed between two of them would leave a new distance with an old predecessor.
func copyPairs(dst, src []byte) {
	for at := 0; at < len(dst); at += len(pair{}) {
		*(*pair)(dst[at:]) = *(*pair)(src[at:])
	}
}

// WriteTiles writes stored tiles of tile row i, from column j on: as many as
// are one after the other in src. The disk begins to write them, so they should not soon change again.
// It goes by the file and not by the mapping: where nothing of a row of
// tiles is there before, finding a page at a time would cost more than copying.
// It is not durable before the next Checkpoint. It fails with a *FaultError
// where the file cannot be written.
func (s *Store) WriteTiles(i, j int, src []byte) error { return s.WriteSummed(i, j, src, nil) }

// WriteSummed is WriteTiles, and sets sums to the checksums of what it writes, SumsPerTile of each tile: together they
// read memory once. nil: it sums nothing.
func (s *Store) WriteSummed(i, j int, src []byte, sums []uint32) error {
	if err := s.mayWrite(); err != nil {
		return err
	}
	if err := s.storedError("write", i, j, 0, 0); err != nil {
		return err
	}
	size := int64(len(src))
	// What follows a tile in a part store is not what follows it in the whole.
	if s.IsPart() && (size > s.geo.TileBytes() || !s.Holds(i, j)) {
		return s.OtherPart()
	}
	if size%s.geo.TileBytes() != 0 || size > int64(s.geo.Side()-j)*s.geo.TileBytes() {
		return fmt.Errorf("write %s, tile row %d from %d on: %d bytes given, no whole number of the tiles that "+
			"are there", s.dir, i, j, size)
	}
	if want := int(size/s.geo.TileBytes()) * s.meta.SumsPerTile(); sums != nil && len(sums) != want {
		return fmt.Errorf("write %s, tile row %d from %d on: room for %d checksums, not %d", s.dir, i, j, len(sums),
			want)
	}
	s.changed()
	return s.access("write", i, j, func(s *Store) error { return s.writeFile(i, j, 0, src, sums) })
}

// Prefetch asks the system to read tile (i,j) from disk in the background. It
// is advice: it has no effect on results, and none at all where the system
// takes no advice.
func (s *Store) Prefetch(i, j int) {
	if s.tileError("prefetch", i, j, 0, 0) != nil {
		return
	}
	i, j, _ = s.geo.Stored(i, j)
	s, err := s.holder(i, j)
	if err != nil {
		return
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.ahead(s.offset(i, j), s.geo.TileBytes())
}

// ReadRow copies the N distances of row u, without padding, into dst, which has
// room for just these in entries of Kind.Wide. Where the layout holds half of the matrix, it touches as
// many pages as ReadCol.
func (m matrix) ReadRow(dst []byte, u int) error {
	return m.s.wide(dst, func(dst []byte) error { return m.readLine(dst, u, false, m.s.distances()) })
}

// ReadCol is ReadRow for the distances of column v, N of them or as many as there are
// rows. It touches every tile row of the column: as many pages.
func (m matrix) ReadCol(dst []byte, v int) error {
	return m.s.wide(dst, func(dst []byte) error { return m.readLine(dst, v, true, m.s.distances()) })
}

// readLine reads a field of row u, or of column u, without padding.
func (m matrix) readLine(dst []byte, u int, column bool, f field) error {
	g := &m.s.geo
	what, lines, length := "row", g.RowCount(), g.N
	if column {
		what, lines, length = "column", length, lines
	}
	if err := m.s.lineError(what, u, lines, len(dst), length*f.size); err != nil {
		return err
	}
	for x := 0; len(dst) > 0; x++ {
		n := min(g.T*f.size, len(dst))
		i, j := u/g.T, x
		if column {
			i, j = j, i
		}
		i, j, transposed := g.Stored(i, j)
		if err := m.readPart(dst[:n], i, j, u%g.T, transposed != column, f); err != nil {
			return err
		}
		dst = dst[n:]
	}
	return nil
}

// readPart reads the first entries of line k of tile (i,j), which is stored: of a row of it, or of a column.
func (m matrix) readPart(dst []byte, i, j, k int, column bool, f field) error {
	g := &m.s.geo
	count := len(dst) / f.size
	first, last, at, stride := k, k, k*g.T*g.EntryBytes, g.EntryBytes
	if column {
		first, last, at, stride = 0, count-1, k*g.EntryBytes, g.T*g.EntryBytes
	}
	if err := m.check(i, j, first, last); err != nil {
		return err
	}
	return m.s.touch("read", i, j, int64(at), int64((count-1)*stride+g.EntryBytes),
		func(part []byte) { f.copy(dst, part, stride) })
}

func (s *Store) lineError(what string, u, of, got, want int) error {
	if s.geo.Factors {
		return fmt.Errorf("read %s: %w", s.dir, ErrNoMatrix)
	}
	if u < 0 || u >= of {
		return fmt.Errorf("read %s: there is no %s %d of %d", s.dir, what, u, of)
	}
	if got != want {
		return fmt.Errorf("read %s, %s %d: the buffer has %d bytes, not %d", s.dir, what, u, got, want)
	}
	return nil
}

// ReadAt gives the bits of distance (u,v), an entry of Kind.Wide.
func (m matrix) ReadAt(u, v int) (uint64, error) {
	s := m.s
	if s.geo.Factors {
		return 0, fmt.Errorf("read %s: %w", s.dir, ErrNoMatrix)
	}
	if u < 0 || u >= s.geo.RowCount() || v < 0 || v >= s.geo.N {
		return 0, fmt.Errorf("read %s: there is no entry (%d,%d) of %d×%d", s.dir, u, v, s.geo.RowCount(), s.geo.N)
	}
	t, e := s.geo.T, s.geo.EntryBytes
	if !s.geo.Holds(u/t, v/t) {
		u, v = v, u
	}
	if err := m.check(u/t, v/t, u%t, u%t); err != nil {
		return 0, err
	}
	at, k := (u%t*t+v%t)*e, s.meta.Kind
	var memory [8]byte
	dst := memory[:k.Wide().Bytes()]
	err := s.wide(dst, func(dst []byte) error {
		return s.touch("read", u/t, v/t, int64(at), int64(e), func(part []byte) { copy(dst, part) })
	})
	return k.Wide().At(dst, 0), err
}

// Sums sets dst, of SumsPerTile elements, to the checksums of a tile's bytes: of as many equal parts, its strips.
func Sums(dst []uint32, tile []byte) {
	strip := len(tile) / len(dst)
	for k := range dst {
		dst[k] = disk.Checksum(tile[k*strip:][:strip])
	}
}

// TileSums sets dst, of SumsPerTile elements, to the checksums of tile (i,j), which is stored, as it is, padding
// included.
func (s *Store) TileSums(dst []uint32, i, j int) error {
	if err := s.storedError("sum", i, j, 0, 0); err != nil {
		return err
	}
	if want := s.meta.SumsPerTile(); len(dst) != want {
		return fmt.Errorf("sum %s, tile (%d,%d): room for %d checksums, not %d", s.dir, i, j, len(dst), want)
	}
	return s.touch("sum", i, j, 0, s.geo.TileBytes(), func(tile []byte) { Sums(dst, tile) })
}

// touch gives use n bytes of tile (i,j), which is stored, from one of it on; use must not keep them. Where op is
// "write" it may change them. They are mapped where the matrix is: a fault in use becomes a *FaultError, and so does
// a file that ends before the tile does: in its last page such a file does not fault, it reads as zeros and forgets
// what is written.
func (s *Store) touch(op string, i, j int, from, n int64, use func(part []byte)) error {
	return s.access(op, i, j, func(s *Store) error {
		if s.byFile {
			return s.touchFile(op, i, j, from, n, use)
		}
		off := s.offset(i, j) + from
		err := disk.Guard(s.mem, func() error {
			use(s.mem[off : off+n : off+n])
			return nil
		}, func(at int64) error { return s.faultAt(op, i, j, at) })
		if err != nil {
			return err
		}
		size, err := disk.FileSize(s.dist)
		if err == nil && size < off+n {
			err = s.shortFault(op, i, j, size, size)
		}
		return err
	})
}

// access calls do with the store that has the bytes of tile (i,j), which stays open meanwhile. In tests the hook for
// an access to a tile, which reads unless op is "write", comes first.
func (s *Store) access(op string, i, j int, do func(s *Store) error) error {
	s, err := s.holder(i, j)
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.mem == nil {
		return fmt.Errorf("%s %s: %w", op, s.dir, errClosed)
	}
	ask := "read"
	if op == "write" {
		ask = op
	}
	if err := s.hooks.Ask(ask, nameDist); err != nil {
		return fmt.Errorf("%s %s, tile (%d,%d): %w", op, s.dist.Name(), i, j, err)
	}
	return do(s)
}
