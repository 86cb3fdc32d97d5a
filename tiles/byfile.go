package tiles

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"syscall"

	"github.com/edsrzf/mmap-go"

	"ooc/tiles/disk"
)

// A matrix on a network file system has no mapping: it is read with pread and written with pwrite. Such volumes
// promise less of a mapping than of these calls. Some refuse one, some write back pages that other hosts have
// changed, and an error of a server or a full volume would come as a signal. What a process has written by pwrite
// outlives it in the page cache, as what it has written to a mapping does, so restore points and notes mean the same.

// ByFile has the store go by the file and not by a mapping from now on, wherever it is: other hosts write to it too.
func (s *Store) ByFile() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mem == nil {
		return fmt.Errorf("%s: %w", s.dir, errClosed)
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
	if err := s.readAt(part, i, j, off); err != nil {
		return err
	}
	if use(part); op != "write" {
		return nil
	}
	return s.writeFile(i, j, from, part, nil)
}

// The system begins to bring each startStep bytes to disk while the next are copied. What is written at once is
// writeStep or a strip, which is still in the processor's cache when it is copied after it was summed.
const (
	startStep = 8 << 20
	writeStep = 256 << 10
)

// writeFile writes to the file from a byte of tile (i,j) on, which may go on with the tiles behind it. It sets sums to
// the checksums of as many strips; nil: it sums nothing. Call it under mu.
func (s *Store) writeFile(i, j int, from int64, src []byte, sums []uint32) error {
	off, size := s.offset(i, j)+from, int64(len(src))
	now, err := disk.FileSize(s.dist)
	if err != nil {
		return s.fileFault("write", i, j, off, err)
	}
	if now < off+size {
		return s.shortFault("write", i, j, now, now) // a write would make it longer again
	}
	step, started := int64(writeStep), int64(0)
	if len(sums) > 0 {
		step = size / int64(len(sums))
	}
	for at := int64(0); at < size; at += step {
		part := src[at:min(at+step, size)]
		if len(sums) > 0 {
			sums[at/step] = disk.Checksum(part)
		}
		n, err := s.dist.WriteAt(part, off+at)
		if err != nil {
			return s.fileFault("write", i, j+int((from+at)/s.geo.TileBytes()), off+at+int64(n), err)
		}
		if end := at + int64(n); end == size || end-started >= startStep {
			disk.StartWriting(s.dist, off+started, end-started)
			started = end
		}
	}
	return nil
}

// readAt reads from the file at an offset in tile (i,j). Call it under mu.
func (s *Store) readAt(dst []byte, i, j int, off int64) error {
	if n, err := s.dist.ReadAt(dst, off); n < len(dst) {
		return s.fileFault("read", i, j, off+int64(n), err)
	}
	return nil
}

// fileFault says why tile (i,j) could not be read or written at a file offset. Damage is a file that ends early, or a
// medium that fails. A full volume, or a quota, says so itself, whatever room it shows. Anything else, as a server
// that does not answer, says nothing of the file.
func (s *Store) fileFault(op string, i, j int, off int64, err error) error {
	switch err = disk.Classify(err); {
	case errors.Is(err, io.EOF), errors.Is(err, syscall.EIO):
		return fmt.Errorf("%w (%w)", s.faultAt(op, i, j, off), err)
	case errors.Is(err, disk.ErrNoSpace):
		return fmt.Errorf("%w (%w)", &FaultError{Op: op, File: s.dist.Name(), I: i, J: j, Offset: off,
			Err:    disk.ErrNoSpace,
			Reason: "the volume or a quota is full; free some space and solve again, which resumes"}, err)
	}
	if path := (*fs.PathError)(nil); errors.As(err, &path) { // the fault names the file
		err = path.Err
	}
	return &FaultError{Op: op, File: s.dist.Name(), I: i, J: j, Offset: off, Err: err,
		Reason: "nothing is known to be damaged; see that the volume is there and that you may use the file, " +
			"then run the same command again"}
}

// ahead asks the system to read a part of the matrix in the background. Call it under mu.
func (s *Store) ahead(off, n int64) {
	if s.byFile {
		disk.WillRead(s.dist, off, n)
	} else if len(s.mem) > 0 {
		disk.WillNeed(s.pages(off, n))
	}
}

// unmapped reports whether the matrix has no mapping.
func (s *Store) unmapped() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.byFile
}
