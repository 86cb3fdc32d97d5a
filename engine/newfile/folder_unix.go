//go:build unix

package newfile

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// writable says why no file can be made in a folder.
func writable(dir string) error {
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return &fs.PathError{Op: "access", Path: dir, Err: err}
	}
	return nil
}

// keepOwner gives f the owner and the group of another file, as far as the system lets us.
func keepOwner(f *os.File, was fs.FileInfo) {
	if s, ok := was.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(-1, int(s.Gid))
		_ = f.Chown(int(s.Uid), -1)
	}
}
