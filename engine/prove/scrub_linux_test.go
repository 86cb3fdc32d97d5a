package prove

import (
	"context"
	"errors"
	"os"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"ooc/engine/internal/enginetest"
	"ooc/engine/internal/seeds"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/disk"
)

// TestScrubRefused: a matrix that cannot be read now, since the system refuses, is not called damaged.
func TestScrubRefused(t *testing.T) {
	r := seeds.New(t)
	p := enginetest.Solved(t, r, enginetest.RandomGraph(t, r, 100, entry.KindI32, false))
	blind, err := os.OpenFile(tiles.MatrixPath(p.Dir()), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer blind.Close()
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range open { // all of the matrix from here on are for writing alone
		fd, _ := strconv.Atoi(e.Name())
		if name, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && name == blind.Name() &&
			fd != int(blind.Fd()) {
			if err := unix.Dup3(int(blind.Fd()), fd, unix.O_CLOEXEC); err != nil {
				t.Fatal(err)
			}
		}
	}
	s, err := Scrub(context.Background(), p, ScrubOptions{})
	if !errors.Is(err, syscall.EBADF) || errors.Is(err, disk.ErrCorrupt) || s.Damaged != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}
