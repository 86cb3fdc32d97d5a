//go:build unix && !linux

package disk

import "golang.org/x/sys/unix"

// WillNeed asks the kernel to read the range in the background.
func WillNeed(b []byte) {
	_ = unix.Madvise(b, unix.MADV_WILLNEED) // advice: failing it costs speed only
}
