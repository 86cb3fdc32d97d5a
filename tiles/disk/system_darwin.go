package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Boot is the system's id of its current boot, which changes with each; "" if it does not say.
func Boot() string {
	id, err := unix.Sysctl("kern.bootsessionuuid") // macOS' id of a boot
	if err != nil {
		return ""
	}
	return id
}

// reserve gives the empty file f the size and the blocks for it, contiguous
// ones if there are. On volumes that cannot allocate ahead it only sets the
// size: the caller has compared it with the free space.
func reserve(f *os.File, size int64) error {
	st := unix.Fstore_t{Flags: unix.F_ALLOCATECONTIG | unix.F_ALLOCATEALL, Posmode: unix.F_PEOFPOSMODE, Length: size}
	err := unix.FcntlFstore(f.Fd(), unix.F_PREALLOCATE, &st)
	if err != nil {
		st.Flags = unix.F_ALLOCATEALL
		err = unix.FcntlFstore(f.Fd(), unix.F_PREALLOCATE, &st)
	}
	if err != nil && !errors.Is(err, unix.ENOTSUP) && !errors.Is(err, unix.EINVAL) {
		return os.NewSyscallError("fcntl(F_PREALLOCATE)", err)
	}
	return f.Truncate(size)
}
