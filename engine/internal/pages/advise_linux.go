package pages

import "golang.org/x/sys/unix"

func advise(b []byte) {
	_ = unix.Madvise(b, unix.MADV_HUGEPAGE) // a kernel without them refuses: slower, and no error
}

func discard(b []byte) {
	_ = unix.Madvise(b, unix.MADV_DONTNEED) // locked memory stays
}
