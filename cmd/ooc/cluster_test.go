package main

import (
	"testing"

	"ooc/cmd/ooc/show"
)

// TestRelaunched puts what has started the processes of a cluster before the command that goes on with theirs.
func TestRelaunched(t *testing.T) {
	names := []string{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}
	line := show.SameCommand([]string{"ooc", "solve", "g.gr", "--restart", "--cluster", "mpi"})
	for set, want := range map[string]string{
		"":                     "ooc solve g.gr --cluster mpi" + show.Launched,
		"OMPI_COMM_WORLD_SIZE": "mpirun -n 4 ooc solve g.gr --cluster mpi",
		"PMI_SIZE":             "mpirun -n 4 ooc solve g.gr --cluster mpi",
		"SLURM_STEP_NUM_TASKS": "srun -n 4 ooc solve g.gr --cluster mpi",
	} {
		for _, name := range names {
			t.Setenv(name, map[bool]string{true: "4"}[name == set])
		}
		if got := relaunched(line); got != want {
			t.Errorf("with %s: %q, want %q", set, got, want)
		}
		if got := relaunched("ooc solve g.gr"); got != "ooc solve g.gr" {
			t.Errorf("of one process: %q", got)
		}
	}
}
