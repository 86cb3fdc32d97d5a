package lock

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
