package main

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"ooc/tiles/class"
	"ooc/tiles/crashtest"
)

// TestCampaignMergeKills kills or interrupts ooc merge at random moments until it is done, over and over, and
// compares the end with a solve of all rows. Parts stay as they were.
func TestCampaignMergeKills(t *testing.T) {
	crashtest.Campaign(t)
	r, dir := seeded(t), t.TempDir()
	ooc(t, dir, "gen", "road", "g.gr", "-n", "1500", "--seed", "5").want(t, 0)
	ooc(t, dir, "solve", "g.gr", "--out", "whole.ooc", "--algorithm", "eliminate", "--device", "cpu").want(t, 0)
	out := filepath.Join(t.TempDir(), "g.ooc")
	line := append([]string{"merge", out}, partsOf(t, dir, 4, "g.gr", "--device", "cpu")...)
	before := tree(t, dir)
	began := time.Now()
	ooc(t, dir, line...).want(t, 0)
	took := time.Since(began)
	want := readFile(t, dir, "whole.ooc", "dist.npy")
	kills, interrupts, wanted := 0, 0, crashtest.Times(8, 500)
	for turn := 0; turn < wanted && kills+interrupts < wanted; turn++ {
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
		for done := false; !done; {
			cmd := command(t, dir, line...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			hurt := []os.Signal{os.Kill, os.Interrupt}[r.IntN(2)]
			killer := time.AfterFunc(time.Duration(r.Int64N(int64(took))), func() { _ = cmd.Process.Signal(hurt) })
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
			case exited.ExitCode() == class.Interrupted:
				interrupts++
			default:
				t.Fatalf("exit code %d: %s", exited.ExitCode(), stderr.String())
			}
		}
		if !bytes.Equal(readFile(t, out, "dist.npy"), want) {
			t.Fatal("it ended with something else")
		}
		ooc(t, dir, "scrub", out).want(t, 0)
	}
	if after := tree(t, dir); !maps.Equal(before, after) {
		t.Error("a part was changed")
	}
	if kills+interrupts == 0 {
		t.Error("nothing stopped it")
	}
	t.Logf("%d kills, %d interrupts", kills, interrupts)
}

// TestMergeOnFullVolume has a volume too small for the merged store: exit code 5, and nothing is made.
func TestMergeOnFullVolume(t *testing.T) {
	crashtest.Slow(t)
	vol := mounted(t, "-t", "tmpfs", "-o", "size=1m", "ooc-test")
	dir := t.TempDir()
	ooc(t, dir, "gen", "road", "g.gr", "-n", "700").want(t, 0)
	line := append([]string{"merge", filepath.Join(vol, "g.ooc")}, partsOf(t, dir, 2, "g.gr", "--device", "cpu")...)
	ooc(t, dir, line...).want(t, class.NoSpace, "no space", "g.ooc", "continue with")
	entries, err := os.ReadDir(vol)
	if err != nil || len(entries) > 0 {
		t.Fatal(entries, err)
	}
	must(t, "mount", "-o", "remount,size=30m", vol)
	ooc(t, dir, line...).want(t, 0, "merged from 2 parts")
}
