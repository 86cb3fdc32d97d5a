package tiles

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"syscall"

	"ooc/tiles/internal/system"
)

// Kinds of failure. Every error of this package that has one of these causes
// matches it under errors.Is; the command turns them into exit codes.
var (
	// ErrNoSpace: the volume or a quota is full, or a file may not grow that
	// far (ENOSPC, EDQUOT, EFBIG).
	ErrNoSpace = errors.New("no space")
	// ErrLocked: another process is the writer of the store. The error itself
	// is a *LockedError.
	ErrLocked = errors.New("store is locked")
	// ErrCorrupt: the store is damaged, or is in no format this package knows.
	ErrCorrupt = errors.New("store is corrupt")
	// ErrVersion: the store was written by another version of the format.
	ErrVersion = errors.New("unsupported store version")
	// ErrExists: Create found a complete store.
	ErrExists = errors.New("store already exists")
	// ErrNotStore: the folder holds files that are not ours.
	ErrNotStore = errors.New("not an ooc store")
	// ErrIncomplete: the folder holds an import that died before store.json
	// was written. Create starts it over.
	ErrIncomplete = errors.New("store is incomplete")
	// ErrNoCSR: the store was made from dense input and keeps no graph.
	ErrNoCSR = errors.New("store has no graph: its input was dense")
	// ErrClosed: the store was closed.
	ErrClosed = errors.New("store is closed")
	// ErrReadOnly: a write to a store opened with OpenReadOnly.
	ErrReadOnly = errors.New("store is open for reading only")
	// ErrNotRecovered: a writer changed the matrix, or recorded progress,
	// before Recover or Reset had said what the matrix is worth.
	ErrNotRecovered = errors.New("call Recover or Reset before writing")
	// ErrSyncFailed: a sync failed earlier; what it covered may or may not be
	// on disk, so nothing may be recorded any more.
	ErrSyncFailed = errors.New("an earlier sync failed")
)

// LockedError says who holds the lock of a store. PID is 0 and Host empty when
// the holder had not yet written them. Volume is not empty where the store is
// on a network file system, and another host has not given the lock back: it
// may have died there, which cannot be told from here. Ending says that the
// process has ended, or is ending, and what it had is still being taken back:
// the lock comes free with that.
type LockedError struct {
	Dir    string
	PID    int
	Host   string
	Volume string
	Ending bool
}

// Error names the store, the process that holds the lock, and its host.
func (e *LockedError) Error() string {
	if e.Volume != "" {
		return fmt.Sprintf("%s: %v by process %d on %s, and %s need not tell hosts of one another's locks; if that process runs no more, remove %s",
			e.Dir, ErrLocked, e.PID, e.Host, e.Volume, filepath.Join(e.Dir, nameLock))
	}
	if e.PID == 0 {
		return fmt.Sprintf("%s: %v by another process; wait for it to end", e.Dir, ErrLocked)
	}
	if e.Ending {
		return fmt.Sprintf("%s: %v by process %d on %s, which is ending or has left its lock to one that it started; wait until that has ended too",
			e.Dir, ErrLocked, e.PID, e.Host)
	}
	return fmt.Sprintf("%s: %v by process %d on %s; wait for it to end, or stop it",
		e.Dir, ErrLocked, e.PID, e.Host)
}

// Is makes errors.Is(err, ErrLocked) true.
func (e *LockedError) Is(target error) bool { return target == ErrLocked }

// FaultError is a failed access to the mapped matrix: the file shrank under
// the mapping, its medium returned an error, or (on volumes that cannot
// reserve) the volume filled up. It wraps ErrCorrupt or ErrNoSpace.
type FaultError struct {
	Op   string // "read", "write", "sum", …
	File string // path of the matrix
	I, J int    // tile
	// Offset is the file offset of the failed access, in bytes; where the
	// system gives none, the tile's.
	Offset int64
	Reason string // what is wrong, and the remedy
	Err    error  // ErrCorrupt or ErrNoSpace
}

// Error names the operation, the file, the tile and the reason.
func (e *FaultError) Error() string {
	return fmt.Sprintf("%s %s, tile (%d,%d), offset %d: %v: %s",
		e.Op, e.File, e.I, e.J, e.Offset, e.Err, e.Reason)
}

// Unwrap gives the kind of the failure.
func (e *FaultError) Unwrap() error { return e.Err }

// corrupt builds an ErrCorrupt that names the file and the reason.
func corrupt(file, format string, args ...any) error {
	return fmt.Errorf("%s: %w: %s", file, ErrCorrupt, fmt.Sprintf(format, args...))
}

// classify adds the kind to an error of the operating system: running out of
// space in any of its forms, a medium that cannot be read.
func classify(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrNoSpace), errors.Is(err, ErrCorrupt):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT),
		errors.Is(err, syscall.EFBIG), system.IsDiskFull(err):
		return fmt.Errorf("%w: %w", ErrNoSpace, err)
	}
	return err
}

// readErr is classify for reads: a file that ends early or a sector that
// cannot be read means that the store is damaged.
func readErr(file string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return corrupt(file, "the file ends early")
	}
	if errors.Is(err, syscall.EIO) {
		return fmt.Errorf("%s: %w: the medium cannot be read: %w", file, ErrCorrupt, err)
	}
	return fmt.Errorf("%s: %w", file, classify(err))
}
