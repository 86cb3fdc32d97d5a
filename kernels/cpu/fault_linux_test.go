package cpu

import (
	"testing"

	"golang.org/x/sys/unix"
)

// unreadablePage returns a page whose reading faults.
func unreadablePage(t *testing.T) []byte {
	page, err := unix.Mmap(-1, 0, 4096, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(page); err != nil {
			t.Error(err)
		}
	})
	return page
}
