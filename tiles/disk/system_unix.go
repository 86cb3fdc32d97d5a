//go:build unix

package disk

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// openNoFollow opens path unless it is a symbolic link; opening never blocks.
func openNoFollow(path string, flag int, perm os.FileMode) (*os.File, error) {
	return os.OpenFile(path, flag|unix.O_NOFOLLOW|unix.O_NONBLOCK, perm)
}

// SyncDir makes created, renamed and removed names durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// isDiskFull covers what the common errno values do not: nothing, on Unix.
func isDiskFull(error) bool { return false }

// FileSize is the file's size now, without the allocation of os.File.Stat: it
// is asked for after every access to a tile.
func FileSize(f *os.File) (int64, error) {
	var st unix.Stat_t
	for {
		err := unix.Fstat(int(f.Fd()), &st)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return 0, os.NewSyscallError("fstat", err)
		}
		return st.Size, nil
	}
}

// freeSpace is what this user may still allocate on the volume of dir, bytes.
func freeSpace(dir string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, os.NewSyscallError("statfs", err)
	}
	if st.Blocks == 0 {
		return 0, fmt.Errorf("the volume of %s does not say how large it is", dir)
	}
	blocks := uint64(st.Bavail)
	if os.Geteuid() == 0 {
		blocks = uint64(st.Bfree) // root may use the reserved blocks
	}
	const limit = 1 << 62
	size := uint64(st.Bsize)
	if size != 0 && blocks > limit/size {
		return limit, nil
	}
	return int64(blocks * size), nil
}

// volume names the volume of dir.
func volume(dir string) (string, error) {
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return "", os.NewSyscallError("stat", err)
	}
	return fmt.Sprint(uint64(st.Dev)), nil
}

// linkCount is how many names a file has; 0 where the system does not say.
func linkCount(_ string, fi fs.FileInfo) uint64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 0
}

// DiskBytes is what a file takes of its volume.
func DiskBytes(fi fs.FileInfo) int64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return 512 * int64(st.Blocks)
	}
	return fi.Size()
}
