package main

import (
	"os"
	"syscall"
)

// maxRSS returns the most memory that an ended process had, in bytes. It reports false where that is no more than
// this process had: Linux begins the count of a child with the memory of its parent.
func maxRSS(state *os.ProcessState) (int64, bool) {
	var own syscall.Rusage
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok || syscall.Getrusage(syscall.RUSAGE_SELF, &own) != nil || usage.Maxrss <= own.Maxrss {
		return 0, false
	}
	return usage.Maxrss << 10, true // Linux counts in KiB
}
