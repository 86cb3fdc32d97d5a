package lock

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestHolderState stops, continues and kills the process that has a lock, and wants that said of it; and nothing of a
// process that only has its number.
func TestHolderState(t *testing.T) {
	dir := t.TempDir()
	cmd, _ := child(t, "hold", dir)
	awaitState := func(want ProcessState) {
		t.Helper()
		var h holder
		for range 1000 { // a signal takes a moment
			var err error
			h, err = HolderOf(dir)
			must(t, err)
			if h.State() == want {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("%+v is %q, want %q", h, h.State(), want)
	}
	awaitState(ProcessRuns)
	must(t, cmd.Process.Signal(syscall.SIGSTOP))
	awaitState(ProcessStopped)
	must(t, cmd.Process.Signal(syscall.SIGCONT))
	awaitState(ProcessRuns)

	text, err := os.ReadFile(filepath.Join(dir, Name))
	must(t, err)
	lines := strings.Split(string(text), "\n")
	f := strings.Fields(lines[3]) // process BOOT SPACE START
	say := func(pid int, host string, identity ...string) {
		t.Helper()
		must(t, os.WriteFile(filepath.Join(dir, Name),
			fmt.Appendf(nil, "%s\npid %d\nhost %s\n%s\n", magic, pid, host, strings.Join(identity, " ")), 0o666))
	}
	host := strings.TrimPrefix(lines[2], "host ")
	for _, c := range []struct {
		what     string
		pid      int
		host     string
		identity []string
		want     ProcessState
	}{
		{"another run of the system", cmd.Process.Pid, host, []string{f[0], "other", f[2], f[3]}, ProcessElsewhere},
		{"another container", cmd.Process.Pid, "other", []string{f[0], f[1], "pid:[1]", f[3]}, ProcessContained},
		{"its number is another's", os.Getpid(), host, f, ProcessEnded},
		{"an older version, here", cmd.Process.Pid, host, nil, ""},
		{"an older version, there", cmd.Process.Pid, "other", nil, ProcessElsewhere},
		{"rubbish", cmd.Process.Pid, host, []string{"process"}, ""},
	} {
		say(c.pid, c.host, c.identity...)
		if h, err := HolderOf(dir); err != nil || !h.Running || h.State() != c.want {
			t.Errorf("%s: %+v is %q, %v; want %q", c.what, h, h.State(), err, c.want)
		}
	}
	say(cmd.Process.Pid, host, f...)
	must(t, cmd.Process.Kill())
	cmd.Wait()
	awaitState(ProcessEnded)
}
