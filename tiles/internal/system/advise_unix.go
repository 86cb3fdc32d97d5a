//go:build unix && !linux

package system

import (
	"os"

	"golang.org/x/sys/unix"
)

// WillNeed asks the kernel to read the range in the background.
func WillNeed(b []byte) {
	_ = unix.Madvise(b, unix.MADV_WILLNEED) // advice: failing it costs speed only
}

// WillRead has no counterpart here.
func WillRead(*os.File, int64, int64) {}

// DropCache has no counterpart here.
func DropCache(*os.File) {}

// StartWriting has no counterpart here.
func StartWriting(*os.File, int64, int64) {}
