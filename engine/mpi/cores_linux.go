package mpi

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Cores names the cores that this process may run on, as mpirun has bound it: the same text for the same cores.
func Cores() string {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return ""
	}
	return fmt.Sprintf("%x", set)
}

// Processors returns how many processors this process may run on, and how many the one that has started it may:
// mpirun and srun bind only what they start. Both are 0 where that cannot be told.
func Processors() (mine, unbound int) {
	var own, parent unix.CPUSet
	if unix.SchedGetaffinity(0, &own) != nil || unix.SchedGetaffinity(os.Getppid(), &parent) != nil {
		return 0, 0
	}
	return own.Count(), parent.Count()
}
