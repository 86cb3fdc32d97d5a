package tiles

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockFile takes the lock on f, shared or exclusive, without waiting. Locks
// are mandatory here, so one byte far behind the text is locked, which others
// may then still read.
func lockFile(f *os.File, exclusive bool) error {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	at := windows.Overlapped{OffsetHigh: 1}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return errBusy
	}
	return os.NewSyscallError("LockFileEx", err)
}

// removeLock removes the lock file. An open file cannot be removed here, so it
// is closed first; if another process has opened it since, removing fails and
// the file stays, empty but for its first line.
func removeLock(f *os.File, path string) {
	release(f)
	os.Remove(path)
}
