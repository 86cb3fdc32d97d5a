package mpi

import (
	"fmt"

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
