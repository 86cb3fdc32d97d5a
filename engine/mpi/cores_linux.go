package mpi

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Cores names the cores that this process may run on, as mpirun has bound it: the same text for the same cores. It
// also returns how many they are, and how many the one that has started the process may run on: mpirun and srun bind
// only what they start. What cannot be told is "" or 0.
func Cores() (names string, mine, unbound int) {
	var own, parent unix.CPUSet
	if unix.SchedGetaffinity(0, &own) != nil {
		return "", 0, 0
	}
	names = fmt.Sprintf("%x", own)
	if unix.SchedGetaffinity(os.Getppid(), &parent) != nil {
		return names, 0, 0
	}
	return names, own.Count(), parent.Count()
}
