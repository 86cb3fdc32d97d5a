package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ooc/tiles"
	"ooc/tiles/crashtest"
	"ooc/tiles/lock"
)

// zombie returns the number of a process that has ended and is there until the test ends.
func zombie(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("true")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Wait() })
	for {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(stat), ") Z ") {
			return cmd.Process.Pid
		}
		time.Sleep(time.Millisecond)
	}
}

// TestWaitsForEndingProcess gives commands a lock whose holder is dead and still has it: they say so, wait, and go on.
func TestWaitsForEndingProcess(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	writeFile(t, dir, "a.csv", small)
	writeFile(t, dir, "b.csv", small)
	ooc(t, dir, "solve", "a.csv").want(t, 0)
	ooc(t, dir, "solve", "a.csv", "b.csv").want(t, 0)
	queues, err := filepath.Glob(filepath.Join(dir, "*.batch"))
	if err != nil || len(queues) != 1 {
		t.Fatal(queues, err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	dead := zombie(t)
	for _, c := range []struct{ locked, words, text string }{
		{"a.ooc", "solve a.csv", "already solved"},
		{"a.ooc", "solve a.ooc --restart", "solved"},
		{"dead.ooc", "solve a.csv --out dead.ooc", "solved"}, // an import that died
		{filepath.Base(queues[0]), "solve a.csv b.csv", "solved"},
	} {
		locked := filepath.Join(dir, c.locked)
		if err := os.MkdirAll(locked, 0o777); err != nil {
			t.Fatal(err)
		}
		held, err := lock.Take(locked)
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, locked, "lock", fmt.Sprintf("ooc lock\npid %d\nhost %s\n", dead, host))
		cmd := command(t, dir, strings.Fields(c.words)...)
		var all, stdout strings.Builder
		cmd.Stdout = &stdout
		out, err := cmd.StderrPipe()
		if err = errors.Join(err, cmd.Start()); err != nil {
			t.Fatal(err)
		}
		lines, freed := bufio.NewScanner(out), false
		for lines.Scan() {
			all.WriteString(lines.Text() + "\n")
			if strings.Contains(lines.Text(),
				fmt.Sprintf("process %d is ending and still gives memory back; waiting", dead)) {
				if freed {
					t.Errorf("%s: said twice", c.words)
				}
				freed = true
				if err := held.Release(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := cmd.Wait(); err != nil || !freed || !strings.Contains(stdout.String(), c.text) {
			t.Errorf("%s: waited %v, %v:\n%s%s", c.words, freed, err, all.String(), stdout.String())
		}
		if !freed {
			held.Release()
		}
	}
}

// TestSecondSolveFindsTheFirst holds a solve up while it reads its graph, until another has made and solved the
// store: it says so, and solves no more.
func TestSecondSolveFindsTheFirst(t *testing.T) {
	crashtest.Slow(t)
	dir := t.TempDir()
	ooc(t, dir, "gen", "random", "-n", "2000", "-m", "40000", "g.gr").want(t, 0)
	ooc(t, dir, "solve", "g.gr", "--out", "first.ooc").want(t, 0)
	store := filepath.Join(dir, "g.ooc")
	for range 20 {
		cmd := command(t, dir, "solve", "g.gr")
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for !opened(cmd.Process.Pid, filepath.Join(dir, "g.gr")) && !tiles.IsStore(store) {
			time.Sleep(100 * time.Microsecond)
		}
		if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		late := tiles.IsStore(store)
		var err error
		if !late {
			if err = os.RemoveAll(store); err == nil {
				err = os.Rename(filepath.Join(dir, "first.ooc"), store)
			}
		}
		if err = errors.Join(err, cmd.Process.Signal(syscall.SIGCONT)); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%v:\n%s", err, out.String())
		}
		if late {
			if err := os.RemoveAll(store); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if !strings.Contains(out.String(), "already solved") {
			t.Errorf("it said\n%s", out.String())
		}
		return
	}
	t.Fatal("the graph was read too fast each time")
}

// opened reports whether a process has a file open.
func opened(pid int, path string) bool {
	fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, fd := range fds {
		if to, err := os.Readlink(fd); err == nil && to == path {
			return true
		}
	}
	return false
}
