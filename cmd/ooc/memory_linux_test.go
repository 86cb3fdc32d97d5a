package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// maxRSS returns the most memory that an ended process had, in bytes. It reports false where that is no more than
// this process had: Linux begins the count of a child with the memory of its parent.
func maxRSS(state *os.ProcessState) (int64, bool) {
	var own syscall.Rusage
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok || syscall.Getrusage(syscall.RUSAGE_SELF, &own) != nil || usage.Maxrss <= own.Maxrss {
		return 0, false
	}
	return usage.Maxrss << 10, true // Linux counts in KiB
}

// TestPlanMemory compares the memory that a plan promises with the most that the solve takes.
func TestPlanMemory(t *testing.T) {
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race",
		Value: "true"}) {
		t.Skip("the race detector takes memory of its own")
	}
	dir := t.TempDir()
	ooc(t, dir, "gen", "powerlaw", "net.gr", "-n", "6000", "-m", "30000", "--undirected").want(t, 0)
	ooc(t, dir, "gen", "powerlaw", "hops.gr", "-n", "6000", "-m", "30000", "--undirected", "--unweighted").want(t, 0)
	ooc(t, dir, "gen", "random", "few.gr", "-n", "4000", "-m", "40000").want(t, 0)
	ooc(t, dir, "gen", "road", "road.gr", "-n", "12000").want(t, 0)
	for i, line := range []string{
		"net.gr --undirected", "net.gr --undirected --predecessors", "net.gr --undirected --host-memory 40MiB",
		"hops.gr", "road.gr --undirected", "road.gr --sources 1..3000", "net.gr --undirected --algorithm eliminate",
		"few.gr --algorithm blocked",
	} {
		args := append(strings.Fields(line), "--device", "cpu")
		says := jsonLines(t, ooc(t, dir, append([]string{"plan", "--json"}, args...)...).want(t, 0).stdout)[0]
		args = append(args, "--algorithm", says["algorithm"].(string)) // on a busy machine the solve may choose another
		cmd := command(t, dir, append([]string{"solve", "--out", fmt.Sprint(i, ".ooc")}, args...)...)
		took, said := mostMemory(t, cmd), says["memory_bytes"].(float64)
		const busy = 32 << 20 // of garbage that is collected late on a busy machine
		if took > 1.2*said+busy || took < 0.6*said {
			t.Errorf("%s: by %v, %.0f MiB, where the plan says %.0f MiB", line, says["algorithm"], took/(1<<20),
				said/(1<<20))
		}
	}
}

// mostMemory runs a command and returns the most memory in bytes that it has had.
func mostMemory(t *testing.T, cmd *exec.Cmd) (bytes float64) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "status")
	cmd.Env = append(cmd.Env, "OOC_TEST_STATUS="+file)
	finish(t, cmd).want(t, 0)
	_, most, _ := strings.Cut(string(readFile(t, file)), "VmHWM:")
	if _, err := fmt.Sscanf(most, "%f kB", &bytes); err != nil {
		t.Fatal(err)
	}
	return bytes * 1024
}
