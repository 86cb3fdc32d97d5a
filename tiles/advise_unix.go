//go:build unix && !linux

package tiles

import (
	"os"

	"golang.org/x/sys/unix"
)

// willNeed asks the kernel to read the range in the background.
func willNeed(b []byte) {
	_ = unix.Madvise(b, unix.MADV_WILLNEED) // advice: failing it costs speed only
}

// dropCache has no counterpart here.
func dropCache(*os.File) {}

// startWriting has no counterpart here.
func startWriting(*os.File, int64, int64) {}
