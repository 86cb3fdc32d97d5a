package disk

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// openNoFollow opens path unless it is a link. Windows has no flag for that;
// the check before opening leaves a window, closed by the lock for our own
// processes.
func openNoFollow(path string, flag int, perm os.FileMode) (*os.File, error) {
	if fi, err := os.Lstat(path); err == nil && !fi.Mode().IsRegular() {
		return nil, &os.PathError{Op: "open", Path: path, Err: windows.ERROR_CANT_ACCESS_FILE}
	}
	return os.OpenFile(path, flag, perm)
}

// SyncDir does nothing: NTFS journals names, and a folder cannot be synced.
func SyncDir(string) error { return nil }

// isDiskFull knows the native forms of ENOSPC.
func isDiskFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) ||
		errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED)
}

// FileSize is the file's size now.
func FileSize(f *os.File) (int64, error) {
	fi, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return fi.Size(), nil
}

// freeSpace is what this user may still allocate on the volume of dir, bytes.
func freeSpace(dir string) (int64, error) {
	p, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free uint64
	if err := windows.GetDiskFreeSpaceEx(p, &free, nil, nil); err != nil {
		return 0, os.NewSyscallError("GetDiskFreeSpaceEx", err)
	}
	return int64(min(free, 1<<62)), nil
}

// reserve sets the file's size; NTFS allocates the clusters of a file that is
// not sparse when its end is set.
func reserve(f *os.File, size int64) error { return f.Truncate(size) }

// volume names the volume of dir by its mount point.
func volume(dir string) (string, error) {
	p, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return "", err
	}
	buf := make([]uint16, windows.MAX_LONG_PATH)
	if err := windows.GetVolumePathName(p, &buf[0], uint32(len(buf))); err != nil {
		return "", os.NewSyscallError("GetVolumePathName", err)
	}
	return windows.UTF16ToString(buf), nil
}

// linkCount is how many names a file has; 0 where the system does not say.
func linkCount(path string, _ fs.FileInfo) uint64 {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info); err != nil {
		return 0
	}
	return uint64(info.NumberOfLinks)
}

// DiskBytes is what a file takes of its volume.
func DiskBytes(fi fs.FileInfo) int64 { return fi.Size() }

// Boot is the system's id of its current boot; it is not known here.
func Boot() string { return "" }

// WillNeed does nothing: the system's own read-ahead must do.
func WillNeed([]byte) {}
