package newfile

import (
	"os"

	"golang.org/x/sys/unix"
)

// startWriting asks the system to begin writing a part of f to disk, so that the sync at the end finds
// little left to do. It is advice: failing it costs time only.
func startWriting(f *os.File, from, n int64) {
	_ = unix.SyncFileRange(int(f.Fd()), from, n, unix.SYNC_FILE_RANGE_WRITE)
}
