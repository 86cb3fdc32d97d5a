//go:build unix

package tiles

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockFile takes the lock on f, shared or exclusive, without waiting. flock
// belongs to the open file: it ends with the process, however that ends.
func lockFile(f *os.File, exclusive bool) error {
	how := unix.LOCK_SH
	if exclusive {
		how = unix.LOCK_EX
	}
	for {
		switch err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB); err {
		case nil:
			return nil
		case unix.EINTR:
		case unix.EWOULDBLOCK:
			return errBusy
		default:
			return os.NewSyscallError("flock", err)
		}
	}
}

// removeLock removes the lock file and gives the lock back, in that order, so
// that nobody can lock the file in between and lose it.
func removeLock(f *os.File, path string) {
	os.Remove(path)
	f.Close()
}
