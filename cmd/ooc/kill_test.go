//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ooc/tiles/crashtest"
)

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

var killedAlgorithms = []string{"blocked", "eliminate", "squaring", "single-stage"}

// killed counts what TestCampaignKills did.
type killed struct{ kills, resumed, copies int }

// TestCampaignKills kills solves of both kinds by all algorithms at random moments, over and over until each is
// done, and compares the end with an uninterrupted solve: byte by byte in i32, of predecessors the distances; by verification in f32. What was half
// done is copied, too, and ends the same elsewhere.
func TestCampaignKills(t *testing.T) {
	r := seeded(t)
	dir := t.TempDir()
	want := crashtest.Times(30, 1000)
	var k killed
	for turn := 0; k.kills < want && turn < want; turn++ { // a machine on which solves end before they are killed ends too
		k.solve(t, r, dir, []string{"i32", "f32"}[turn%2], killedAlgorithms[turn/2%len(killedAlgorithms)], want)
	}
	t.Logf("%d kills; %d last runs went on from a restore point or a note; %d copies", k.kills, k.resumed, k.copies)
}

// solve kills one solve until it is done.
func (k *killed) solve(t *testing.T, r *rand.Rand, dir, kind, algorithm string, want int) {
	t.Helper()
	n, tile := 700+r.IntN(crashtest.Times(500, 1500)), 64<<r.IntN(3)
	ooc(t, dir, "gen", "random", "g.gr", "-n", fmt.Sprint(n), "-m", fmt.Sprint((2+r.IntN(9))*n), "--seed", fmt.Sprint(r.Uint32()), "--overwrite").want(t, 0)
	base := []string{"solve", "g.gr", "--kind", kind, "--tile", fmt.Sprint(tile), "--algorithm", algorithm}
	trees := algorithm == "blocked" && r.IntN(2) == 0
	if trees {
		base = append(base, "--predecessors")
	}
	if err := os.RemoveAll(filepath.Join(dir, "whole.ooc")); err != nil { // made with predecessors, or without
		t.Fatal(err)
	}
	began := time.Now()
	ooc(t, dir, append(base, "--out", "whole.ooc", "--restart")...).want(t, 0)
	whole := time.Since(began)
	// A run that is killed before it replaced the store of another graph would rightly leave that.
	for _, store := range []string{"killed.ooc", "copy.ooc"} {
		if err := os.RemoveAll(filepath.Join(dir, store)); err != nil {
			t.Fatal(err)
		}
	}
	base = append(base, "--json", "--out")
	for more := 3 + r.IntN(8); more > 0 && k.kills < want; more-- {
		if killOne(t, dir, append(append(base, "killed.ooc"), limits(r, tile, algorithm)...), time.Duration(r.Int64N(int64(whole)))) {
			k.kills++
		}
	}
	stores := []string{"killed.ooc"}
	if isStore(filepath.Join(dir, "killed.ooc")) && r.IntN(2) == 0 {
		copyElsewhere(t, filepath.Join(dir, "killed.ooc"), filepath.Join(dir, "copy.ooc"))
		stores = append(stores, "copy.ooc")
		k.copies++
	}
	for _, store := range stores {
		last := jsonLines(t, ooc(t, dir, append(append(base, store), limits(r, tile, algorithm)...)...).want(t, 0).stdout)
		if from, ok := last[len(last)-1]["resumed_from"].(float64); ok && from > 0 {
			k.resumed++
		}
		if kind == "i32" && trees {
			sameExport(t, dir, store)
		} else if kind == "i32" && !bytes.Equal(read(t, dir, store, "dist.npy"), read(t, dir, "whole.ooc", "dist.npy")) {
			t.Fatalf("n=%d tile=%d algorithm=%s: the matrix of %s differs", n, tile, algorithm, store)
		}
		ooc(t, dir, "verify", store, "--rows", "64").want(t, 0)
	}
}

// copyElsewhere copies a store that nobody writes to where it looks as if it came from another host.
func copyElsewhere(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	write(t, to, "lock", fmt.Sprintf("ooc lock\npid %d\nhost elsewhere\n", os.Getpid()))
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

// racer is one of two processes that want the same store.
type racer struct {
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	took           time.Duration
}

// race starts a process and says when it has ended.
func race(t *testing.T, dir string, ended chan<- *racer, args ...string) *racer {
	t.Helper()
	x := &racer{cmd: command(t, dir, args...)}
	x.cmd.Stdout, x.cmd.Stderr = &x.stdout, &x.stderr
	began := time.Now()
	if err := x.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = x.cmd.Wait() // the state says how it ended
		x.took = time.Since(began)
		ended <- x
	}()
	return x
}

// TestCampaignRaces starts two solves of one store at once, which may have to be imported first. One writes; the other
// is told so. The winner is then killed, so that the next pair finds the store half done.
func TestCampaignRaces(t *testing.T) {
	dir := t.TempDir()
	ooc(t, dir, "gen", "random", "g.gr", "-n", "4000", "-m", "40000").want(t, 0)
	solve := []string{"solve", "g.gr", "--tile", "64", "--algorithm", "blocked", "--checkpoint", "20ms"}
	refused, slowest := 0, time.Duration(0)
	pairs := crashtest.Times(10, 200)
	for pair := range pairs {
		if pair%4 == 0 {
			if err := os.RemoveAll(filepath.Join(dir, "g.ooc")); err != nil {
				t.Fatal(err)
			}
		}
		ended := make(chan *racer, 2)
		a, b := race(t, dir, ended, solve...), race(t, dir, ended, solve...)
		first := <-ended
		other := a
		if first == a {
			other = b
		}
		if first.cmd.ProcessState.ExitCode() == exitLocked {
			refused++
			slowest = max(slowest, first.took)
			if text := first.stderr.String(); !strings.Contains(text, fmt.Sprintf("process %d ", other.cmd.Process.Pid)) && !strings.Contains(text, "by another process") {
				t.Errorf("the loser says\n%s", text)
			}
			_ = other.cmd.Process.Kill() // it may have ended
		}
		<-ended
		judgeRace(t, first, other)
	}
	t.Logf("%d pairs, %d losers exited %d, the slowest after %v", pairs, refused, exitLocked, slowest)
}

// judgeRace wants one writer of two: the other was refused, or came when all was done.
func judgeRace(t *testing.T, first, other *racer) {
	t.Helper()
	done := 0
	for _, x := range []*racer{first, other} {
		status := x.cmd.ProcessState.Sys().(syscall.WaitStatus)
		text := x.stderr.String() + x.stdout.String()
		switch {
		case status.Signaled():
			done++
		case status.ExitStatus() == exitLocked, strings.Contains(text, "already"): // solved, or imported just now
		case status.ExitStatus() == 0:
			done++
		default:
			t.Fatalf("exit code %d\n%s", status.ExitStatus(), text)
		}
	}
	if done != 1 {
		t.Fatalf("%d of two processes wrote one store:\n%s\n%s", done, first.stderr.String(), other.stderr.String())
	}
}
