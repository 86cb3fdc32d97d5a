//go:build unix

package newfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// writable says why a device or a pipe cannot be written, or no file be made in a folder.
func writable(path string, isFolder bool) error {
	mode := uint32(unix.W_OK)
	if isFolder {
		mode |= unix.X_OK
	}
	if err := unix.Access(path, mode); err != nil {
		return &fs.PathError{Op: "access", Path: path, Err: err}
	}
	return nil
}

// openStream opens a device or a pipe. It does not wait for the reader of a pipe, since nothing could interrupt that.
func openStream(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return os.OpenFile(path, os.O_WRONLY, 0)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|unix.O_NONBLOCK, 0)
	if errors.Is(err, unix.ENXIO) {
		err = fmt.Errorf("nobody reads this pipe; start its reader first: %w", unix.ENXIO)
	}
	return f, err
}

// keepAccess gives f, which is ours alone, the group, the mode and the owner of another file. What the system refuses
// stays as it is. The owner is last, for only the owner may change the mode.
func keepAccess(f *os.File, was fs.FileInfo) error {
	s, ok := was.Sys().(*syscall.Stat_t)
	if ok {
		_ = f.Chown(-1, int(s.Gid))
	}
	if err := f.Chmod(was.Mode().Perm()); err != nil && !errors.Is(err, fs.ErrPermission) &&
		!errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if ok {
		_ = f.Chown(int(s.Uid), -1)
	}
	return nil
}
