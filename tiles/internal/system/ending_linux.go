package system

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

// Ending says whether a process of this host has ended, or is ending. It may
// hold its locks for seconds then, while page-locked memory is taken back, and
// they may have passed to a process that it had started.
func Ending(pid int) bool {
	if errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
		return true
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false // it may only be hidden from us
	}
	// The state, five numbers and the flags follow the name, which may hold anything.
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(fields) < 7 {
		return false
	}
	flags, err := strconv.ParseUint(string(fields[6]), 10, 64)
	return err == nil && flags&exiting != 0 || string(fields[0]) == "Z" || string(fields[0]) == "X"
}
