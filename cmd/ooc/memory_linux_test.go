package main

import (
	"os"
	"syscall"
)

// maxRSS returns the most memory that an ended process had, in bytes. It reports false where this process had more: Linux counts what a process has
// before it becomes another program.
func maxRSS(state *os.ProcessState) (int64, bool) {
	var own syscall.Rusage
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok || syscall.Getrusage(syscall.RUSAGE_SELF, &own) != nil || usage.Maxrss <= own.Maxrss {
		return 0, false
	}
	return usage.Maxrss << 10, true // Linux counts in KiB
}
