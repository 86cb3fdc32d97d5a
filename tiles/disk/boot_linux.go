package disk

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

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
