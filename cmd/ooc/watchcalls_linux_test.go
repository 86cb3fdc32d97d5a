//go:build amd64 || arm64

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/edsrzf/mmap-go"
)

// changeFolder plays the process that is watched, and ends it.
func changeFolder(dir string) {
	if err := change(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// change does one of everything, and writes by several threads at once.
func change(dir string) error {
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.Mkdir(at("sub"), 0o777), os.WriteFile(at("a"), make([]byte, 4096), 0o666)); err != nil {
		return err
	}
	f, err := os.OpenFile(at("a"), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	errs := make([]error, 8)
	var wait sync.WaitGroup
	for i := range errs {
		wait.Go(func() { _, errs[i] = f.WriteAt([]byte("text"), int64(i)) })
	}
	wait.Wait()
	m, err := mmap.Map(f, mmap.RDWR, 0)
	if err != nil {
		return err
	}
	m[0] = 'T'
	if err := errors.Join(append(errs, m.Flush(), m.Unmap(), f.Sync(), f.Truncate(9), f.Chmod(0o600))...); err != nil {
		return err
	}
	if err := os.Rename(at("a"), at("sub/b")); err != nil {
		return err
	}
	if err := os.Remove(at("sub/b")); err != nil {
		return err
	}
	return os.Remove(at("sub")) // which tries it as a file first
}

// watchChange runs the process, and returns what it did, how it ended, and what it said.
func watchChange(
	t *testing.T, dir string, decide func(fileCall) fate,
) (calls []string, said string, state *os.ProcessState) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "OOC_TEST_MAIN=submitted", "OOC_TEST_CHANGE="+dir)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	err = runWatched(cmd, dir, func(c fileCall) fate {
		calls = append(calls, c.String())
		return decide(c)
	})
	if cmd.ProcessState.ExitCode() == exitNotSubmitted && os.Getenv("OOC_REQUIRE_SYSCALLS") != "1" {
		t.Skip(stderr.String())
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return calls, stderr.String(), cmd.ProcessState
}

// everyChange is what change does.
var everyChange = []string{
	"mkdirat of sub (1)", "openat of a (1)", "write of a (1)",
	"pwrite64 of a (1)", "pwrite64 of a (2)", "pwrite64 of a (3)", "pwrite64 of a (4)",
	"pwrite64 of a (5)", "pwrite64 of a (6)", "pwrite64 of a (7)", "pwrite64 of a (8)",
	"msync of a (1)", "fsync of a (1)", "ftruncate of a (1)", "fchmod of a (1)", "renameat of a → sub/b (1)",
	"unlinkat of sub/b (1)", "unlinkat of sub (1)", "unlinkat of sub (2)",
}

func TestEveryCallIsSeen(t *testing.T) {
	calls, said, state := watchChange(t, t.TempDir(), func(fileCall) fate { return fate{} })
	if !slices.Equal(calls, everyChange) || !state.Success() {
		t.Errorf("%v: %s\n%q\nwant\n%q", state, said, calls, everyChange)
	}
}

// TestOneCallFails fails each call once: the process says so, and names it.
func TestOneCallFails(t *testing.T) {
	for _, call := range everyChange {
		_, said, state := watchChange(t, t.TempDir(), func(c fileCall) fate {
			if c.String() == call {
				return fate{Fail: syscall.EDQUOT}
			}
			return fate{}
		})
		if call == "unlinkat of sub (1)" { // the next one does it
			continue
		}
		if state.ExitCode() != 1 || !strings.Contains(said, syscall.EDQUOT.Error()) {
			t.Errorf("%s: %v: %q", call, state, said)
		}
	}
}

// TestKilledBeforeACall kills the process at each call: those before it were done, and neither it nor any later one.
func TestKilledBeforeACall(t *testing.T) {
	for at, call := range everyChange {
		dir := t.TempDir()
		calls, _, state := watchChange(t, dir, func(c fileCall) fate { return fate{Kill: c.String() == call} })
		s := state.Sys().(syscall.WaitStatus)
		if !s.Signaled() || s.Signal() != syscall.SIGKILL || !slices.Equal(calls, everyChange[:at+1]) {
			t.Errorf("%s: %v after %q", call, state, calls)
		}
		_, err := os.Stat(filepath.Join(dir, "sub"))
		if there := err == nil; there != (at > 0) {
			t.Errorf("%s: sub is there: %v", call, there)
		}
		_, err = os.Stat(filepath.Join(dir, "sub/b"))
		if there := err == nil; there != (call == "unlinkat of sub/b (1)") {
			t.Errorf("%s: sub/b is there: %v", call, there)
		}
	}
}
