package batch

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// TestQueueOnFullVolume fills the queue's volume while a batch runs: all jobs are solved, the end says what is not
// recorded, and the next run, with room, asks again for what that was.
func TestQueueOnFullVolume(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", dir).CombinedOutput(); err != nil {
		if os.Getenv("OOC_REQUIRE_MOUNT") == "1" {
			t.Fatalf("mount: %v: %s", err, out)
		}
		t.Skipf("cannot mount a tmpfs: %v: %s", err, out)
	}
	defer exec.Command("umount", dir).Run()
	const jobs = 100
	l := queueOf(t, dir, jobs)
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 1<<20), 0o666); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the volume is not full: %v", err)
	}
	a := &actor{}
	err := Run(t.Context(), l, make([]Need, jobs), sharedDevice(t), a, Options{})
	if !errors.Is(err, syscall.ENOSPC) || l.Counts()[Solved] != jobs {
		t.Fatalf("%v, %v", err, l.Counts())
	}
	if err := errors.Join(l.Close(), os.Remove(filler)); err != nil {
		t.Fatal(err)
	}
	l = queueOf(t, dir, jobs)
	recorded, again := l.Counts()[Solved], &actor{}
	if recorded == jobs {
		t.Fatal("nothing was lost: the test shows nothing")
	}
	if err := Run(t.Context(), l, make([]Need, jobs), sharedDevice(t), again, Options{}); err != nil ||
		len(again.begun) != jobs-recorded {
		t.Errorf("%d recorded, %d begun again, %v", recorded, len(again.begun), err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}
