package lock

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// States of a process in the kernel's record of it.
const (
	stopped = 4 // SSTOP
	zombie  = 5 // SZOMB
)

// container is the same for all processes here.
func container() string { return "-" }

// lookAt says when a process began, and what it does.
func lookAt(pid int) (start string, state ProcessState) {
	if errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
		return "", ProcessEnded
	}
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return "", processUnknown
	}
	start = fmt.Sprintf("%d.%06d", k.Proc.P_starttime.Sec, k.Proc.P_starttime.Usec)
	switch k.Proc.P_stat {
	case zombie:
		return start, ProcessEnded
	case stopped:
		return start, ProcessStopped
	}
	return start, ProcessRuns
}

// ending is not asked here: memory that is page-locked, which takes a process long to give back, is a GPU's.
func ending(int) bool { return false }
