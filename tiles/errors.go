package tiles

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"ooc/tiles/class"
	"ooc/tiles/disk"
)

// Kinds of failure, beside disk.ErrNoSpace, disk.ErrCorrupt, lock.ErrLocked and
// lock.ErrNotStore. Every error of this package that has one of these causes
// matches it under errors.Is; the command turns them into exit codes.
var (
	// ErrVersion: the store was written by another version of the format.
	ErrVersion = class.New(class.Corrupt, "unsupported store version")
	// ErrExists: Create found a complete store.
	ErrExists = errors.New("store already exists")
	// ErrIncomplete: the folder holds an import that died before store.json
	// was written. Create starts it over.
	ErrIncomplete = errors.New("store is incomplete")
	// ErrNoCSR: the store was made from dense input and keeps no graph.
	ErrNoCSR = class.New(class.Input, "store has no graph: its input was dense")
	// ErrNoMatrix: the store is of layout Factors.
	ErrNoMatrix = errors.New("store has no matrix: it keeps factors")
	// errClosed: the store was closed.
	errClosed = errors.New("store is closed")
	// errReadOnly: a write to a store opened with OpenReadOnly.
	errReadOnly = errors.New("store is open for reading only")
	// errNotRecovered: a writer changed the matrix, or recorded progress,
	// before Recover or Reset had said what the matrix is worth.
	errNotRecovered = errors.New("call Recover or Reset before writing")
	// ErrSyncFailed: a sync failed earlier; what it covered may or may not be
	// on disk, so nothing may be recorded any more.
	ErrSyncFailed = errors.New("an earlier sync failed")
)

// FaultError is a failed access to the matrix: the file shrank, its medium returned
// an error, or (on volumes that cannot reserve) the volume filled up, and it wraps
// disk.ErrCorrupt or disk.ErrNoSpace; or, where the matrix is not mapped, the system
// refused for another reason, which it wraps.
type FaultError struct {
	Op   string // "read", "write", "sum", …
	File string // path of the matrix
	I, J int    // tile
	// Offset is the file offset of the failed access, in bytes; where the
	// system gives none, the tile's.
	Offset int64
	Reason string // what is wrong, and the remedy
	Err    error  // disk.ErrCorrupt, disk.ErrNoSpace, or what the system said
}

// Error names the operation, the file, the tile and the reason.
func (e *FaultError) Error() string {
	return fmt.Sprintf("%s %s, tile (%d,%d), offset %d: %v: %s",
		e.Op, e.File, e.I, e.J, e.Offset, e.Err, e.Reason)
}

// Unwrap gives the kind of the failure.
func (e *FaultError) Unwrap() error { return e.Err }

// Absent says of the error of opening a store that none is there yet.
func Absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrIncomplete)
}

// Damaged says of the error of opening a store, or of reading a file of one, that what is there is of no use, and not
// that the disk cannot be read now.
func Damaged(err error) bool {
	return (errors.Is(err, disk.ErrCorrupt) || errors.Is(err, ErrVersion)) && !errors.Is(err, syscall.EIO)
}

// faultAt finds out why the mapping could not be touched at a file offset.
func (s *Store) faultAt(op string, i, j int, off int64) error {
	e := &FaultError{Op: op, File: s.dist.Name(), I: i, J: j, Offset: off, Err: disk.ErrCorrupt}
	size, err := disk.FileSize(s.dist)
	if err == nil && size < s.distBytes() {
		return s.shortFault(op, i, j, off, size)
	}
	free, ferr := disk.Free(s.dir)
	if op == "write" && ferr == nil && free < s.geo.TileBytes() {
		e.Err = disk.ErrNoSpace
		e.Reason = fmt.Sprintf("the volume is full (%s free) and reserves nothing ahead; "+
			"free some space and solve again, which resumes", disk.Size(free))
		return e
	}
	e.Reason = "the medium returned an error; see the system's log, and copy the store to another disk"
	return e
}

func (s *Store) shortFault(op string, i, j int, off, size int64) error {
	return &FaultError{Op: op, File: s.dist.Name(), I: i, J: j, Offset: off, Err: disk.ErrCorrupt,
		Reason: fmt.Sprintf("the file was cut to %d of %d bytes; restore it, or solve again with --restart", size,
			s.distBytes())}
}

// pages is the mapping from off on, n bytes, widened to whole pages of the
// system, which may be larger than the 4096 bytes that tiles are aligned to.
func (s *Store) pages(off, n int64) []byte {
	start := off &^ (pageSize - 1)
	return s.mem[start : off+n : off+n]
}
