package lock

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func init() { children["bequeath"] = childBequeath }

// childBequeath takes a lock and starts a process that has its lock too, and outlives it.
func childBequeath(dir string) error {
	l, err := Take(dir)
	if err != nil {
		return err
	}
	heir := exec.Command("sleep", "600")
	heir.ExtraFiles = []*os.File{l.file}
	if err := heir.Start(); err != nil {
		return err
	}
	fmt.Println("ready", heir.Process.Pid)
	for {
		time.Sleep(time.Hour)
	}
}

// TestEndingHolder: a lock outlives the process that took it. As long as that runs, others are told to wait or to
// stop it; when it is dead, and when nothing is left of it, that it is ending.
func TestEndingHolder(t *testing.T) {
	dir := t.TempDir()
	cmd, line := child(t, "bequeath", dir)
	heir, err := strconv.Atoi(strings.Fields(line)[1])
	must(t, err)
	defer syscall.Kill(heir, syscall.SIGKILL)
	check := func(when string, ending bool) {
		t.Helper()
		_, err := Take(dir)
		for what, err := range map[string]error{"Take": err, "CheckFree": CheckFree(dir)} {
			var locked *LockedError
			if !errors.As(err, &locked) || locked.PID != cmd.Process.Pid || locked.Ending != ending {
				t.Errorf("%s %s: %v", what, when, err)
			}
		}
	}
	check("while it runs", false)
	must(t, cmd.Process.Kill())
	for { // until it is a zombie: the pipe ends before
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
		must(t, err)
		if strings.Contains(string(stat), ") Z ") {
			break
		}
		time.Sleep(time.Millisecond)
	}
	check("of a zombie", true)
	cmd.Wait()
	check("of what is gone", true)
	must(t, syscall.Kill(heir, syscall.SIGKILL))
	for {
		l, err := Take(dir)
		if errors.Is(err, ErrLocked) { // it takes a moment
			time.Sleep(time.Millisecond)
			continue
		}
		must(t, err)
		must(t, l.Release())
		return
	}
}
