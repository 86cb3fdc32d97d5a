package mpi

import (
	"fmt"
	"os"
	"strconv"
)

// startedWith is what has started how many processes together, as the environment has it; 0: unknown.
func startedWith() (launcher string, n int) {
	for _, v := range [][2]string{{"OMPI_COMM_WORLD_SIZE", "mpirun"}, {"PMI_SIZE", "mpirun"},
		{"SLURM_STEP_NUM_TASKS", "srun"}} {
		if n, err := strconv.Atoi(os.Getenv(v[0])); err == nil {
			return v[1], n
		}
	}
	return "", 0
}

// Launcher is what to write before a command line to start as many processes as this one was started with, as in
// mpirun -n 4; "" if that is unknown.
func Launcher() string {
	launcher, n := startedWith()
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s -n %d", launcher, n)
}
