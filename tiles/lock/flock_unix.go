//go:build unix

package lock

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
