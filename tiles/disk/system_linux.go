package disk

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// willNeedStep bounds one MADV_WILLNEED: the kernel cuts a longer one down to
// the largest transfer of the disk and drops the rest.
const willNeedStep = 512 << 10

// WillNeed asks the kernel to read the range in the background.
func WillNeed(b []byte) {
	for len(b) > 0 {
		n := min(len(b), willNeedStep)
		_ = unix.Madvise(b[:n], unix.MADV_WILLNEED) // advice: failing it costs speed only
		b = b[n:]
	}
}

// WillRead is WillNeed for a part of a file that is not mapped.
func WillRead(f *os.File, off, n int64) {
	_ = unix.Fadvise(int(f.Fd()), off, n, unix.FADV_WILLNEED) // advice
}

// StartWriting asks the system to begin writing a part of f to disk, so that
// the next sync finds little left to do.
func StartWriting(f *os.File, off, n int64) {
	_ = unix.SyncFileRange(int(f.Fd()), off, n, unix.SYNC_FILE_RANGE_WRITE) // advice
}

// DropCache forgets the clean cached pages of f, so that reads see the disk.
func DropCache(f *os.File) { _ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED) }

// Boot is the kernel's name for its current run, "" if it has none.
func Boot() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(b))
}

// Incarnation names the run of the system that f's unsynced pages belong to; it
// is zero where that cannot be told, and then nothing unsynced is trusted. The
// boot id alone would not do: a disk that is pulled and mounted again has
// lost them without a reboot, and a copy of a store never had them. So the
// device, the inode and the mount are in it too.
func Incarnation(f *os.File, boot string) (name [16]byte) {
	if boot == "" {
		return name
	}
	var st unix.Statx_t
	const mask = unix.STATX_INO | unix.STATX_MNT_ID | unix.STATX_MNT_ID_UNIQUE
	if err := unix.Statx(int(f.Fd()), "", unix.AT_EMPTY_PATH, mask, &st); err != nil {
		return name
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d:%d %d %d", boot, st.Dev_major, st.Dev_minor, st.Ino, st.Mnt_id))
	return [16]byte(sum[:16])
}

// networks are file systems that several hosts may have mounted, by the magic
// numbers of statfs(2); those without a constant are from their own headers.
var networks = map[uint32]string{
	unix.NFS_SUPER_MAGIC:  "nfs",
	unix.SMB_SUPER_MAGIC:  "smb",
	unix.CIFS_SUPER_MAGIC: "cifs",
	unix.SMB2_SUPER_MAGIC: "smb",
	unix.V9FS_MAGIC:       "9p",
	unix.AFS_FS_MAGIC:     "afs",
	unix.CEPH_SUPER_MAGIC: "ceph",
	unix.FUSE_SUPER_MAGIC: "fuse",
	0x0bd00bd0:            "lustre",
	0x47504653:            "gpfs",
	0x19830326:            "beegfs",
}

func network(dir string) string { return networks[fileSystem(dir)] }

func inMemory(dir string) bool {
	system := fileSystem(dir)
	return system == unix.TMPFS_MAGIC || system == unix.RAMFS_MAGIC
}

// fileSystem is the magic number of what dir is on; 0: unknown.
func fileSystem(dir string) uint32 {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0
	}
	return uint32(st.Type)
}

// source is what was mounted where dir is.
func source(dir string) string {
	var st unix.Stat_t
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil || unix.Stat(dir, &st) != nil {
		return ""
	}
	return sourceOf(string(mounts), fmt.Sprintf("%d:%d", unix.Major(uint64(st.Dev)), unix.Minor(uint64(st.Dev))))
}

// sourceOf finds a device in the text of mountinfo, see proc_pid_mountinfo(5).
func sourceOf(mounts, device string) string {
	for line := range strings.Lines(mounts) {
		mount, volume, _ := strings.Cut(line, " - ")
		if f, v := strings.Fields(mount), strings.Fields(volume); len(f) > 2 && f[2] == device && len(v) > 1 {
			return v[1]
		}
	}
	return ""
}

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

// reserveStep bounds one fallocate. tmpfs undoes a call that a signal
// interrupts, so one call for hundreds of GiB might never end.
const reserveStep = 1 << 30

// reserve gives the empty file f the size and the blocks for it. On volumes
// that cannot allocate ahead it only sets the size: the caller has compared it
// with the free space.
func reserve(f *os.File, size int64) error {
	for off := int64(0); off < size; {
		n := min(size-off, reserveStep)
		err := unix.Fallocate(int(f.Fd()), 0, off, n)
		switch {
		case err == nil:
			off += n
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS):
			return f.Truncate(size)
		default:
			return os.NewSyscallError("fallocate", err)
		}
	}
	return nil
}
