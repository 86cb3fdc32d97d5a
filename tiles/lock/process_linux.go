package lock

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// exiting is PF_EXITING of the kernel's flags of a process.
const exiting = 0x4

// container is that in which the numbers of processes count; "" if the system does not say.
func container() string {
	space, _ := os.Readlink("/proc/self/ns/pid")
	return space
}

// lookAt says when a process of this container began, in ticks of the system, and what it does.
func lookAt(pid int) (start string, state ProcessState) {
	if errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
		return "", ProcessEnded
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", processUnknown // it may only be hidden from us
	}
	// The state, five numbers, the flags and twelve more numbers follow the name, which may hold anything.
	f := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(f) < 20 {
		return "", processUnknown
	}
	flags, err := strconv.ParseUint(string(f[6]), 10, 64)
	switch state := string(f[0]); {
	case err == nil && flags&exiting != 0, state == "Z", state == "X":
		return "", ProcessEnded
	case state == "T", state == "t":
		return string(f[19]), ProcessStopped
	}
	return string(f[19]), ProcessRuns
}

// ending says whether a process of this host has ended, or is ending. It may
// hold its locks for seconds then, while page-locked memory is taken back, and
// they may have passed to a process that it had started.
func ending(pid int) bool {
	_, state := lookAt(pid)
	return state == ProcessEnded
}
