package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"ooc/engine/near"
	"ooc/tiles/class"
	"ooc/tiles/crashtest"
)

// TestCampaignNearKills kills ooc near at random moments until it is done, over and over, and compares the files.
func TestCampaignNearKills(t *testing.T) {
	crashtest.Campaign(t)
	r, dir := seeded(t), t.TempDir()
	ooc(t, dir, "gen", "road", "g.gr", "-n", "2000", "--seed", "5").want(t, 0)
	line := []string{"near", "g.gr", "x.npz", "--within", "inf"}
	ooc(t, dir, line...).want(t, 0)
	want := readFile(t, dir, "x.npz")
	kills, wanted := 0, crashtest.Times(20, 500)
	for turn := 0; turn < wanted && kills < wanted; turn++ {
		if err := os.Remove(filepath.Join(dir, "x.npz")); err != nil {
			t.Fatal(err)
		}
		for done := false; !done; {
			cmd := command(t, dir, line...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			killer := time.AfterFunc(time.Duration(r.Int64N(int64(400*time.Millisecond))),
				func() { _ = cmd.Process.Kill() })
			err := cmd.Wait()
			killer.Stop()
			var exited *exec.ExitError
			switch {
			case err == nil:
				done = true
			case !errors.As(err, &exited):
				t.Fatal(err)
			case exited.Sys().(syscall.WaitStatus).Signaled():
				kills++
			default:
				_, missing := os.Stat(filepath.Join(dir, "x.npz"))
				if done = exited.ExitCode() == class.Failed && missing == nil; !done { // killed when all was written
					t.Fatalf("exit code %d", exited.ExitCode())
				}
			}
		}
		if !bytes.Equal(readFile(t, dir, "x.npz"), want) {
			t.Fatal("it ended with something else")
		}
		left, err := filepath.Glob(filepath.Join(dir, "*"+near.Extension))
		if err != nil || len(left) > 0 {
			t.Fatalf("left are %v, %v", left, err)
		}
		hidden, err := filepath.Glob(filepath.Join(dir, ".x.npz.*.tmp"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range hidden {
			os.Remove(name)
		}
	}
	t.Logf("%d kills", kills)
}

// TestNearOnFullVolume has a volume too small from the start, one that fills up while rows are found, and one on
// which the file does not fit beside the spool: exit code 5 each time, and the same command goes on once there is
// room.
func TestNearOnFullVolume(t *testing.T) {
	crashtest.Slow(t)
	vol := mounted(t, "-t", "tmpfs", "-o", "size=2m", "ooc-test")
	dir := t.TempDir()
	ooc(t, dir, "gen", "road", "g.gr", "-n", "1000", "--undirected", "--seed", "5").want(t, 0)
	graph := filepath.Join(dir, "g.gr")
	resize := func(size string) { must(t, "mount", "-o", "remount,size="+size, vol) }
	left := func(want ...string) {
		t.Helper()
		entries, err := os.ReadDir(vol)
		if err != nil || len(entries) != len(want) {
			t.Fatalf("left are %v, want %v: %v", entries, want, err)
		}
		for i, e := range entries {
			if e.Name() != want[i] {
				t.Fatalf("left are %v, want %v", entries, want)
			}
		}
	}
	line := []string{"near", graph, "x.npz", "--within", "inf"} // some 4 MB in the spool, and 8 in the file
	ooc(t, vol, line...).want(t, class.NoSpace, "no space", "name a FILE on another volume")
	left()

	resize("30m")
	cmd := command(t, vol, line...)
	var stderr bytes.Buffer
	cmd.Env, cmd.Stderr = append(cmd.Env, "GOMAXPROCS=1"), &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); time.Since(began) < time.Minute; { // until a record is there
		if info, err := os.Stat(filepath.Join(vol, "x.npz"+near.Extension)); err == nil && info.Size() > 3<<19 {
			break
		}
	}
	_ = cmd.Process.Signal(syscall.SIGSTOP) // it may have ended
	free := fill(t, vol)
	_ = cmd.Process.Signal(syscall.SIGCONT)
	_ = cmd.Wait()
	r := result{cmd.ProcessState.ExitCode(), "", stderr.String()}
	if r.code == 0 {
		tooFast(t, "ooc near")
	}
	r.want(t, class.NoSpace, "x.npz", "continue with")
	free()
	left("x.npz.near")
	ooc(t, vol, line...).want(t, 0, "going on")
	left("x.npz")
	if err := os.Remove(filepath.Join(vol, "x.npz")); err != nil {
		t.Fatal(err)
	}

	line[2] = "x.csv.gz" // of whose size nothing is known
	resize("7m")
	ooc(t, vol, line...).want(t, class.NoSpace, "x.csv.gz", "continue with")
	left("x.csv.gz.near")
	resize("30m")
	ooc(t, vol, line...).want(t, 0, "going on; 1,000 rows are there")
	left("x.csv.gz")
}
