package system

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// OpenNoFollow opens path unless it is a link. Windows has no flag for that;
// the check before opening leaves a window, closed by the lock for our own
// processes.
func OpenNoFollow(path string, flag int, perm os.FileMode) (*os.File, error) {
	if fi, err := os.Lstat(path); err == nil && !fi.Mode().IsRegular() {
		return nil, &os.PathError{Op: "open", Path: path, Err: windows.ERROR_CANT_ACCESS_FILE}
	}
	return os.OpenFile(path, flag, perm)
}

// SyncDir does nothing: NTFS journals names, and a folder cannot be synced.
func SyncDir(string) error { return nil }

// IsDiskFull knows the native forms of ENOSPC.
func IsDiskFull(err error) bool {
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

// FreeSpace is what this user may still allocate on the volume of dir, bytes.
func FreeSpace(dir string) (int64, error) {
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

// Reserve sets the file's size; NTFS allocates the clusters of a file that is
// not sparse when its end is set.
func Reserve(f *os.File, size int64) error { return f.Truncate(size) }

// Volume names the volume of dir by its mount point.
func Volume(dir string) (string, error) {
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

// LinkCount is how many names a file has; 0 where the system does not say.
func LinkCount(path string, _ fs.FileInfo) uint64 {
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
