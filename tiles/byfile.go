package tiles

import (
	"errors"
	"fmt"
	"sync"

	"github.com/edsrzf/mmap-go"

	"ooc/tiles/disk"
	"ooc/tiles/internal/system"
)

// A matrix on a network file system has no mapping: it is read with pread and written with pwrite. Such volumes promise less of a
// mapping than of these calls. Some refuse one, some write back pages that other hosts have changed, and an error of a server or a full
// volume would come as a signal. What a process has written by pwrite outlives it in the page cache, as what it has written to a mapping
// does, so restore points and notes mean the same.

// ByFile has the store go by the file and not by a mapping from now on, wherever it is: other hosts write to it too.
func (s *Store) ByFile() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mem == nil {
		return fmt.Errorf("%s: %w", s.dir, ErrClosed)
	}
	s.byFile = true
	mem := s.mem
	s.mem = mmap.MMap{}
	if len(mem) == 0 {
		return nil
	}
	return mem.Unmap() // the page cache keeps what was written
}

// tileBuffers are for tiles, or parts of them, that are not mapped.
var tileBuffers sync.Pool

// touchFile is touch of a matrix without a mapping. Call it under mu.
func (s *Store) touchFile(op string, i, j int, from, n int64, use func(part []byte)) error {
	buffer, _ := tileBuffers.Get().(*[]byte)
	if buffer == nil || int64(len(*buffer)) < n {
		made := make([]byte, n)
		buffer = &made
	}
	defer tileBuffers.Put(buffer)
	part, off := (*buffer)[:n:n], s.offset(i, j)+from
	got, err := s.dist.ReadAt(part, off)
	switch {
	case int64(got) == n:
	case op == "write":
		op = "read"
		fallthrough
	default:
		return fmt.Errorf("%w (%w)", s.faultAt(op, i, j, off+int64(got)), err)
	}
	if use(part); op != "write" {
		return nil
	}
	return s.writeFile(i, j, from, part)
}

// writeStep is how much is written at once: the system begins to bring each to disk while the next is copied.
const writeStep = 8 << 20

// writeFile writes to the file from a byte of tile (i,j) on, which may go on with the tiles behind it. Call it under mu.
func (s *Store) writeFile(i, j int, from int64, src []byte) error {
	off, size := s.offset(i, j)+from, int64(len(src))
	if now, err := system.FileSize(s.dist); err != nil || now < off+size {
		return errors.Join(err, s.shortFault("write", i, j, now, now)) // a write would make it longer again
	}
	for at := int64(0); at < size; at += writeStep {
		part := src[at:min(at+writeStep, size)]
		if n, err := s.dist.WriteAt(part, off+at); err != nil {
			return s.writeFault(i, j+int((from+at)/s.geo.TileBytes()), off+at+int64(n), err)
		}
		system.StartWriting(s.dist, off+at, int64(len(part)))
	}
	return nil
}

// writeFault says why a tile could not be written at a file offset. A full volume, or a quota, says so itself, whatever room it shows.
func (s *Store) writeFault(i, j int, off int64, err error) error {
	fault := s.faultAt("write", i, j, off)
	if f := (*FaultError)(nil); errors.As(fault, &f) && errors.Is(disk.Classify(err), ErrNoSpace) {
		f.Err, f.Reason = ErrNoSpace, "the volume or a quota is full; free some space and solve again, which resumes"
	}
	return fmt.Errorf("%w (%w)", fault, disk.Classify(err))
}

// ahead asks the system to read a part of the matrix in the background. Call it under mu.
func (s *Store) ahead(off, n int64) {
	if s.byFile {
		system.WillRead(s.dist, off, n)
	} else if len(s.mem) > 0 {
		system.WillNeed(s.pages(off, n))
	}
}

// unmapped reports whether the matrix has no mapping.
func (s *Store) unmapped() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.byFile
}
