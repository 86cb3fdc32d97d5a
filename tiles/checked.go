package tiles

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync/atomic"

	"ooc/tiles/disk"
)

// matrix reads entries of a store's matrix. In a store that is solved it compares each strip with its checksum before
// it reads from it for the first time, and fails with disk.ErrCorrupt where that does not match, or where the checksums
// themselves are damaged.
type matrix struct {
	s         *Store
	unchecked bool
}

// Unchecked reads what is there, for a proof that does not rest on checksums.
func (s *Store) Unchecked() matrix { return matrix{s, true} }

// checks are the checksums of a solved matrix, and which of its strips they were compared with.
type checks struct {
	sums []uint32
	same []atomic.Uint32 // a bit for each of them
}

// outdated stands for checksums that may not be those of the matrix any more, since this process writes to it.
var outdated = new(checks)

// changed says that the matrix is not what its checksums say.
func (s *Store) changed() {
	if s.checks.Load() != outdated {
		s.checks.Store(outdated)
	}
}

// loadChecks returns the checksums to compare with; outdated, too, where no solve has ended.
func (s *Store) loadChecks() (*checks, error) {
	if c := s.checks.Load(); c != nil {
		return c, nil
	}
	sums, err := s.Sums()
	if errors.Is(err, fs.ErrNotExist) {
		return outdated, nil // for now: a solve may end while the store is open
	}
	if err != nil {
		return nil, err
	}
	c := &checks{sums, make([]atomic.Uint32, (len(sums)+31)/32)}
	if !s.checks.CompareAndSwap(nil, c) { // another goroutine was first, or writes
		return s.loadChecks()
	}
	return c, nil
}

// check compares strips of tile (i,j), which is stored, with their checksums: those that hold the given rows of it and
// were not compared before.
func (m matrix) check(i, j, firstRow, lastRow int) error {
	if m.unchecked {
		return nil
	}
	s := m.s
	c, err := s.loadChecks()
	if err != nil || c == outdated {
		return err
	}
	each := s.meta.SumsPerTile()
	tile, strip := s.geo.Index(i, j)*each, s.geo.T/each
	h, err := s.holder(i, j)
	if err != nil {
		return err
	}
	for k := firstRow / strip; k <= lastRow/strip; k++ {
		word, bit := &c.same[(tile+k)/32], uint32(1)<<((tile+k)%32)
		if word.Load()&bit != 0 {
			continue
		}
		got, err := h.stripSum(i, j, k)
		if err != nil {
			return err
		}
		if err := s.meta.CompareSums(i, j, k, []uint32{got}, c.sums[tile+k:]); err != nil {
			if s.checks.Load() != c {
				return nil // this process writes to the matrix by now
			}
			if now, serr := s.Sums(); errors.Is(serr, fs.ErrNotExist) || serr == nil && !slices.Equal(now, c.sums) {
				return fmt.Errorf("%s: its solve was begun again while it was read; ask again when that is done",
					h.dist.Name())
			}
			return fmt.Errorf("%s: %w: %w; ooc scrub names all that is damaged; then solve again with --restart",
				h.dist.Name(), disk.ErrCorrupt, err)
		}
		word.Or(bit)
	}
	return nil
}

// stripSum is the checksum of strip k of tile (i,j). It reads the file and not the mapping, as ReadEntries does.
func (s *Store) stripSum(i, j, k int) (sum uint32, err error) {
	strip := s.geo.T / s.meta.SumsPerTile()
	first, last := k*strip*s.geo.T, (k+1)*strip*s.geo.T
	s.mu.RLock()
	s.ahead(s.offset(i, j)+int64(first)*int64(s.geo.EntryBytes), int64(last-first)*int64(s.geo.EntryBytes))
	s.mu.RUnlock()
	buffer := fieldBuffers.Get().(*[fieldStep]byte)
	defer fieldBuffers.Put(buffer)
	for first < last {
		b := buffer[:min(fieldStep, (last-first)*s.geo.EntryBytes)]
		if err := s.readFile(b, i, j, first); err != nil {
			return 0, err
		}
		sum = disk.AddChecksum(sum, b)
		first += len(b) / s.geo.EntryBytes
	}
	return sum, nil
}

// CompareSums compares checksums of tile (i,j), from strip k on, with those that the solve left. The error names the
// tile, and the first strip that differs by its rows.
func (m *Meta) CompareSums(i, j, k int, got, want []uint32) error {
	strip := m.T / m.SumsPerTile()
	for at, sum := range got {
		if first := (k + at) * strip; sum != want[at] {
			return fmt.Errorf("tile (%d,%d), rows %d to %d of it: the checksum is %08x, it was solved with %08x", i, j,
				first, first+strip-1, sum, want[at])
		}
	}
	return nil
}
