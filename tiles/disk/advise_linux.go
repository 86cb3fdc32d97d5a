package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

// willNeedStep bounds one MADV_WILLNEED: the kernel cuts a longer one down to
// the largest transfer of the disk and drops the rest.
const willNeedStep = 512 << 10

// WillNeed asks the kernel to read the range in the background.
func WillNeed(b []byte) {
	for len(b) > 0 {
		n := min(len(b), willNeedStep)
		_ = unix.Madvise(b[:n], unix.MADV_WILLNEED) // advice: failing it costs speed only
		b = b[n:]
	}
}

// WillRead is WillNeed for a part of a file that is not mapped.
func WillRead(f *os.File, off, n int64) {
	_ = unix.Fadvise(int(f.Fd()), off, n, unix.FADV_WILLNEED) // advice
}

// StartWriting asks the system to begin writing a part of f to disk, so that
// the next sync finds little left to do.
func StartWriting(f *os.File, off, n int64) {
	_ = unix.SyncFileRange(int(f.Fd()), off, n, unix.SYNC_FILE_RANGE_WRITE) // advice
}

// DropCache forgets the clean cached pages of f, so that reads see the disk.
func DropCache(f *os.File) { _ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED) }
