package tiles

import (
	"fmt"

	"ooc/tiles/disk"
)

// faultAt finds out why the mapping could not be touched at a file offset.
func (s *Store) faultAt(op string, i, j int, off int64) error {
	e := &FaultError{Op: op, File: s.dist.Name(), I: i, J: j, Offset: off, Err: ErrCorrupt}
	size, err := disk.FileSize(s.dist)
	if err == nil && size < s.distBytes() {
		return s.shortFault(op, i, j, off, size)
	}
	free, ferr := disk.Free(s.dir)
	if op == "write" && ferr == nil && free < s.geo.TileBytes() {
		e.Err = ErrNoSpace
		e.Reason = fmt.Sprintf("the volume is full (%s free) and reserves nothing ahead; free some space and solve again, which resumes", disk.Size(free))
		return e
	}
	e.Reason = "the medium returned an error; see the system's log, and copy the store to another disk"
	return e
}

func (s *Store) shortFault(op string, i, j int, off, size int64) error {
	return &FaultError{Op: op, File: s.dist.Name(), I: i, J: j, Offset: off, Err: ErrCorrupt,
		Reason: fmt.Sprintf("the file was cut to %d of %d bytes; restore it, or solve again with --restart", size, s.distBytes())}
}

// pages is the mapping from off on, n bytes, widened to whole pages of the
// system, which may be larger than the 4096 bytes that tiles are aligned to.
func (s *Store) pages(off, n int64) []byte {
	start := off &^ (pageSize - 1)
	return s.mem[start : off+n : off+n]
}
