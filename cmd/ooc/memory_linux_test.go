package main

import (
	"os"
	"syscall"
)

// maxRSS returns the most memory that an ended process had, in bytes.
func maxRSS(state *os.ProcessState) (int64, bool) {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, false
	}
	return usage.Maxrss << 10, true // Linux counts in KiB
}
