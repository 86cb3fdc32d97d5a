package tiles

import (
	"os"

	"golang.org/x/sys/unix"
)

// willNeedStep bounds one MADV_WILLNEED: the kernel cuts a longer one down to
// the largest transfer of the disk and drops the rest.
const willNeedStep = 512 << 10

// willNeed asks the kernel to read the range in the background.
func willNeed(b []byte) {
	for len(b) > 0 {
		n := min(len(b), willNeedStep)
		_ = unix.Madvise(b[:n], unix.MADV_WILLNEED) // advice: failing it costs speed only
		b = b[n:]
	}
}

// dropCache forgets the clean cached pages of f, so that reads see the disk.
func dropCache(f *os.File) { _ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED) }
