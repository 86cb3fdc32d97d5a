package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// reserveStep bounds one fallocate. tmpfs undoes a call that a signal
// interrupts, so one call for hundreds of GiB might never end.
const reserveStep = 1 << 30

// reserve gives the empty file f the size and the blocks for it. On volumes
// that cannot allocate ahead it only sets the size: the caller has compared it
// with the free space.
func reserve(f *os.File, size int64) error {
	for off := int64(0); off < size; {
		n := min(size-off, reserveStep)
		err := unix.Fallocate(int(f.Fd()), 0, off, n)
		switch {
		case err == nil:
			off += n
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS):
			return f.Truncate(size)
		default:
			return os.NewSyscallError("fallocate", err)
		}
	}
	return nil
}
