//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// kills is how many SIGKILLs TestKills sends; OOC_KILLS changes it.
func kills(t *testing.T) int {
	text := os.Getenv("OOC_KILLS")
	if text == "" {
		return 100
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// limits are random flags that may change from run to run of one store.
func limits(r *rand.Rand, tile int, algorithm string) []string {
	flags := []string{"--checkpoint", fmt.Sprintf("%dms", 1+r.IntN(100)), "--streams", fmt.Sprint(1 + r.IntN(4))}
	if r.IntN(3) > 0 {
		flags = append(flags, "--round", fmt.Sprint(tile*(1+r.IntN(3))))
	}
	if r.IntN(2) == 0 && algorithm == "blocked" {
		flags = append(flags, "--host-memory", fmt.Sprintf("%dKiB", 4*tile*tile*4/1024*(1+r.IntN(8))))
	}
	return flags
}

// TestKills kills solves at random moments, over and over until each is done, and compares the end with
// an uninterrupted solve: byte by byte in i32, of predecessors the distances; by verification in f32.
func TestKills(t *testing.T) {
	r := seeded(t)
	dir := t.TempDir()
	want, killed, resumed := kills(t), 0, 0
	for killed < want {
		n := 1500 + r.IntN(1500)
		tile := 64 << r.IntN(3)
		kind := []string{"i32", "f32"}[r.IntN(2)]
		algorithm := []string{"blocked", "eliminate"}[r.IntN(2)]
		ooc(t, dir, "gen", "random", "g.gr", "-n", fmt.Sprint(n), "-m", fmt.Sprint((2+r.IntN(9))*n), "--seed", fmt.Sprint(r.Uint32()), "--overwrite").want(t, 0)
		base := []string{"solve", "g.gr", "--kind", kind, "--tile", fmt.Sprint(tile), "--algorithm", algorithm}
		trees := algorithm == "blocked" && r.IntN(2) == 0
		if trees {
			base = append(base, "--predecessors")
		}
		if err := os.RemoveAll(filepath.Join(dir, "whole.ooc")); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		ooc(t, dir, append(base, "--out", "whole.ooc", "--restart")...).want(t, 0)
		whole := time.Since(began)
		// A run that is killed before it replaced the store of another graph would rightly leave that.
		if err := os.RemoveAll(filepath.Join(dir, "killed.ooc")); err != nil {
			t.Fatal(err)
		}
		base = append(base, "--out", "killed.ooc")
		first := append([]string{"--restart"}, limits(r, tile, algorithm)...)
		for more := 3 + r.IntN(8); more > 0 && killed < want; more-- {
			if killOne(t, dir, append(base, first...), time.Duration(r.Int64N(int64(whole)))) {
				killed++
			}
			first = limits(r, tile, algorithm)
		}
		last := jsonLines(t, ooc(t, dir, append(append(base, "--json"), limits(r, tile, algorithm)...)...).want(t, 0).stdout)
		if from, ok := last[len(last)-1]["resumed_from"].(float64); ok && from > 0 {
			resumed++
		}
		if kind == "i32" && trees {
			sameExport(t, dir)
		} else if kind == "i32" && !bytes.Equal(read(t, dir, "killed.ooc", "dist.npy"), read(t, dir, "whole.ooc", "dist.npy")) {
			t.Fatalf("n=%d tile=%d algorithm=%s: the killed solve's matrix differs", n, tile, algorithm)
		}
		ooc(t, dir, "verify", "killed.ooc", "--rows", "64").want(t, 0)
	}
	t.Logf("%d kills; %d last runs went on from a restore point or a note", killed, resumed)
	if killed >= 50 && resumed == 0 {
		t.Error("every kill fell before the first restore point: the test shows nothing")
	}
}

// killOne starts a solve, kills it after a while, and reports whether it was still running then.
func killOne(t *testing.T, dir string, args []string, after time.Duration) bool {
	t.Helper()
	cmd := command(t, dir, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(after)
	if err := cmd.Process.Kill(); err != nil && err != os.ErrProcessDone {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the status says below how it ended
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		return true
	} else if status.ExitStatus() != 0 {
		t.Fatalf("%v: exit code %d\n%s", args, status.ExitStatus(), stderr.String())
	}
	return false
}
