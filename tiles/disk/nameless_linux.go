package disk

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// openNameless makes a file in dir that has no name. Not every file system can.
func openNameless(dir string) (*os.File, error) {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: dir, Err: err}
	}
	// For messages, and for whoever removes it to find nothing.
	name := fmt.Sprintf(".ooc-nameless-%016x", rand.Uint64())
	return os.NewFile(uintptr(fd), filepath.Join(dir, name)), nil
}
