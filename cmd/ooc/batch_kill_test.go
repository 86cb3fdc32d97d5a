//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ooc/engine/batch"
	"ooc/tiles/crashtest"
)

// long makes a batch whose last job takes a while, and starts it, on two cores: many would be done before one looks.
func long(t *testing.T, dir string) (*exec.Cmd, *bytes.Buffer, []string) {
	t.Helper()
	writeFile(t, dir, "a.gr", "p sp 2 1\na 1 2 5\n")
	ooc(t, dir, "gen", "random", "b.gr", "-n", "2600", "-m", "14000", "--overwrite").want(t, 0)
	args := []string{"solve", "a.gr", "b.gr", "--algorithm", "blocked", "--tile", "128", "--round", "128",
		"--checkpoint", "50ms"}
	cmd := command(t, dir, args...)
	cmd.Env = append(cmd.Env, "GOMAXPROCS=2")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, &stderr, args
}

// reaches waits until the jobs of the queue in a folder are as wanted, or the process has ended.
func reaches(t *testing.T, dir, want string, ended <-chan error) bool {
	t.Helper()
	for {
		if found, _ := filepath.Glob(filepath.Join(dir, "*.batch")); len(found) == 1 {
			if q, err := batch.Read(found[0]); err == nil && outcomes(q) == want {
				return true
			}
		}
		select {
		case <-ended:
			return false
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// midway starts batches until one is stopped (SIGSTOP) in the middle of its second job, so that it stays there however
// fast the machine is. do then ends it, and reports whether it did: false where the job was at its end by then.
func midway(t *testing.T,
	do func(dir string, cmd *exec.Cmd, stderr *bytes.Buffer, args []string, ended <-chan error) bool) {
	t.Helper()
	const there = "solved/1 solving/1"
	for try := 0; try < 20; try++ {
		dir := t.TempDir()
		cmd, stderr, args := long(t, dir)
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		if !reaches(t, dir, there, ended) || cmd.Process.Signal(syscall.SIGSTOP) != nil {
			continue
		}
		time.Sleep(20 * time.Millisecond) // until each of its threads has stopped
		if outcomes(theQueue(t, dir)) == there && do(dir, cmd, stderr, args, ended) {
			return
		}
	}
	t.Fatal("no batch was seen in its second job")
}

// TestBatchKilledAndResumed: the same command goes on after a kill, and does not begin again what is solved.
func TestBatchKilledAndResumed(t *testing.T) {
	crashtest.Slow(t)
	midway(t, func(dir string, cmd *exec.Cmd, _ *bytes.Buffer, args []string, ended <-chan error) bool {
		ooc(t, dir, args...).want(t, 6, fmt.Sprintf("process %d", cmd.Process.Pid)) // two at once
		q := theQueue(t, dir)
		ooc(t, dir, "status", filepath.Base(q.Dir)).want(t, 0, fmt.Sprintf("process %d", cmd.Process.Pid), "solving")
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		<-ended
		wantOutcomes(t, dir, "solved/1 interrupted/1")
		ooc(t, dir, "status", filepath.Base(q.Dir)).want(t, 0, "next      ooc solve a.gr b.gr")
		ooc(t, dir, args...).want(t, 0, "1 of them solved")
		wantOutcomes(t, dir, "solved/1 solved/2")
		ooc(t, dir, "verify", "b.ooc", "--rows", "4").want(t, 0)
		return true
	})
}

func TestBatchInterrupted(t *testing.T) {
	crashtest.Slow(t)
	midway(t, func(dir string, cmd *exec.Cmd, stderr *bytes.Buffer, args []string, ended <-chan error) bool {
		if err := errors.Join(cmd.Process.Signal(os.Interrupt), cmd.Process.Signal(syscall.SIGCONT)); err != nil {
			t.Fatal(err)
		}
		<-ended
		if code := cmd.ProcessState.ExitCode(); code == 0 { // it was in its last round
			return false
		} else if code != 130 ||
			!strings.Contains(stderr.String(), "1 of 2 jobs solved; continue with:\n  ooc solve a.gr b.gr") {
			t.Fatalf("exit code %d\n%s", code, stderr)
		}
		wantOutcomes(t, dir, "solved/1 interrupted/1")
		ooc(t, dir, args...).want(t, 0)
		wantOutcomes(t, dir, "solved/1 solved/2")
		return true
	})
}

// TestCampaignBatchKills kills a batch of small graphs at random moments until it is done: each is solved once, and
// as it is alone.
func TestCampaignBatchKills(t *testing.T) {
	crashtest.Campaign(t)
	r := seeded(t)
	dir := t.TempDir()
	args := []string{"solve", "--algorithm", "blocked", "--tile", "64", "--round", "64", "--checkpoint", "5ms"}
	for i := range 6 {
		name := fmt.Sprintf("g%d", i)
		ooc(t, dir, "gen", "random", name+".gr", "-n", fmt.Sprint(600+r.IntN(600)), "-m", "4000", "--seed",
			fmt.Sprint(r.Uint32())).want(t, 0)
		ooc(t, dir, append(args, name+".gr", "--out", name+"-alone.ooc")...).want(t, 0)
	}
	graphs, err := filepath.Glob(filepath.Join(dir, "*.gr"))
	if err != nil || len(graphs) != 6 {
		t.Fatal(graphs, err)
	}
	for _, g := range graphs {
		args = append(args, filepath.Base(g))
	}
	killed := killSome(t, r, dir, args, 8)
	ooc(t, dir, args...).want(t, 0)
	q := theQueue(t, dir)
	begun := 0
	for i, j := range q.Jobs {
		begun += j.Attempt
		if j.State != batch.Solved ||
			!bytes.Equal(readFile(t, dir, fmt.Sprintf("g%d.ooc", i), "dist.npy"),
				readFile(t, dir, fmt.Sprintf("g%d-alone.ooc", i), "dist.npy")) {
			t.Errorf("%+v: not what it is alone", j)
		}
	}
	solved := map[string]bool{}
	for line := range strings.Lines(string(readFile(t, q.Dir, "queue"))) {
		job, state, ok := strings.Cut(line, `,"state":"`)
		if _, job, _ = strings.Cut(job, `"job":`); !ok {
			continue
		}
		if solved[job] {
			t.Errorf("job %s was solved before: %s", job, line)
		}
		solved[job] = strings.HasPrefix(state, "solved")
	}
	t.Logf("%d kills; %d jobs were begun %d times", killed, len(q.Jobs), begun)
}

// killSome starts a command again and again, and kills it after a while, until it ends by itself.
func killSome(t *testing.T, r *rand.Rand, dir string, args []string, most int) (killed int) {
	t.Helper()
	for killed < most {
		if !killOne(t, dir, args, time.Duration(150+r.IntN(400))*time.Millisecond, false) {
			break
		}
		killed++
	}
	return killed
}
