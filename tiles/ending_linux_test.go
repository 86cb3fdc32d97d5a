package tiles

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

// childBequeath opens a store and starts a process that has its lock too, and outlives it.
func childBequeath(args []string) error {
	s, err := Open(args[0])
	if err != nil {
		return err
	}
	heir := exec.Command("sleep", "600")
	heir.ExtraFiles = []*os.File{s.lock}
	if err := heir.Start(); err != nil {
		return err
	}
	fmt.Println("ready", heir.Process.Pid)
	for {
		time.Sleep(time.Hour)
	}
}

// TestEndingHolder: a lock outlives the process that took it. As long as that runs, others are told to wait or to stop it;
// when it is dead, and when nothing is left of it, that it is ending.
func TestEndingHolder(t *testing.T) {
	dir := fullStore(t)
	cmd := child(t, "bequeath", dir)
	lines := start(t, cmd)
	heir, err := strconv.Atoi(strings.Fields(lines.Text())[1])
	must(t, err)
	defer syscall.Kill(heir, syscall.SIGKILL)
	check := func(when string, ending bool) {
		t.Helper()
		for what, err := range map[string]error{"Open": second(Open(dir)), "Vacant": Vacant(dir)} {
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
		s, err := Open(dir)
		if errors.Is(err, ErrLocked) { // it takes a moment
			time.Sleep(time.Millisecond)
			continue
		}
		must(t, err)
		must(t, s.Close())
		return
	}
}
