package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ooc/engine"
	"ooc/tiles/crashtest"
)

// TestEveryAlgorithm wants the same bytes of every algorithm, in one stream and in several, and those of SciPy.
func TestEveryAlgorithm(t *testing.T) {
	crashtest.Slow(t)
	r := seeded(t)
	dir := t.TempDir()
	ooc(t, dir, "gen", "rmat", "g.gr", "-n", "700", "--seed", fmt.Sprint(r.Uint32())).want(t, 0)
	solve := []string{"solve", "g.gr", "--tile", "64", "--device", "cpu", "--out"}
	ooc(t, dir, append(solve, "blocked.ooc", "--algorithm", "blocked")...).want(t, 0)
	want := readFile(t, dir, "blocked.ooc", "dist.npy")
	for _, algorithm := range engine.Algorithms {
		for _, flags := range [][]string{nil, {"--streams", "1"}} {
			out := algorithm + fmt.Sprint(len(flags)) + ".ooc"
			args := append(append(solve, out, "--algorithm", algorithm), flags...)
			ooc(t, dir, args...).want(t, 0)
			if !bytes.Equal(readFile(t, dir, out, "dist.npy"), want) {
				t.Errorf("%v gives other bytes than blocked rounds", args)
			}
		}
		ooc(t, dir, "plan", "g.gr", "--algorithm", algorithm, "--device", "cpu").want(t, 0, "algorithm", "time")
	}
	ooc(t, dir, "status", "squaring0.ooc").want(t, 0, "squaring", "solved")
	small := func(algorithm string) result {
		cmd := command(t, dir, append(solve, "small.ooc", "--device-memory", "1500KiB", "--algorithm", algorithm)...)
		cmd.Env = append(cmd.Env, "GOMAXPROCS=2") // each thread takes some of that
		return finish(t, cmd)
	}
	small("single-stage").want(t, 2, "has to fit the device", "needs", "--algorithm blocked streams")
	small("squaring").want(t, 0, "solved small.ooc")
	if !bytes.Equal(readFile(t, dir, "small.ooc", "dist.npy"), want) {
		t.Error("squaring that streams gives other bytes")
	}
	ooc(t, dir, "solve", "g.gr", "--algorithm", "squaring", "--sources", "1,2", "--out", "rows.ooc").want(t, 2,
		"needs every row")
	scipy(t, dir, "compare.py", "squaring0.ooc", "g.gr") // last, since it skips where there is none
}

// TestLeastDeviceMemory wants too little device memory to be refused before there is a store, and what the refusal
// asks for to be enough and no more than that.
func TestLeastDeviceMemory(t *testing.T) {
	dir := t.TempDir()
	ooc(t, dir, "gen", "random", "g.gr", "-n", "150", "-m", "3000").want(t, 0)
	solves := []string{
		"solve g.gr --algorithm blocked", "solve g.gr --algorithm blocked --round 128",
		"solve g.gr --algorithm blocked --kind f64 --predecessors",
		"solve g.gr --algorithm squaring --undirected", "solve g.gr --algorithm single-stage --kind f32",
	}
	needs := regexp.MustCompile(`needs? (?:at least )?(\d+) bytes`)
	for _, device := range testDevices(t) {
		commands := solves
		if !strings.HasPrefix(device, "opencl") { // which has no operations for these
			feeds := []string{"sssp g.gr --source 1", "mst g.gr --undirected", "mst g.gr --undirected --method prim"}
			commands = slices.Concat(solves, feeds)
		}
		for _, line := range commands {
			with := func(memory int) result {
				args := append(strings.Fields(line), "--device", device, "--device-memory", fmt.Sprint(memory))
				if args[0] == "solve" {
					args = append(args, "--out", "least.ooc")
				}
				return ooc(t, dir, args...)
			}
			least := 0
			for _, memory := range []int{1, 1 << 17} {
				r := with(memory).want(t, 2, "memory limit too small")
				found := needs.FindStringSubmatch(r.stderr)
				if found == nil {
					t.Fatalf("%s on %s: it does not say what is needed:\n%s", line, device, r.stderr)
				}
				if least != 0 && found[1] != fmt.Sprint(least) {
					t.Errorf("%s on %s: needs %s, and %d with less memory", line, device, found[1], least)
				}
				least, _ = strconv.Atoi(found[1])
			}
			with(least-1).want(t, 2, "memory limit too small")
			if _, err := os.Lstat(filepath.Join(dir, "least.ooc")); err == nil {
				t.Errorf("%s on %s: a store is left of what was refused", line, device)
			}
			for _, memory := range []int{least, least + 1, least + least/4} { // enough, and some that no plan can use
				with(memory).want(t, 0)
				if err := os.RemoveAll(filepath.Join(dir, "least.ooc")); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
