package tiles

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// bootID is the kernel's name for its current run, "" if it has none.
func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(b))
}

// incarnationOf names the run of the system that f's unsynced pages belong to.
// The boot id alone would not do: a disk that is pulled and mounted again has
// lost them without a reboot, and a copy of a store never had them. So the
// device, the inode and the mount are in it too.
func incarnationOf(f *os.File, boot string) incarnation {
	if boot == "" {
		return incarnation{}
	}
	var st unix.Statx_t
	const mask = unix.STATX_INO | unix.STATX_MNT_ID | unix.STATX_MNT_ID_UNIQUE
	if err := unix.Statx(int(f.Fd()), "", unix.AT_EMPTY_PATH, mask, &st); err != nil {
		return incarnation{}
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d:%d %d %d", boot, st.Dev_major, st.Dev_minor, st.Ino, st.Mnt_id))
	return incarnation(sum[:16])
}
