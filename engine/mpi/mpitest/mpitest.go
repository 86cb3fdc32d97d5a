// Package mpitest finds what starts processes over MPI on this machine, for tests.
package mpitest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Launcher starts processes over one MPI library.
type Launcher struct {
	Name string
	path string
	args []string
	env  []string
}

// Launchers returns those of this machine: Debian's mpirun.openmpi and mpirun.mpich, and that of the folder
// OOC_MPICH, where MPICH 5 is, with the standard ABI. Where there is none, the test is skipped, or fails with
// OOC_REQUIRE_MPI=1.
func Launchers(t *testing.T) []*Launcher {
	t.Helper()
	var all []*Launcher
	if path, err := exec.LookPath("mpirun.openmpi"); err == nil {
		all = append(all, &Launcher{"Open MPI", path, []string{"--allow-run-as-root", "--oversubscribe"}, nil})
	}
	if path, err := exec.LookPath("mpirun.mpich"); err == nil {
		all = append(all, &Launcher{"MPICH", path, nil, []string{"OOC_MPI=libmpich.so.12"}})
	}
	if dir := os.Getenv("OOC_MPICH"); dir != "" {
		lib := filepath.Join(dir, "lib")
		all = append(all, &Launcher{"standard ABI", filepath.Join(dir, "bin", "mpirun"), nil,
			[]string{"LD_LIBRARY_PATH=" + lib, "OOC_MPI=libmpi_abi.so.1"}})
	}
	if len(all) == 0 {
		const reason = "no mpirun.openmpi, mpirun.mpich or OOC_MPICH is found"
		if os.Getenv("OOC_REQUIRE_MPI") == "1" {
			t.Fatal(reason)
		}
		t.Skip(reason + "; OOC_REQUIRE_MPI=1 makes this a failure")
	}
	return all
}

// Command returns the command that starts n processes.
func (l *Launcher) Command(t *testing.T, n int, name string, args ...string) *exec.Cmd {
	t.Helper()
	return l.command(t, append([]string{"-n", strconv.Itoa(n), name}, args...))
}

// Each returns the command that starts a process of each line, which is a folder to run in, a program and its
// arguments.
func (l *Launcher) Each(t *testing.T, lines ...[]string) *exec.Cmd {
	t.Helper()
	var args []string
	for i, line := range lines {
		if i > 0 {
			args = append(args, ":")
		}
		args = append(append(args, "-n", "1", "-wdir", line[0]), line[1:]...)
	}
	return l.command(t, args)
}

func (l *Launcher) command(t *testing.T, args []string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), l.path, slices.Concat(l.args, args)...)
	other := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "OOC_MPI=") })
	cmd.Env = append(other, l.env...)
	return cmd
}
