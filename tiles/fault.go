package tiles

import (
	"fmt"
	"runtime"
	"unsafe"

	"ooc/tiles/disk"
)

// addressed is a panic of the runtime that knows the faulting address.
type addressed interface {
	runtime.Error
	Addr() uintptr
}

// fault turns a recovered fault on the mapping into an error. Any other panic
// is somebody's bug and goes on.
func (s *Store) fault(r any, op string, i, j int) error {
	a, ok := r.(addressed)
	if !ok {
		panic(r)
	}
	base := uintptr(unsafe.Pointer(unsafe.SliceData([]byte(s.mem))))
	at := a.Addr()
	if at < base || at-base >= uintptr(len(s.mem)) {
		panic(r)
	}
	return s.faultAt(op, i, j, int64(at-base))
}

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
